"""Distances: maps of tunnels from every vertex to an end or to a spot, by breadth-first waves over words of bits.

Every city vertex is a bit and four rows of vertices are a word (two on large boards), so a wave advances by shifts.
There is a map to the ends for every side on which a line of the company in turn may have started, and one to the free
spots of every kind. For a line of another company only its next tunnels matter: a wave from the ends stops where it
meets them.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import lowest_bit, spread_bits
from mmsim.compiled.vectors import store_bytes, store_with_bytes
from mmsim.metromania.bots.thinking.memory import FAR, NEAR, PLANES, WORDS, Thoughts
from mmsim.metromania.engine.moves import any_lane, end_slots
from mmsim.metromania.engine.state import SLOTS, VERTICES, Board, Rules, State

OWN, OTHERS = 0, 1
EVERY_DIRECTION = 0x555  # the first slot of every direction
_LONGEST = 31  # tunnels: longer ways do not matter
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def tunnels_across(b: Board) -> np.int64:
    """How many tunnels lead across the city: what a line not yet started has to go."""
    return 2 * b.side


@inlined
def usable(v: State, vertex: Any, kinds: Any) -> np.uint64:
    """The free slots at a vertex in cells of some kinds, given as the lowest bits of their lanes."""
    return any_lane(v.lanes[ix(vertex)] & kinds * np.uint64(SLOTS)) & np.uint64(SLOTS)


@jit
def find_free(v: State, b: Board, t: Thoughts) -> None:
    """Find the edges along which a tunnel could run: for the company in turn, and for others (blank cells only)."""
    kinds = t.held_kinds * np.uint64(SLOTS)
    for word in range(1, b.words):
        own0, own1, own2, others0, others1, others2 = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO
        spots1, spots2, spots3 = _ZERO, _ZERO, _ZERO
        for vertex in range(np.int64(b.word_first[ix(word)]), np.int64(b.word_first[ix(word + 1)])):
            at = np.uint64(b.bit[ix(vertex)]) & np.uint64(63)
            lanes = v.lanes[ix(vertex)]
            own = lanes & kinds
            own |= own >> np.uint64(32)
            own |= own >> np.uint64(16)
            own |= own >> _ONE  # the two slots of a direction
            others = lanes | lanes >> _ONE
            own0 |= (own & _ONE) << at
            own1 |= (own >> np.uint64(2) & _ONE) << at
            own2 |= (own >> np.uint64(4) & _ONE) << at
            others0 |= (others & _ONE) << at
            others1 |= (others >> np.uint64(2) & _ONE) << at
            others2 |= (others >> np.uint64(4) & _ONE) << at
            spots1 |= np.uint64(lanes & np.uint64(SLOTS << 16) != _ZERO) << at
            spots2 |= np.uint64(lanes & np.uint64(SLOTS << 32) != _ZERO) << at
            spots3 |= np.uint64(lanes & np.uint64(SLOTS << 48) != _ZERO) << at
        t.free[ix(word)], t.free[ix(WORDS + word)], t.free[ix(2 * WORDS + word)] = own0, own1, own2
        t.free[ix(3 * WORDS + word)], t.free[ix(4 * WORDS + word)], t.free[ix(5 * WORDS + word)] = (
            others0,
            others1,
            others2,
        )
        t.spots[ix(word)], t.spots[ix(WORDS + word)], t.spots[ix(2 * WORDS + word)] = spots1, spots2, spots3
    t.maps_made = _ZERO
    t.ends_found = _ZERO


@inlined
def _next_wave(b: Board, t: Thoughts, at: Any, before: Any, here: Any, after: Any) -> tuple[np.uint64, np.uint64]:
    """One word of a wave one tunnel further on, and the bits that go up into the next word."""
    up, down = b.row_bits, np.uint64(64) - b.row_bits
    free0, free1, free2 = t.free[ix(at)], t.free[ix(at + WORDS)], t.free[ix(at + 2 * WORDS)]
    upwards = here & free1 | (here & free2) >> _ONE
    above = here >> up | after << down
    new = (here & free0) << _ONE | here >> _ONE & free0
    new |= upwards << up | before >> down
    new |= above & free1 | above << _ONE & free2
    return new, upwards


@jit
def _spread(b: Board, t: Thoughts, most: Any) -> None:
    """Advance a wave of the company in turn up to a distance; its first vertices are one tunnel away.

    The distance of a vertex is kept as a Gray code in five planes of bits: with every step one plane flips for all
    vertices not reached yet.
    """
    words = b.words
    for word in range(1, words):
        t.unreached[ix(word)] = ~_ZERO
        for i in range(PLANES):
            t.plane[ix(WORDS * i + word)] = _ZERO
    t.wave[ix(0)] = _ZERO
    t.wave[ix(words)] = _ZERO
    distance = np.int64(1)
    while distance <= most:
        not_empty = _ZERO
        plane = WORDS * lowest_bit(np.uint64(distance))
        before = _ZERO
        here = t.wave[ix(1)]
        for word in range(1, words):
            after = t.wave[ix(word + 1)]
            not_empty |= here
            unreached = t.unreached[ix(word)]
            t.plane[ix(plane + word)] ^= unreached
            unreached &= ~here
            t.unreached[ix(word)] = unreached
            new, upwards = _next_wave(b, t, 3 * WORDS * OWN + word, before, here, after)
            t.wave[ix(word)] = new & unreached
            before = upwards
            here = after
        if not_empty == _ZERO:
            break
        distance += 1


@inlined
def _write_map(b: Board, t: Thoughts, first: Any, to_ends: Any) -> None:
    """Write the planes of a wave as one byte per vertex: into `far`, or beside those of the spots into `ahead`."""
    for row in range(2 * b.side + 1):
        word, bit = np.int64(b.row_bit[ix(row)]) >> 6, np.uint64(b.row_bit[ix(row)]) & np.uint64(63)
        none = t.unreached[ix(word)] >> bit
        p4 = t.plane[ix(4 * WORDS + word)] >> bit
        p3 = t.plane[ix(3 * WORDS + word)] >> bit ^ p4
        p2 = t.plane[ix(2 * WORDS + word)] >> bit ^ p3
        p1 = t.plane[ix(WORDS + word)] >> bit ^ p2
        p0 = t.plane[ix(word)] >> bit ^ p1
        for vertex in range(np.int64(b.row_first[ix(row)]), np.int64(b.row_first[ix(row + 1)]), 8):
            far = (
                spread_bits(p0)
                | spread_bits(p1) << _ONE
                | spread_bits(p2) << np.uint64(2)
                | spread_bits(p3) << np.uint64(3)
                | spread_bits(p4) << np.uint64(4)
                | spread_bits(none) * np.uint64(FAR)
            )
            if to_ends:
                store_with_bytes(t.ahead, first + vertex, t.spots_ahead, vertex, far)
            else:
                store_bytes(t.far, first + vertex, far)
            p0, p1, p2, p3, p4, none = (
                p0 >> np.uint64(8),
                p1 >> np.uint64(8),
                p2 >> np.uint64(8),
                p3 >> np.uint64(8),
                p4 >> np.uint64(8),
                none >> np.uint64(8),
            )


@inlined
def goal_map(v: State, b: Board, r: Rules, t: Thoughts, side: Any) -> None:
    """Make sure that `ahead` has the map to the ends of an own line that started on a side."""
    bit = _ONE << np.uint64(side)
    if t.maps_made & bit == _ZERO:
        t.maps_made |= bit
        _make_goal_map(v, b, r, t, side)


@jit
def _make_goal_map(v: State, b: Board, r: Rules, t: Thoughts, side: Any) -> None:
    _start_at_ends(v, b, r, t, side)
    _spread(b, t, np.int64(_LONGEST))
    _write_map(b, t, (VERTICES + 1) * side, True)


@jit
def _start_at_ends(v: State, b: Board, r: Rules, t: Thoughts, side: Any) -> None:
    """Begin a wave at the vertices from which a line that started on a side may end."""
    if t.ends_found >> np.uint64(side) & _ONE == _ZERO:
        t.ends_found |= _ONE << np.uint64(side)
        for word in range(1, b.words):
            t.end_bits[ix(WORDS * side + word)] = _ZERO
        for i in range(b.end_vertices):
            vertex = np.int64(b.end_vertex[ix(i)])
            at = np.uint64(b.bit[ix(vertex)])
            may_end = np.uint64(end_slots(v, b, r, side, vertex) != _ZERO)
            t.end_bits[ix(np.uint64(WORDS * side) + (at >> np.uint64(6)))] |= may_end << (at & np.uint64(63))
    for word in range(1, b.words):
        t.wave[ix(word)] = t.end_bits[ix(WORDS * side + word)]


@jit
def reach_targets(v: State, b: Board, r: Rules, t: Thoughts, side: Any, most: Any) -> np.int64:
    """How far the nearest of the vertices in `target` is from an end, for a line of another company; 0: too far.

    The nearest ones are then those in both `target` and `wave`.
    """
    _start_at_ends(v, b, r, t, side)
    words = b.words
    not_empty, met = _ZERO, _ZERO
    for word in range(1, words):
        t.unreached[ix(word)] = ~_ZERO
        not_empty |= t.wave[ix(word)]
        met |= t.wave[ix(word)] & t.target[ix(word)]
    t.wave[ix(words)] = _ZERO
    distance = np.int64(1)
    while met == _ZERO and not_empty != _ZERO and distance < most:
        not_empty, before = _ZERO, _ZERO
        here = t.wave[ix(1)]
        for word in range(1, words):
            after = t.wave[ix(word + 1)]
            unreached = t.unreached[ix(word)] & ~here
            new, upwards = _next_wave(b, t, 3 * WORDS * OTHERS + word, before, here, after)
            new &= unreached
            t.unreached[ix(word)], t.wave[ix(word)] = unreached, new
            not_empty |= new
            met |= new & t.target[ix(word)]
            before = upwards
            here = after
        distance += 1
    return distance if met != _ZERO and most > 0 else np.int64(0)


@jit
def spot_maps(b: Board, t: Thoughts) -> None:
    """The maps to the free spots on which the company in turn may lay a marker it holds (M1; M2 is left out)."""
    for lane in range(1, 4):
        if t.held_kinds >> np.uint64(16 * lane) & _ONE != _ZERO:
            for word in range(1, b.words):
                t.wave[ix(word)] = t.spots[ix(WORDS * (lane - 1) + word)]
            _spread(b, t, np.int64(NEAR))
            _write_map(b, t, VERTICES * (lane - 1), False)
    for vertex in range(b.city_vertices):
        spots = np.uint32(t.far[ix(vertex)]) << np.uint32(8) | np.uint32(t.far[ix(VERTICES + vertex)]) << np.uint32(16)
        t.spots_ahead[ix(vertex)] = spots | np.uint32(t.far[ix(2 * VERTICES + vertex)]) << np.uint32(24)
