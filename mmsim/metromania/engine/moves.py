"""The fast core's decisions: count the legal choices, and turn the k-th choice into a move.

A move is a number, `kind | line << 3 | where << 4 | extra << 12`; see the constants. Choices are in the order of
`reference.legal_moves`, so a choice by number is the same move in both engines.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, highest_bit, kth_bit, lowest_bit, unlikely
from mmsim.metromania.engine.state import (
    EDGES,
    FIRST_MARKERS,
    HAND,
    NEAR_WORDS,
    NOWHERE,
    SLOTS,
    WHOLE,
    Board,
    Rules,
    State,
)
from mmsim.metromania.engine.stations import meets, stations_needed
from mmsim.metromania.rules.position import MAX_STATIONS_PER_TUNNEL

START, DIG, END, BONUS, DECLINE, STATION, PASS = range(7)  # END is DIG + 1: see `_way`
MOVE_KINDS = ("start", "dig", "end", "bonus", "decline", "station", "pass")
# where: START: number of the frame cell; DIG, END: slot; BONUS, STATION: place on the path
# extra: START: 0 or 1, which base vertex; DIG: 1 + place in the hand of the marker laid, 0 for none

Choice = tuple[np.int64, np.int64, np.int64, np.int64]  # a decoded move: kind, line, where, extra
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_TWO_SLOTS = np.uint64(3)
_FAR_FROM_FIRST = 0b011100  # sides 2, 3 and 4 are far from side 0
_ALL_SIDES = np.uint64(63)


@jit
def encode_move(kind: Any, line: Any, where: Any, extra: Any) -> np.int64:
    return np.int64(kind) | np.int64(line) << 3 | np.int64(where) << 4 | np.int64(extra) << 12


def decode_move(code: Any) -> tuple[Any, Any, Any, Any]:
    """Kind, line, where and extra of a move; `decode_move_compiled` does the same in compiled code."""
    return code & 7, code >> 3 & 1, code >> 4 & 255, code >> 12


decode_move_compiled = inlined(decode_move)


@inlined
def sides_far_from(side: Any) -> np.uint64:
    """B2, D4: the bits of the sides of the city that are neither a side nor next to it."""
    return (np.uint64(_FAR_FROM_FIRST << 6 | _FAR_FROM_FIRST) >> np.uint64(6 - side)) & _ALL_SIDES


@inlined
def end_slots(s: State, b: Board, r: Rules, side: Any, u: Any) -> np.uint64:
    """D4: the slots at u that end a line that started on a side: on far sides, or anywhere once those are full."""
    far = np.uint64(b.far_end_slots[ix(6 * u + side)])
    anywhere = ~_ZERO if r.end_overflow else _ZERO
    return np.uint64(s.end_free[ix(u)]) & (far if s.far_ends >> np.uint64(side) & _ONE != _ZERO else anywhere)


@jit
def note_far_ends(s: State) -> None:
    """D4: note the start sides from which a far side with a free end is left."""
    free, far_ends = _ZERO, _ZERO
    for side in range(6):
        free |= np.uint64(s.ends_free[ix(side)] > 0) << np.uint64(side)
    for side in range(6):
        far_ends |= np.uint64(free & sides_far_from(side) != _ZERO) << np.uint64(side)
    s.far_ends = far_ends


@inlined
def note_touching(s: State, b: Board, r: Rules, line: Any) -> None:
    """M2: the ways at a line's terminus that would lay a marker next to its partner."""
    _note_touching(s, b, line, np.int64(0))
    if unlikely(r.hand_size > FIRST_MARKERS):
        _note_touching(s, b, line, np.int64(1))


@inlined
def _note_touching(s: State, b: Board, line: Any, word: Any) -> None:
    u = s.terminus[ix(line)]
    ways = s.lanes[ix(u)] & np.uint64(SLOTS) * s.partner_placed[ix(2 * (line >> 1) + word)]
    if unlikely(ways != _ZERO):
        at = np.uint64(b.bit[ix(u)])
        near = s.near_markers[ix(at >> np.uint64(6))] >> (at & np.uint64(63)) & _ONE != _ZERO
        ways = _touching_ways(s, b, line >> 1, word, u, ways) if near else _ZERO
    s.touching[ix(2 * line + word)] = ways


@jit
def note_marker(s: State, b: Board, cell: Any) -> None:
    """M2: note the corners of a marker's cell and their neighbours: only there can a marker be laid next to it."""
    first = np.int64(b.near_word[ix(cell)])
    for i in range(NEAR_WORDS):
        s.near_markers[ix(first + i)] |= b.near_bits[ix(NEAR_WORDS * cell + i)]


