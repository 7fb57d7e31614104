"""Everything measured in a run: the metrics its game declares and those derived from them, at every level of play, and
how its variants differ."""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

import polars as pl

from mmsim.analysis.across_boards import average_boards
from mmsim.analysis.compare import (
    ComparisonOverLevels,
    LevelEstimates,
    all_games_identical,
    compare,
)
from mmsim.analysis.derived_metrics import (
    LAYOUT_SHARE,
    LAYOUT_SPREAD,
    SEAT_IMBALANCE,
    SKILL_GRADIENT,
    fair_share_tests,
    layout_effects,
    rate_variants,
    seat_imbalance,
    skill_gradient,
)
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name, estimate_metrics, per_game
from mmsim.analysis.level_verdict import ALPHA, LevelEffect, LevelVerdict, Verdict, judge
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.stats import holm
from mmsim.analysis.tables import TENSION, RunTables, finished_only
from mmsim.analysis.wording import variant_titles, wording
from mmsim.batch.experiment import OF_LEVEL
from mmsim.core.levels import Level
from mmsim.core.metrics import Measure, Metric, MetricGrouping, RuleGap
from mmsim.core.variant import ON_BOARD
from mmsim.errors import UsageError, unknown
from mmsim.games import find_statistics

ALL = "all"  # instead of the names of metrics
_SHOWN_LEVEL = "expert"
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


def estimate_run(run: RunTables, names: Sequence[str] = ()) -> list[LevelEstimates]:
    """Estimates of the named metrics (default: all that can be measured) at every level."""
    check_metric_names(run.experiment.game, names)
    levels = estimate_measurable(run, {*names} or {metric.name for metric in declared_metrics(run.experiment.game)})
    measured = {estimates.name for level in levels for estimates in level.metrics}
    for name in names:
        if name not in measured:
            raise not_measurable_error(run, name)
    return levels


def estimate_measurable(run: RunTables, wanted: Set[str]) -> list[LevelEstimates]:
    """Estimates of the named metrics that can be measured, at every level."""
    measured = [(level, measure_run(level, wanted)) for level in run.by_level]
    return [LevelEstimates.of(level, found.metrics, found.by_board) for level, found in measured]


def with_tolerances(levels: Sequence[LevelEstimates], tolerances: Mapping[str, float]) -> list[LevelEstimates]:
    every = [estimates for level in levels for estimates in level.metrics]
    declared = {estimates.name: estimates.measure.tolerance for estimates in every}
    for name, value in tolerances.items():
        if name not in declared:
            raise unknown("metric", name, declared)
        if not 0 < value < inf:
            raise UsageError(f"the tolerance of {name} must be a number above 0, not {value:g}")
    chosen = {**declared, **tolerances}
    if WIN_SHARE in tolerances and SEAT_IMBALANCE.name in declared and SEAT_IMBALANCE.name not in tolerances:
        chosen[SEAT_IMBALANCE.name] *= tolerances[WIN_SHARE] / declared[WIN_SHARE]  # it follows that of the seats

    def stated(estimates: Estimates) -> Estimates:
        return replace(estimates, measure=replace(estimates.measure, tolerance=chosen[estimates.name]))

    return [
        replace(
            level,
            metrics=[stated(estimates) for estimates in level.metrics],
            by_board={
                board: [stated(estimates) for estimates in some if estimates.name in chosen]
                for board, some in level.by_board.items()
            },
        )
        for level in levels
    ]


def measure_run(run: RunTables, wanted: Set[str], gaps: Sequence[RuleGap] = ()) -> RunEstimates:
    """Metrics and rule gaps in the games of one level, on average over boards if there are several."""
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
    found = by_name([metric for metric in measured if metric and metric.name in wanted])
    order = [metric.name for metric in declared_metrics(run.experiment.game)]
    return RunEstimates([found[name] for name in order if name in found], gap_shares, ratings)


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


