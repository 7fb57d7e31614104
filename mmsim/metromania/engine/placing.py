"""What a move changes on the table: tunnels, markers, stations."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, unlikely
from mmsim.metromania.engine.ending import notice_lines
from mmsim.metromania.engine.moves import (
    BONUS,
    END,
    START,
    STATION,
    end_slots,
    find_bonus,
    note_far_ends,
    note_marker,
    note_touching,
    sides_far_from,
)
from mmsim.metromania.engine.state import EVERY_LANE, FIRST_MARKERS, HAND, NOWHERE, PATH, Board, Rules, State
from mmsim.metromania.engine.stations import meets, open_slots, place_station, splits_here

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def put_down(s: State, b: Board, r: Rules, kind: Any, number: Any, where: Any, extra: Any) -> bool:
    """Change what is on the table; returns whether the next decision is about a bonus station (I3)."""
    line = 2 * s.seat + number
    if unlikely(kind in (BONUS, STATION)):
        place_station(s, b, r, np.int64(s.path[ix(PATH * line + where)]))
    elif kind <= END:
        if unlikely(kind == START):
            _start(s, b, r, line, where, extra)
        else:
            _dig(s, b, r, line, where, extra)
        if unlikely(kind == END):
            s.bonus_line = number
            if find_bonus(s) > 0:
                notice_lines(s, b, r)
                s.choices = count_bits(s.places[0]) + 1
                return True
    s.bonus_line = -1
    return False


@inlined
def is_far(side: Any, from_side: Any) -> bool:
    """B2, D4: whether a side of the city is neither `from_side` nor next to it."""
    return sides_far_from(from_side) >> np.uint64(side) & _ONE != _ZERO


@inlined
def start_tunnel(b: Board, frame_cell: Any, base: Any) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """B1: the side a line starts on, its portal, the base vertex it reaches, and the direction."""
    cell = b.city_cells + frame_cell
    side = np.int64(b.frame_side[ix(frame_cell)])
    # Base 0 is towards the side's first corner, in direction side + 4 from the portal; base 1 is in the next direction.
    portal, w = np.int64(b.corner[ix(3 * cell + 2)]), np.int64(b.corner[ix(3 * cell + base)])
    return side, portal, w, (side + 4 - base) % 6


@inlined
def _start(s: State, b: Board, r: Rules, line: Any, frame_cell: Any, base: Any) -> None:
    """B1: from the portal to one of the base vertices."""
    side, portal, w, d = start_tunnel(b, frame_cell, base)
    s.started |= _ONE << np.uint64(line)
    s.has_started = 1
    s.start_side[ix(line)] = side
    s.start_overflows += (line & 1) * np.int64(not is_far(side, s.start_side[ix(line & ~1)]))
    s.start_free[ix(side)] &= ~(_ONE << np.uint64(frame_cell - side * b.side))
    s.path[ix(PATH * line)] = portal
    _advance(s, b, r, line, portal, w, d)


@inlined
def _dig(s: State, b: Board, r: Rules, line: Any, slot: Any, marker: Any) -> None:
    """Section 5: from the terminus by a slot, laying a marker if one is named; or to a portal, ending the line."""
    u = s.terminus[ix(line)]
    d = slot >> 1
    cell, w = np.int64(b.slot_cell[ix(12 * u + slot)]), np.int64(b.neighbour[ix(6 * u + d)])
    if unlikely(cell >= b.city_cells):  # D4
        side = np.int64(b.frame_side[ix(cell - b.city_cells)])
        s.end_side[ix(line)] = side
        if not is_far(side, s.start_side[ix(line)]):
            s.end_overflows += 1
        s.ended |= _ONE << np.uint64(line)
        s.ends_free[ix(side)] -= 1
        note_far_ends(s)
        for i in range(2):
            s.end_free[ix(b.corner[ix(3 * cell + i)])] &= ~np.uint64(b.corner_slots[ix(3 * cell + i)])
        for open_line in range(2 * r.companies):
            if s.open[ix(open_line)] != _ZERO:
                s.exits[ix(open_line)] = end_slots(s, b, r, s.start_side[ix(open_line)], s.terminus[ix(open_line)])
    else:
        for i in range(3):
            s.lanes[ix(b.corner[ix(3 * cell + i)])] &= ~(np.uint64(b.corner_slots[ix(3 * cell + i)]) * EVERY_LANE)
    if unlikely(marker > 0):
        _lay_marker(s, b, r, line >> 1, marker - 1, cell)
    s.terminus_at[ix(u)] &= ~(1 << line) & 0xFF
    _advance(s, b, r, line, u, w, d)


@jit
def _lay_marker(s: State, b: Board, r: Rules, seat: Any, place: Any, cell: Any) -> None:
    """M1: a marker leaves the hand for a cell; M2: its partner's holder must keep away from it."""
    marker = s.hand_marker[ix(HAND * seat + place)]
    s.marker_cell[ix(marker)] = cell
    s.markers_laid += 1
    note_marker(s, b, cell)
    bit = _ONE << np.uint64(16 * s.hand_kind[ix(HAND * seat + place)])
    at = 2 * seat + np.int64(place >= FIRST_MARKERS)
    s.held[ix(at)] &= ~bit
    s.partner_placed[ix(at)] &= ~bit
    holder = s.marker_holder[ix(marker ^ 1)]
    if holder >= 0 and s.marker_cell[ix(marker ^ 1)] == NOWHERE:  # the holder of a hidden hand is unknown (-1)
        _note_partner(s, holder, marker ^ 1)
        for line in range(2 * holder, 2 * holder + 2):
            note_touching(s, b, r, line)


@jit
def _note_partner(s: State, seat: Any, marker: Any) -> None:
    """M2: the partner of a marker that a company holds is placed."""
    place = np.int64(0)
    while s.hand_marker[ix(HAND * seat + place)] != marker:
        place += 1
    at = 2 * seat + np.int64(place >= FIRST_MARKERS)
    s.partner_placed[ix(at)] |= _ONE << np.uint64(16 * s.hand_kind[ix(HAND * seat + place)])


@inlined
def _advance(s: State, b: Board, r: Rules, line: Any, u: Any, w: Any, d: Any) -> None:
    """A line goes from u to w: its path grows, and stations are made (ST6)."""
    bit = 1 << line
    edge = np.int64(b.edge[ix(6 * u + d)])
    at_u = splits_here(s, line, u, edge)
    at_w = meets(s, line, w, edge)
    place = s.tunnels[ix(line)] + 1
    s.tunnels[ix(line)] = place
    s.path[ix(PATH * line + place)] = w
    s.place[ix(w)] |= np.uint64(place) << np.uint64(8 * line)
    s.lines_at[ix(w)] |= bit
    s.lines_along[ix(edge)] |= bit
    s.terminus[ix(line)] = w
    s.direction[ix(line)] = d
    s.last_edge[ix(line)] = edge
    s.dug += 1
    if at_u:
        place_station(s, b, r, u)
    if s.ended >> np.uint64(line) & _ONE != _ZERO:
        s.open[ix(line)] = _ZERO
        return
    s.terminus_at[ix(w)] |= bit
    s.exits[ix(line)] = end_slots(s, b, r, s.start_side[ix(line)], w)
    note_touching(s, b, r, line)
    if at_w:
        place_station(s, b, r, w)  # opens all angles of lines that end here, this one too
        return
    if s.station[ix(w)] != 0:
        s.stops[ix(line)] |= _ONE << np.uint64(place)
    s.open[ix(line)] = open_slots(s, b, r, line)
