"""How far it is: maps of tunnels from every vertex to an end or to a spot, by waves over rows of bits.

A row of vertices is one word, so a wave goes on by shifts. Maps 0 to 5 lead to the ends that a line of the company in
turn may use if it started on that side, 6 to 11 those of other companies, 12 to 14 to free spots of a kind.
"""

from typing import Any

import numpy as np

from mmsim.core.accel import inlined, ix, jit, lowest_bit
from mmsim.metromania.mind.memory import FAR, ROWS
from mmsim.metromania.state import SLOTS, VERTICES

OWN, OTHERS = 0, 1
SPOT_MAPS = 12
_NEAR = 8  # tunnels: a spot further away does not count
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_TWO_SLOTS = np.uint64(3)


@inlined
def usable(s: Any, v: Any, kinds: Any) -> np.uint64:
    """The free slots at a vertex in cells of some kinds, given as the lowest bits of their lanes."""
    lanes = s.lanes[ix(v)] & kinds * np.uint64(SLOTS)
    return (lanes | lanes >> np.uint64(16) | lanes >> np.uint64(32) | lanes >> np.uint64(48)) & np.uint64(SLOTS)


@jit
def find_free(s: Any, b: Any, m: Any) -> None:
    """Along which edges a tunnel could run: for the company in turn, and for the others (blank cells only)."""
    for i in range(2 * 3 * ROWS):
        m.free[ix(i)] = _ZERO
    for v in range(b.city_vertices):
        row, bit = np.int64(b.row[ix(v)]), _ONE << np.uint64(b.bit[ix(v)])
        own, others = usable(s, v, m.held_kinds), s.lanes[ix(v)] & np.uint64(SLOTS)
        for d in range(3):
            pair = _TWO_SLOTS << np.uint64(2 * d)
            if own & pair != _ZERO:
                m.free[ix(ROWS * d + row)] |= bit
            if others & pair != _ZERO:
                m.free[ix(ROWS * (3 + d) + row)] |= bit
    m.maps_made = _ZERO


@jit
def _spread(b: Any, m: Any, whom: Any, into: Any, most: Any) -> None:
    """Fill a map from the vertices in the wave on, which are one tunnel away, up to a distance."""
    first = VERTICES * into
    for v in range(b.vertices):
        m.far[ix(first + v)] = FAR
    rows = 2 * b.side + 2
    along, up, across = 3 * ROWS * whom, 3 * ROWS * whom + ROWS, 3 * ROWS * whom + 2 * ROWS
    for row in range(rows + 1):
        m.reached[ix(row)] = m.wave[ix(row)]
    distance = 1
    while distance <= most:
        something = _ZERO
        for row in range(1, rows):
            rest = m.wave[ix(row)]
            something |= rest
            base = first + b.row_base[ix(row)]
            while rest != _ZERO:
                m.far[ix(base + lowest_bit(rest))] = distance
                rest &= rest - _ONE
        if something == _ZERO:
            return
        for row in range(1, rows):
            here, below, above = m.wave[ix(row)], m.wave[ix(row - 1)], m.wave[ix(row + 1)]
            free = m.free[ix(along + row)]
            new = (here & free) << _ONE | here >> _ONE & free
            new |= below & m.free[ix(up + row - 1)] | (below & m.free[ix(across + row - 1)]) >> _ONE
            new |= above & m.free[ix(up + row)] | above << _ONE & m.free[ix(across + row)]
            m.next[ix(row)] = new & ~m.reached[ix(row)]
        for row in range(1, rows):
            m.wave[ix(row)] = m.next[ix(row)]
            m.reached[ix(row)] |= m.next[ix(row)]
        distance += 1


@inlined
def _clear_wave(b: Any, m: Any) -> None:
    for row in range(2 * b.side + 3):
        m.wave[ix(row)] = _ZERO


@inlined
def _add_to_wave(b: Any, m: Any, v: Any) -> None:
    m.wave[ix(b.row[ix(v)])] |= _ONE << np.uint64(b.bit[ix(v)])


@jit
def goal_map(s: Any, b: Any, r: Any, m: Any, whom: Any, side: Any) -> np.int64:
    """The map to the ends of a line that started on a side (D4), made when first asked for."""
    into = 6 * whom + side
    bit = _ONE << np.uint64(into)
    if m.maps_made & bit != _ZERO:
        return into
    m.maps_made |= bit
    left = s.ends_free[ix((side + 2) % 6)] + s.ends_free[ix((side + 3) % 6)] + s.ends_free[ix((side + 4) % 6)]
    _clear_wave(b, m)
    if left > 0 or r.end_overflow:
        for v in range(b.city_vertices):
            slots = s.end_free[ix(v)]
            if slots != _ZERO:
                if left > 0:
                    slots &= b.far_end_slots[ix(6 * v + side)]
                if slots != _ZERO:
                    _add_to_wave(b, m, v)
    _spread(b, m, np.int64(whom), into, np.int64(FAR - 1))
    return into


@jit
def spot_maps(s: Any, b: Any, m: Any) -> None:
    """The maps to the free spots on which the company in turn may lay a marker it holds (M1; M2 is left out)."""
    for lane in range(1, 4):
        if m.held_kinds >> np.uint64(16 * lane) & _ONE != _ZERO:
            _clear_wave(b, m)
            for v in range(b.city_vertices):
                if s.lanes[ix(v)] >> np.uint64(16 * lane) & np.uint64(SLOTS) != _ZERO:
                    _add_to_wave(b, m, v)
            _spread(b, m, np.int64(OWN), np.int64(SPOT_MAPS + lane - 1), np.int64(_NEAR))
