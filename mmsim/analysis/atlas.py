"""How much the board matters: the variance between games that lies between layouts, and how far win shares go with it.

All layouts that are one city turned count as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import Array
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Measure
from mmsim.games import find_statistics

LAYOUT_SHARE = Measure(
    "layout_share",
    "How much of the variance between games lies between layouts (and deals, where games share both)?",
    "share",
    0.02,
)
LAYOUT_SPREAD = Measure(
    "layout_spread",
    "How far do a player's chances to win differ from layout to layout (standard deviation of win shares)?",
    "share distance",
    0.01,
)
WHO_WINS = "win_share"  # among the outcomes: the win shares of all players together
_LEAST_REPEATS = 500  # games on a layout played before; fewer tell nothing of the variance within layouts
_ROWS_WAITING = 300_000  # rows that wait to be summed up
_MOST_SPREAD = 0.5  # of numbers between 0 and 1
_PLACE = ("variant", "city")


@dataclass(frozen=True)
class _Sums:
    """Of the games of one variant, layout by layout: how many, and the sums and squares of an outcome."""

    games: Array
    sums: Array  # one row a player, where players have one each
    squares: Array

    @property
    def share(self) -> stats.Estimate:
        return stats.between_share(self.games, self.sums, self.squares)

    @property
    def spread(self) -> stats.Estimate:
        """The standard deviation between layouts that belongs to the share: that within is known far better."""
        share = self.share
        if not np.isfinite(share.value):
            return share
        within = stats.variance_within(self.games, self.sums, self.squares) / len(self.sums)
        value, low, high = (
            min(_MOST_SPREAD, float(np.sqrt(max(end, 0.0) * within / max(1 - end, 1e-9))))
            for end in (share.value, share.low, share.high)
        )
        z = stats.z_quantile((1 + stats.LEVEL) / 2)
        return stats.Estimate(value, low, high, (high - low) / (2 * z), share.deals)


def layout_findings(run: RunTables) -> list[Estimates]:
    """The share of every outcome of a game, who wins first, and the spread of win shares over layouts; nothing where
    too few layouts were played twice."""
    run = run.counted
    schema = run.tables["games"].collect_schema()
    wanted = find_statistics(run.experiment.game).layout_outcomes
    outcomes = [name for name in wanted if name in schema]
    repeats = [games - layouts for layouts, games in run.layouts.values()] if wanted else []
    if not repeats or min(repeats) < _LEAST_REPEATS:
        return []
    by_variant = _sums(run, outcomes)
    shares = [[one.share for one in of_variant] for of_variant in by_variant]
    spreads = [[of_variant[0].spread] for of_variant in by_variant]
    return [
        _estimates(run, LAYOUT_SHARE, (WHO_WINS, *outcomes), shares),
        _estimates(run, LAYOUT_SPREAD, ("",), spreads),
    ]


def _estimates(
    run: RunTables, measure: Measure, groups: tuple[str, ...], found: Sequence[Sequence[stats.Estimate]]
) -> Estimates:
    every, shape = [one for of_variant in found for one in of_variant], (len(found), len(groups))
    return Estimates(
        measure,
        tuple(variant.name for variant in run.variants),
        groups,
        np.array([one.value for one in every]).reshape(shape),
        np.repeat([[float(run.games_of(variant.name))] for variant in run.variants], len(groups), axis=1),
        np.array([float(one.deals) for one in every]).reshape(shape),
        np.diag([one.se**2 for one in every]).reshape(*shape, *shape),
        paired=False,
        games_a_deal=max(games / layouts for layouts, games in run.layouts.values()),
        intervals={divmod(i, shape[1]): (one.low, one.high) for i, one in enumerate(every)},
    )


def _sums(run: RunTables, outcomes: Sequence[str]) -> list[list[_Sums]]:
    """For every variant who wins and then the outcomes; memory grows with layouts, not with games."""
    of_games, of_players = _SumsByKey(_PLACE), _SumsByKey((*_PLACE, "player"))
    for tables in run.blocks():
        known = tables["games"].drop_nulls("layout").with_columns(run.city, pl.col(outcomes).cast(pl.Float64))
        games = known.select(*_PLACE, "game", pl.col(outcomes).fill_null(0.0)).collect()
        wins = tables["seats"].select("variant", "game", "player", won=pl.col("win_share").cast(pl.Float64)).collect()
        won = wins.join(games.select(*_PLACE, "game"), on=["variant", "game"])
        squares = [(pl.col(name) ** 2).alias(f"{name} squared") for name in outcomes]
        of_games.add(games.with_columns(*squares, games=1.0).drop("game"))
        of_players.add(won.with_columns(squared=pl.col("won") ** 2).drop("game"))
    totals = of_games.total(), of_players.total()
    return [_of_variant(*totals, variant.name, outcomes) for variant in run.variants]


class _SumsByKey:
    """Sums of rows that have the same key, as rows come; few at a time are added up, since that takes time."""

    def __init__(self, key: Sequence[str]) -> None:
        self._key, self._waiting, self._summed = key, list[pl.DataFrame](), 0

    def add(self, rows: pl.DataFrame) -> None:
        self._waiting.append(
            rows.with_columns(pl.col("variant").cast(pl.String)).select(*self._key, pl.exclude(self._key))
        )
        if sum(map(len, self._waiting)) > self._summed + _ROWS_WAITING:
            self._summed = len(self.total())

    def total(self) -> pl.DataFrame:
        total = pl.concat(self._waiting).group_by(self._key, maintain_order=True).sum()
        self._waiting = [total]
        return total


def _of_variant(of_games: pl.DataFrame, of_players: pl.DataFrame, variant: str, outcomes: Sequence[str]) -> list[_Sums]:
    games = of_games.filter(pl.col("variant") == variant)
    counts = games["games"].to_numpy()
    won = games.select("city").join(of_players.filter(pl.col("variant") == variant), on="city", maintain_order="left")
    by_player = won.partition_by("player") if len(won) else []
    sums = np.array([one["won"].to_numpy() for one in by_player]).reshape(len(by_player), len(counts))
    squares = np.array([one["squared"].to_numpy() for one in by_player]).reshape(len(by_player), len(counts))
    found = [_Sums(counts, sums, squares.sum(axis=0))]
    return found + [
        _Sums(counts, games[name].to_numpy()[None], games[f"{name} squared"].to_numpy()) for name in outcomes
    ]
