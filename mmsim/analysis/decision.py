"""Whether two variants differ or are equal, decided while they are played: the rule behind `--until decided`.

It uses the confidence sequence of `batch/confidence.py` on paired differences, so that the error rate holds over all
looks together.
"""

from collections.abc import Sequence
from math import inf

from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.tables import RunTables
from mmsim.batch.confidence import sequence_half_width
from mmsim.batch.manifest import Decision, SequenceInterval


def decide(comparisons: Sequence[ComparisonOverLevels]) -> Decision:
    """The decision that all groups of one metric of two variants support.

    Variants differ at a level if 0 is outside the sequence of one group, and are equal if the sequences of all groups
    are within tolerance. The error rate is shared out between all intervals (Bonferroni).
    """
    by_level: dict[str, list[Comparison]] = {}
    for over_levels in comparisons:
        for comparison in over_levels.levels:
            by_level.setdefault(comparison.level.name, []).append(comparison)
    alpha = ALPHA / sum(map(len, by_level.values()))
    apart, equal, undecided, sequence = [], [], [], []
    for level, groups in by_level.items():
        half_widths = [(group, _half_width(group, alpha)) for group in groups]
        sequence += [_interval(level, group, half_width) for group, half_width in half_widths]
        if any(abs(group.difference.value) > half_width for group, half_width in half_widths):
            apart.append(level)
        elif all(
            abs(group.difference.value) + half_width < group.measure.tolerance for group, half_width in half_widths
        ):
            equal.append(level)
        else:
            undecided.append(level)
    first, error = comparisons[0], round(ALPHA, 9)
    measure, variants = first.measure, (first.reference, first.variant)
    return Decision(measure.name, measure.unit, *variants, apart, equal, undecided, sequence, error)


def _half_width(comparison: Comparison, alpha: float) -> float:
    """Half the width of the sequence; where all games came out the same, a rare difference may still turn up."""
    if comparison.identical:
        return 0.0 if comparison.p_equal < alpha else inf
    return sequence_half_width(comparison.difference.se, comparison.difference.deals, alpha)


def _interval(level: str, comparison: Comparison, half_width: float) -> SequenceInterval:
    value = comparison.difference.value
    low, high = (None, None) if half_width == inf else (value - half_width, value + half_width)
    return SequenceInterval(level, comparison.group, value, low, high)


def sides(decision: Decision) -> dict[str, list[str]]:
    """The levels by what was decided at them."""
    return {"different": decision.apart, "equal within tolerance": decision.equal, "not decided": decision.undecided}


def sentence(run: RunTables) -> str:
    """What was decided, after how many games and at which error rate; empty for a run that was not to decide."""
    decision, fewer = run.decision, len({*run.planned_games.values()}) > 1
    if decision is None:
        return ""
    parts = [f"{side} at {', '.join(levels)}" for side, levels in sides(decision).items() if levels]
    games = f"{decision.games:,} games of each{' (fewer at slow levels)' * fewer}"
    return (
        f"{decision.metric} of {decision.variant} and {decision.reference}: {'; '.join(parts)}; after {games} and "
        f"{decision.looks} look{'s' * (decision.looks != 1)}, wrong at most {decision.error:.0%} of the time, all "
        "looks together (tables take the number of games for fixed)"
    )
