"""The fast core's stations (section 6): when a tunnel makes one, and what placing one changes."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, lowest_bit
from mmsim.metromania.engine.state import FLAT, LAKES_AT, PARKS_AT, SLOTS, SPOTS_AT, VERTICES, Board, Rules, State

_ONE, _ZERO, _SEVEN = np.uint64(1), np.uint64(0), np.uint64(7)
AHEAD_SLOTS = 0xC0F  # the slots of directions 5, 0 and 1: straight on and slightly aside for a line in direction 0


@inlined
def splits(s: State, line: Any, u: Any, edge: Any) -> bool:
    """ST2: a line that came along the last edge to u goes on from there, and not along the new edge."""
    along = s.lines_along[ix(s.last_edge[ix(line)])] & ~s.lines_along[ix(edge)] & ~s.terminus_at[ix(u)]
    return (along & ~(1 << line) & 0xFF != 0) & (s.tunnels[ix(line)] != 0) & (s.station[ix(u)] == 0)


@inlined
def meets(s: State, line: Any, w: Any, edge: Any) -> bool:
    """ST1: another line is at w and does not run along the new edge."""
    others = s.lines_at[ix(w)] & ~s.lines_along[ix(edge)]
    return (s.station[ix(w)] == 0) & (others & ~(1 << line) & 0xFF != 0)


@jit
def stations_needed(s: State, b: Board, line: Any, u: Any, d: Any) -> np.int64:
    """D5: how many stations a tunnel from u in a direction would make."""
    w, edge = b.neighbour[ix(6 * u + d)], b.edge[ix(6 * u + d)]
    return np.int64(splits(s, line, u, edge)) + np.int64(meets(s, line, w, edge))


@inlined
def open_slots(s: State, b: Board, r: Rules, line: Any) -> np.uint64:
    """D1-D3: the slots at a line's terminus that its angle and its own path leave open; none without a tunnel."""
    if s.tunnels[ix(line)] == r.tunnels_per_line:
        return _ZERO
    u = s.terminus[ix(line)]
    open_here = np.uint64(SLOTS)
    if s.station[ix(u)] == 0:
        ahead = np.uint64(AHEAD_SLOTS) << np.uint64(2 * s.direction[ix(line)])
        open_here = (ahead | ahead >> np.uint64(12)) & np.uint64(SLOTS)
    on_path = _ZERO  # lowest bit of the two slots of every direction that leads back to the line
    for d in range(6):
        beside = np.uint64(s.lines_at[ix(b.neighbour[ix(6 * u + 5 - d)])])
        on_path = on_path << np.uint64(2) | beside >> np.uint64(line) & _ONE
    return open_here & ~(on_path * np.uint64(3))


@jit
def place_station(s: State, b: Board, r: Rules, v: Any) -> np.int64:
    """Put a station on a vertex for the company in turn; returns the points it scores (ST5)."""
    number = r.stations - s.supply
    s.supply -= 1
    s.station[ix(v)] = number + 1
    s.station_at[ix(number)] = v
    lanes = s.lanes[ix(v)]
    spots = np.int64(lanes >> SPOTS_AT & _SEVEN)
    s.lake_stations |= np.uint64(lanes >> LAKES_AT & _SEVEN != _ZERO) << np.uint64(number)
    s.park_stations |= np.uint64(lanes >> PARKS_AT & _SEVEN != _ZERO) << np.uint64(number)
    here = np.uint64(s.lines_at[ix(v)])
    ending = np.uint64(s.terminus_at[ix(v)])
    while here != _ZERO:
        line = lowest_bit(here)
        s.stops[ix(line)] |= _ONE << np.uint64(s.place[ix(VERTICES * line + v)])
        here &= here - _ONE
    while ending != _ZERO:
        line = lowest_bit(ending)
        s.open[ix(line)] = open_slots(s, b, r, line)
        ending &= ending - _ONE
    points = min(spots, np.int64(1)) if r.station_points == FLAT else spots
    s.points[ix(s.seat)] += points
    s.player_points[ix(r.seat_player[ix(s.seat)])] += points
    s.scored |= points
    s.stations_made[ix(s.seat)] += 1
    return points
