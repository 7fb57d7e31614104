"""The fast core's test trips (TT1-TT3): a wave of minutes over the stops of all lines.

The stops of a line are bits in the order they lie on it, so a ride is a shift. `net` is working memory, made once
for many games.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, lowest_bit
from mmsim.metromania.engine.state import LINES, NOWHERE, PATH, STATIONS, Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_MOMENTS = 32  # the wave looks at most max(ride_minutes, change_minutes) = 20 minutes ahead; as few as do are used
NODES = LINES * STATIONS
Network: TypeAlias = Any  # an element of an array of dtype NETWORK: the lines as trips see them

NETWORK = np.dtype(
    [
        ("stops", np.int64, LINES),  # how many each line has
        ("station", np.uint8, NODES),  # [line, i] -> station
        ("tunnels", np.uint8, NODES),  # [line, i] -> tunnels from stop i to stop i + 1
        ("order", np.uint8, NODES),  # [line, station] -> i
        ("lines", np.uint64, STATIONS),  # [station] -> bits of lines
        ("met", np.uint64, LINES),  # [line] -> bits of lines with a station in common, itself too
        ("shared", np.uint64, LINES),  # stops at stations that other lines have too
        # a trip
        ("wave", np.uint64, _MOMENTS * LINES),  # [moment, line] -> stops reached then
        ("riding", np.uint64, _MOMENTS),  # [moment] -> bits of the lines with such stops
        ("goal", np.uint64, LINES),  # stops at the goal
        ("changing", np.uint64, LINES),  # stops at which it is of use to change, and nobody has yet
        ("reached", np.uint64, LINES),
        ("minute", np.int64, NODES),  # [line, i], where reached
        ("on_route", np.uint64, LINES),  # stops on a fastest route
        ("used", np.uint64, LINES),  # sections on a fastest route: bit i from stop i to stop i + 1
        ("changes", np.int64, NODES),  # [line, i], on a fastest route: fewest changes from there to the goal
        ("todo", np.uint64, LINES),  # stops on a fastest route to be followed back
        ("fewest_changes", np.int64),  # on a fastest route
    ]
)


@inlined
def build_network(net: Network, s: State, r: Rules) -> None:
    """TT2: the stops of every line in order, and the lines at every station."""
    for number in range(r.stations - s.supply):
        net.lines[ix(number)] = np.uint64(s.lines_at[ix(s.station_at[ix(number)])])
    for line in range(2 * r.companies):
        i = np.int64(0)
        before = np.int64(0)
        rest = s.stops[ix(line)]
        met = shared = _ZERO
        while rest != _ZERO:
            place = lowest_bit(rest)
            station = np.int64(s.station[ix(s.path[ix(PATH * line + place)])]) - 1
            lines = net.lines[ix(station)]
            met |= lines
            shared |= np.uint64(lines & lines - _ONE != _ZERO) << np.uint64(i)
            net.station[ix(STATIONS * line + i)] = station
            net.order[ix(STATIONS * line + station)] = i
            if i > 0:
                net.tunnels[ix(STATIONS * line + i - 1)] = place - before
            before = place
            i += 1
            rest &= rest - _ONE
        net.stops[ix(line)] = i
        net.met[ix(line)] = met
        net.shared[ix(line)] = shared


@inlined
def _lines_of(net: Network, stations: Any) -> np.uint64:
    lines = _ZERO
    while stations != _ZERO:
        lines |= net.lines[ix(lowest_bit(stations))]
        stations &= stations - _ONE
    return lines


@inlined
def connected(net: Network, start: Any, goal: Any) -> bool:
    """Whether any route leads from some stations to others, by any lines."""
    wanted, seen, new = _lines_of(net, goal), _ZERO, _lines_of(net, start)
    while new != _ZERO and (seen | new) & wanted == _ZERO:
        line = lowest_bit(new)
        seen |= _ONE << np.uint64(line)
        new = (new | net.met[ix(line)]) & ~seen
    return (seen | new) & wanted != _ZERO


@inlined
def stations_at_cell(s: State, b: Board, cell: Any) -> np.uint64:
    """TT1: the bits of the stations at the corners of a marker's cell."""
    found = _ZERO
    if cell != NOWHERE:
        for i in range(3):
            station = np.int64(s.station[ix(b.corner[ix(3 * cell + i)])])
            if station != 0:
                found |= _ONE << np.uint64(station - 1)
    return found


