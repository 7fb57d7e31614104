"""Everything measured in a run: the metrics its game declares and those derived from them, over a panel of players,
and how its variants differ."""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.compare import Comparison, all_games_identical, compare, with_tolerances
from mmsim.analysis.derived_metrics import (
    LAYOUT_SHARE,
    LAYOUT_SPREAD,
    SEAT_IMBALANCE,
    SKILL_GRADIENT,
    WIN_SHARE,
    layout_effects,
    rate_variants,
    seat_imbalance,
    skill_gradient,
)
from mmsim.analysis.estimates import Estimates, estimate_metrics, per_game
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.tables import TENSION, Member, RunTables, finished_only
from mmsim.batch.experiment import OF_MEMBER
from mmsim.core.metrics import Measure, Metric, MetricGrouping, RuleGap
from mmsim.errors import UsageError, unknown
from mmsim.games import find_statistics

ALL = "all"  # instead of the names of metrics
_LAYOUT_METRICS = (LAYOUT_SHARE, LAYOUT_SPREAD)
_DERIVED = (SEAT_IMBALANCE, SKILL_GRADIENT, *_LAYOUT_METRICS)


def measures(game: str) -> tuple[Measure, ...]:
    """All metrics of a game, declared and derived."""
    return (*find_statistics(game).metrics, *_DERIVED)


def check_metric_names(game: str, names: Sequence[str]) -> None:
    """Raise an error that suggests the nearest name if one is unknown."""
    known = [measure.name for measure in measures(game)]
    for name in names:
        if name not in known:
            raise unknown("metric", name, known)


def find_metric(game: str, name: str) -> Metric:
    """A declared metric of a game by its name."""
    known = {metric.name: metric for metric in find_statistics(game).metrics}
    if name not in known:
        raise unknown("metric", name, known)
    return known[name]


def measurable_metrics(run: RunTables) -> list[Metric]:
    """The declared metrics for which the tables of a run have the columns."""
    schemas = MetricGrouping(run.tables).schemas
    return [metric for metric in find_statistics(run.experiment.game).metrics if metric.known(schemas)]


def measurable_gaps(run: RunTables) -> list[RuleGap]:
    """The gaps in the rules for which the tables of a run have the columns."""
    schemas = MetricGrouping(run.tables).schemas
    return [gap for gap in find_statistics(run.experiment.game).gaps if gap.metric.known(schemas)]


def primary_metrics(run: RunTables) -> tuple[str, ...]:
    """The metrics the question of a run is about, chosen before it was played: those it names, or the short list of
    its game."""
    return run.experiment.metrics or find_statistics(run.experiment.game).asked


def not_measurable(run: RunTables, name: str) -> UsageError:
    """Why a run has no value for a metric of its game."""
    metrics = find_statistics(run.experiment.game).metrics
    needs_chances = any(metric.name == name and metric.table == TENSION for metric in metrics)
    why = f"run mmsim chances {run.folder} first" if needs_chances else "its tables or bots do not allow it"
    return UsageError(f"run {run.name} cannot measure {name}: {why}")


# --- one run -----------------------------------------------------------------------------------------------------


def findings(run: RunTables, names: Sequence[str] = ()) -> list[Estimates]:
    """The metrics of these names, or all that can be measured, over all kinds of players."""
    check_metric_names(run.experiment.game, names)
    estimates = measurable_findings(run, set(names or (measure.name for measure in measures(run.experiment.game))))
    missing = set(names) - {one.measure.name for one in estimates}
    if missing:
        raise not_measurable(run, next(name for name in names if name in missing))
    return estimates


def measurable_findings(run: RunTables, wanted: Set[str]) -> list[Estimates]:
    """The metrics among these names that can be measured, over all kinds of players."""
    of_members = [(of_member.member, measure(of_member, wanted).metrics) for of_member in run.by_member]
    pooled = {one.measure.name: one for one in pool(of_members, [variant.name for variant in run.variants])}
    return [pooled[one.name] for one in measures(run.experiment.game) if one.name in pooled]


@dataclass(frozen=True)
class Measured:
    """What was measured in the games of one kind of players."""

    metrics: Sequence[Estimates]
    gaps: Sequence[Estimates]
    ratings: Mapping[str, Ratings]


