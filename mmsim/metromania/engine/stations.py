"""The fast core's stations (section 6): when a tunnel makes one, and what placing one changes."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.metromania.engine.state import FLAT, LAKES_AT, PARKS_AT, SLOTS, SPOTS_AT, Board, Rules, State

_ONE, _ZERO, _SEVEN = np.uint64(1), np.uint64(0), np.uint64(7)
_AHEAD_SLOTS = 0xC0F  # the slots of directions 5, 0 and 1: straight on and slightly aside for a line in direction 0


@inlined
def slots_ahead(direction: Any, station: Any) -> np.uint64:
    """D2: the slots by which a line that came in a direction may go on; from a station, all."""
    ahead = np.uint64(_AHEAD_SLOTS) << np.uint64(2 * direction)
    return np.uint64(SLOTS) if station else (ahead | ahead >> np.uint64(12)) & np.uint64(SLOTS)


@inlined
def directions_ahead(direction: Any, station: Any) -> tuple[np.int64, np.int64]:
    """D2: the first of the directions of `slots_ahead` and how many there are, counter-clockwise."""
    first = np.int64(5) if direction == 0 else direction - 1
    return (np.int64(0), np.int64(6)) if station else (first, np.int64(3))


@inlined
def parting(s: State, line: Any, last: Any, u: Any) -> np.uint8:
    """ST2: the bits of the other lines that came along the last edge to u and go on from there."""
    return np.uint8(s.lines_along[ix(last)] & ~s.terminus_at[ix(u)] & ~(1 << line) & 0xFF)


@inlined
def splits(s: State, others: Any, edge: Any) -> bool:
    """ST2: whether one of those other lines does not take the new edge."""
    return others & ~s.lines_along[ix(edge)] & 0xFF != 0


@inlined
def meets(s: State, line: Any, w: Any, edge: Any) -> bool:
    """ST1: whether another line is at w and does not run along the new edge."""
    others = s.lines_at[ix(w)] & ~s.lines_along[ix(edge)]
    return (s.station[ix(w)] == 0) & (others & ~(1 << line) & 0xFF != 0)


@inlined
def splits_here(s: State, line: Any, u: Any, edge: Any) -> bool:
    """ST2, ST4: whether a line that goes on from its terminus u along an edge makes a station at u."""
    return (s.station[ix(u)] == 0) & splits(s, parting(s, line, s.last_edge[ix(line)], u), edge)


@jit
def stations_needed(s: State, b: Board, line: Any, u: Any, d: Any) -> np.int64:
    """D5: how many stations a tunnel from u in a direction would make."""
    w, edge = b.neighbour[ix(6 * u + d)], b.edge[ix(6 * u + d)]
    return np.int64(splits_here(s, line, u, edge)) + np.int64(meets(s, line, w, edge))


@inlined
def has_been_at(s: State, line: Any, vertex: Any) -> np.uint64:
    """D3: 1 if a line has been at a vertex, to which it may not come back."""
    return np.uint64(s.lines_at[ix(vertex)]) >> np.uint64(line) & _ONE


@inlined
def open_slots(s: State, b: Board, r: Rules, line: Any) -> np.uint64:
    """D1-D3: the slots at a line's terminus open by angle and own path; none if no tunnel is left."""
    if s.tunnels[ix(line)] == r.tunnels_per_line:
        return _ZERO
    u = s.terminus[ix(line)]
    open_here = slots_ahead(s.direction[ix(line)], s.station[ix(u)] != 0)
    on_path = _ZERO  # lowest bit of the two slots of every direction that leads back to the line
    for d in range(6):
        on_path = on_path << np.uint64(2) | has_been_at(s, line, b.neighbour[ix(6 * u + 5 - d)])
    return open_here & ~(on_path * np.uint64(3))


@inlined
def station_points(r: Rules, lanes: Any) -> np.int64:
    """ST5: the points of a station at a vertex with these lanes."""
    spots = np.int64(lanes >> SPOTS_AT & _SEVEN)
    return min(spots, np.int64(1)) if r.station_points == FLAT else spots


@inlined
def at_lake(lanes: Any) -> bool:
    """Whether a vertex with these lanes is a corner of a lake cell."""
    return lanes >> LAKES_AT & _SEVEN != _ZERO


@inlined
def at_park(lanes: Any) -> bool:
    """Whether a vertex with these lanes is a corner of a park cell."""
    return lanes >> PARKS_AT & _SEVEN != _ZERO


@jit
def place_station(s: State, b: Board, r: Rules, vertex: Any) -> np.int64:
    """Put a station on a vertex for the company in turn; returns the points it scores (ST5)."""
    number = r.stations - s.supply
    s.supply -= 1
    s.station[ix(vertex)] = number + 1
    s.station_at[ix(number)] = vertex
    lanes = s.lanes[ix(vertex)]
    s.lake_stations |= np.uint64(at_lake(lanes)) << np.uint64(number)
    s.park_stations |= np.uint64(at_park(lanes)) << np.uint64(number)
    lines = np.uint64(s.lines_at[ix(vertex)])
    ending = np.uint64(s.terminus_at[ix(vertex)])
    while lines != _ZERO:
        line = lowest_bit(lines)
        s.stops[ix(line)] |= _ONE << (s.place[ix(vertex)] >> np.uint64(8 * line) & np.uint64(255))
        lines &= lines - _ONE
    while ending != _ZERO:
        line = lowest_bit(ending)
        s.open[ix(line)] = open_slots(s, b, r, line)
        ending &= ending - _ONE
    points = station_points(r, lanes)
    s.points[ix(s.seat)] += points
    s.player_points[ix(r.seat_player[ix(s.seat)])] += points
    s.scored |= points
    s.stations_made[ix(s.seat)] += 1
    return points
