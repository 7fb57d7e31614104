"""Everything that is measured of a run: the declared metrics, and what is derived from them or from bots and boards."""

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from mmsim.analysis.atlas import LAYOUT_SHARE, layout_share
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE, seat_imbalance
from mmsim.analysis.metrics import METRICS, find_metrics, known_metrics
from mmsim.analysis.panel import Measure, Panel, measure_of, panels
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.skill import SKILL_GRADIENT, ratings_of, skill_gradient
from mmsim.analysis.tables import RunTables, finished_only
from mmsim.core.errors import UsageError, unknown

DERIVED = (SEAT_IMBALANCE, SKILL_GRADIENT, LAYOUT_SHARE)
MEASURES: tuple[Measure, ...] = (*(measure_of(metric) for metric in METRICS), *DERIVED)


def check_names(names: Sequence[str]) -> None:
    """An unknown metric is an error."""
    known = [measure.name for measure in MEASURES]
    for name in names:
        if name not in known:
            raise unknown("metric", name, known)


def findings(run: RunTables, names: Sequence[str] = ()) -> list[Panel]:
    """The metrics of these names, or all the run's tables have the columns for."""
    check_names(names)
    wanted = set(names or (measure.name for measure in MEASURES))
    needed = wanted | ({SOURCE} if SEAT_IMBALANCE.name in wanted else set())
    found = panels(run, [metric for metric in known_metrics(run.tables) if metric.name in needed])
    ratings = ratings_of(run) if SKILL_GRADIENT.name in wanted else {}
    told = {panel.measure.name: panel for panel in [*found, *derived(run, found, ratings)]}
    missing = [name for name in names if name not in told]
    if missing:
        raise UsageError(f"run {run.name} cannot tell {missing[0]}: its tables or bots do not allow it")
    return [told[measure.name] for measure in MEASURES if measure.name in wanted and measure.name in told]


def derived(run: RunTables, found: Sequence[Panel], ratings: Mapping[str, Ratings]) -> list[Panel]:
    """What follows from metrics, from ratings and from layouts, as far as there are any."""
    shares = next((panel for panel in found if panel.measure.name == SOURCE), None)
    told = [seat_imbalance(shares) if shares else None, skill_gradient(ratings), layout_share(run)]
    return [panel for panel in told if panel is not None]


def game_by_game(name: str, schemas: Mapping[str, pl.Schema]) -> Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]:
    """How a batch measures a metric of finished games, one value a game and group, while it plays."""
    if name in (measure.name for measure in DERIVED):
        raise UsageError(f"{name} is no mean over games; --until takes a metric that is one, like win_share")
    (metric,) = find_metrics([name])
    if not metric.known(schemas):
        raise UsageError(f"this game cannot tell {name}: its tables do not have what it takes")
    return lambda tables: metric.per_game(finished_only(tables))
