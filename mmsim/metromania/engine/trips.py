"""The fast core's test trips (TT1-TT3): a wave of minutes over the stops of all lines.

The stops of a line are bits in the order of its path, so a ride is a shift. `network` is working memory, allocated
once for many games.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit
from mmsim.compiled.vectors import (
    WORDS_AT_ONCE,
    and_not_words,
    and_words,
    extract_word,
    load_words,
    nonzero_words,
    or_words,
    shift_down,
    shift_up,
    store_words,
    zero_words,
)
from mmsim.metromania.engine.state import LINES, NOWHERE, PATH, STATIONS, Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_LONGEST = 20  # minutes: of a ride, or of a change
_MOMENTS = 32  # a power of two above _LONGEST; as few are used as the rules need
NODES = LINES * STATIONS
_MINUTES = _LONGEST * NODES  # more than any trip takes
assert LINES == WORDS_AT_ONCE
Network: TypeAlias = Any  # an element of an array of dtype NETWORK: the lines as trips see them

NETWORK = np.dtype(
    [
        ("stops", np.int64, LINES),  # how many each line has
        ("station", np.uint8, NODES),  # [line, i] -> station
        ("tunnels", np.uint8, NODES),  # [line, i] -> tunnels from stop i to stop i + 1
        ("lines", np.uint64, STATIONS),  # [station] -> bits of lines
        ("met", np.uint64, LINES),  # [line] -> bits of lines that share a station with it, and itself
        # Sets of stops: one word per line, bit i for its stop i.
        ("every", np.uint64, LINES),
        ("shared", np.uint64, LINES),  # those at stations shared with other lines
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
def build_network(network: Network, s: State, r: Rules) -> None:
    """TT2: the stops of every line in order, and the lines at every station."""
    for number in range(r.stations - s.supply):
        network.lines[ix(number)] = np.uint64(s.lines_at[ix(s.station_at[ix(number)])])
        store_words(network.stops_at, LINES * number, zero_words())
    for line in range(LINES):
        i = np.int64(0)
        before = np.int64(0)
        rest = s.stops[ix(line)]
        met = shared = _ZERO
        while rest != _ZERO:
            place = lowest_bit(rest)
            station = np.int64(s.station[ix(s.path[ix(PATH * line + place)])]) - 1
            lines = network.lines[ix(station)]
            met |= lines
            shared |= np.uint64(lines & lines - _ONE != _ZERO) << np.uint64(i)
            network.station[ix(STATIONS * line + i)] = station
            network.stops_at[ix(LINES * station + line)] = _ONE << np.uint64(i)
            if i > 0:
                network.tunnels[ix(STATIONS * line + i - 1)] = place - before
            before = place
            i += 1
            rest &= rest - _ONE
        network.stops[ix(line)] = i
        network.met[ix(line)] = met
        network.every[ix(line)] = (_ONE << np.uint64(i)) - _ONE
        network.shared[ix(line)] = shared


@inlined
def _connected(network: Network, start: Any, goal: Any) -> bool:
    """Whether any route leads from some lines (as bits) to others."""
    seen, new = _ZERO, start
    while new != _ZERO and (seen | new) & goal == _ZERO:
        line = lowest_bit(new)
        seen |= _ONE << np.uint64(line)
        new = (new | network.met[ix(line)]) & ~seen
    return (seen | new) & goal != _ZERO


@inlined
def stations_at_cell(s: State, b: Board, cell: Any) -> np.uint64:
    """TT1: the bits of the stations at the corners of a marker's cell."""
    stations = _ZERO
    if cell != NOWHERE:
        for i in range(3):
            station = np.int64(s.station[ix(b.corner[ix(3 * cell + i)])])
            if station != 0:
                stations |= _ONE << np.uint64(station - 1)
    return stations


@inlined
def _stops_at(network: Network, stations: Any) -> Any:
    """All stops at some stations, given as bits."""
    stops = zero_words()
    while stations != _ZERO:
        stops = or_words(stops, load_words(network.stops_at, LINES * lowest_bit(stations)))
        stations &= stations - _ONE
    return stops


@inlined
def _stops_beside(network: Network, stops: Any) -> Any:
    """All stops at the stations of some stops."""
    beside = zero_words()
    lines = nonzero_words(stops)
    while lines != _ZERO:
        line = lowest_bit(lines)
        rest = extract_word(stops, line)
        while rest != _ZERO:
            station = np.int64(network.station[ix(STATIONS * line + lowest_bit(rest))])
            beside = or_words(beside, load_words(network.stops_at, LINES * station))
            rest &= rest - _ONE
        lines &= lines - _ONE
    return beside


@inlined
def fastest(network: Network, r: Rules, start: Any, goal: Any) -> np.int64:
    """TT3: the fastest time between two sets of stations, and mark the sections used; -1 without a route."""
    if start == _ZERO or goal == _ZERO:
        return np.int64(-1)
    store_words(network.used, np.int64(0), zero_words())
    if start & goal != _ZERO:
        return np.int64(0)
    first, last = _stops_at(network, start), _stops_at(network, goal)
    if not _connected(network, nonzero_words(first), nonzero_words(last)):
        return np.int64(-1)
    store_words(network.goal, np.int64(0), last)
    minutes = _spread(network, r, first)
    level = LINES * np.int64(network.level[ix(_LONGEST + minutes)])
    store_words(network.on_route, level, and_words(load_words(network.reached, level), last))
    _follow_back(network, r, minutes, False)
    return minutes


