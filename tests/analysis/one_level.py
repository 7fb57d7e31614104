"""Comparisons and estimates of runs of one level of play."""

from collections.abc import Sequence

from mmsim.analysis.compare import Comparison, LevelEstimates, compare
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.run_metrics import estimate_run
from mmsim.analysis.tables import RunTables
from mmsim.core.levels import Level

ONLY = Level("planner", "planner", "heuristic")


def compare_one(metrics: Sequence[Estimates], reference: str | None = None) -> list[Comparison]:
    """The comparisons of a single level."""
    return [over_levels.levels[0] for over_levels in compare([LevelEstimates(ONLY, metrics)], reference)]


def estimate_one(run: RunTables, names: Sequence[str] = ()) -> Sequence[Estimates]:
    """The estimates of a run of one level."""
    (level,) = estimate_run(run, names)
    return level.metrics
