"""Cuts the others short."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots.greedy import place_or_draw
from mmsim.metro.bots.thinking.evaluation import weigh_owners

SPOILER = Bot(
    "spoiler",
    "Ends the lines of the others while they are short, and keeps its own out of it.",
    "The own tiles, the lines they would bring to a stop, and whose they are.",
    {
        "open": Weight(9.0, 0.0, 60.0, "Points an open line counts for: to end one below that takes them away."),
        "own": Weight(0.1, 0.0, 10.0, "Weight of the own points against those the others get on average."),
    },
)
_OPEN, _OWN = 0, 1


@jit
def choose_spoiler(v: Any, b: Any, r: Any, mind: Any, w: Any, at: Any, dice: Any, stream: Any) -> np.int64:
    """As the greedy bot, with the others' points first."""
    mind.open_worth = w[ix(at + _OPEN)]
    weigh_owners(v, r, mind, v.seat, w[ix(at + _OWN)], 1.0)
    return place_or_draw(v, b, r, mind, dice, stream)
