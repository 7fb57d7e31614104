"""What a bot is given (S7): a copy of the position in which everything its player may not know is blank."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.streams import next_word, set_seed
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.state import HAND, NOWHERE, OPEN, SEATS

UNKNOWN = -1
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_HALF = np.uint64(32)


@jit
def look(s: Any, b: Any, r: Any, views: Any) -> None:
    """Put what the company in turn may see into `views[0]`; its chance there comes from two draws of its own stream."""
    seat = s.seat
    chance = next_word(s, 1 + seat) << _HALF | next_word(s, 1 + seat)
    v = views[0]
    copy_position(v, s, b)
    for i in range(v.rng.size):
        v.rng[ix(i)] = _ZERO
    set_seed(v, chance, s.turn)
    if r.hands != OPEN:
        for other in range(r.companies):
            if r.seat_player[ix(other)] != r.seat_player[ix(seat)]:
                hide_hand(v, r, other)


@jit
def hide_hand(v: Any, r: Any, seat: Any) -> None:
    """Forget what a company holds; what it has laid lies open."""
    v.held[ix(2 * seat)] = _ONE  # blank cells
    v.held[ix(2 * seat + 1)] = _ZERO
    for word in range(2):
        v.partner_placed[ix(2 * seat + word)] = _ZERO
    for i in range(4):  # of both its lines
        v.touching[ix(4 * seat + i)] = _ZERO
    for i in range(r.hand_size):
        v.hand_marker[ix(HAND * seat + i)] = UNKNOWN
        v.hand_kind[ix(HAND * seat + i)] = UNKNOWN
    for marker in range(12):
        if v.marker_holder[ix(marker)] == seat and v.marker_cell[ix(marker)] == NOWHERE:
            v.marker_holder[ix(marker)] = UNKNOWN


@jit
def guess_holders(v: Any, r: Any, m: Any) -> None:
    """The chance that a company holds a marker: certain where hands are seen, else shared among who may hold it."""
    for marker in range(12):
        known = v.marker_holder[ix(marker)]
        candidates = np.int64(0)
        for seat in range(r.companies):
            may = seat == known if known != UNKNOWN else _may_hold(v, r, marker, seat)
            m.holder[ix(SEATS * marker + seat)] = 1.0 if may else 0.0
            candidates += np.int64(may)
        if candidates > 1:
            for seat in range(r.companies):
                m.holder[ix(SEATS * marker + seat)] /= candidates


@jit
def _may_hold(v: Any, r: Any, marker: Any, seat: Any) -> bool:
    """Whether a hidden hand may have a marker: not the hand of this player, not full of others, not twice a letter."""
    if v.hand_marker[ix(HAND * seat)] != UNKNOWN:
        return False
    laid = 0
    for other in range(12):
        if v.marker_holder[ix(other)] == seat:
            if other >> 1 == marker >> 1:
                return False
            if r.hand_size == 3 and v.marker_kind[ix(other)] == v.marker_kind[ix(marker)]:
                return False  # three markers are of three kinds
            laid += 1
    return laid < r.hand_size
