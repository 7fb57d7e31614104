"""How much the board matters: the variance between games that lies between layouts, and how far win shares go with it.

All layouts that are one city turned count as one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.metric import BETWEEN, TableMetrics
from mmsim.analysis.stats import Array
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Measure, Metric, OfRows, Shape, Value
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
_ROWS_WAITING = 50_000  # rows of a variant that wait to be summed up
_MOST_SPREAD = 0.5  # of numbers between 0 and 1
_SQUARED = "squared"


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
    known = {name: column for name, column in wanted.items() if column in schema}
    repeats = [games - layouts for layouts, games in run.layouts.values()] if wanted else []
    if not repeats or min(repeats) < _LEAST_REPEATS:
        return []
    by_variant = _sums(run, [*known.values()])
    shares = [[one.share for one in of_variant] for of_variant in by_variant]
    spreads = [[of_variant[0].spread] for of_variant in by_variant]
    return [
        _estimates(run, LAYOUT_SHARE, (WHO_WINS, *known), shares),
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
    players = range(max(variant.players for variant in run.variants))
    of_seats = TableMetrics([_wins(players)], Shape(run.tables))
    by_city = {variant.name: _SumsByCity() for variant in run.variants}
    for tables in run.blocks():
        games = tables["games"].drop_nulls("layout").with_columns(run.city)
        squares = [(pl.col(name) ** 2).alias(f"{name} squared") for name in outcomes]
        known = games.select("variant", "game", "city", pl.col(outcomes).cast(pl.Float64).fill_null(0.0))
        rows = of_seats.by_game(tables).lazy().join(known.with_columns(squares), on=["variant", "game"])
        found = rows.select("variant", "city", pl.exclude("variant", "city", "game"), games=1.0).collect()
        for variant, sums in by_city.items():
            sums.add(found.filter(pl.col("variant") == variant).drop("variant"))
    return [_of_variant(by_city[variant.name].total(), variant.players, outcomes) for variant in run.variants]


def _wins(players: Iterable[int]) -> Metric:
    """The win shares of every player, one each, and the sum of all squares."""
    won = pl.col("win_share").cast(pl.Float64)
    values: dict[str, Value] = {
        str(player): OfRows((("sum", pl.when(pl.col("player") == player).then(won).otherwise(0.0)),))
        for player in players
    }
    return Metric(
        WHO_WINS, "", "share", 0.0, "seats", (), lambda shape: {**values, _SQUARED: OfRows((("sum", won**2),))}
    )


class _SumsByCity:
    """Sums of the rows of every city, as rows come; many at a time are added up, since each time takes a moment."""

    def __init__(self) -> None:
        self._waiting, self._summed = list[pl.DataFrame](), 0

    def add(self, rows: pl.DataFrame) -> None:
        self._waiting.append(rows)
        if sum(map(len, self._waiting)) > 2 * self._summed + _ROWS_WAITING:
            self._summed = len(self.total())

    def total(self) -> pl.DataFrame:
        total = pl.concat(self._waiting).group_by("city", maintain_order=True).sum()
        self._waiting = [total]
        return total


def _of_variant(by_city: pl.DataFrame, players: int, outcomes: Sequence[str]) -> list[_Sums]:
    counts = by_city["games"].to_numpy()
    won = by_city.select(f"{WHO_WINS}{BETWEEN}{player}" for player in range(players)).to_numpy().T
    found = [_Sums(counts, won, by_city[f"{WHO_WINS}{BETWEEN}{_SQUARED}"].to_numpy())]
    return found + [
        _Sums(counts, by_city[name].to_numpy()[None], by_city[f"{name} squared"].to_numpy()) for name in outcomes
    ]
