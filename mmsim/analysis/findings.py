"""All that is measured of a run: the metrics its game declares, and what is derived from them, bots and boards."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import polars as pl

from mmsim.analysis.estimates import Estimates, estimate_metrics
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE, seat_imbalance
from mmsim.analysis.layout_effect import LAYOUT_SHARE, LAYOUT_SPREAD, layout_findings
from mmsim.analysis.panel import pool
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.skill import SKILL_GRADIENT, ratings_of, skill_gradient
from mmsim.analysis.table_metrics import per_game
from mmsim.analysis.tables import TENSION, RunTables, finished_only
from mmsim.core.metrics import Gap, Measure, Metric, Shape
from mmsim.errors import UsageError, unknown
from mmsim.games import find_statistics

_OF_LAYOUTS = (LAYOUT_SHARE, LAYOUT_SPREAD)
_DERIVED = (SEAT_IMBALANCE, SKILL_GRADIENT, *_OF_LAYOUTS)


def measures(game: str) -> tuple[Measure, ...]:
    """All that is measured of a game."""
    return (*find_statistics(game).metrics, *_DERIVED)


def check_names(game: str, names: Sequence[str]) -> None:
    """An unknown metric is an error."""
    known = [measure.name for measure in measures(game)]
    for name in names:
        if name not in known:
            raise unknown("metric", name, known)


def find_metric(game: str, name: str) -> Metric:
    """A metric of a game by its name."""
    known = {metric.name: metric for metric in find_statistics(game).metrics}
    if name not in known:
        raise unknown("metric", name, known)
    return known[name]


def known_metrics(run: RunTables) -> list[Metric]:
    """The metrics of its game that a run's tables have the columns for."""
    schemas = Shape(run.tables).schemas
    return [metric for metric in find_statistics(run.experiment.game).metrics if metric.known(schemas)]


def known_gaps(run: RunTables) -> list[Gap]:
    """The gaps of its game's rules that a run's tables have the columns for."""
    schemas = Shape(run.tables).schemas
    return [gap for gap in find_statistics(run.experiment.game).gaps if gap.metric.known(schemas)]


def family(run: RunTables) -> tuple[str, ...]:
    """The metrics a run's question is about, chosen before it was played: those it names, or the short list of its
    game."""
    return run.experiment.metrics or find_statistics(run.experiment.game).asked


def findings(run: RunTables, names: Sequence[str] = ()) -> list[Estimates]:
    """The metrics of these names, or all the run's tables have the columns for, over all its players."""
    check_names(run.experiment.game, names)
    found = findings_among(run, set(names or (measure.name for measure in measures(run.experiment.game))))
    missing = set(names) - {one.measure.name for one in found}
    if missing:
        raise cannot_tell(run, next(name for name in names if name in missing))
    return found


def findings_among(run: RunTables, wanted: Set[str]) -> list[Estimates]:
    """Of the metrics of some names those the run's tables have the columns for, over all its players."""
    of_members = [(one.member, measure(one, wanted).metrics) for one in run.by_member]
    found = {one.measure.name: one for one in pool(of_members, [variant.name for variant in run.variants])}
    return [found[one.name] for one in measures(run.experiment.game) if one.name in found]


@dataclass(frozen=True)
class Measured:
    """What is measured of the games of one kind of players."""

    metrics: Sequence[Estimates]
    gaps: Sequence[Estimates]
    ratings: Mapping[str, Ratings]


def measure(
    run: RunTables,
    wanted: Set[str],
    gaps: Sequence[Gap] = (),
    of_layouts: Callable[[RunTables], Sequence[Estimates]] = layout_findings,
) -> Measured:
    """Metrics of the games of one kind of players, and gaps of the rules, in one pass over each table.

    `of_layouts` tells what layouts matter; that takes a pass of its own, and may have been asked for elsewhere.
    """
    needed = wanted | ({SOURCE} if SEAT_IMBALANCE.name in wanted else set())
    metrics = [metric for metric in known_metrics(run) if metric.name in needed]
    found = estimate_metrics(run, [*metrics, *(gap.metric for gap in gaps)])
    is_gap = {gap.name for gap in gaps}
    measured = [one for one in found if one.measure.name not in is_gap]
    ratings = ratings_of(run) if SKILL_GRADIENT.name in wanted else {}
    asked = any(measure.name in wanted for measure in _OF_LAYOUTS)
    more = derived(measured, ratings, of_layouts(run) if asked else [])
    return Measured(
        [one for one in [*measured, *more] if one.measure.name in wanted],
        [one for one in found if one.measure.name in is_gap],
        ratings,
    )


def cannot_tell(run: RunTables, name: str) -> UsageError:
    """Why a run has no number for a metric of its game."""
    metrics = find_statistics(run.experiment.game).metrics
    tense = any(metric.name == name and metric.table == TENSION for metric in metrics)
    why = f"first: mmsim chances {run.folder}" if tense else "its tables or bots do not allow it"
    return UsageError(f"run {run.name} cannot tell {name}: {why}")


def derived(
    measured: Sequence[Estimates], ratings: Mapping[str, Ratings], layouts: Sequence[Estimates]
) -> list[Estimates]:
    """What follows from metrics, from ratings and from layouts, as far as there are any."""
    shares = next((estimates for estimates in measured if estimates.measure.name == SOURCE), None)
    found = [seat_imbalance(shares) if shares else None, skill_gradient(ratings), *layouts]
    return [estimates for estimates in found if estimates is not None]


def game_by_game(
    game: str, name: str, schemas: Mapping[str, pl.Schema]
) -> Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]:
    """How a batch measures a metric of finished games, one value a game and group, while it plays."""
    if name in (measure.name for measure in _DERIVED):
        raise UsageError(f"{name} is no mean over games; --until takes a metric that is one, like win_share")
    metric = find_metric(game, name)
    if not metric.known(schemas):
        raise UsageError(f"this game cannot tell {name}: its tables do not have what it takes")
    return lambda tables: per_game(metric, finished_only(tables))
