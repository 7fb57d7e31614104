"""The view of a bot that does without some elements of the game (restricted play: Jaffe et al., AIIDE 2012).

The rules stay as they are: its view lacks what it does without, and the engine finds the legal moves in that view.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import count_bits, unlikely
from mmsim.metromania.bots.kinds import BONUS_STATIONS, INTERMEDIATE, OPEN_HANDS, OTHERS_LINES, SECOND_LINE
from mmsim.metromania.bots.thinking.memory import Bots
from mmsim.metromania.bots.thinking.view import hide_others, make_view
from mmsim.metromania.engine.dig_duty import keep_dutiful_choices
from mmsim.metromania.engine.moves import find_tunnels
from mmsim.metromania.engine.state import EVERY_LANE, LAKE, MOST, Board, Rules, State
from mmsim.metromania.engine.turns import begin_turn

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def make_own_view(v: State, s: State, b: Board, r: Rules, bots: Bots) -> None:
    """Write what the company in turn may see, and makes use of, into `v`."""
    make_view(v, s, b, r)
    without = bots.without[ix(s.seat)]
    if unlikely(without != 0):
        _restrict(v, b, r, without)
        if not _has_choice(v):  # the rules leave it nothing else
            make_view(v, s, b, r)


@jit
def _restrict(v: State, b: Board, r: Rules, without: Any) -> None:
    """Remove what a company does without, and find its legal moves again."""
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
            keep_dutiful_choices(v, b, r)
    if without & INTERMEDIATE:
        v.choices -= count_bits(v.places[0]) + count_bits(v.places[1])
        v.places[0] = v.places[1] = _ZERO


@jit
def _close_spots(v: State, b: Board) -> None:
    """Close every spot at a line of another company."""
    own_lines = 3 << (2 * v.seat)
    for cell in range(b.city_cells):
        if 0 < v.kind[ix(cell)] < LAKE:
            lines = np.int64(0)
            for i in range(3):
                lines |= np.int64(v.lines_at[ix(b.corner[ix(3 * cell + i)])])
            if lines & ~own_lines != 0:
                for i in range(3):
                    slots = np.uint64(b.corner_slots[ix(3 * cell + i)]) * EVERY_LANE
                    v.lanes[ix(b.corner[ix(3 * cell + i)])] &= ~slots


@jit
def _has_choice(v: State) -> bool:
    """Whether there is any move but to pass."""
    if v.bonus_line >= 0:
        return True
    ways = v.ways[0] | v.ways[1] | v.ways[2] | v.ways[3] | v.places[0] | v.places[1]
    return ways != _ZERO or v.start_choices > 0
