"""How much the board matters: the variance between games that lies between layouts, and how far win shares go with it.

All layouts that are one city turned count as one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import Array
from mmsim.analysis.table_metrics import TableMetrics, slice_of
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
_MOST_SPREAD = 0.5  # of numbers between 0 and 1


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
    names = pl.Enum([variant.name for variant in run.variants])
    by_city = [_SumsByCity(1 + len(players) + 1 + 2 * len(outcomes)) for _ in run.variants]
    for tables in run.blocks():
        games = tables["games"].drop_nulls("layout").with_columns(run.city)
        known = games.select("variant", "game", "city", pl.col(outcomes).cast(pl.Float64).fill_null(0.0)).collect()
        won = of_seats.by_game(tables)
        if not won.select("variant", "game").equals(known.select("variant", "game")):  # games without a layout
            won = known.select("variant", "game").join(won, on=["variant", "game"], maintain_order="left")
        cities, variants = known["city"].to_numpy(), known["variant"].cast(names).to_physical()
        wins, found = (frame.to_numpy().T for frame in (won.drop("variant", "game"), known.select(outcomes)))
        columns = np.concatenate([np.ones((1, len(cities))), wins, found, found**2])
        for number, sums in enumerate(by_city):
            own = slice_of((variants == number).arg_true().to_numpy())
            sums.add(cities[own], columns[:, own])
    return [_of_variant(sums.total, len(players), len(outcomes)) for sums in by_city]


def _wins(players: Iterable[int]) -> Metric:
    """The win shares of every player, one each, and the sum of all squares."""
    won = pl.col("win_share").cast(pl.Float64)
    values: dict[str, Value] = {
        str(player): OfRows((("sum", pl.when(pl.col("player") == player).then(won).otherwise(0.0)),))
        for player in players
    }
    return Metric(
        WHO_WINS, "", "share", 0.0, "seats", (), lambda shape: {**values, "squares": OfRows((("sum", won**2),))}
    )


class _SumsByCity:
    """Sums of some columns for every city, as games come; a city has the next number when it is met first."""

    def __init__(self, columns: int) -> None:
        self._cities = self._numbers = np.zeros(0, np.int64)  # cities in order, and their numbers
        self._sums: Array = np.zeros((columns, 0))  # with room for more cities

    def add(self, cities: NDArray[Any], columns: Array) -> None:
        """Add games: their cities, and every column's value of each."""
        here, which = np.unique(cities, return_inverse=True)
        known = len(self._cities)
        new = here if not known else here[self._cities[np.searchsorted(self._cities[:-1], here)] != here]
        places = np.searchsorted(self._cities, new) if known else np.zeros(len(new), np.int64)
        self._cities = np.insert(self._cities.astype(here.dtype), places, new)
        self._numbers = np.insert(self._numbers, places, np.arange(known, known + len(new)))
        if len(self._cities) > self._sums.shape[1]:
            room = np.zeros((len(columns), max(len(self._cities), known + known // 2) - self._sums.shape[1]))
            self._sums = np.concatenate([self._sums, room], axis=1)
        numbers = self._numbers[np.searchsorted(self._cities, here)][which]
        for sums, column in zip(self._sums, columns, strict=True):
            np.add.at(sums, numbers, column)

    @property
    def total(self) -> Array:
        """The sums of every column and city."""
        return self._sums[:, : len(self._cities)]


def _of_variant(sums: Array, players: int, outcomes: int) -> list[_Sums]:
    counts, won, squares = sums[0], sums[1 : players + 1], sums[players + 1]
    found, of_squares = sums[players + 2 :].reshape(2, outcomes, -1)
    return [_Sums(counts, won, squares), *(_Sums(counts, found[i][None], of_squares[i]) for i in range(outcomes))]
