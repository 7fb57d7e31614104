"""Expected replies: what a rival's best next move changes, on average over the unseen tiles."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.metro.bots.thinking.evaluation import weigh_owners
from mmsim.metro.bots.thinking.memory import NEVER, Thoughts
from mmsim.metro.bots.thinking.placements import placement_value, weigh_cells, weighed_value
from mmsim.metro.engine.moves import good_cells
from mmsim.metro.engine.state import GRID, KINDS, Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def expect_reply(
    p: State, b: Board, r: Rules, t: Thoughts, thinker: Thoughts, seat: Any, rival: Any, others: Any
) -> tuple[float, float]:
    """What a rival's best reply changes for a player, and what the rival gains by it, by the planner's values.

    The rival may hold any unseen tile, and draws another one if that promises more. `thinker` has the thoughts of the
    player, `t` those about the imagined position.
    """
    weigh_owners(p, r, t, rival, 1.0, others)
    mover = p.seat
    p.seat = rival
    weigh_cells(p, b, r, t)
    total, tiles = 0.0, 0.0
    for kind in range(KINDS):
        if thinker.unseen[ix(kind)] > 0:
            _find_reply(p, b, r, t, np.int64(kind))
            if t.best[ix(kind)] > NEVER:
                total += thinker.unseen[ix(kind)] * t.best[ix(kind)]
                tiles += thinker.unseen[ix(kind)]
    p.seat = mover
    if tiles == 0.0:
        return 0.0, 0.0
    mean = total / tiles
    weigh_owners(p, r, t, seat, 1.0, others)
    changes, gains, drawn, changes_drawn = 0.0, 0.0, 0.0, 0.0
    for kind in range(KINDS):
        count = np.float64(thinker.unseen[ix(kind)])
        if count > 0.0 and t.best[ix(kind)] > NEVER:
            change = placement_value(p, b, r, t, t.reply[ix(kind)] // GRID, t.reply[ix(kind)] % GRID)
            changes_drawn += count * change
            if t.best[ix(kind)] >= mean:
                changes += count * change
                gains += count * t.best[ix(kind)]
            else:
                drawn += count / tiles
    return (changes + drawn * changes_drawn) / tiles, (gains + drawn * total) / tiles


@jit
def _find_reply(p: State, b: Board, r: Rules, t: Thoughts, kind: Any) -> None:
    """Find the best placement of a kind of tile for the player in turn, and its value."""
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
    t.reply[ix(kind)] = chosen