@jit
def touches_partner(s: State, b: Board, marker: Any, cell: Any) -> bool:
    """M2: whether a cell shares a corner with the other marker of the same letter."""
    partner_cell = s.marker_cell[ix(marker ^ 1)]
    if partner_cell == NOWHERE:
        return False
    for i in range(3):
        for j in range(3):
            if b.corner[ix(3 * cell + i)] == b.corner[ix(3 * partner_cell + j)]:
                return True
    return False


@jit
def _touching_ways(s: State, b: Board, seat: Any, word: Any, u: Any, ways: Any) -> np.uint64:
    """M2: the ways at u, among those given, that lay a marker next to its partner."""
    rest = ways
    while rest != _ZERO:
        bit = lowest_bit(rest)
        marker = s.hand_marker[ix(HAND * seat + hand_place(s, seat, word, bit >> 4))]
        if not touches_partner(s, b, marker, np.int64(b.slot_cell[ix(12 * u + (bit & 15))])):
            ways &= ~(_ONE << np.uint64(bit))
        rest &= rest - _ONE
    return ways


@jit
def hand_place(s: State, seat: Any, word: Any, lane: Any) -> np.int64:
    """The place in the hand of the first (word 1: second) marker of a kind; hands are dealt in that order."""
    if word == 0:
        return np.int64(lane - 1)
    place = np.int64(FIRST_MARKERS)
    while s.hand_kind[ix(HAND * seat + place)] != lane:
        place += 1
    return place


@inlined
def marker_for(s: State, b: Board, seat: Any, cell: Any) -> np.int64:
    """M1, M2: the place in the hand of the first marker that a company may lay on a spot; -1 for none."""
    lane = np.int64(s.kind[ix(cell)])
    for word in range(2):
        if s.held[ix(2 * seat + word)] >> np.uint64(16 * lane) & _ONE != _ZERO:
            place = hand_place(s, seat, np.int64(word), lane)
            if not touches_partner(s, b, s.hand_marker[ix(HAND * seat + place)], cell):
                return place
    return np.int64(-1)


@jit
def affordable(s: State, b: Board, line: Any, u: Any, slots: Any) -> np.uint64:
    """D5: the slots at u, among those given, for which the supply has the stations they would make."""
    rest = slots
    while rest != _ZERO:
        d = lowest_bit(rest) >> 1
        too_many = np.uint64(stations_needed(s, b, line, u, d) > s.supply)
        slots &= ~(too_many * _TWO_SLOTS << np.uint64(2 * d))
        rest &= ~(_TWO_SLOTS << np.uint64(2 * d))
    return slots


@inlined
def any_lane(lanes: Any) -> np.uint64:
    """The slots of free cells of any kind (the bits above the slots are meaningless)."""
    return lanes | lanes >> np.uint64(16) | lanes >> np.uint64(32) | lanes >> np.uint64(48)


@inlined
def ways_on(s: State, b: Board, r: Rules, line: Any, markers: Any) -> tuple[np.uint64, np.uint64]:
    """Section 5: all ways to dig on a line, as the two words of `STATE.ways`."""
    slots = s.open[ix(line)]
    u = s.terminus[ix(line)]
    lanes = s.lanes[ix(u)]
    if unlikely(s.supply < MAX_STATIONS_PER_TUNNEL and slots != _ZERO):
        slots = affordable(s, b, line, u, slots & (any_lane(lanes) | np.uint64(s.end_free[ix(u)])))
    seat = line >> 1
    may_lay = ~_ZERO if markers > 0 else _ZERO
    first = lanes & slots * (s.held[ix(2 * seat)] & (may_lay | _ONE)) & ~s.touching[ix(2 * line)]
    second = _ZERO
    if r.hand_size > FIRST_MARKERS:
        second = lanes & slots * (s.held[ix(2 * seat + 1)] & may_lay) & ~s.touching[ix(2 * line + 1)]
    return first | s.exits[ix(line)] & slots, second


@inlined
def _free_starts(s: State, sides: Any) -> np.int64:
    """How many free cells to start on some sides have."""
    free = np.int64(0)
    for side in range(6):
        free += count_bits(s.start_free[ix(side)] * (sides >> np.uint64(side) & _ONE))
    return free


@inlined
def tunnels_per_turn(s: State, r: Rules) -> np.int64:
    """T3, H2: how many tunnels this turn digs at most."""
    return r.first_dig if unlikely(s.turn == 1) and r.first_dig > 0 else r.dig


