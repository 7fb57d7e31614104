"""Takes what there is to take now."""

from typing import Any

import numpy as np

from mmsim.core.accel import ix, jit, lowest_bit
from mmsim.core.streams import draw_below
from mmsim.metro.bots.declare import Bot, Parameter
from mmsim.metro.bots.looking import follow, kind_in_hand, line_at, stake, worth
from mmsim.metro.moves import DRAW, PLACE, kth_move, move_code
from mmsim.metro.state import ENTRIES

GREEDY = Bot(
    "greedy",
    "Own points now minus the best given away, each against what an open line would still bring.",
    "Own tile, the lines it would bring to a stop, and their owners.",
    {
        "open": Parameter(7.0, 0.0, 60.0, "Points an open line is worth: a line that ends below loses them."),
        "given": Parameter(1.0, 0.0, 10.0, "Weight of the points others get."),
    },
)

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_OPEN, _GIVEN = 0, 1


@jit
def value_now(v: Any, b: Any, r: Any, w: Any, at: Any, kind: Any, cell: Any) -> float:
    """What the lines that arrive by a tile are worth to the player in turn."""
    value = 0.0
    for side in range(4):
        line = line_at(v, b, 4 * cell + side)
        if line < 0:
            continue
        node, more = follow(v, b, kind, cell, side)
        if node >= ENTRIES:
            tiles = np.int64(v.length[ix(v.first[ix(4 * cell + side)])]) + more
            gain = np.float64(worth(line, node, tiles)) - w[ix(at + _OPEN)]
            value += gain * stake(v, r, np.int64(v.owner[ix(line)]), w[ix(at + _GIVEN)])
    return value


@jit
def choose_greedy(v: Any, b: Any, r: Any, w: Any, at: Any, dice: Any, stream: Any) -> np.int64:
    """The placement worth most; one that is worth nothing is no better than a tile drawn; ties at random."""
    best, ties, chosen = -1e9, np.int64(0), np.int64(-1)
    for place in range(r.hand):
        kind = kind_in_hand(v, place)
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                value = value_now(v, b, r, w, at, np.int64(b.turned[ix(4 * kind + turns)]), cell)
                if value > best:
                    best, ties = value, np.int64(0)
                if value == best:
                    ties += 1
                    if draw_below(dice, stream, ties) == 0:
                        chosen = move_code(PLACE, place, turns, cell)
    if chosen < 0:
        return kth_move(v, r, np.int64(0))
    if best < 0.0 and v.drawn < 0 and v.next < 60:
        return np.int64(DRAW)
    return chosen
