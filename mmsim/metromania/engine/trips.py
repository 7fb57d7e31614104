"""The fast core's test trips (TT1-TT3): a wave of minutes over the stops of all lines.

The stops of a line are bits in the order they lie on it, so a ride is a shift. `net` is working memory, made once
for many games.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit
from mmsim.compiled.vectors import (
    EIGHT,
    both,
    either,
    filled,
    get_words,
    moved_down,
    moved_up,
    no_words,
    put_words,
    without,
    word_of,
)
from mmsim.metromania.engine.state import LINES, NOWHERE, PATH, STATIONS, Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_LONGEST = 20  # minutes: of a ride, or of a change
_MOMENTS = 32  # the wave looks at most _LONGEST minutes ahead; as few as do are used
NODES = LINES * STATIONS
_MINUTES = _LONGEST * NODES  # more than any trip takes
assert LINES == EIGHT
Network: TypeAlias = Any  # an element of an array of dtype NETWORK: the lines as trips see them

NETWORK = np.dtype(
    [
        ("stops", np.int64, LINES),  # how many each line has
        ("station", np.uint8, NODES),  # [line, i] -> station
        ("tunnels", np.uint8, NODES),  # [line, i] -> tunnels from stop i to stop i + 1
        ("lines", np.uint64, STATIONS),  # [station] -> bits of lines
        ("met", np.uint64, LINES),  # [line] -> bits of lines with a station in common, itself too
        # Sets of stops: a word a line, bit i for its stop i.
        ("every", np.uint64, LINES),
        ("shared", np.uint64, LINES),  # those at stations that other lines have too
        ("stops_at", np.uint64, STATIONS * LINES),  # [station]: those there
        # a trip
        ("goal", np.uint64, LINES),
        ("wave", np.uint64, _MOMENTS * LINES),  # [moment]: those that may be reached then
        ("level", np.uint16, _LONGEST + _MINUTES),  # [_LONGEST + minute]: its level, if any stop was reached; else 0
        ("reached", np.uint64, (NODES + 1) * LINES),  # [level]: those reached first in its minute; none in level 0
        ("on_route", np.uint64, (NODES + 1) * LINES),  # [level]: those of them on a fastest route
        ("changed", np.uint64, (NODES + 1) * LINES),  # [level]: those to which one more change leads back
        ("used", np.uint64, LINES),  # sections on a fastest route: bit i from stop i to stop i + 1
    ]
)


@inlined
def build_network(net: Network, s: State, r: Rules) -> None:
    """TT2: the stops of every line in order, and the lines at every station."""
    for number in range(r.stations - s.supply):
        net.lines[ix(number)] = np.uint64(s.lines_at[ix(s.station_at[ix(number)])])
        put_words(net.stops_at, LINES * number, no_words())
    for line in range(LINES):
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
            net.stops_at[ix(LINES * station + line)] = _ONE << np.uint64(i)
            if i > 0:
                net.tunnels[ix(STATIONS * line + i - 1)] = place - before
            before = place
            i += 1
            rest &= rest - _ONE
        net.stops[ix(line)] = i
        net.met[ix(line)] = met
        net.every[ix(line)] = (_ONE << np.uint64(i)) - _ONE
        net.shared[ix(line)] = shared


@inlined
def _connected(net: Network, start: Any, goal: Any) -> bool:
    """Whether any route leads from some lines (as bits) to others."""
    seen, new = _ZERO, start
    while new != _ZERO and (seen | new) & goal == _ZERO:
        line = lowest_bit(new)
        seen |= _ONE << np.uint64(line)
        new = (new | net.met[ix(line)]) & ~seen
    return (seen | new) & goal != _ZERO


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
def _stops_at(net: Network, stations: Any) -> Any:
    """All stops at some stations, given as bits."""
    stops = no_words()
    while stations != _ZERO:
        stops = either(stops, get_words(net.stops_at, LINES * lowest_bit(stations)))
        stations &= stations - _ONE
    return stops


@inlined
def _stops_beside(net: Network, stops: Any) -> Any:
    """All stops at the stations of some stops."""
    beside = no_words()
    lines = filled(stops)
    while lines != _ZERO:
        line = lowest_bit(lines)
        rest = word_of(stops, line)
        while rest != _ZERO:
            station = np.int64(net.station[ix(STATIONS * line + lowest_bit(rest))])
            beside = either(beside, get_words(net.stops_at, LINES * station))
            rest &= rest - _ONE
        lines &= lines - _ONE
    return beside


@inlined
def fastest(net: Network, r: Rules, start: Any, goal: Any) -> np.int64:
    """TT3: the fastest time between two sets of stations, -1 without a route; else marks the sections used."""
    if start == _ZERO or goal == _ZERO:
        return np.int64(-1)
    put_words(net.used, np.int64(0), no_words())
    if start & goal != _ZERO:
        return np.int64(0)
    first, last = _stops_at(net, start), _stops_at(net, goal)
    if not _connected(net, filled(first), filled(last)):
        return np.int64(-1)
    put_words(net.goal, np.int64(0), last)
    minutes = _spread(net, r, first)
    level = LINES * np.int64(net.level[ix(_LONGEST + minutes)])
    put_words(net.on_route, level, both(get_words(net.reached, level), last))
    _follow_back(net, r, minutes, False)
    return minutes


@inlined
def _spread(net: Network, r: Rules, start: Any) -> np.int64:
    """Let a wave go out from some stops; returns the minute in which it comes to a goal, which it does."""
    moments = np.int64(4)
    while moments <= max(r.ride_minutes, r.change_minutes):
        moments *= 2
    for moment in range(moments):
        put_words(net.wave, LINES * moment, no_words())
    put_words(net.wave, np.int64(0), start)
    every, goal = get_words(net.every, np.int64(0)), get_words(net.goal, np.int64(0))
    changing = without(without(get_words(net.shared, np.int64(0)), goal), start)  # where nobody has changed yet
    reached, now, level = no_words(), np.int64(-1), np.int64(0)
    arrived = False
    while not arrived:
        now += 1
        here, ride = LINES * (now & moments - 1), LINES * (now + r.ride_minutes & moments - 1)
        change = LINES * (now + r.change_minutes & moments - 1)
        in_time, new = no_words(), without(get_words(net.wave, here), reached)
        put_words(net.wave, here, no_words())
        while filled(new) != _ZERO:  # a second time only when changing takes no time
            in_time, reached = either(in_time, new), either(reached, new)
            next_stops = both(without(either(moved_up(new), moved_down(new)), reached), every)
            put_words(net.wave, ride, either(get_words(net.wave, ride), next_stops))
            beside = _stops_beside(net, both(new, changing))
            changing = without(changing, beside)
            put_words(net.wave, change, either(get_words(net.wave, change), beside))
            new = without(get_words(net.wave, here), reached)
        some = np.int64(filled(in_time) != _ZERO)
        level += some
        net.level[ix(_LONGEST + now)] = level * some
        put_words(net.reached, LINES * level * some, in_time)
        put_words(net.on_route, LINES * level * some, no_words())
        arrived = filled(both(in_time, goal)) != _ZERO
    return now


@inlined
def _follow_back(net: Network, r: Rules, minutes: Any, count_changes: Any) -> None:
    """TT3: follow fastest routes back from stops on them, the last ones reached after so many minutes.

    Where changes are counted, those before a change are only noted in `changed`.
    """
    shared = without(get_words(net.shared, np.int64(0)), get_words(net.goal, np.int64(0)))
    used = get_words(net.used, np.int64(0))
    for minute in range(minutes, -1, -1):
        level = LINES * np.int64(net.level[ix(_LONGEST + minute)])
        ride = LINES * np.int64(net.level[ix(_LONGEST + minute - r.ride_minutes)])
        change = LINES * np.int64(net.level[ix(_LONGEST + minute - r.change_minutes)])
        stops, new = no_words(), get_words(net.on_route, level)
        while filled(new) != _ZERO:  # a second time only when changing takes no time
            stops = either(stops, new)
            before = get_words(net.reached, ride)
            below, above = both(moved_down(new), before), both(moved_up(new), before)
            used = either(used, either(below, moved_down(above)))
            put_words(net.on_route, ride, either(get_words(net.on_route, ride), either(below, above)))
            beside = both(_stops_beside(net, both(new, shared)), get_words(net.reached, change))
            if count_changes:
                put_words(net.changed, change, either(get_words(net.changed, change), beside))
            else:
                put_words(net.on_route, change, either(get_words(net.on_route, change), beside))
            new = without(get_words(net.on_route, level), stops)
    put_words(net.used, np.int64(0), used)


@jit
def fewest_changes(net: Network, r: Rules, minutes: Any) -> np.int64:
    """The fewest changes on a fastest route of the trip just run, which took so many minutes."""
    last = np.int64(net.level[ix(_LONGEST + minutes)])
    for level in range(last + 1):
        put_words(net.on_route, LINES * level, no_words())
        put_words(net.changed, LINES * level, no_words())
    arrived = both(get_words(net.reached, LINES * last), get_words(net.goal, np.int64(0)))
    put_words(net.on_route, LINES * last, arrived)
    changes = np.int64(0)
    while True:
        _follow_back(net, r, minutes, True)
        if filled(get_words(net.on_route, LINES * np.int64(net.level[ix(_LONGEST)]))) != _ZERO:
            return changes
        changes += 1
        for level in range(last + 1):
            put_words(net.on_route, LINES * level, get_words(net.changed, LINES * level))
            put_words(net.changed, LINES * level, no_words())


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
