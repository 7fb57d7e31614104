"""Why a bot chose: the turns it weighed, what each is worth, and which features make that up."""

from collections.abc import Callable
from dataclasses import dataclass

from mmsim.core.bots import Bot
from mmsim.metromania.bots.thinking.memory import DEPTH, EXPERT, FEATURES, SEARCH, WEIGHING, Thoughts
from mmsim.metromania.engine.state import State
from mmsim.metromania.rules.position import Move

_NOTHING = 1e-9  # a part of a value that is smaller is left out


@dataclass(frozen=True)
class Reason:
    """One of the turns a bot had in mind."""

    move: Move  # its first move
    tunnels: int  # how many moves of the turn were planned
    value: float  # what the bot goes by
    features: dict[str, float]  # name -> part of the value; a bot that searches has the mean of its playouts instead
    playouts: int = 0


def reasons(
    s: State, t: Thoughts, bot: Bot, decode: Callable[[int], Move], explain_turn: Callable[[int], None]
) -> list[Reason]:
    """The turns a bot weighed for the decision it has just made, the best first."""
    if s.bonus_line >= 0 or s.choices == 1 or s.plan_turn != s.turn or s.plan_dug != s.dug:
        return []
    if bot.kind == SEARCH:
        found = [
            Reason(
                decode(int(t.search_code[DEPTH * at])),
                int(t.search_length[at]),
                float(t.search_mean[at]),
                {},
                int(t.search_count[at]),
            )
            for at in range(int(t.compared))
        ]
        return sorted(found, key=lambda reason: (-reason.playouts, -reason.value))
    if bot.kind == EXPERT:
        compared = [(int(t.candidate[at]), float(t.candidate_value[at])) for at in range(int(t.candidates))]
        found = [
            Reason(decode(int(t.turn_code[DEPTH * first])), int(t.turn_length[first]), value, {})
            for first, value in compared
        ]
        return sorted(found, key=lambda reason: -reason.value)
    if bot.kind != WEIGHING:
        return []
    return sorted(
        (_weighed(t, bot, first, decode, explain_turn) for first in range(int(t.firsts))), key=lambda r: -r.value
    )


def _weighed(
    t: Thoughts, bot: Bot, first: int, decode: Callable[[int], Move], explain_turn: Callable[[int], None]
) -> Reason:
    explain_turn(first)
    weights = bot.settings
    parts = {name: weights.get(name, 0.0) * float(t.amount[i]) for i, name in enumerate(FEATURES)}
    return Reason(
        decode(int(t.turn_code[DEPTH * first])),
        int(t.turn_length[first]),
        float(t.value[first]),
        {name: part for name, part in parts.items() if abs(part) > _NOTHING},
    )
