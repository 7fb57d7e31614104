"""Why a bot chose: the turns it weighed, what each is worth, and which features make that up."""

from collections.abc import Callable
from dataclasses import dataclass

from mmsim.core.bots import Bot
from mmsim.metromania.bots.thinking.memory import DEPTH, EXPERT, FEATURES, SEARCH, WEIGHING, Thoughts
from mmsim.metromania.engine.state import State
from mmsim.metromania.rules.position import Move


@dataclass(frozen=True)
class Reason:
    """One of the turns a bot had in mind."""

    move: Move  # its first move
    tunnels: int  # how many moves of the turn were planned
    value: float  # what the bot goes by
    features: dict[str, float]  # name -> part of the value; a bot that searches has the mean of its playouts instead
    playouts: int = 0


def reasons(
    s: State, m: Thoughts, bot: Bot, decode: Callable[[int], Move], explain_turn: Callable[[int], None]
) -> list[Reason]:
    """The turns a bot weighed for the decision it has just made, the best first."""
    if s.bonus_line >= 0 or s.choices == 1 or s.plan_turn != s.turn or s.plan_dug != s.dug:
        return []
    if bot.kind == SEARCH:
        found = [
            Reason(
                decode(int(m.search_code[DEPTH * at])),
                int(m.search_length[at]),
                float(m.search_mean[at]),
                {},
                int(m.search_count[at]),
            )
            for at in range(int(m.compared))
        ]
        return sorted(found, key=lambda reason: (-reason.playouts, -reason.value))
    if bot.kind == EXPERT:
        compared = [(int(m.candidate[at]), float(m.candidate_value[at])) for at in range(int(m.candidates))]
        found = [
            Reason(decode(int(m.turn_code[DEPTH * first])), int(m.turn_length[first]), value, {})
            for first, value in compared
        ]
        return sorted(found, key=lambda reason: -reason.value)
    if bot.kind != WEIGHING:
        return []
    return sorted(
        (_weighed(m, bot, first, decode, explain_turn) for first in range(int(m.firsts))), key=lambda r: -r.value
    )


def _weighed(
    m: Thoughts, bot: Bot, first: int, decode: Callable[[int], Move], explain_turn: Callable[[int], None]
) -> Reason:
    explain_turn(first)
    weights = bot.settings
    parts = {name: weights.get(name, 0.0) * float(m.amount[i]) for i, name in enumerate(FEATURES)}
    return Reason(
        decode(int(m.turn_code[DEPTH * first])),
        int(m.turn_length[first]),
        float(m.value[first]),
        {name: part for name, part in parts.items() if abs(part) > 1e-9},
    )
