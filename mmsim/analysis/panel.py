"""Metrics of a run, estimated: a mean for every variant and group, and how all of them vary together.

Games that share a layout and a deal are one observation, called a deal for short. In a paired run all variants play
the same deals, so what a deal does to one variant it does to the others, and differences are told apart sooner.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.metric import Metric, Shape, column, per_game_wide
from mmsim.analysis.stats import Array, Estimate
from mmsim.analysis.tables import RunTables


@dataclass(frozen=True)
class Measure:
    """What a metric or any other finding is called, asks and is told in."""

    name: str
    question: str
    unit: str
    tolerance: float
    better: str = ""


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
        told = [
            (self.measure.name, variant, group, e.value, e.low, e.high, e.se, int(self.games[v, g]), e.deals)
            for v, variant in enumerate(self.variants)
            for g, group in enumerate(self.groups)
            if self.known(v, g)
            for e in [self.estimate(v, g)]
        ]
        names = ["metric", "variant", "group", "value", "low", "high", "se", "games", "deals"]
        types = [pl.String, pl.String, pl.String, *[pl.Float64] * 4, pl.Int64, pl.Int64]
        frame = pl.DataFrame(told, schema=dict(zip(names, types, strict=True)), orient="row")
        endless = pl.col("low", "high", "se")
        return frame.with_columns(pl.when(endless.is_finite()).then(endless), unit=pl.lit(self.measure.unit))


def measure_of(metric: Metric) -> Measure:
    """The declared part of a metric that findings carry along."""
    return Measure(metric.name, metric.question, metric.unit, metric.tolerance, metric.better)


def panels(run: RunTables, metrics: Sequence[Metric]) -> list[Panel]:
    """Estimate metrics of a run, with one pass over each table."""
    run = run.counted
    shape = Shape(run.tables)
    found: dict[str, Panel] = {}
    for table in dict.fromkeys(metric.table for metric in metrics):
        of_table = [metric for metric in metrics if metric.table == table]
        totals = _deal_totals(run, of_table, shape)
        for metric in of_table:
            if groups := list(metric.values(shape)):
                panel = _panel(run, metric, groups, totals)
                if np.isfinite(panel.means).any():
                    found[metric.name] = panel
    return [found[metric.name] for metric in metrics if metric.name in found]


@dataclass(frozen=True)
class _Totals:
    """The sums and counts of every column over every deal of a variant."""

    deals: NDArray[np.int64]
    frame: pl.DataFrame
    size: int

    def of(self, name: str) -> tuple[Array, Array]:
        sums = self.frame[name].fill_null(0.0).to_numpy()
        if self.size > 1:
            return sums, self.frame[name + _COUNT].to_numpy().astype(np.float64)
        return sums, self.frame[name].is_not_null().to_numpy().astype(np.float64)


_COUNT = "\tgames"


def _deal_totals(run: RunTables, metrics: Sequence[Metric], shape: Shape) -> list[_Totals]:
    """The totals of every variant, in the order of its deals."""
    wide = per_game_wide(run.tables, metrics, shape)
    names = [column(metric.name, group) for metric in metrics for group in metric.values(shape)]
    return [_totals_of(wide, variant.name, variant.games_a_deal, names) for variant in run.variants]


def _totals_of(wide: pl.LazyFrame, variant: str, size: int, names: Iterable[str]) -> _Totals:
    frame = wide.filter(pl.col("variant") == variant).drop("variant").rename({"game": "deal"})
    if size > 1:
        frame = (
            frame.with_columns(pl.col("deal") // size)
            .group_by("deal")
            .agg(pl.col(names).sum(), pl.col(names).count().name.suffix(_COUNT))
        )
    told = frame.sort("deal").collect(engine="streaming")
    return _Totals(told["deal"].to_numpy().astype(np.int64), told, size)


def _panel(run: RunTables, metric: Metric, groups: Sequence[str], totals: Sequence[_Totals]) -> Panel:
    paired = run.paired and len(totals) > 1
    variants, width = len(totals), len(groups)
    means, games, deals = (np.zeros((variants, width)) for _ in range(3))
    pulls: list[Array] = []
    for v, total in enumerate(totals):
        columns = [total.of(column(metric.name, group)) for group in groups]
        sums, counts = (np.column_stack([pair[i] for pair in columns]) for i in (0, 1))
        means[v], pull = stats.residuals(sums, counts)
        games[v], deals[v] = counts.sum(axis=0), (counts > 0).sum(axis=0)
        pulls.append(pull)
    return Panel(
        measure_of(metric),
        tuple(variant.name for variant in run.variants),
        tuple(groups),
        means,
        games,
        deals,
        _covariances(pulls, [total.deals for total in totals], paired),
        paired,
        float(run.variants[0].games_a_deal),
    )


def _covariances(pulls: Sequence[Array], deals: Sequence[NDArray[np.int64]], paired: bool) -> NDArray[np.float64]:
    variants, width = len(pulls), pulls[0].shape[1]
    cov = np.zeros((variants, width, variants, width))
    for v in range(variants):
        for w in range(v, variants if paired else v + 1):
            if v == w or np.array_equal(deals[v], deals[w]):
                one, other = pulls[v], pulls[w]
            else:  # a partial run: only deals both have played vary together
                _, here, there = np.intersect1d(deals[v], deals[w], assume_unique=True, return_indices=True)
                one, other = pulls[v][here], pulls[w][there]
            cov[v, :, w, :] = stats.covariance(one, other)
            cov[w, :, v, :] = cov[v, :, w, :].T
    return cov
