"""Everything measured in a run: the metrics its game declares and those derived from them, over a panel of players,
and how its variants differ."""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.board_effects import average_boards
from mmsim.analysis.compare import Comparison, all_games_identical, compare, with_tolerances
from mmsim.analysis.derived_metrics import (
    LAYOUT_SHARE,
    LAYOUT_SPREAD,
    SEAT_IMBALANCE,
    SKILL_GRADIENT,
    layout_effects,
    rate_variants,
    seat_imbalance,
    skill_gradient,
)
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name, estimate_metrics, per_game
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.tables import TENSION, Member, RunTables, finished_only
from mmsim.batch.experiment import OF_MEMBER, ON_BOARD
from mmsim.core.metrics import Measure, Metric, MetricGrouping, RuleGap
from mmsim.errors import UsageError, unknown
from mmsim.games import find_statistics

ALL = "all"  # instead of the names of metrics
_LAYOUT_METRICS = (LAYOUT_SHARE, LAYOUT_SPREAD)
_DERIVED = (SEAT_IMBALANCE, SKILL_GRADIENT, *_LAYOUT_METRICS)


def declared_metrics(game: str) -> tuple[Measure, ...]:
    """All metrics of a game, declared and derived."""
    return (*find_statistics(game).metrics, *_DERIVED)


def check_metric_names(game: str, names: Sequence[str]) -> None:
    """Raise an error that suggests the nearest name if one is unknown."""
    known = [metric.name for metric in declared_metrics(game)]
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
    return run.experiment.metrics or find_statistics(run.experiment.game).primary_metrics


def not_measurable_error(run: RunTables, name: str) -> UsageError:
    """Why a run has no value for a metric of its game."""
    metrics = find_statistics(run.experiment.game).metrics
    needs_chances = any(metric.name == name and metric.table == TENSION for metric in metrics)
    why = (
        f"run mmsim chances {run.folder} first"
        if needs_chances
        else "its tables lack the columns, or its bots cannot be rated"
    )
    return UsageError(f"run {run.name} cannot measure {name}: {why}")


# --- one run -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunEstimates:
    metrics: Sequence[Estimates]
    gaps: Sequence[Estimates]
    ratings: Mapping[str, Ratings]
    by_board: Mapping[str, Sequence[Estimates]] = field(default_factory=dict)  # the metrics on every board, if averaged


def estimate_run(run: RunTables, names: Sequence[str] = ()) -> list[Estimates]:
    """Estimates of the named metrics (default: all that can be measured), pooled over all kinds of players."""
    check_metric_names(run.experiment.game, names)
    estimates = estimate_measurable(run, {*names} or {metric.name for metric in declared_metrics(run.experiment.game)})
    for name in names:
        if name not in by_name(estimates):
            raise not_measurable_error(run, name)
    return estimates


def estimate_measurable(run: RunTables, wanted: Set[str]) -> list[Estimates]:
    """Estimates of the named metrics that can be measured, pooled over all kinds of players."""
    return _pool_members(run, measure_members(run, wanted))


def measure_members(run: RunTables, wanted: Set[str]) -> list[tuple[Member, RunEstimates]]:
    return [(member_run.member, measure_run(member_run, wanted)) for member_run in run.by_member]


def _pool_members(run: RunTables, by_member: Sequence[tuple[Member, RunEstimates]]) -> list[Estimates]:
    return _pool_measured(run, [(member, measured.metrics) for member, measured in by_member])


def _pool_measured(run: RunTables, by_member: Sequence[tuple[Member, Sequence[Estimates]]]) -> list[Estimates]:
    pooled = by_name(pool(by_member, [variant.name for variant in run.variants]))
    return [pooled[metric.name] for metric in declared_metrics(run.experiment.game) if metric.name in pooled]


def estimates_by_board(run: RunTables, by_member: Sequence[tuple[Member, RunEstimates]]) -> dict[str, list[Estimates]]:
    """The metrics on every board, pooled over all kinds of players; empty if nothing is averaged over boards."""
    return {
        board: _pool_measured(run, [(member, measured.by_board[board]) for member, measured in by_member])
        for board in by_member[0][1].by_board
    }


