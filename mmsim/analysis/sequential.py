"""Two variants compared while they are played, until something is decided, with the error of all looks together kept.

A confidence sequence holds the true difference at all times at once, so whoever looks after any number of games, and
stops when they like, errs no more often than it says. This is the asymptotic one of Waudby-Smith, Arbour, Sinha,
Kennedy and Ramdas (2024, Ann. Statist. 52), a normal mixture (Robbins 1970, Ann. Math. Statist. 41), of paired
differences.
"""

from collections.abc import Sequence
from math import inf, log, sqrt

from mmsim.analysis.compare import ALPHA, Comparison
from mmsim.analysis.tables import RunTables
from mmsim.batch.manifest import Decision, SequenceInterval

SOONEST = 100  # deals before a kind of players may decide anything: the sequence is one of many games
_TIGHTEST = 5000  # deals at which it is as narrow as it can be; any number would do, chosen before anything is played


def half_width(se: float, deals: int, alpha: float) -> float:
    """Half the width of the confidence sequence after so many deals, from the standard error there."""
    if deals < SOONEST or se == inf:
        return inf
    mixture = deals * (-2 * log(alpha) + log(1 - 2 * log(alpha))) / _TIGHTEST
    return se * sqrt(2 * (mixture + 1) / mixture * log(sqrt(mixture + 1) / alpha))


def _half_width(one: Comparison, alpha: float) -> float:
    """That of a comparison; where every game came out the same, a rare difference may still be to come."""
    if one.same:
        return 0.0 if one.p_equal < alpha else inf
    return half_width(one.difference.se, one.difference.deals, alpha)


def decide(compared: Sequence[Comparison]) -> Decision:
    """What all groups of one metric of two variants decide: of every kind of players one group that differs shows a
    difference, and all that are within tolerance show equality; levels are shared out (Bonferroni)."""
    by_player: dict[str, list[Comparison]] = {}
    for one in compared:
        for member in one.members or (one,):
            by_player.setdefault(member.player, []).append(member)
    alpha = ALPHA / sum(map(len, by_player.values()))
    sides: dict[str, list[str]] = {"apart": [], "equal": [], "undecided": []}
    sequence = []
    for player, own in by_player.items():
        ends = [(one, _half_width(one, alpha)) for one in own]
        sequence += [_interval(player, one, half) for one, half in ends]
        if any(abs(one.difference.value) > half for one, half in ends):
            side = "apart"
        elif all(abs(one.difference.value) + half < one.measure.tolerance for one, half in ends):
            side = "equal"
        else:
            side = "undecided"
        sides[side].append(player)
    first = compared[0]
    measure = first.measure
    return Decision(
        measure.name,
        measure.unit,
        first.reference,
        first.variant,
        sides["apart"],
        sides["equal"],
        sides["undecided"],
        sequence,
        round(ALPHA, 9),
    )


def _interval(player: str, one: Comparison, half: float) -> SequenceInterval:
    value = one.difference.value
    low, high = (None, None) if half == inf else (value - half, value + half)
    return SequenceInterval(player, one.group, value, low, high)


def sentence(run: RunTables) -> str:
    """What a run was played to decide, after how many games and at which level; empty if it was played for no such."""
    decision, fewer = run.decision, len({*run.wanted.values()}) > 1
    if decision is None:
        return ""
    sides = (
        ("different", decision.apart),
        ("equal within tolerance", decision.equal),
        ("not decided", decision.undecided),
    )
    parts = [f"{what} for {', '.join(who)}" for what, who in sides if who]
    games = f"{decision.games:,} games of each{' (fewer of slow players)' * fewer}"
    return (
        f"{decision.metric} of {decision.variant} and {decision.reference}: {'; '.join(parts)}; after {games} and "
        f"{decision.looks} look{'s' * (decision.looks != 1)}, wrong at most {decision.error:.0%} of the time, all "
        "looks together (tables take the number of games for fixed)"
    )
