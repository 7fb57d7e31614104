"""What the others may do next: their best answers to a position, on average over the tiles that are not seen."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.metro.bots.thinking.evaluation import weigh_owners
from mmsim.metro.bots.thinking.memory import NEVER, Thoughts
from mmsim.metro.bots.thinking.placements import placement_value, weigh_cells, weighed_value
from mmsim.metro.engine.moves import good_cells
from mmsim.metro.engine.state import GRID, KINDS, Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def expect_answer(
    p: State, b: Board, r: Rules, t: Thoughts, unseen: Thoughts, seat: Any, rival: Any, others: Any
) -> tuple[float, float]:
    """What a rival's best answer changes for a player, and what the rival gains by it, by the planner's values.

    The rival has any tile that is not seen, and draws another one if that promises more. Eight arguments: a position,
    what is known of it, and who asks about whom.
    """
    weigh_owners(p, r, t, rival, 1.0, others)
    mover = p.seat
    p.seat = rival
    weigh_cells(p, b, r, t)
    total, tiles = 0.0, 0.0
    for kind in range(KINDS):
        if unseen.unseen[ix(kind)] > 0:
            _find_answer(p, b, r, t, np.int64(kind))
            if t.best[ix(kind)] > NEVER:
                total += unseen.unseen[ix(kind)] * t.best[ix(kind)]
                tiles += unseen.unseen[ix(kind)]
    p.seat = mover
    if tiles == 0.0:
        return 0.0, 0.0
    mean = total / tiles
    weigh_owners(p, r, t, seat, 1.0, others)
    own, gain, drawn, own_drawn = 0.0, 0.0, 0.0, 0.0
    for kind in range(KINDS):
        count = np.float64(unseen.unseen[ix(kind)])
        if count > 0.0 and t.best[ix(kind)] > NEVER:
            change = placement_value(p, b, r, t, t.answer[ix(kind)] // GRID, t.answer[ix(kind)] % GRID)
            own_drawn += count * change
            if t.best[ix(kind)] >= mean:
                own += count * change
                gain += count * t.best[ix(kind)]
            else:
                drawn += count / tiles
    return (own + drawn * own_drawn) / tiles, (gain + drawn * total) / tiles


@jit
def _find_answer(p: State, b: Board, r: Rules, t: Thoughts, kind: Any) -> None:
    """The best place of a kind of tile for the player in turn, and its value."""
    best, chosen = NEVER, np.int64(0)
    for turns in range(b.ways[ix(kind)]):
        lying = np.int64(b.turned[ix(4 * kind + turns)])
        cells = good_cells(p, b, lying)
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            value = weighed_value(p, b, r, t, lying, cell)
            if value > best:
                best, chosen = value, GRID * lying + cell
    t.best[ix(kind)] = best
    t.answer[ix(kind)] = chosen
