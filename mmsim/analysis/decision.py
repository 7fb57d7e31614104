"""Whether two variants differ or are equal, decided while they are played: the rule behind `--until decided`.

It uses the confidence sequence of `batch/confidence.py` on paired differences, so that the error rate holds over all
looks together.
"""

from collections.abc import Sequence
from math import inf

from mmsim.analysis.compare import ALPHA, Comparison
from mmsim.analysis.tables import RunTables
from mmsim.batch.confidence import sequence_half_width
from mmsim.batch.manifest import Decision, SequenceInterval


def decide(comparisons: Sequence[Comparison]) -> Decision:
    """The decision that all groups of one metric of two variants support.

    A kind of player differs if 0 is outside the sequence of one group, and is equal if the sequences of all groups are
    within tolerance. The error rate is shared out between all intervals (Bonferroni).
    """
    by_player: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        for member in comparison.members or (comparison,):
            by_player.setdefault(member.player, []).append(member)
    alpha = ALPHA / sum(map(len, by_player.values()))
    apart, equal, undecided, sequence = [], [], [], []
    for player, members in by_player.items():
        half_widths = [(member, _half_width(member, alpha)) for member in members]
        sequence += [_interval(player, member, half_width) for member, half_width in half_widths]
        if any(abs(member.difference.value) > half_width for member, half_width in half_widths):
            apart.append(player)
        elif all(
            abs(member.difference.value) + half_width < member.measure.tolerance for member, half_width in half_widths
        ):
            equal.append(player)
        else:
            undecided.append(player)
    first, error = comparisons[0], round(ALPHA, 9)
    measure, variants = first.measure, (first.reference, first.variant)
    return Decision(measure.name, measure.unit, *variants, apart, equal, undecided, sequence, error)


def _half_width(comparison: Comparison, alpha: float) -> float:
    """Half the width of the sequence; where all games came out the same, a rare difference may still turn up."""
    if comparison.identical:
        return 0.0 if comparison.p_equal < alpha else inf
    return sequence_half_width(comparison.difference.se, comparison.difference.deals, alpha)


def _interval(player: str, comparison: Comparison, half_width: float) -> SequenceInterval:
    value = comparison.difference.value
    low, high = (None, None) if half_width == inf else (value - half_width, value + half_width)
    return SequenceInterval(player, comparison.group, value, low, high)


def sides(decision: Decision) -> dict[str, list[str]]:
    """The kinds of players by what was decided for them."""
    return {"different": decision.apart, "equal within tolerance": decision.equal, "not decided": decision.undecided}


def sentence(run: RunTables) -> str:
    """What was decided, after how many games and at which error rate; empty for a run that was not to decide."""
    decision, fewer = run.decision, len({*run.planned_games.values()}) > 1
    if decision is None:
        return ""
    parts = [f"{side} for {', '.join(players)}" for side, players in sides(decision).items() if players]
    games = f"{decision.games:,} games of each{' (fewer of slow players)' * fewer}"
    return (
        f"{decision.metric} of {decision.variant} and {decision.reference}: {'; '.join(parts)}; after {games} and "
        f"{decision.looks} look{'s' * (decision.looks != 1)}, wrong at most {decision.error:.0%} of the time, all "
        "looks together (tables take the number of games for fixed)"
    )
