"""What single things are worth to a bot: a station, a marker laid, a network joined."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit
from mmsim.metromania.bots.thinking.evaluation import note, weight
from mmsim.metromania.bots.thinking.memory import (
    ALLIES,
    JOINS,
    KEPT,
    MARKER,
    MEETS,
    NEW_STATIONS,
    PARK_LAKE_STATION,
    PARTNER,
    POINTS,
    SERVED,
    SERVED_OTHER,
    SERVED_PARTNER,
)
from mmsim.metromania.engine.state import SEATS
from mmsim.metromania.engine.stations import at_lake, at_park, station_points

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def station_worth(v: Any, b: Any, r: Any, bots: Any, m: Any, x: Any) -> float:
    """A new station at a vertex: its points, the markers it serves, the park or the lake."""
    seat = v.seat
    lanes = v.lanes[ix(x)]
    points = np.float64(station_points(r, lanes))
    parks = (v.park_stations == _ZERO and at_park(lanes)) or (v.lake_stations == _ZERO and at_lake(lanes))
    value = note(bots, m, seat, np.int64(NEW_STATIONS), 1.0)
    value += note(bots, m, seat, np.int64(POINTS), points)
    value += note(bots, m, seat, np.int64(KEPT), points * m.kept_share)
    value += note(bots, m, seat, np.int64(PARK_LAKE_STATION), np.float64(parks))
    rest = m.unserved
    while rest != _ZERO:
        marker = lowest_bit(rest)
        if _at_corner(b, v.marker_cell[ix(marker)], x):
            value += _service_worth(v, bots, m, marker)
        rest &= rest - _ONE
    return value


@inlined
def _at_corner(b: Any, cell: Any, x: Any) -> bool:
    return b.corner[ix(3 * cell)] == x or b.corner[ix(3 * cell + 1)] == x or b.corner[ix(3 * cell + 2)] == x


@inlined
def _service_worth(v: Any, bots: Any, m: Any, marker: Any) -> float:
    """The first station at a marker's cell."""
    seat = v.seat
    if v.marker_holder[ix(marker)] == seat:
        return note(bots, m, seat, np.int64(SERVED), 1.0)
    if v.marker_holder[ix(marker ^ 1)] == seat:
        return note(bots, m, seat, np.int64(SERVED_PARTNER), 1.0)
    return note(bots, m, seat, np.int64(SERVED_OTHER), 1.0)


@jit
def joining_worth(v: Any, r: Any, bots: Any, m: Any, number: Any, x: Any, new: Any) -> float:
    """A line comes to a vertex with a station, old or new: the lines it meets, and the networks it joins."""
    seat = v.seat
    others = np.uint64(v.lines_at[ix(x)]) & ~(_ONE << np.uint64(2 * seat + number))
    value = 0.0
    if new:
        value += note(bots, m, seat, np.int64(MEETS), np.float64(count_bits(others)))
    joined = _ZERO
    while others != _ZERO:
        joined |= m.network[ix(lowest_bit(others))]
        others &= others - _ONE
    joined &= ~m.own_network
    if joined == _ZERO:
        return value
    value += note(bots, m, seat, np.int64(JOINS), np.float64(count_bits(joined)))
    if weight(bots, seat, ALLIES) != 0.0:
        allies = 0.0
        for marker in range(12):
            if v.marker_holder[ix(marker)] == seat:
                for other in range(r.companies):
                    if joined >> np.uint64(2 * other) & np.uint64(3) != _ZERO:
                        allies += m.holder[ix(SEATS * (marker ^ 1) + other)]
        value += note(bots, m, seat, np.int64(ALLIES), allies)
    return value


@jit
def marker_worth(v: Any, r: Any, bots: Any, m: Any, marker: Any, served: Any) -> float:
    """A marker laid: whether it has a station at once, and whether its partner is on the same network."""
    seat = v.seat
    value = note(bots, m, seat, np.int64(MARKER), 1.0)
    if served:
        value += note(bots, m, seat, np.int64(SERVED), 1.0)
    if weight(bots, seat, PARTNER) != 0.0:
        near = 0.0
        for other in range(r.companies):
            if m.own_network >> np.uint64(2 * other) & np.uint64(3) != _ZERO:
                near += m.holder[ix(SEATS * (marker ^ 1) + other)]
        value += note(bots, m, seat, np.int64(PARTNER), near)
    return value


@jit
def place_worth(v: Any, b: Any, r: Any, bots: Any, m: Any, number: Any, x: Any) -> float:
    """An intermediate or bonus station at a vertex of an own line."""
    return station_worth(v, b, r, bots, m, x) + joining_worth(v, r, bots, m, number, x, True)
