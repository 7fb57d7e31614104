"""Takes what there is to take now."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots.thinking.evaluation import best_placement, drawing_value, weigh_owners
from mmsim.metro.engine.moves import DRAW, kth_move
from mmsim.metro.engine.state import SUPPLY

GREEDY = Bot(
    "greedy",
    "Own points now minus those given away, counting every line that ends against what it would bring if open.",
    "The own tiles, the lines they would bring to a stop, and whose they are.",
    {
        "open": Weight(12.0, 0.0, 60.0, "Points an open line counts for: one that ends below that is a loss."),
        "given": Weight(1.0, 0.0, 10.0, "Weight of the points the others get on average."),
    },
)
_OPEN, _GIVEN = 0, 1


@jit
def choose_greedy(v: Any, b: Any, r: Any, mind: Any, w: Any, at: Any, dice: Any, stream: Any) -> np.int64:
    """The placement worth most, or a tile from the supply if that promises more."""
    mind.open_worth = w[ix(at + _OPEN)]
    weigh_owners(v, r, mind, v.seat, 1.0, w[ix(at + _GIVEN)])
    return place_or_draw(v, b, r, mind, dice, stream)


@jit
def place_or_draw(v: Any, b: Any, r: Any, mind: Any, dice: Any, stream: Any) -> np.int64:
    """X8: the best placement of an own tile, or a draw where an unseen tile does better on average."""
    move, value = best_placement(v, b, r, mind, dice, stream)
    if v.drawn < 0 and v.next < SUPPLY and drawing_value(v, b, r, mind) > value:
        return np.int64(DRAW)
    return move if move >= 0 else kth_move(v, r, v.choices - 1)  # nothing to place: pass