# --- how variants differ -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ComparedRun:
    """A run with its estimates at every level, and its other variants compared with the first."""

    run: RunTables
    levels: Sequence[LevelEstimates]
    comparisons: Sequence[ComparisonOverLevels]

    @cached_property
    def board_comparisons(self) -> dict[str, list[ComparisonOverLevels]]:
        """What the question is about, compared on every board; each board is a family of its own."""
        primary = primary_metrics(self.run)
        return {
            board: compare(
                [
                    replace(level, metrics=[one for one in level.by_board[board] if one.name in primary])
                    for level in self.levels
                ],
                primary=primary,
            )
            for board in self.levels[0].by_board
        }

    @cached_property
    def seat_verdicts(self) -> list[dict[str, LevelVerdict]]:
        """For every variant and seat, at which levels it wins more or less than a fair share: one family of tests."""
        seats, variants = self.estimates[WIN_SHARE].groups, range(len(self.run.variants))
        cells = [
            (variant, seat, level, test)
            for level, shares in self.by_level(WIN_SHARE)
            for variant in variants
            for seat, test in zip(seats, fair_share_tests(shares, variant), strict=True)
        ]
        unfair, fair = (holm([getattr(test, p) for *_, test in cells]) for p in ("p_value", "p_equal"))
        effects: dict[tuple[int, str], list[LevelEffect]] = {}
        for (variant, seat, level, test), p, q in zip(cells, unfair, fair, strict=True):
            verdict = Verdict.EQUAL if q < ALPHA else Verdict.UNSURE
            if verdict is Verdict.UNSURE and p < ALPHA:
                verdict = Verdict.HIGHER if test.difference > 0 else Verdict.LOWER
            effect = LevelEffect(level.name, level.make, test.difference, test.se, verdict)
            effects.setdefault((variant, seat), []).append(effect)
        tolerance, alpha = self.estimates[WIN_SHARE].measure.tolerance, ALPHA / (len(seats) * len(variants))
        return [{seat: judge(effects[variant, seat], tolerance, alpha) for seat in seats} for variant in variants]

    @property
    def shown(self) -> LevelEstimates:
        """The level whose numbers are shown where there is room for one: expert, or else the strongest."""
        return self.levels[shown_level([level.level for level in self.levels])]

    @cached_property
    def estimates(self) -> Mapping[str, Estimates]:
        """The metrics at the level that is shown."""
        return by_name(self.shown.metrics)

    @property
    def level_clause(self) -> str:
        """The level that is shown, to be put into a sentence; empty if there is only one."""
        return f" at {self.shown.level.name} level" if len(self.levels) > 1 else ""

    def by_level(self, metric: str) -> list[tuple[Level, Estimates]]:
        """The estimates of a metric at every level that has it."""
        found = [(level.level, by_name(level.metrics).get(metric)) for level in self.levels]
        return [(level, estimates) for level, estimates in found if estimates is not None]

    @cached_property
    def names(self) -> list[str]:
        """What the variants are called, without what all of them share."""
        return variant_titles(self.run.experiment.game, self.run.variants)

    def label(self, metric: str, group: str = "") -> str:
        """A metric, or one of its groups, as players would say it."""
        return wording(self.run.experiment.game, metric, group, self.run.variants[0].players).label

    def name_of(self, variant: str) -> str:
        """What a variant is called, followed by its board and its level if it names them."""
        shared, _, level = variant.partition(OF_LEVEL)
        names = [description.name for description in self.run.variants]
        board = ""
        if shared not in names:
            shared, _, board = shared.rpartition(ON_BOARD)
        return ", ".join(filter(None, (self.names[names.index(shared)], board, level)))

    def comparisons_of(self, variant: str) -> list[ComparisonOverLevels]:
        return [comparison for comparison in self.comparisons if comparison.variant == variant]

    @property
    def primary(self) -> list[ComparisonOverLevels]:
        """The comparisons of the metrics that the question is about."""
        return [comparison for comparison in self.comparisons if comparison.primary]

    def is_selected(self, metric: str, chosen: Collection[str] = ()) -> bool:
        """True if a metric is among the chosen ones; if none is chosen, among those that the question is about."""
        return ALL in chosen or metric in (chosen or primary_metrics(self.run))


def metric_table(levels: Sequence[LevelEstimates]) -> pl.DataFrame:
    return pl.concat(
        [
            estimates.rows().with_columns(level=pl.lit(level.level.name))
            for level in levels
            for estimates in level.metrics
        ]
    )


def shown_level(levels: Sequence[Level]) -> int:
    """The place of the level that is shown where there is room for one."""
    names = [level.shipped_name for level in levels]
    return names.index(_SHOWN_LEVEL) if _SHOWN_LEVEL in names else len(names) - 1


def compare_run(
    run: RunTables,
    metrics: Collection[str] = (),
    tolerances: Mapping[str, float] | None = None,
    described: Collection[str] = (),
) -> ComparedRun:
    """Compare all variants of a run with the first, at least in `metrics` (or ALL) and the primary ones.

    `described` are further metrics that are estimated but need no comparison. All others are measured only if they
    affect what is shown, the adjustment of p-values, or the check for identical games; that halves the work.
    """
    tolerances, primary = tolerances or {}, primary_metrics(run)
    compared = None
    if {*metrics, *tolerances, SEAT_IMBALANCE.name} <= {*primary}:
        levels = with_tolerances(estimate_measurable(run, {*primary, *described}), tolerances)
        asked = [replace(level, metrics=[one for one in level.metrics if one.name in primary]) for level in levels]
        if {estimates.name for level in asked for estimates in level.metrics} == {*primary}:
            compared = ComparedRun(run, levels, compare(asked, primary=primary))
    if compared is None or any(
        all_games_identical(compared.comparisons_of(variant.name)) for variant in run.variants[1:]
    ):
        levels = with_tolerances(estimate_run(run), tolerances)
        compared = ComparedRun(run, levels, compare(levels, primary=primary))
    if not compared.comparisons:
        raise UsageError(run.warnings[-1])
    for name in metrics:
        if name != ALL and not compared.by_level(name):
            raise not_measurable_error(run, name)
    return compared


def measure_answer(run: RunTables, described: Collection[str] = ()) -> ComparedRun:
    """What the answer of a run needs: its variants compared, or the primary metrics of its only one."""
    wanted = run.experiment.wanted
    if len(run.variants) > 1:
        return compare_run(run, [wanted.metric] if wanted.metric else (), wanted.tolerances, described)
    return ComparedRun(run, estimate_measurable(run, {*primary_metrics(run), WIN_SHARE, *described}), [])