def measure_run(run: RunTables, wanted: Set[str], gaps: Sequence[RuleGap] = ()) -> RunEstimates:
    """Metrics and rule gaps in the games of one kind of players, on average over boards if there are several."""
    if not run.board_runs:
        return _measure_board(run, wanted, gaps)
    boards = {board.board_name: _measure_board(board, wanted, gaps) for board in run.board_runs}
    names, measured = [variant.name for variant in run.variants], [*boards.values()]
    return RunEstimates(
        average_boards([board.metrics for board in measured], names),
        average_boards([board.gaps for board in measured], names),
        {variant: ratings for board in measured for variant, ratings in board.ratings.items()},
        {name: board.metrics for name, board in boards.items()},
    )


def _measure_board(run: RunTables, wanted: Set[str], gaps: Sequence[RuleGap]) -> RunEstimates:
    """Metrics and rule gaps in one pass over each table; effects of layouts take another one."""
    needed = wanted | ({WIN_SHARE} if SEAT_IMBALANCE.name in wanted else set())
    metrics = [metric for metric in measurable_metrics(run) if metric.name in needed]
    estimates = by_name(estimate_metrics(run, [*metrics, *(gap.metric for gap in gaps)]))
    gap_shares = [estimates.pop(gap.name) for gap in gaps if gap.name in estimates]
    ratings = rate_variants(run) if SKILL_GRADIENT.name in wanted else {}
    imbalance = seat_imbalance(estimates[WIN_SHARE]) if WIN_SHARE in estimates else None
    layouts = layout_effects(run) if any(metric.name in wanted for metric in _LAYOUT_METRICS) else []
    measured = (*estimates.values(), imbalance, skill_gradient(ratings), *layouts)
    return RunEstimates([metric for metric in measured if metric and metric.name in wanted], gap_shares, ratings)


def per_game_values(
    game: str, name: str, schemas: Mapping[str, pl.Schema]
) -> Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]:
    """A function that computes a metric of the finished games of a batch in progress: one row per game and group."""
    if name in (metric.name for metric in _DERIVED):
        raise UsageError(f"{name} is not a mean over games; --until takes a metric that is one, like win_share")
    metric = find_metric(game, name)
    if not metric.known(schemas):
        raise UsageError(f"this game cannot measure {name}: its tables lack the columns")
    return lambda tables: per_game(metric, finished_only(tables))


# --- a panel of players ------------------------------------------------------------------------------------------


def pool(by_member: Sequence[tuple[Member, Sequence[Estimates]]], variants: Sequence[str]) -> list[Estimates]:
    """Every metric over all kinds of players that have it, with the names of variants that all of them share."""
    members = [(member, by_name(estimates)) for member, estimates in by_member]
    names = dict.fromkeys(name for _, estimates in members for name in estimates)
    return [
        _pool_metric(
            [
                (member, replace(estimates[name], variants=tuple(variants)))
                for member, estimates in members
                if name in estimates
            ]
        )
        for name in names
    ]


