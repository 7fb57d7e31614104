"""The fast core's test trips (TT1-TT3): a wave of minutes over the stops of all lines.

The stops of a line are bits in the order they lie on it, so a ride is a shift. `net` is working memory, made once
for a whole shard of games.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit
from mmsim.metromania.engine.state import LINES, NOWHERE, PATH, STATIONS, new_record

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_MOMENTS = 32  # the wave looks at most max(ride_minutes, change_minutes) = 20 minutes ahead; as few as do are used
NODES = LINES * STATIONS

NETWORK = np.dtype(
    [
        ("stops", np.int64, LINES),  # how many each line has
        ("station", np.uint8, NODES),  # [line, i] -> station
        ("tunnels", np.uint8, NODES),  # [line, i] -> tunnels from stop i to stop i + 1
        ("order", np.uint8, NODES),  # [line, station] -> i
        ("lines", np.uint64, STATIONS),  # [station] -> bits of lines
        ("met", np.uint64, LINES),  # [line] -> bits of lines with a station in common, itself too
        ("wave", np.uint64, _MOMENTS * LINES),  # [moment, line] -> stops reached then
        ("riding", np.uint64, _MOMENTS),  # [moment] -> bits of the lines with such stops
        ("changed", np.uint64),  # bits of the stations at which somebody has changed already
        ("reached", np.uint64, LINES),
        ("minute", np.int64, NODES),  # [line, i], where reached
        ("on_route", np.uint64, LINES),  # stops on a fastest route
        ("used", np.uint64, LINES),  # sections on a fastest route: bit i from stop i to stop i + 1
        ("changes", np.int64, NODES),  # fewest changes on a fastest route up to a stop
        ("todo", np.int64, NODES),
    ]
)


def new_network() -> Any:
    return new_record(NETWORK)


@inlined
def build_network(net: Any, s: Any, r: Any) -> None:
    """TT2: the stops of every line in order, and the lines at every station."""
    for number in range(r.stations - s.supply):
        net.lines[ix(number)] = np.uint64(s.lines_at[ix(s.station_at[ix(number)])])
    for line in range(2 * r.companies):
        i = np.int64(0)
        before = np.int64(0)
        rest = s.stops[ix(line)]
        met = _ZERO
        while rest != _ZERO:
            place = lowest_bit(rest)
            station = np.int64(s.station[ix(s.path[ix(PATH * line + place)])]) - 1
            met |= net.lines[ix(station)]
            net.station[ix(STATIONS * line + i)] = station
            net.order[ix(STATIONS * line + station)] = i
            if i > 0:
                net.tunnels[ix(STATIONS * line + i - 1)] = place - before
            before = place
            i += 1
            rest &= rest - _ONE
        net.stops[ix(line)] = i
        net.met[ix(line)] = met


@inlined
def _lines_of(net: Any, stations: Any) -> np.uint64:
    lines = _ZERO
    while stations != _ZERO:
        lines |= net.lines[ix(lowest_bit(stations))]
        stations &= stations - _ONE
    return lines


@inlined
def connected(net: Any, start: Any, goal: Any) -> bool:
    """Whether any route leads from some stations to others, by any lines."""
    wanted, seen, new = _lines_of(net, goal), _ZERO, _lines_of(net, start)
    while new != _ZERO and (seen | new) & wanted == _ZERO:
        line = lowest_bit(new)
        seen |= _ONE << np.uint64(line)
        new = (new | net.met[ix(line)]) & ~seen
    return (seen | new) & wanted != _ZERO


@inlined
def stations_at_cell(s: Any, b: Any, cell: Any) -> np.uint64:
    """TT1: the bits of the stations at the corners of a marker's cell."""
    found = _ZERO
    if cell != NOWHERE:
        for i in range(3):
            station = np.int64(s.station[ix(b.corner[ix(3 * cell + i)])])
            if station != 0:
                found |= _ONE << np.uint64(station - 1)
    return found


@inlined
def _get_on(net: Any, moment: Any, stations: Any) -> None:
    """Put all stops at some stations into the wave of a moment."""
    rest = stations
    while rest != _ZERO:
        station = lowest_bit(rest)
        lines = net.lines[ix(station)]
        net.riding[ix(moment)] |= lines
        while lines != _ZERO:
            line = lowest_bit(lines)
            net.wave[ix(LINES * moment + line)] |= _ONE << np.uint64(net.order[ix(STATIONS * line + station)])
            lines &= lines - _ONE
        rest &= rest - _ONE


