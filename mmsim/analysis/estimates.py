"""Metrics of a run, estimated: a mean for every variant and group, and how all of them vary together.

Games that share a layout and a deal are one observation, called a deal for short. In a paired run all variants play
the same deals, so what a deal does to one variant it does to the others, and differences are told apart sooner.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.moments import Moments
from mmsim.analysis.stats import Array, Estimate
from mmsim.analysis.table_metrics import TableMetrics
from mmsim.analysis.tables import Member, RunTables
from mmsim.core.metrics import Measure, Metric, Shape

_AHEAD = 2  # tables of some games that are read while others are summed up
_Task = tuple[TableMetrics, Mapping[str, pl.LazyFrame]]  # metrics of a table, and some games


@dataclass(frozen=True)
class Estimates:
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
    members: tuple[tuple[Member, "Estimates"], ...] = ()  # of every kind of players; it is their mean

    @property
    def counted(self) -> list[tuple[Member, "Estimates"]]:
        """The kinds of players whose games count: the strong ones, or all if there is none."""
        strong = [one for one in self.members if one[0].strong]
        return strong or list(self.members)

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


def estimate_metrics(run: RunTables, metrics: Sequence[Metric]) -> list[Estimates]:
    """Estimate metrics of a run, with one pass over each table; memory does not grow with the games."""
    run = run.counted
    shape = Shape(run.tables)
    groups = {metric.name: list(metric.values(shape)) for metric in metrics}
    known = [metric for metric in metrics if groups[metric.name]]
    by_table = [
        TableMetrics([metric for metric in known if metric.table == table], shape)
        for table in dict.fromkeys(one.table for one in known)
    ]
    moments = {one.name: Moments(len(run.variants), len(groups[one.name]), run.paired) for one in known}
    tasks = ((of_table, tables) for tables in run.blocks() for of_table in by_table)
    for of_table, values in _read_ahead(run, tasks):
        start = 0
        for metric in of_table:
            own = slice(start, start := start + len(groups[metric.name]))
            moments[metric.name].add([variant[own] for variant in values])
    found = [_estimates(run, metric, groups[metric.name], moments[metric.name]) for metric in known]
    return [estimates for estimates in found if np.isfinite(estimates.means).any()]


def _read_ahead(run: RunTables, tasks: Iterable[_Task]) -> Iterator[tuple[Sequence[Metric], list[Array]]]:
    """Metrics and their values, task after task, while the next ones are being read."""
    waiting: deque[tuple[Sequence[Metric], Future[list[Array]]]] = deque()
    games_a_deal = {variant.name: variant.games_a_deal for variant in run.variants}
    with ThreadPoolExecutor(_AHEAD) as pool:
        for of_table, tables in tasks:
            waiting.append((of_table.metrics, pool.submit(of_table.deals, tables, games_a_deal)))
            if len(waiting) > _AHEAD:
                first, values = waiting.popleft()
                yield first, values.result()
        for metrics, values in waiting:
            yield metrics, values.result()


def _estimates(run: RunTables, metric: Metric, groups: Sequence[str], moments: Moments) -> Estimates:
    means, games, deals, cov = moments.estimates()
    return Estimates(
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