def _pool_metric(members: Sequence[tuple[Member, Estimates]]) -> Estimates:
    first = replace(members[0][1], members=tuple(members))
    counted = [_with_groups(estimates, first.groups) for _, estimates in first.counted]
    if len(counted) == 1:
        return replace(counted[0], members=tuple(members))
    shape = first.means.shape
    pooled = {cell: _pool_cell(counted, *cell) for cell in np.ndindex(shape)}
    variances = np.array([estimate.se**2 for estimate in pooled.values()])
    return replace(
        first,
        means=np.array([estimate.value for estimate in pooled.values()]).reshape(shape),
        games=np.sum([estimates.games for estimates in counted], axis=0),
        deals=np.min([estimates.deals for estimates in counted], axis=0),
        cov=np.diag(np.where(np.isfinite(variances), variances, 0.0)).reshape(*shape, *shape),
        intervals={cell: _clipped(first.measure.unit, estimate) for cell, estimate in pooled.items()},
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
    known = [estimates.estimate(variant, group) for estimates in counted if estimates.known(variant, group)]
    known = [estimate for estimate in known if np.isfinite(estimate.se)] or known  # a single game has no standard error
    return stats.random_effects(known).estimate if known else stats.Estimate(np.nan, np.nan, np.nan, np.inf, 0)


# --- how variants differ -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ComparedRun:
    """A run with its estimates, and its other variants compared with the first."""

    run: RunTables
    estimates: Mapping[str, Estimates]
    comparisons: Sequence[Comparison]
    by_board: Mapping[str, Sequence[Estimates]] = field(default_factory=dict, kw_only=True)  # if averaged over boards

    @cached_property
    def board_comparisons(self) -> dict[str, list[Comparison]]:
        """What the question is about, compared on every board; each board is a family of its own."""
        primary = primary_metrics(self.run)
        return {
            board: compare([metric for metric in estimates if metric.name in primary], primary=primary)
            for board, estimates in self.by_board.items()
        }

    @property
    def names(self) -> list[str]:
        """The variants' names without the parts that all of them share."""
        return short_names([variant.name for variant in self.run.variants])

    def name_of(self, variant: str) -> str:
        """A variant's short name, followed by its board and its member of the panel if it names them."""
        shared, _, member = variant.partition(OF_MEMBER)
        names = [description.name for description in self.run.variants]
        board = ""
        if shared not in names:
            shared, _, board = shared.rpartition(ON_BOARD)
        return ", ".join(filter(None, (self.names[names.index(shared)], board, member)))

    def comparisons_of(self, variant: str) -> list[Comparison]:
        return [comparison for comparison in self.comparisons if comparison.variant == variant]

    @property
    def primary(self) -> list[Comparison]:
        """The comparisons of the metrics that the question is about."""
        return [comparison for comparison in self.comparisons if comparison.primary]

    @property
    def players(self) -> list[str]:
        """The kinds of players whose games count."""
        kinds = [member_run.member for member_run in self.run.by_member]
        return [kind.name for kind in kinds if kind.strong] or [kind.name for kind in kinds]

    def select(self, metrics: Collection[str] = ()) -> tuple[list[Estimates], list[Comparison]]:
        """The estimates and comparisons of some metrics; if none is named, of those that the question is about."""
        chosen = metrics or primary_metrics(self.run)
        names = {name for name in self.estimates if ALL in metrics or name in chosen}
        return (
            [estimates for name, estimates in self.estimates.items() if name in names],
            [comparison for comparison in self.comparisons if comparison.measure.name in names],
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

    `described` are further metrics that are estimated but need no comparison. All others are
    measured only if they affect what is shown, the adjustment of p-values, or the check for identical games; leaving
    them out halves the work.
    """
    tolerances, primary = tolerances or {}, primary_metrics(run)
    compared = None
    if {*metrics, *tolerances, SEAT_IMBALANCE.name} <= {*primary}:
        compared = _compare_measured(run, {*primary, *described}, tolerances, primary)
    if (
        compared is None
        or not {*primary} <= {*compared.estimates}
        or any(all_games_identical(compared.comparisons_of(variant.name)) for variant in run.variants[1:])
    ):
        everything = {metric.name for metric in declared_metrics(run.experiment.game)}
        compared = _compare_measured(run, everything, tolerances, everything)
    if not compared.comparisons:
        raise UsageError(run.warnings[-1])
    for name in metrics:
        if name not in (*compared.estimates, ALL):
            raise not_measurable_error(run, name)
    return compared


def _compare_measured(
    run: RunTables, wanted: Set[str], tolerances: Mapping[str, float], compared: Collection[str]
) -> ComparedRun:
    """Measure the wanted metrics and compare variants in some of them."""
    by_member = measure_members(run, wanted)
    estimates = with_tolerances(_pool_members(run, by_member), tolerances)
    chosen = [metric for metric in estimates if metric.name in compared]
    return ComparedRun(
        run,
        by_name(estimates),
        compare(chosen, primary=primary_metrics(run)) if chosen else [],
        by_board={
            board: with_tolerances(metrics, {n: v for n, v in tolerances.items() if n in by_name(metrics)})
            for board, metrics in estimates_by_board(run, by_member).items()
        },
    )