@inlined
def find_starts(s: State, b: Board, r: Rules) -> np.int64:
    """B1, B2: note the sides on which the next line may start; returns how many ways there are."""
    s.start_sides = _ZERO
    s.start_choices = np.int64(0)
    s.starts_listed = 0
    line = 2 * s.seat
    if s.started >> np.uint64(line + 1) & _ONE != _ZERO:
        return np.int64(0)
    if s.dug > 0 and (s.turns_taken[ix(s.seat)] == 0 or r.start_turn == WHOLE):  # T2, B1
        return np.int64(0)
    sides, free = _ALL_SIDES, np.int64(0)
    if s.started >> np.uint64(line) & _ONE != _ZERO:
        sides = sides_far_from(s.start_side[ix(line)])
        free = _free_starts(s, sides)
        if free == 0 and not r.start_overflow:
            return np.int64(0)
    elif unlikely(s.turn == 1):  # H4
        sides = (_ONE << np.uint64(r.first_sides)) - _ONE
        free = _free_starts(s, sides)
    if free == 0:
        sides = _ALL_SIDES
        free = _free_starts(s, sides)
    s.start_sides = sides
    s.start_choices = 2 * free
    if unlikely(s.supply == 0):  # D5
        list_starts(s, b)
    return s.start_choices


@jit
def list_starts(s: State, b: Board) -> None:
    """D5: list the ways to start one by one, when not every free start on `start_sides` is allowed."""
    s.starts_listed = 1
    s.start_choices = 0
    line = 2 * s.seat + np.int64(s.started >> np.uint64(2 * s.seat) & _ONE)
    for side in range(6):
        s.starts[ix(side)] = _ZERO
        if s.start_sides >> np.uint64(side) & _ONE == _ZERO:
            continue
        for i in range(2 * b.side):  # a frame cell, and which of its base vertices
            w = b.corner[ix(3 * (b.city_cells + side * b.side + (i >> 1)) + (i & 1))]
            if s.start_free[ix(side)] >> np.uint64(i >> 1) & _ONE != _ZERO:
                affordable_start = s.supply > 0 or not meets(s, line, np.int64(w), np.int64(EDGES))
                s.starts[ix(side)] |= np.uint64(affordable_start) << np.uint64(i)
        s.start_choices += count_bits(s.starts[ix(side)])


@jit
def _kth_listed_start(s: State, b: Board, k: Any) -> np.int64:
    """`_kth_start` among the starts that `list_starts` listed."""
    for side in range(6):
        here = count_bits(s.starts[ix(side)])
        if k < here:
            return 2 * side * b.side + kth_bit(s.starts[ix(side)], k)
        k -= here
    return np.int64(0)  # never: there are more than k


@jit
def _kth_start(s: State, b: Board, k: Any) -> np.int64:
    """B1: the k-th way to start a line, as 2 * frame cell + base."""
    if unlikely(s.starts_listed != 0):
        return _kth_listed_start(s, b, k)
    side, before, up_to = np.int64(0), np.int64(0), np.int64(0)
    for here in range(6):  # without branches, which the processor could not predict
        up_to += 2 * count_bits(s.start_free[ix(here)] * (s.start_sides >> np.uint64(here) & _ONE))
        side += np.int64(k >= up_to)
        before = up_to if k >= up_to else before
    k -= before
    return 2 * (side * b.side + kth_bit(s.start_free[ix(side)], k >> 1)) + (k & 1)


@inlined
def markers_left(s: State, r: Rules) -> np.int64:
    """M1: how many markers may still be laid in this turn."""
    return r.markers_per_turn - s.markers_laid


@inlined
def find_tunnels(s: State, b: Board, r: Rules) -> np.int64:
    """T3: all ways to place the next tunnel of this turn; returns how many."""
    markers, line = markers_left(s, r), 2 * s.seat
    w0, w1 = ways_on(s, b, r, line, markers)
    w2, w3 = ways_on(s, b, r, line + 1, markers)
    if unlikely(r.start_turn == WHOLE and s.has_started):  # B1: only the line that this turn has started
        if s.started >> np.uint64(line + 1) & _ONE != _ZERO:
            w0 = w1 = _ZERO
        else:
            w2 = w3 = _ZERO
    starts = find_starts(s, b, r)
    s.ways[0], s.ways[1], s.ways[2], s.ways[3] = w0, w1, w2, w3
    choices = count_bits(w0) + count_bits(w1) + count_bits(w2) + count_bits(w3) + starts
    s.choices = choices
    if unlikely(s.supply == 1 and (choices > 0 or s.dug == 0)):  # else the turn is over
        _note_short_supply(s, b, r, markers)
    return choices