@inlined
def _get_on(net: Network, moment: Any, station: Any) -> None:
    """Put all stops at a station into the wave of a moment; there is no need to change there again."""
    lines = net.lines[ix(station)]
    net.riding[ix(moment)] |= lines
    while lines != _ZERO:
        line = lowest_bit(lines)
        stop = _ONE << np.uint64(net.order[ix(STATIONS * line + station)])
        net.wave[ix(LINES * moment + line)] |= stop
        net.changing[ix(line)] &= ~stop
        lines &= lines - _ONE


@inlined
def _begin_trip(net: Network, r: Rules, start: Any, goal: Any, moments: Any) -> None:
    """Nobody has left the stations of the start yet."""
    for i in range(moments * LINES):
        net.wave[ix(i)] = _ZERO
    for i in range(moments):
        net.riding[ix(i)] = _ZERO
    for each in range(2 * r.companies):
        net.goal[ix(each)] = _ZERO
        net.changing[ix(each)] = net.shared[ix(each)]
    while goal != _ZERO:
        station = lowest_bit(goal)
        lines = net.lines[ix(station)]
        while lines != _ZERO:
            line = lowest_bit(lines)
            stop = np.int64(net.order[ix(STATIONS * line + station)])
            net.goal[ix(line)] |= _ONE << np.uint64(stop)
            net.changing[ix(line)] &= ~(_ONE << np.uint64(stop))
            net.changes[ix(STATIONS * line + stop)] = 0
            lines &= lines - _ONE
        goal &= goal - _ONE
    while start != _ZERO:
        _get_on(net, np.int64(0), lowest_bit(start))
        start &= start - _ONE


@inlined
def fastest(net: Network, r: Rules, start: Any, goal: Any) -> np.int64:
    """TT3: the fastest time between two sets of stations, -1 without a route; else marks the sections used."""
    if start == _ZERO or goal == _ZERO:
        return np.int64(-1)
    touching = start & goal != _ZERO
    if not touching and not connected(net, start, goal):
        return np.int64(-1)
    for line in range(2 * r.companies):
        net.reached[ix(line)] = _ZERO
        net.used[ix(line)] = _ZERO
    if touching:
        return np.int64(0)
    longest = max(r.ride_minutes, r.change_minutes)
    moments = np.int64(4)
    while moments <= longest:
        moments *= 2
    _begin_trip(net, r, start, goal, moments)
    now = np.int64(0)
    while not _pass_minute(net, r, now, moments - 1):
        now += 1
    _mark_routes(net, r)
    return now


@inlined
def _pass_minute(net: Network, r: Rules, now: Any, ring: Any) -> bool:
    """Spread the wave of one minute; whether the goal is reached."""
    here, ride, change = now & ring, now + r.ride_minutes & ring, now + r.change_minutes & ring
    at_goal = _ZERO
    while net.riding[ix(here)] != _ZERO:  # a second time only when changing takes no time
        riding = net.riding[ix(here)]
        net.riding[ix(here)] = _ZERO
        while riding != _ZERO:
            line = lowest_bit(riding)
            riding &= riding - _ONE
            new = net.wave[ix(LINES * here + line)] & ~net.reached[ix(line)]
            net.wave[ix(LINES * here + line)] = _ZERO
            net.reached[ix(line)] |= new
            at_goal |= new & net.goal[ix(line)]
            all_stops = (_ONE << np.uint64(net.stops[ix(line)])) - _ONE
            next_stops = (new << _ONE | new >> _ONE) & all_stops & ~net.reached[ix(line)]
            net.wave[ix(LINES * ride + line)] |= next_stops
            net.riding[ix(ride)] |= np.uint64(next_stops != _ZERO) << np.uint64(line)
            changing = new & net.changing[ix(line)]
            while new != _ZERO:
                net.minute[ix(STATIONS * line + lowest_bit(new))] = now
                new &= new - _ONE
            while changing != _ZERO:
                _get_on(net, change, np.int64(net.station[ix(STATIONS * line + lowest_bit(changing))]))
                changing &= changing - _ONE
    return at_goal != _ZERO


