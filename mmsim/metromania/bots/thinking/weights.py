"""What an amount of a feature is worth to a bot."""

from typing import Any

from mmsim.compiled.accel import inlined, ix, jit
from mmsim.metromania.bots.thinking.memory import WEIGHTS, Bots, Thoughts


@inlined
def weight(bots: Bots, seat: Any, which: Any) -> float:
    return bots.weight[ix(WEIGHTS * seat + which)]


@inlined
def note_if(explaining: Any, bots: Bots, t: Thoughts, seat: Any, feature: Any, amount: Any) -> float:
    """An amount of a feature: what it is worth to the bot, and in the list of amounts if those are told."""
    if explaining:
        t.amount[ix(feature)] += amount
    return weight(bots, seat, feature) * amount


@jit
def note(bots: Bots, t: Thoughts, seat: Any, feature: Any, amount: Any) -> float:
    return note_if(t.explaining, bots, t, seat, feature, amount)