@inlined
def fastest(net: Any, r: Any, start: Any, goal: Any) -> np.int64:
    """TT3: the fastest time between two sets of stations, -1 without a route; else marks the sections used."""
    if start == _ZERO or goal == _ZERO:
        return np.int64(-1)
    touching = start & goal != _ZERO
    if not touching and not connected(net, start, goal):
        return np.int64(-1)
    for line in range(2 * r.companies):
        net.reached[ix(line)] = _ZERO
        net.on_route[ix(line)] = _ZERO
        net.used[ix(line)] = _ZERO
    if touching:
        return np.int64(0)
    longest = max(r.ride_minutes, r.change_minutes)
    moments = np.int64(4)
    while moments <= longest:
        moments *= 2
    for i in range(moments * LINES):
        net.wave[ix(i)] = _ZERO
    for i in range(moments):
        net.riding[ix(i)] = _ZERO
    net.changed = start
    _get_on(net, np.int64(0), start)
    now = np.int64(0)
    while not _pass_minute(net, r, now, moments - 1, goal):
        now += 1
    _mark_routes(net, r, now, goal)
    return now


@inlined
def _pass_minute(net: Any, r: Any, now: Any, ring: Any, goal: Any) -> bool:
    """Spread the wave of one minute; whether the goal is reached."""
    here, ride, change = now & ring, now + r.ride_minutes & ring, now + r.change_minutes & ring
    at_goal = False
    while net.riding[ix(here)] != _ZERO:  # a second time only when changing takes no time
        riding = net.riding[ix(here)]
        net.riding[ix(here)] = _ZERO
        while riding != _ZERO:
            line = lowest_bit(riding)
            riding &= riding - _ONE
            new = net.wave[ix(LINES * here + line)] & ~net.reached[ix(line)]
            net.wave[ix(LINES * here + line)] = _ZERO
            net.reached[ix(line)] |= new
            all_stops = (_ONE << np.uint64(net.stops[ix(line)])) - _ONE
            next_stops = (new << _ONE | new >> _ONE) & all_stops & ~net.reached[ix(line)]
            net.wave[ix(LINES * ride + line)] |= next_stops
            net.riding[ix(ride)] |= np.uint64(next_stops != _ZERO) << np.uint64(line)
            while new != _ZERO:
                i = lowest_bit(new)
                net.minute[ix(STATIONS * line + i)] = now
                station = np.uint64(net.station[ix(STATIONS * line + i)])
                if goal >> station & _ONE != _ZERO:
                    at_goal = True
                elif net.changed >> station & _ONE == _ZERO:
                    net.changed |= _ONE << station
                    if net.lines[ix(station)] != _ONE << np.uint64(line):
                        _get_on(net, change, _ONE << station)
                new &= new - _ONE
    return at_goal


@inlined
def _mark(net: Any, line: Any, i: Any, waiting: Any) -> np.int64:
    """Note that a stop lies on a fastest route; returns how many stops wait to be followed back."""
    bit = _ONE << np.uint64(i)
    if net.on_route[ix(line)] & bit == _ZERO:
        net.on_route[ix(line)] |= bit
        net.todo[ix(waiting)] = STATIONS * line + i
        waiting += 1
    return waiting


@inlined
def _came_from(net: Any, line: Any, i: Any, minute: Any) -> bool:
    return net.reached[ix(line)] >> np.uint64(i) & _ONE != _ZERO and net.minute[ix(STATIONS * line + i)] == minute