@inlined
def _spread(network: Network, r: Rules, start: Any) -> np.int64:
    """Spread a wave from some stops; returns the minute in which it reaches a goal, which is known to happen."""
    moments = np.int64(4)
    while moments <= max(r.ride_minutes, r.change_minutes):
        moments *= 2
    for moment in range(moments):
        store_words(network.wave, LINES * moment, zero_words())
    store_words(network.wave, np.int64(0), start)
    every, goal = load_words(network.every, np.int64(0)), load_words(network.goal, np.int64(0))
    changing = and_not_words(
        and_not_words(load_words(network.shared, np.int64(0)), goal), start
    )  # where nobody has changed yet
    reached, now, level = zero_words(), np.int64(-1), np.int64(0)
    arrived = False
    while not arrived:
        now += 1
        here, ride = LINES * (now & moments - 1), LINES * (now + r.ride_minutes & moments - 1)
        change = LINES * (now + r.change_minutes & moments - 1)
        in_time, new = zero_words(), and_not_words(load_words(network.wave, here), reached)
        store_words(network.wave, here, zero_words())
        while nonzero_words(new) != _ZERO:  # a second time only when changing takes no time
            in_time, reached = or_words(in_time, new), or_words(reached, new)
            next_stops = and_words(and_not_words(or_words(shift_up(new), shift_down(new)), reached), every)
            store_words(network.wave, ride, or_words(load_words(network.wave, ride), next_stops))
            beside = _stops_beside(network, and_words(new, changing))
            changing = and_not_words(changing, beside)
            store_words(network.wave, change, or_words(load_words(network.wave, change), beside))
            new = and_not_words(load_words(network.wave, here), reached)
        some = np.int64(nonzero_words(in_time) != _ZERO)
        level += some
        network.level[ix(_LONGEST + now)] = level * some
        store_words(network.reached, LINES * level * some, in_time)
        store_words(network.on_route, LINES * level * some, zero_words())
        arrived = nonzero_words(and_words(in_time, goal)) != _ZERO
    return now


@inlined
def _follow_back(network: Network, r: Rules, minutes: Any, count_changes: Any) -> None:
    """TT3: follow fastest routes back from stops on them, the last of them reached after `minutes`.

    With `count_changes`, stops before a change are only noted in `changed`.
    """
    shared = and_not_words(load_words(network.shared, np.int64(0)), load_words(network.goal, np.int64(0)))
    used = load_words(network.used, np.int64(0))
    for minute in range(minutes, -1, -1):
        level = LINES * np.int64(network.level[ix(_LONGEST + minute)])
        ride = LINES * np.int64(network.level[ix(_LONGEST + minute - r.ride_minutes)])
        change = LINES * np.int64(network.level[ix(_LONGEST + minute - r.change_minutes)])
        stops, new = zero_words(), load_words(network.on_route, level)
        while nonzero_words(new) != _ZERO:  # a second time only when changing takes no time
            stops = or_words(stops, new)
            before = load_words(network.reached, ride)
            below, above = and_words(shift_down(new), before), and_words(shift_up(new), before)
            used = or_words(used, or_words(below, shift_down(above)))
            store_words(network.on_route, ride, or_words(load_words(network.on_route, ride), or_words(below, above)))
            beside = and_words(_stops_beside(network, and_words(new, shared)), load_words(network.reached, change))
            if count_changes:
                store_words(network.changed, change, or_words(load_words(network.changed, change), beside))
            else:
                store_words(network.on_route, change, or_words(load_words(network.on_route, change), beside))
            new = and_not_words(load_words(network.on_route, level), stops)
    store_words(network.used, np.int64(0), used)


@jit
def fewest_changes(network: Network, r: Rules, minutes: Any) -> np.int64:
    """The fewest changes on a fastest route of the trip just run, which took `minutes`."""
    last = np.int64(network.level[ix(_LONGEST + minutes)])
    for level in range(last + 1):
        store_words(network.on_route, LINES * level, zero_words())
        store_words(network.changed, LINES * level, zero_words())
    arrived = and_words(load_words(network.reached, LINES * last), load_words(network.goal, np.int64(0)))
    store_words(network.on_route, LINES * last, arrived)
    changes = np.int64(0)
    while True:
        _follow_back(network, r, minutes, True)
        if nonzero_words(load_words(network.on_route, LINES * np.int64(network.level[ix(_LONGEST)]))) != _ZERO:
            return changes
        changes += 1
        for level in range(last + 1):
            store_words(network.on_route, LINES * level, load_words(network.changed, LINES * level))
            store_words(network.changed, LINES * level, zero_words())


@inlined
def count_sections(network: Network, r: Rules) -> np.int64:
    """How many sections are on fastest routes."""
    sections = np.int64(0)
    for line in range(2 * r.companies):
        sections += count_bits(network.used[ix(line)])
    return sections


@inlined
def tunnels_used(network: Network, seat: Any) -> np.int64:
    """TT6: how many tunnels a company has on used sections."""
    tunnels = np.int64(0)
    for line in range(2 * seat, 2 * seat + 2):
        rest = network.used[ix(line)]
        while rest != _ZERO:
            tunnels += np.int64(network.tunnels[ix(STATIONS * line + lowest_bit(rest))])
            rest &= rest - _ONE
    return tunnels
