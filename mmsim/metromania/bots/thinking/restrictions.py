"""What a bot is given that does without some elements of the game (restricted play: Jaffe et al., AIIDE 2012).

The rules stay as they are: its view lacks what it does without, and the engine says what may be done in that view.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, ix, jit, rarely
from mmsim.metromania.bots.thinking.memory import (
    BONUS_STATIONS,
    INTERMEDIATE,
    OPEN_HANDS,
    OTHERS_LINES,
    SECOND_LINE,
    Bots,
    Views,
)
from mmsim.metromania.bots.thinking.view import hide_others, make_view
from mmsim.metromania.engine.dig_duty import keep_dutiful
from mmsim.metromania.engine.moves import find_tunnels
from mmsim.metromania.engine.state import EVERY_LANE, LAKE, MOST, Board, Rules, State
from mmsim.metromania.engine.turns import begin_turn

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def make_own_view(s: State, b: Board, r: Rules, bots: Bots, views: Views) -> None:
    """Put what the company in turn may see, and can make use of, into `views[0]`."""
    make_view(s, b, r, views)
    without = bots.without[ix(s.seat)]
    if rarely(without != 0):
        _restrict(views[0], b, r, without)
        if not _has_choice(views[0]):  # the rules leave it nothing else
            make_view(s, b, r, views)


@jit
def _restrict(v: State, b: Board, r: Rules, without: Any) -> None:
    """Take away what a company does without, and find again what it may do."""
    if without & OPEN_HANDS:
        hide_others(v, r)
    if v.bonus_line >= 0:
        if without & BONUS_STATIONS:
            v.places[0] = _ZERO
            v.choices = np.int64(1)  # decline
        return
    if without & OTHERS_LINES:
        _close_spots(v, b)
    if without & SECOND_LINE and v.started >> np.uint64(2 * v.seat) & _ONE != _ZERO:
        for side in range(6):
            v.start_free[ix(side)] = _ZERO
    if v.dug == 0:
        begin_turn(v, b, r)
    else:
        find_tunnels(v, b, r)
        if r.dig_duty == MOST:
            keep_dutiful(v, b, r)
    if without & INTERMEDIATE:
        v.choices -= count_bits(v.places[0]) + count_bits(v.places[1])
        v.places[0] = v.places[1] = _ZERO


@jit
def _close_spots(v: State, b: Board) -> None:
    """Close every spot at a line of another company."""
    own = 3 << (2 * v.seat)
    for cell in range(b.city_cells):
        if 0 < v.kind[ix(cell)] < LAKE:
            lines = np.int64(0)
            for i in range(3):
                lines |= np.int64(v.lines_at[ix(b.corner[ix(3 * cell + i)])])
            if lines & ~own != 0:
                for i in range(3):
                    slots = np.uint64(b.corner_slots[ix(3 * cell + i)]) * EVERY_LANE
                    v.lanes[ix(b.corner[ix(3 * cell + i)])] &= ~slots


@jit
def _has_choice(v: State) -> bool:
    """Whether anything can be done but pass."""
    if v.bonus_line >= 0:
        return True
    ways = v.ways[0] | v.ways[1] | v.ways[2] | v.ways[3] | v.places[0] | v.places[1]
    return ways != _ZERO or v.start_choices > 0