def measure(
    run: RunTables,
    wanted: Set[str],
    gaps: Sequence[RuleGap] = (),
    of_layouts: Callable[[RunTables], Sequence[Estimates]] = layout_effects,
) -> Measured:
    """Metrics and rule gaps in the games of one kind of players, in one pass over each table.

    `of_layouts` measures the effect of layouts; it takes a pass of its own and may run in another process.
    """
    needed = wanted | ({WIN_SHARE} if SEAT_IMBALANCE.name in wanted else set())
    metrics = [metric for metric in measurable_metrics(run) if metric.name in needed]
    estimates = estimate_metrics(run, [*metrics, *(gap.metric for gap in gaps)])
    gap_names = {gap.name for gap in gaps}
    measured = [one for one in estimates if one.measure.name not in gap_names]
    shares = next((one for one in measured if one.measure.name == WIN_SHARE), None)
    ratings = rate_variants(run) if SKILL_GRADIENT.name in wanted else {}
    derived = [seat_imbalance(shares) if shares else None, skill_gradient(ratings)]
    derived += of_layouts(run) if any(measure.name in wanted for measure in _LAYOUT_METRICS) else []
    return Measured(
        [one for one in (*measured, *derived) if one is not None and one.measure.name in wanted],
        [one for one in estimates if one.measure.name in gap_names],
        ratings,
    )


def game_by_game(
    game: str, name: str, schemas: Mapping[str, pl.Schema]
) -> Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]:
    """The function by which a batch measures a metric of finished games while it plays: one row per game and group."""
    if name in (measure.name for measure in _DERIVED):
        raise UsageError(f"{name} is not a mean over games; --until takes a metric that is one, like win_share")
    metric = find_metric(game, name)
    if not metric.known(schemas):
        raise UsageError(f"this game cannot measure {name}: its tables lack the columns")
    return lambda tables: per_game(metric, finished_only(tables))


# --- a panel of players ------------------------------------------------------------------------------------------


def pool(of_members: Sequence[tuple[Member, Sequence[Estimates]]], variants: Sequence[str]) -> list[Estimates]:
    """Every metric over all kinds of players that have it, with the names of variants that all of them share."""
    names = dict.fromkeys(one.measure.name for _, estimates in of_members for one in estimates)
    return [
        _pool_metric(
            [
                (member, replace(one, variants=tuple(variants)))
                for member, estimates in of_members
                for one in estimates
                if one.measure.name == name
            ]
        )
        for name in names
    ]


def _pool_metric(members: Sequence[tuple[Member, Estimates]]) -> Estimates:
    first = replace(members[0][1], members=tuple(members))
    counted = [_with_groups(of_member, first.groups) for _, of_member in first.counted]
    if len(counted) == 1:
        return replace(counted[0], members=tuple(members))
    shape = first.means.shape
    pooled = {cell: _pool_cell(counted, *cell) for cell in np.ndindex(shape)}
    variances = np.array([one.se**2 for one in pooled.values()])
    return replace(
        first,
        means=np.array([one.value for one in pooled.values()]).reshape(shape),
        games=np.sum([one.games for one in counted], axis=0),
        deals=np.min([one.deals for one in counted], axis=0),
        cov=np.diag(np.where(np.isfinite(variances), variances, 0.0)).reshape(*shape, *shape),
        intervals={cell: _clipped(first.measure.unit, one) for cell, one in pooled.items()},
    )


def _clipped(unit: str, estimate: stats.Estimate) -> tuple[float, float]:
    """The ends of an interval within the range of its unit: shares lie between 0 and 1, distances are not negative."""
    low = max(estimate.low, 0.0) if unit in ("share", "share distance") else estimate.low
    return low, min(estimate.high, 1.0) if unit == "share" else estimate.high


def _with_groups(estimates: Estimates, groups: Sequence[str]) -> Estimates:
    """Estimates with the groups of another member, in the same order; NaN where a group is missing."""
    if estimates.groups == tuple(groups):
        return estimates
    at = [estimates.groups.index(group) if group in estimates.groups else -1 for group in groups]
    return replace(
        estimates,
        groups=tuple(groups),
        means=np.where(np.array(at) < 0, np.nan, estimates.means[:, at]),
        games=estimates.games[:, at],
        deals=estimates.deals[:, at],
        cov=estimates.cov[:, at][:, :, :, at],
        intervals={
            (v, g): estimates.intervals[v, old]
            for v in range(len(estimates.variants))
            for g, old in enumerate(at)
            if (v, old) in estimates.intervals
        },
    )


