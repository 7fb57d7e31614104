"""The weighed features: of a station, a marker laid, lines joined to the network, and of the end of a line."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit
from mmsim.compiled.vectors import min_bytes
from mmsim.metromania.bots.thinking import memory
from mmsim.metromania.bots.thinking.distance_maps import goal_map, tunnels_across, usable
from mmsim.metromania.bots.thinking.memory import CHANCES, DISTANCES, NEAR, NEARNESS, SLACKS, Bots, Thoughts
from mmsim.metromania.bots.turn_weights import Feature, Parameter
from mmsim.metromania.engine.scoring import KEPT_PER_LINE
from mmsim.metromania.engine.state import MARKERS, SEATS, VERTICES, Board, Rules, State
from mmsim.metromania.engine.stations import at_lake, at_park, directions_ahead, has_been_at, station_points

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_BYTE = np.uint32(255)
_ENOUGH_ROOM = 3  # directions: more do not count


@inlined
def weight(bots: Bots, seat: Any, which: Any) -> float:
    return bots.weights[ix(memory.WEIGHTS * seat + which)]


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
    """The value of a new station: its points, and what it serves of `unserved`; returns also what stays unserved."""
    seat = v.seat
    lanes = v.lanes[ix(vertex)]
    points = np.float64(station_points(r, lanes))
    value = note(bots, t, seat, np.int64(Feature.STATIONS), 1.0)
    value += note(bots, t, seat, np.int64(Feature.POINTS), points)
    value += note(bots, t, seat, np.int64(Feature.KEPT), points * t.kept_share)
    places = (
        np.uint64(at_park(lanes)) << np.uint64(memory.PARK) | np.uint64(at_lake(lanes)) << np.uint64(memory.LAKE)
    ) & unserved
    value += note(bots, t, seat, np.int64(Feature.PARK_LAKE), np.float64(count_bits(places)))
    unserved &= ~places
    rest = unserved & np.uint64(memory.ALL_MARKERS)
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
        return note(bots, t, seat, np.int64(Feature.SERVED), 1.0)
    if v.marker_holder[ix(marker ^ 1)] == seat:
        return note(bots, t, seat, np.int64(Feature.SERVED_PARTNER), 1.0)
    return note(bots, t, seat, np.int64(Feature.SERVED_OTHER), 1.0)


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
        value += note(bots, t, seat, np.int64(Feature.MEETS), np.float64(count_bits(others)))
    joined = _ZERO
    while others != _ZERO:
        joined |= t.connected[ix(lowest_bit(others))]
        others &= others - _ONE
    joined &= ~connected
    if joined == _ZERO:
        return value, connected
    value += note(bots, t, seat, np.int64(Feature.JOINS), np.float64(count_bits(joined)))
    if weight(bots, seat, Feature.ALLIES) != 0.0:
        allies = 0.0
        for marker in range(MARKERS):
            if v.marker_holder[ix(marker)] == seat:
                allies += holders_on(r, t, marker ^ 1, joined)
        value += note(bots, t, seat, np.int64(Feature.ALLIES), allies)
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
    value = note(bots, t, seat, np.int64(Feature.MARKER), 1.0)
    if served:
        value += note(bots, t, seat, np.int64(Feature.SERVED), 1.0)
    if weight(bots, seat, Feature.PARTNER) != 0.0:
        value += note(bots, t, seat, np.int64(Feature.PARTNER), holders_on(r, t, marker ^ 1, connected))
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


class LineEnd(NamedTuple):
    """The end of a line, as it is or after some tunnels."""

    number: Any  # the line, 0 or 1
    side: Any  # the one on which it started
    planned: Any  # tunnels planned beyond those it has
    at: Any  # the vertex
    direction: Any  # in which it came there
    station: Any  # whether there is a station
    kinds: Any  # lanes of the markers left to lay


@jit
def current_end_value(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, number: Any) -> float:
    """The value of the end of a line where it is now; writes down its chance to end."""
    line = 2 * v.seat + number
    if v.ended >> np.uint64(line) & _ONE != _ZERO:
        return ended_value(v, bots, t, number)
    if v.started >> np.uint64(line) & _ONE == _ZERO:
        t.chance[ix(number)] = weight(bots, v.seat, Parameter.UNSTARTED)
        return _line_end_value(v, bots, t, t.chance[ix(number)], tunnels_across(b), 0.0, 0.0, t.explaining)
    u, side = v.terminus[ix(line)], v.start_side[ix(line)]
    goal_map(v, b, r, t, side)
    end = LineEnd(number, side, np.int64(0), u, v.direction[ix(line)], v.station[ix(u)] != 0, t.held_kinds)
    to_go, near, room = _around(v, b, r, bots, t, end)
    chance = _chance(bots, v.seat, to_go, r.tunnels_per_line - v.tunnels[ix(line)])
    t.chance[ix(number)] = chance
    return _line_end_value(v, bots, t, chance, to_go, near, room, t.explaining)


@inlined
def terminus_value(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, end: LineEnd, explaining: Any) -> float:
    """The value of the end of a line after some planned tunnels."""
    to_go, near, room = _around(v, b, r, bots, t, end)
    left = r.tunnels_per_line - v.tunnels[ix(2 * v.seat + end.number)] - end.planned
    if explaining:
        return _line_end_value(v, bots, t, _chance(bots, v.seat, to_go, left), to_go, near, room, explaining)
    row = (memory.DEPTH + 1) * end.number + end.planned
    if t.end_values_known[ix(row)] >> np.uint64(to_go) & _ONE == _ZERO:
        t.end_values_known[ix(row)] |= _ONE << np.uint64(to_go)
        t.end_value[ix(memory.END_VALUES * row + to_go)] = _ending_value(
            v, bots, t, _chance(bots, v.seat, to_go, left), to_go, explaining
        )
    value = t.end_value[ix(memory.END_VALUES * row + to_go)]
    value += weight(bots, v.seat, Feature.NEAR_SPOT) * near
    return value + weight(bots, v.seat, Feature.ROOM) * room


@inlined
def _line_end_value(
    v: State, bots: Bots, t: Thoughts, chance: Any, to_go: Any, near: Any, room: Any, explaining: Any
) -> float:
    """The weighed features of the end of a line."""
    value = _ending_value(v, bots, t, chance, to_go, explaining)
    value += note_if(explaining, bots, t, v.seat, Feature.NEAR_SPOT, near)
    return value + note_if(explaining, bots, t, v.seat, Feature.ROOM, room)


@inlined
def _ending_value(v: State, bots: Bots, t: Thoughts, chance: Any, to_go: Any, explaining: Any) -> float:
    """The weighed features that are about ending the line."""
    seat, shown = v.seat, min(to_go, np.int64(memory.FAR_AWAY))
    value = note_if(explaining, bots, t, seat, Feature.ENDS, chance)
    value += note_if(explaining, bots, t, seat, Feature.FINISH, chance * KEPT_PER_LINE * np.float64(v.points[ix(seat)]))
    value += note_if(explaining, bots, t, seat, Feature.SHORTER, -np.float64(shown))
    return value + note_if(explaining, bots, t, seat, Feature.RACE, t.race[ix(shown)])


@jit
def ended_value(v: State, bots: Bots, t: Thoughts, number: Any) -> float:
    """The value of a line that has ended."""
    if v.ended >> np.uint64(2 * v.seat + number) & _ONE != _ZERO:
        t.chance[ix(number)] = 1.0
    return _line_end_value(v, bots, t, 1.0, np.int64(0), 0.0, 0.0, t.explaining)


@inlined
def _chance(bots: Bots, seat: Any, to_go: Any, left: Any) -> float:
    """The chance to end a line with `to_go` tunnels to dig and `left` tunnels to spend."""
    if to_go > left or to_go >= DISTANCES:
        return 0.0
    return bots.chance[ix(CHANCES * seat + SLACKS * to_go + min(left - to_go, np.int64(SLACKS - 1)))]


@inlined
def _around(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, end: LineEnd) -> tuple[np.int64, float, float]:
    """The tunnels from a terminus to an end, up to DISTANCES, how near spots are, and the room."""
    line = 2 * v.seat + end.number
    left = r.tunnels_per_line - v.tunnels[ix(line)] - end.planned
    if left <= 0:
        return np.int64(DISTANCES), 0.0, 0.0
    u, into = end.at, (VERTICES + 1) * end.side
    first, directions = directions_ahead(end.direction, end.station)
    ways = usable(v, u, end.kinds)
    ways |= ways >> _ONE  # the two slots of a direction
    ways = (ways | ways << np.uint64(12)) >> np.uint64(2 * first)
    least, places, at = np.uint32(0xFFFFFFFF), np.int64(0), 8 * u + first
    for _ in range(directions // 3):
        for _ in range(3):  # three at once: compiled without a loop
            w = np.int64(b.ring[ix(at)])
            is_open = np.int64(ways & ~has_been_at(v, line, w) & _ONE)
            shut = np.uint32((is_open ^ 1) * 0xFFFFFFFF)
            places += is_open
            least = min_bytes(least, np.uint32(t.ahead[ix(into + w)] | shut))
            ways >>= np.uint64(2)
            at += 1
    to_go = np.int64(1) if t.ahead[ix(into + u)] & _BYTE == 1 else 1 + np.int64(least & _BYTE)
    near = 0.0
    if weight(bots, v.seat, Feature.NEAR_SPOT) != 0.0:
        near = _nearness(bots, v.seat, end.kinds, least, left)
    return min(to_go, np.int64(DISTANCES)), near, np.float64(min(places, np.int64(_ENOUGH_ROOM)))


@inlined
def _nearness(bots: Bots, seat: Any, kinds: Any, least: Any, left: Any) -> float:
    """How near spots are for markers of some kinds; `least` has bytes of tunnels to spots R, C, E above the lowest."""
    row = NEARNESS * ((NEAR + 1) * seat + min(left, np.int64(NEAR)))
    near = 0.0
    for lane in range(1, 4):
        held = (kinds >> np.uint64(16 * lane) & _ONE) * np.uint64(NEARNESS - 1)
        tunnels = np.uint64(least >> np.uint32(8 * lane)) & np.uint64(NEARNESS - 1)
        near += bots.nearness[ix(row) + (tunnels | held ^ np.uint64(NEARNESS - 1))]
    return near
