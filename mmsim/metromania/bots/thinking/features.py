"""The weighed features: an amount of one, a station, a marker laid, lines joined to the network."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit
from mmsim.metromania.bots.thinking.memory import ALL_MARKERS, LAKE, PARK, WEIGHTS, Bots, Thoughts
from mmsim.metromania.bots.turn_weights import (
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
from mmsim.metromania.engine.state import MARKERS, SEATS, Board, Rules, State
from mmsim.metromania.engine.stations import at_lake, at_park, station_points

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def weight(bots: Bots, seat: Any, which: Any) -> float:
    return bots.weights[ix(WEIGHTS * seat + which)]


@inlined
def note_if(explaining: Any, bots: Bots, t: Thoughts, seat: Any, feature: Any, amount: Any) -> float:
    """The value of an amount of a feature to the bot; the amount is written down if a turn is being explained."""
    if explaining:
        t.amount[ix(feature)] += amount
    return weight(bots, seat, feature) * amount


@jit
def note(bots: Bots, t: Thoughts, seat: Any, feature: Any, amount: Any) -> float:
    return note_if(t.explaining, bots, t, seat, feature, amount)


@jit
def station_value(
    v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, vertex: Any, unserved: Any
) -> tuple[float, np.uint64]:
    """The value of a new station: its points, and what it serves of `unserved`. Also what is unserved then."""
    seat = v.seat
    lanes = v.lanes[ix(vertex)]
    points = np.float64(station_points(r, lanes))
    value = note(bots, t, seat, np.int64(NEW_STATIONS), 1.0)
    value += note(bots, t, seat, np.int64(POINTS), points)
    value += note(bots, t, seat, np.int64(KEPT), points * t.kept_share)
    places = (np.uint64(at_park(lanes)) << np.uint64(PARK) | np.uint64(at_lake(lanes)) << np.uint64(LAKE)) & unserved
    value += note(bots, t, seat, np.int64(PARK_LAKE_STATION), np.float64(count_bits(places)))
    unserved &= ~places
    rest = unserved & np.uint64(ALL_MARKERS)
    while rest != _ZERO:
        marker = lowest_bit(rest)
        if _at_corner(b, t.marker_at[ix(marker)], vertex):
            value += _service_value(v, bots, t, marker)
            unserved &= ~(_ONE << np.uint64(marker))
        rest &= rest - _ONE
    return value, unserved


@inlined
def _at_corner(b: Board, cell: Any, vertex: Any) -> bool:
    return (
        b.corner[ix(3 * cell)] == vertex or b.corner[ix(3 * cell + 1)] == vertex or b.corner[ix(3 * cell + 2)] == vertex
    )


@inlined
def _service_value(v: State, bots: Bots, t: Thoughts, marker: Any) -> float:
    """The value of the first station at a marker's cell."""
    seat = v.seat
    if v.marker_holder[ix(marker)] == seat:
        return note(bots, t, seat, np.int64(SERVED), 1.0)
    if v.marker_holder[ix(marker ^ 1)] == seat:
        return note(bots, t, seat, np.int64(SERVED_PARTNER), 1.0)
    return note(bots, t, seat, np.int64(SERVED_OTHER), 1.0)


@jit
def joining_value(
    v: State, r: Rules, bots: Bots, t: Thoughts, line: Any, vertex: Any, new: Any, connected: Any
) -> tuple[float, np.uint64]:
    """The value of a line coming to a station, old or new: the lines it meets, and those that join its network.

    Also the lines that the company's are connected with then.
    """
    seat = v.seat
    others = np.uint64(v.lines_at[ix(vertex)]) & ~(_ONE << np.uint64(line))
    value = 0.0
    if new:
        value += note(bots, t, seat, np.int64(MEETS), np.float64(count_bits(others)))
    joined = _ZERO
    while others != _ZERO:
        joined |= t.connected[ix(lowest_bit(others))]
        others &= others - _ONE
    joined &= ~connected
    if joined == _ZERO:
        return value, connected
    value += note(bots, t, seat, np.int64(JOINS), np.float64(count_bits(joined)))
    if weight(bots, seat, ALLIES) != 0.0:
        allies = 0.0
        for marker in range(MARKERS):
            if v.marker_holder[ix(marker)] == seat:
                allies += holders_on(r, t, marker ^ 1, joined)
        value += note(bots, t, seat, np.int64(ALLIES), allies)
    return value, connected | joined


@inlined
def holders_on(r: Rules, t: Thoughts, marker: Any, lines: Any) -> float:
    """The chance that a marker is, or will be, laid by a company with one of some lines."""
    chance = 0.0
    for seat in range(r.companies):
        if lines >> np.uint64(2 * seat) & np.uint64(3) != _ZERO:
            chance += t.holder[ix(SEATS * marker + seat)]
    return chance


@jit
def marker_value(v: State, r: Rules, bots: Bots, t: Thoughts, marker: Any, served: Any, connected: Any) -> float:
    """The value of a marker laid: whether it has a station at once, and whether its partner is on the same network."""
    seat = v.seat
    value = note(bots, t, seat, np.int64(MARKER), 1.0)
    if served:
        value += note(bots, t, seat, np.int64(SERVED), 1.0)
    if weight(bots, seat, PARTNER) != 0.0:
        value += note(bots, t, seat, np.int64(PARTNER), holders_on(r, t, marker ^ 1, connected))
    return value


@jit
def place_value(
    v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, line: Any, vertex: Any, unserved: Any, connected: Any
) -> float:
    """The value of an intermediate or bonus station at a vertex of an own line.

    Nine arguments: five records, the line and the vertex, and what a plan has left unserved and has connected.
    """
    station, _ = station_value(v, b, r, bots, t, vertex, unserved)
    joining, _ = joining_value(v, r, bots, t, line, vertex, True, connected)
    return station + joining