@jit
def _note_short_supply(s: State, b: Board, r: Rules, markers: Any) -> None:
    """D5: count the decisions at which a second station would open further ways."""
    s.supply = 2
    line = 2 * s.seat
    w0, w1 = ways_on(s, b, r, line, markers)
    w2, w3 = ways_on(s, b, r, line + 1, markers)
    s.supply = 1
    more = (w0 & ~s.ways[0]) | (w1 & ~s.ways[1]) | (w2 & ~s.ways[2]) | (w3 & ~s.ways[3])
    s.short_supply += np.int64(more != _ZERO)


@inlined
def find_stations(s: State) -> np.int64:
    """I1: all places for an intermediate station: before the last station of an unfinished line."""
    s.places[0] = _ZERO
    s.places[1] = _ZERO
    if s.supply == 0:
        return np.int64(0)
    first = _places_before_last(s, 2 * s.seat)
    second = _places_before_last(s, 2 * s.seat + 1)
    s.places[0], s.places[1] = first, second
    return count_bits(first) + count_bits(second)


@inlined
def _places_before_last(s: State, line: Any) -> np.uint64:
    stops = s.stops[ix(line)] | _ONE
    before_last = (_ONE << np.uint64(highest_bit(stops))) - _ONE
    return before_last & ~stops if s.ended >> np.uint64(line) & _ONE == _ZERO else _ZERO


@inlined
def find_bonus(s: State) -> np.int64:
    """I3: all places for the bonus station of the line that has just ended; returns how many."""
    s.places[0] = _ZERO
    if s.supply > 0:
        line = 2 * s.seat + s.bonus_line
        inside = (_ONE << np.uint64(s.tunnels[ix(line)])) - np.uint64(2)
        s.places[0] = inside & ~s.stops[ix(line)]
    return count_bits(s.places[0])


@inlined
def find_turn_choices(s: State, b: Board, r: Rules) -> None:
    """T1, T2, T4: find everything a company may do at the beginning of its turn."""
    find_tunnels(s, b, r)
    s.places[0] = _ZERO
    s.places[1] = _ZERO
    if s.turns_taken[ix(s.seat)] > 0:
        s.choices += find_stations(s)
    if s.choices == 0:
        s.choices = np.int64(1)  # pass


@inlined
def kth_choice(s: State, b: Board, k: Any) -> Choice:
    """The k-th of the `choices` of the next decision: kind, line, where and extra of the move."""
    if unlikely(s.bonus_line >= 0):
        if k < count_bits(s.places[0]):
            return np.int64(BONUS), s.bonus_line, kth_bit(s.places[0], k), np.int64(0)
        return np.int64(DECLINE), np.int64(0), np.int64(0), np.int64(0)
    c0 = count_bits(s.ways[0])
    c1 = c0 + count_bits(s.ways[1])
    c2 = c1 + count_bits(s.ways[2])
    c3 = c2 + count_bits(s.ways[3])
    if not unlikely(k >= c3):
        at = np.int64(k >= c0) + np.int64(k >= c1) + np.int64(k >= c2)
        before = c0 if k >= c0 else np.int64(0)
        before = c1 if k >= c1 else before
        before = c2 if k >= c2 else before
        return _way(s, at, kth_bit(s.ways[ix(at)], k - before))
    k -= c3
    if k < s.start_choices:
        start = _kth_start(s, b, k)
        return np.int64(START), np.int64(s.started >> np.uint64(2 * s.seat) & _ONE), start >> 1, start & 1
    k -= s.start_choices
    for number in range(2):
        here = count_bits(s.places[ix(number)])
        if k < here:
            return np.int64(STATION), np.int64(number), kth_bit(s.places[ix(number)], k), np.int64(0)
        k -= here
    return np.int64(PASS), np.int64(0), np.int64(0), np.int64(0)


@inlined
def _way(s: State, at: Any, bit: Any) -> Choice:
    """The tunnel of a bit of `ways[at]`; first markers are in the hand in the order of their lanes."""
    number, lane, slot = at >> 1, bit >> 4, bit & 15
    ends = s.exits[ix(2 * s.seat + number)] >> np.uint64(slot) & _ONE  # such a slot is in no cell of the city
    extra = lane
    if unlikely(at & 1):
        extra = 1 + hand_place(s, s.seat, np.int64(1), lane)
    return DIG + np.int64(ends), number, slot, extra


@inlined
def way_move(s: State, at: Any, bit: Any) -> np.int64:
    """The tunnel of a bit of `ways[at]` as one number."""
    kind, line, where, extra = _way(s, at, bit)
    return encode_move(kind, line, where, extra)


@jit
def kth_move(s: State, b: Board, k: Any) -> np.int64:
    """The k-th choice as one number."""
    kind, line, where, extra = kth_choice(s, b, k)
    return encode_move(kind, line, where, extra)
