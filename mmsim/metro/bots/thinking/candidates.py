"""The moves that are worth a closer look: the best ones by the planner's values."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.metro.bots.thinking.heuristic_choice import EXCHANGES, WAGONS
from mmsim.metro.bots.thinking.memory import Thoughts
from mmsim.metro.bots.thinking.modules import best_exchange, best_wagon
from mmsim.metro.bots.thinking.placements import drawing_value, weigh_cells, weighed_value
from mmsim.metro.engine.moves import DRAW, PLACE, may_draw, move_code, tile_to_place
from mmsim.metro.engine.state import Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def find_candidates(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, width: Any) -> np.int64:
    """The planner's best moves of every kind, so many of them; returns how many there are."""
    count = np.int64(0)
    weigh_cells(v, b, r, t)
    for place in range(r.hand):
        kind = tile_to_place(v, place)
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                value = weighed_value(v, b, r, t, np.int64(b.turned[ix(4 * kind + turns)]), cell)
                count = _consider(t, width, count, move_code(PLACE, place, turns, cell), value)
    if v.drawn < 0 and r.stations:
        move, value = best_wagon(v, b, r, t, w[ix(at + WAGONS)])
        count = _consider(t, width, count, move, value)
    if v.drawn < 0 and r.companies:
        move, value = best_exchange(v, b, t, w[ix(at + EXCHANGES)])
        count = _consider(t, width, count, move, value)
    if may_draw(v):
        count = _consider(t, width, count, np.int64(DRAW), drawing_value(v, b, r, t))
    return count


@jit
def _consider(t: Thoughts, width: Any, count: Any, move: Any, value: Any) -> np.int64:
    """Keep a move if it is among the best so far, in order; returns how many there are now."""
    if move < 0 or (count == width and value <= t.prior[ix(count - 1)]):
        return count
    if count < width:
        count += 1
    at = count - 1
    while at > 0 and t.prior[ix(at - 1)] < value:
        t.prior[ix(at)] = t.prior[ix(at - 1)]
        t.candidate[ix(at)] = t.candidate[ix(at - 1)]
        at -= 1
    t.prior[ix(at)] = value
    t.candidate[ix(at)] = move
    return count