@inlined
def _mark_routes(net: Any, r: Any, best: Any, goal: Any) -> None:
    """TT3: follow all fastest routes back from the goal."""
    waiting = np.int64(0)
    rest = goal
    while rest != _ZERO:
        station = lowest_bit(rest)
        lines = net.lines[ix(station)]
        while lines != _ZERO:
            line = lowest_bit(lines)
            i = np.int64(net.order[ix(STATIONS * line + station)])
            if _came_from(net, line, i, best):
                waiting = _mark(net, line, i, waiting)
            lines &= lines - _ONE
        rest &= rest - _ONE
    while waiting > 0:
        waiting -= 1
        node = net.todo[ix(waiting)]
        line, i = node // STATIONS, node % STATIONS
        minute = net.minute[ix(node)]
        before = minute - r.ride_minutes
        if i > 0 and _came_from(net, line, i - 1, before):
            net.used[ix(line)] |= _ONE << np.uint64(i - 1)
            waiting = _mark(net, line, i - 1, waiting)
        if i + 1 < net.stops[ix(line)] and _came_from(net, line, i + 1, before):
            net.used[ix(line)] |= _ONE << np.uint64(i)
            waiting = _mark(net, line, i + 1, waiting)
        station = np.int64(net.station[ix(node)])
        if goal >> np.uint64(station) & _ONE != _ZERO:
            continue
        others = net.lines[ix(station)] & ~(_ONE << np.uint64(line))
        while others != _ZERO:
            other = lowest_bit(others)
            j = np.int64(net.order[ix(STATIONS * other + station)])
            if _came_from(net, other, j, minute - r.change_minutes):
                waiting = _mark(net, other, j, waiting)
            others &= others - _ONE


@inlined
def count_used(net: Any, r: Any) -> tuple[np.int64, np.int64]:
    """How many sections and how many stops lie on fastest routes."""
    sections, stops = np.int64(0), np.int64(0)
    for line in range(2 * r.companies):
        sections += count_bits(net.used[ix(line)])
        stops += count_bits(net.on_route[ix(line)])
    return sections, stops


@inlined
def tunnels_used(net: Any, seat: Any) -> np.int64:
    """TT6: how many tunnels a company has on used sections."""
    tunnels = np.int64(0)
    for line in range(2 * seat, 2 * seat + 2):
        rest = net.used[ix(line)]
        while rest != _ZERO:
            tunnels += np.int64(net.tunnels[ix(STATIONS * line + lowest_bit(rest))])
            rest &= rest - _ONE
    return tunnels


@jit
def fewest_changes(net: Any, r: Any, best: Any, goal: Any) -> np.int64:
    """The changes on the fastest route that has the fewest of them."""
    for line in range(2 * r.companies):
        rest = net.on_route[ix(line)]
        while rest != _ZERO:
            node = STATIONS * line + lowest_bit(rest)
            net.changes[ix(node)] = 0 if net.minute[ix(node)] == 0 else NODES
            rest &= rest - _ONE
    fewest = np.int64(NODES)
    again = True
    while again:
        again = False
        for line in range(2 * r.companies):
            rest = net.on_route[ix(line)]
            while rest != _ZERO:
                node = STATIONS * line + lowest_bit(rest)
                changes = _changes_before(net, r, line, lowest_bit(rest))
                if changes < net.changes[ix(node)]:
                    net.changes[ix(node)] = changes
                    again = True
                if net.minute[ix(node)] == best and goal >> np.uint64(net.station[ix(node)]) & _ONE != _ZERO:
                    fewest = min(fewest, net.changes[ix(node)])
                rest &= rest - _ONE
    return fewest


@jit
def _changes_before(net: Any, r: Any, line: Any, i: Any) -> np.int64:
    """The fewest changes with which a stop on a fastest route is reached from the stops before it."""
    node = STATIONS * line + i
    fewest = net.changes[ix(node)]
    before = net.minute[ix(node)] - r.ride_minutes
    for j in (i - 1, i + 1):
        on_route = j >= 0 and net.on_route[ix(line)] >> np.uint64(j) & _ONE != _ZERO
        if on_route and net.minute[ix(STATIONS * line + j)] == before:
            fewest = min(fewest, net.changes[ix(STATIONS * line + j)])
    station = np.int64(net.station[ix(node)])
    others = net.lines[ix(station)] & ~(_ONE << np.uint64(line))
    while others != _ZERO:
        other = lowest_bit(others)
        j = np.int64(net.order[ix(STATIONS * other + station)])
        on_route = net.on_route[ix(other)] >> np.uint64(j) & _ONE != _ZERO
        if on_route and net.minute[ix(STATIONS * other + j)] == net.minute[ix(node)] - r.change_minutes:
            fewest = min(fewest, net.changes[ix(STATIONS * other + j)] + 1)
        others &= others - _ONE
    return fewest
