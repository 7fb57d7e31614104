"""Comparisons with planted differences, for tests of what is said about them."""

from collections.abc import Mapping

from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.stats import Estimate
from mmsim.core.levels import Level
from mmsim.core.metrics import Measure

IMBALANCE = Measure("seat_imbalance", "How far from fair?", "share distance", 0.006, better="less")
TURNS = Measure("turns", "How long?", "turns", 0.5)
SAME, OPEN = "same", "open"  # what a level shows, instead of a difference


def planted(
    levels: Mapping[str, float | str], measure: Measure = IMBALANCE, variant: str = "print+loyal-4p", group: str = ""
) -> ComparisonOverLevels:
    """A comparison whose levels each show a difference, that there is none, or nothing."""
    return ComparisonOverLevels(
        tuple(_at(name, shows, measure, variant, group) for name, shows in levels.items()), family=len(levels)
    )


def _at(name: str, shows: float | str, measure: Measure, variant: str, group: str) -> Comparison:
    value = shows if isinstance(shows, float) else 0.0
    se = measure.tolerance * (2.0 if shows == OPEN else 0.1)

    def estimate(mean: float) -> Estimate:
        return Estimate(mean, mean - 2 * se, mean + 2 * se, se, 10_000)

    return Comparison(
        measure=measure,
        group=group,
        reference="print-4p",
        variant=variant,
        level=Level(name, name, name),
        before=estimate(0.05),
        after=estimate(0.05 + value),
        difference=estimate(value),
        df=9_999.0,
        p_value=0.0,
        p_equal=0.0,
        variance_saved=0.0,
        games_per_deal=1.0,
        paired=True,
        p_adjusted=0.001 if isinstance(shows, float) else 1.0,
        p_equal_adjusted=0.001 if shows == SAME else 1.0,
    )