@inlined
def _came_from(net: Network, line: Any, i: Any, minute: Any) -> np.uint64:
    """1 if a stop was reached at a minute, else 0."""
    return net.reached[ix(line)] >> np.uint64(i) & np.uint64(net.minute[ix(STATIONS * line + i)] == minute)


@inlined
def _mark(net: Network, line: Any, i: Any, changes: Any, comes: Any) -> np.uint64:
    """Note, if `comes` is 1, a stop on a fastest route from which there are so many changes to the goal.

    Returns the bit of its line if that is news. Without branches, which nobody could predict.
    """
    on_route = net.on_route[ix(line)]
    known = net.changes[ix(STATIONS * line + i)] if on_route >> np.uint64(i) & _ONE != _ZERO else np.int64(NODES)
    news = comes & np.uint64(changes < known)
    net.changes[ix(STATIONS * line + i)] = changes if news != _ZERO else known
    net.on_route[ix(line)] = on_route | comes << np.uint64(i)
    net.todo[ix(line)] |= news << np.uint64(i)
    return news << np.uint64(line)


@inlined
def _mark_routes(net: Network, r: Rules) -> None:
    """TT3: follow all fastest routes back from the goal, and count the changes on the way."""
    waiting = _ZERO  # bits of the lines with something to do
    for each in range(2 * r.companies):
        arrived = net.goal[ix(each)] & net.reached[ix(each)]
        net.on_route[ix(each)] = arrived
        net.todo[ix(each)] = arrived
        waiting |= np.uint64(arrived != _ZERO) << np.uint64(each)
    fewest = np.int64(NODES)
    while waiting != _ZERO:
        line = lowest_bit(waiting)
        rest = net.todo[ix(line)]
        i = lowest_bit(rest)
        net.todo[ix(line)] = rest & rest - _ONE
        waiting &= ~(np.uint64(rest & rest - _ONE == _ZERO) << np.uint64(line))
        minute, changes = net.minute[ix(STATIONS * line + i)], net.changes[ix(STATIONS * line + i)]
        fewest = min(fewest, changes if minute == 0 else np.int64(NODES))
        last = max(i - 1, np.int64(0))  # the first stop was not reached a ride before itself
        up = _came_from(net, line, last, minute - r.ride_minutes)
        down = _came_from(net, line, i + 1, minute - r.ride_minutes)
        net.used[ix(line)] |= up << np.uint64(last) | down << np.uint64(i)
        waiting |= _mark(net, line, last, changes, up) | _mark(net, line, i + 1, changes, down)
        if net.shared[ix(line)] & ~net.goal[ix(line)] & _ONE << np.uint64(i) != _ZERO:
            station = np.int64(net.station[ix(STATIONS * line + i)])
            others = net.lines[ix(station)] & ~(_ONE << np.uint64(line))
            while others != _ZERO:
                other = lowest_bit(others)
                j = np.int64(net.order[ix(STATIONS * other + station)])
                waiting |= _mark(net, other, j, changes + 1, _came_from(net, other, j, minute - r.change_minutes))
                others &= others - _ONE
    net.fewest_changes = fewest


@inlined
def count_sections(net: Network, r: Rules) -> np.int64:
    """How many sections lie on fastest routes."""
    sections = np.int64(0)
    for line in range(2 * r.companies):
        sections += count_bits(net.used[ix(line)])
    return sections


@inlined
def tunnels_used(net: Network, seat: Any) -> np.int64:
    """TT6: how many tunnels a company has on used sections."""
    tunnels = np.int64(0)
    for line in range(2 * seat, 2 * seat + 2):
        rest = net.used[ix(line)]
        while rest != _ZERO:
            tunnels += np.int64(net.tunnels[ix(STATIONS * line + lowest_bit(rest))])
            rest &= rest - _ONE
    return tunnels
