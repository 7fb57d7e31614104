"""Everything that is measured of a run: the declared metrics, and what is derived from them or from bots and boards."""

from collections.abc import Sequence

from mmsim.analysis.atlas import LAYOUT_SHARE, layout_share
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE, seat_imbalance
from mmsim.analysis.metrics import METRICS, known_metrics
from mmsim.analysis.panel import Measure, Panel, measure_of, panels
from mmsim.analysis.skill import SKILL_GRADIENT, ratings_of, skill_gradient
from mmsim.analysis.tables import RunTables
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
    metrics = known_metrics(run.tables)
    wanted = set(names or (measure.name for measure in MEASURES))
    needed = wanted | ({SOURCE} if SEAT_IMBALANCE.name in wanted else set())
    found = {
        panel.measure.name: panel for panel in panels(run, [metric for metric in metrics if metric.name in needed])
    }
    if SEAT_IMBALANCE.name in wanted and SOURCE in found:
        found[SEAT_IMBALANCE.name] = seat_imbalance(found[SOURCE])
    if SKILL_GRADIENT.name in wanted and (skill := skill_gradient(ratings_of(run))):
        found[SKILL_GRADIENT.name] = skill
    if LAYOUT_SHARE.name in wanted and (layouts := layout_share(run)):
        found[LAYOUT_SHARE.name] = layouts
    missing = [name for name in names if name not in found]
    if missing:
        raise UsageError(f"run {run.name} cannot tell {missing[0]}: its tables or bots do not allow it")
    return [found[measure.name] for measure in MEASURES if measure.name in found and measure.name in wanted]
