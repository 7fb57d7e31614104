"""Why a bot chose: the turns it weighed, the value of each, and the features that add up to it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mmsim.core.bots import Bot
from mmsim.metromania.bots.kinds import EXPERT, SEARCH, WEIGHING
from mmsim.metromania.bots.thinking.memory import DEPTH, Thoughts
from mmsim.metromania.bots.turn_weights import FEATURES
from mmsim.metromania.engine.state import State
from mmsim.metromania.rules.position import Move

_NEGLIGIBLE = 1e-9  # smaller parts of a value are left out


@dataclass(frozen=True)
class Reason:
    """One of the turns that a bot considered."""

    move: Move  # its first move
    tunnels: int  # how many moves of the turn were planned
    value: float  # by which the bot chooses
    features: dict[str, float]  # name -> part of the value; empty for bots with a net or playouts
    playouts: int = 0


def reasons(
    s: State, t: Thoughts, bot: Bot, decode: Callable[[int], Move], explain_turn: Callable[[int], None]
) -> list[Reason]:
    """The turns that a bot weighed for the decision it has just made, the best first."""
    if s.bonus_line >= 0 or s.choices == 1 or s.plan_turn != s.turn or s.plan_dug != s.dug:
        return []
    if bot.kind == SEARCH:
        firsts, lengths, means, counts = t.search_code[::DEPTH], t.search_length, t.search_mean, t.search_count
        turns = [
            Reason(decode(int(firsts[at])), int(lengths[at]), float(means[at]), {}, playouts=int(counts[at]))
            for at in range(t.compared)
        ]
    elif bot.kind == EXPERT:
        turns = [_reason(t, int(t.candidate[at]), float(t.candidate_value[at]), decode) for at in range(t.candidates)]
    elif bot.kind == WEIGHING:
        turns = [_weighed(t, first, bot, decode, explain_turn) for first in range(t.firsts)]
    else:
        turns = []
    return sorted(turns, key=lambda reason: (-reason.playouts, -reason.value))


def _reason(t: Thoughts, first: int, value: float, decode: Callable[[int], Move]) -> Reason:
    """The turn that begins with a first move."""
    return Reason(decode(int(t.turn_code[DEPTH * first])), int(t.turn_length[first]), value, {})


def _weighed(
    t: Thoughts, first: int, bot: Bot, decode: Callable[[int], Move], explain_turn: Callable[[int], None]
) -> Reason:
    explain_turn(first)
    weights = bot.settings
    parts = {name: weights.get(name, 0.0) * float(t.amount[i]) for i, name in enumerate(FEATURES)}
    reason = _reason(t, first, float(t.value[first]), decode)
    return replace(reason, features={name: part for name, part in parts.items() if abs(part) > _NEGLIGIBLE})
