"""Metrics of a run, estimated: a mean for every variant and group, and how all of them vary together.

Games that share a layout and a deal are one observation, called a deal for short. In a paired run all variants play
the same deals, so what a deal does to one variant it does to the others, and differences are told apart sooner.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import lcm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.metric import per_game_wide
from mmsim.analysis.moments import Moments
from mmsim.analysis.stats import Array, Estimate
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Measure, Metric, Shape

_AHEAD = 2  # tables of some games that are read while others are summed up
_Task = tuple[Sequence[Metric], pl.LazyFrame]  # metrics of a table, and their values of some games


@dataclass(frozen=True)
class Panel:
    """A metric for every variant and group: means, games, deals, and the covariance of all means."""

    measure: Measure
    variants: tuple[str, ...]
    groups: tuple[str, ...]
    means: Array  # variants x groups
    games: Array
    deals: Array
    cov: NDArray[np.float64]  # variants x groups x variants x groups
    paired: bool
    games_a_deal: float = 1.0
    intervals: Mapping[tuple[int, int], tuple[float, float]] = field(
        default_factory=dict
    )  # where not of the usual kind

    def estimate(self, variant: int, group: int) -> Estimate:
        """The mean of a variant and group, with its interval."""
        value, deals = float(self.means[variant, group]), int(self.deals[variant, group])
        se = float(np.sqrt(max(self.cov[variant, group, variant, group], 0.0)))
        if (variant, group) in self.intervals:
            return Estimate(value, *self.intervals[variant, group], se, deals)
        if self.measure.unit == "share":
            return stats.share_estimate(value, se, float(self.games[variant, group]), deals)
        return stats.estimate(value, se, deals)

    def known(self, variant: int, group: int) -> bool:
        """Whether there is any game to tell this from."""
        return bool(np.isfinite(self.means[variant, group]))

    def variance_of_difference(self, one: int, other: int, group: int, paired: bool) -> float:
        """The variance of the difference between two variants, as paired or as if they had nothing in common."""
        own = self.cov[one, group, one, group] + self.cov[other, group, other, group]
        shared = 2 * self.cov[one, group, other, group] if paired else 0.0
        variance = float(own - shared)
        if not np.isfinite(variance):
            return float("inf")
        return variance if variance > 1e-12 * own else 0.0  # rounding leaves dust where games are identical

    def rows(self) -> pl.DataFrame:
        """One row a variant and group."""
        rows = [
            (self.measure.name, variant, group, e.value, e.low, e.high, e.se, int(self.games[v, g]), e.deals)
            for v, variant in enumerate(self.variants)
            for g, group in enumerate(self.groups)
            if self.known(v, g)
            for e in [self.estimate(v, g)]
        ]
        names = ["metric", "variant", "group", "value", "low", "high", "se", "games", "deals"]
        types = [pl.String, pl.String, pl.String, *[pl.Float64] * 4, pl.Int64, pl.Int64]
        frame = pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")
        endless = pl.col("low", "high", "se")
        return frame.with_columns(pl.when(endless.is_finite()).then(endless), unit=pl.lit(self.measure.unit))


def panels(run: RunTables, metrics: Sequence[Metric]) -> list[Panel]:
    """Estimate metrics of a run, with one pass over each table; memory does not grow with the games."""
    run = run.counted
    shape = Shape(run.tables)
    groups = {metric.name: list(metric.values(shape)) for metric in metrics}
    known = [metric for metric in metrics if groups[metric.name]]
    by_table = [
        [metric for metric in known if metric.table == table] for table in dict.fromkeys(one.table for one in known)
    ]
    moments = {one.name: Moments(len(run.variants), len(groups[one.name]), run.paired) for one in known}
    tasks = ((of_table, per_game_wide(tables, of_table, shape)) for tables in run.blocks() for of_table in by_table)
    for of_table, values in _read_ahead(run, tasks):
        start = 0
        for metric in of_table:
            own = slice(start, start := start + len(groups[metric.name]))
            moments[metric.name].add([variant[own] for variant in values])
    found = [_panel(run, metric, groups[metric.name], moments[metric.name]) for metric in known]
    return [panel for panel in found if np.isfinite(panel.means).any()]


def _read_ahead(run: RunTables, tasks: Iterable[_Task]) -> Iterator[tuple[Sequence[Metric], list[Array]]]:
    """Metrics and their values, task after task, while the next ones are being read."""
    waiting: deque[tuple[Sequence[Metric], Future[list[Array]]]] = deque()
    with ThreadPoolExecutor(_AHEAD) as pool:
        for metrics, wide in tasks:
            waiting.append((metrics, pool.submit(_deals, run, wide)))
            if len(waiting) > _AHEAD:
                first, values = waiting.popleft()
                yield first, values.result()
        for metrics, values in waiting:
            yield metrics, values.result()


def _deals(run: RunTables, wide: pl.LazyFrame) -> list[Array]:
    """For every variant its values by column, deal and game of the deal; NaN where there is none."""
    names = [variant.name for variant in run.variants]
    sizes = [variant.games_a_deal for variant in run.variants]
    number = pl.col("variant").cast(pl.String).cast(pl.Enum(names), strict=False).to_physical()
    rows = wide.with_columns(number).drop_nulls("variant").cast({"game": pl.Int64}).collect(engine="streaming")
    variant, game = (rows[name].to_numpy().astype(np.int64) for name in ("variant", "game"))
    deal = lcm(*sizes)
    start = int(game.min(initial=game[0] if len(game) else 0)) // deal * deal
    stretch = (int(game.max(initial=start)) // deal + 1) * deal - start
    values = np.full((rows.width - 2, len(names), stretch), np.nan)
    values[:, variant, game - start] = rows.drop("variant", "game").to_numpy().T
    return [values[:, v].reshape(len(values), -1, size) for v, size in enumerate(sizes)]


def _panel(run: RunTables, metric: Metric, groups: Sequence[str], moments: Moments) -> Panel:
    means, games, deals, cov = moments.estimates()
    return Panel(
        metric,
        tuple(variant.name for variant in run.variants),
        tuple(groups),
        means,
        games,
        deals,
        cov,
        run.paired and len(run.variants) > 1,
        float(run.variants[0].games_a_deal),
    )