def _pool_cell(counted: Sequence[Estimates], variant: int, group: int) -> stats.Estimate:
    known = [one.estimate(variant, group) for one in counted if one.known(variant, group)]
    known = [one for one in known if np.isfinite(one.se)] or known  # a single game has no standard error
    return stats.random_effects(known).estimate if known else stats.Estimate(np.nan, np.nan, np.nan, np.inf, 0)


# --- how variants differ -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ComparedRun:
    """A run with its estimates, and its other variants compared with the first."""

    run: RunTables
    estimates: Mapping[str, Estimates]
    comparisons: Sequence[Comparison]

    @property
    def names(self) -> list[str]:
        """The variants' names without the parts that all of them share."""
        return short_names([variant.name for variant in self.run.variants])

    def name_of(self, variant: str) -> str:
        """A variant's short name, followed by its member of the panel if it names one."""
        shared, _, member = variant.partition(OF_MEMBER)
        short = self.names[[one.name for one in self.run.variants].index(shared)]
        return f"{short}, {member}" if member else short

    def against(self, variant: str) -> list[Comparison]:
        """The comparisons of one variant with the reference."""
        return [one for one in self.comparisons if one.variant == variant]

    @property
    def primary(self) -> list[Comparison]:
        """The comparisons of the metrics that the question is about."""
        return [one for one in self.comparisons if one.primary]

    @property
    def players(self) -> list[str]:
        """The kinds of players whose games count."""
        kinds = [one.member for one in self.run.by_member]
        return [kind.name for kind in kinds if kind.strong] or [kind.name for kind in kinds]

    def shown(self, metrics: Collection[str] = ()) -> tuple[list[Estimates], list[Comparison]]:
        """The estimates and comparisons of some metrics; if none is named, of those that the question is about."""
        chosen = metrics or primary_metrics(self.run)
        names = {name for name in self.estimates if ALL in metrics or name in chosen}
        return (
            [one for name, one in self.estimates.items() if name in names],
            [one for one in self.comparisons if one.measure.name in names],
        )


def short_names(names: Sequence[str]) -> list[str]:
    """Names without what all of them share: the number of players at the end, a ruleset before different knobs."""
    if len(names) < 2:
        return list(names)
    if all("-" in name for name in names) and len({name.rpartition("-")[2] for name in names}) == 1:
        names = [name.rpartition("-")[0] for name in names]
    parts = [name.split(",") for name in names]
    shared = set(parts[0]).intersection(*parts)
    shorter = [",".join(part for part in words if part not in shared) for words in parts]
    return shorter if all(shorter) else list(names)


def compare_run(
    run: RunTables,
    metrics: Collection[str] = (),
    tolerances: Mapping[str, float] | None = None,
    described: Collection[str] = (),
) -> ComparedRun:
    """Compare all variants of a run with the first, at least in `metrics` (or ALL) and the primary ones.

    `described` are further metrics that are estimated but need no comparison. Only what is needed is measured: half of
    the work where others have no say in what is shown, in the adjustment of p-values, or in whether games are
    identical.
    """
    tolerances, primary = tolerances or {}, primary_metrics(run)
    estimates: list[Estimates] = []
    comparisons: list[Comparison] = []
    if {*metrics, *tolerances, SEAT_IMBALANCE.name} <= {*primary}:
        estimates = with_tolerances(measurable_findings(run, {*primary, *described}), tolerances)
        of_question = [one for one in estimates if one.measure.name in primary]
        if len(of_question) == len({*primary}):
            comparisons = compare(of_question, primary=primary)
    by_variant = [[one for one in comparisons if one.variant == variant.name] for variant in run.variants[1:]]
    if not comparisons or any(map(all_games_identical, by_variant)):
        estimates = with_tolerances(findings(run), tolerances)
        comparisons = compare(estimates, primary=primary)
    if not comparisons:
        raise UsageError(run.warnings[-1])
    compared = ComparedRun(run, {one.measure.name: one for one in estimates}, comparisons)
    for name in metrics:
        if name not in (*compared.estimates, ALL):
            raise not_measurable(run, name)
    return compared
