"""What a player may know (S7): a copy of the position in which everything else is blank, and who may hold what."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.compiled.rng import Streams, next_seed, set_seed
from mmsim.metromania.bots.thinking.memory import VIEW, Memory, Thoughts
from mmsim.metromania.engine import state
from mmsim.metromania.engine.state import HAND, MARKERS, NOWHERE, SEATS, SPOT_KINDS, Board, Rules, State, copy_position

UNKNOWN = -1
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def make_view(m: Memory, s: State, b: Board, r: Rules, streams: Streams) -> None:
    """Write what the company in turn may see into the view, and seed its streams with two draws from the company's."""
    copy_position(m.positions[VIEW], s, b)
    set_seed(m.streams[VIEW], next_seed(streams, 1 + s.seat), s.turn)
    if r.hands != state.OPEN:
        hide_others(m.positions[VIEW], r)


@jit
def see_as(v: State, s: State, b: Board, r: Rules, seat: Any) -> None:
    """Write what a company may see into `v`, to look at it; no streams belong to it."""
    copy_position(v, s, b)
    v.seat = seat
    if r.hands != state.OPEN:
        hide_others(v, r)


@jit
def hide_others(v: State, r: Rules) -> None:
    """Blank what the companies of other players hold."""
    for company in range(r.companies):
        if r.seat_player[ix(company)] != r.seat_player[ix(v.seat)]:
            hide_hand(v, r, company)


@jit
def hide_hand(v: State, r: Rules, seat: Any) -> None:
    """Blank what a company holds; what it has laid stays visible."""
    v.held[ix(2 * seat)] = _ONE  # blank cells
    v.held[ix(2 * seat + 1)] = _ZERO
    for word in range(2):
        v.partner_placed[ix(2 * seat + word)] = _ZERO
    for i in range(4):  # of both its lines
        v.touching[ix(4 * seat + i)] = _ZERO
    for i in range(r.hand_size):
        v.hand_marker[ix(HAND * seat + i)] = UNKNOWN
        v.hand_kind[ix(HAND * seat + i)] = UNKNOWN
    for marker in range(MARKERS):
        if v.marker_holder[ix(marker)] == seat and v.marker_cell[ix(marker)] == NOWHERE:
            v.marker_holder[ix(marker)] = UNKNOWN


@jit
def guess_holders(v: State, r: Rules, t: Thoughts) -> None:
    """The chances that companies hold a marker: certain where hands are seen, else shared among those who may."""
    unknown = _ZERO  # bits of the markers that hidden hands hold
    for marker in range(MARKERS):
        unknown |= np.uint64(v.marker_holder[ix(marker)] == UNKNOWN) << np.uint64(marker)
        for seat in range(SEATS):
            t.holder[ix(SEATS * marker + seat)] = np.float64(v.marker_holder[ix(marker)] == seat)
    if unknown == _ZERO:
        return
    for seat in range(r.companies):
        if v.hand_marker[ix(HAND * seat)] == UNKNOWN:
            _note_candidates(v, r, t, seat, unknown)
    rest = unknown
    while rest != _ZERO:
        row, candidates = SEATS * lowest_bit(rest), 0.0
        for seat in range(r.companies):
            candidates += t.holder[ix(row + seat)]
        for seat in range(r.companies):
            t.holder[ix(row + seat)] /= max(candidates, 1.0)
        rest &= rest - _ONE


@jit
def _note_candidates(v: State, r: Rules, t: Thoughts, seat: Any, unknown: Any) -> None:
    """Mark the unknown markers that a company may hold: its hand is not full yet and has no letter twice."""
    letters, kinds, laid = _ZERO, _ZERO, np.int64(0)
    for marker in range(MARKERS):
        has = np.uint64(v.marker_holder[ix(marker)] == seat)
        letters |= has << np.uint64(marker >> 1)
        kinds |= has << np.uint64(v.marker_kind[ix(marker)])
        laid += np.int64(has)
    if r.hand_size != SPOT_KINDS:
        kinds = _ZERO  # only a hand of three has one marker of each kind
    rest = unknown if laid < r.hand_size else _ZERO
    while rest != _ZERO:
        candidate = lowest_bit(rest)
        seen = letters >> np.uint64(candidate >> 1) | kinds >> np.uint64(v.marker_kind[ix(candidate)])
        t.holder[ix(SEATS * candidate + seat)] = np.float64(seen & _ONE == _ZERO)
        rest &= rest - _ONE
