"""What a bot works out before it weighs turns: networks, who is ahead, what others need, where its lines stand."""

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.metromania.bots.thinking.distance_maps import find_free, spot_maps
from mmsim.metromania.bots.thinking.known_trips import reckon_trips
from mmsim.metromania.bots.thinking.line_ends import as_it_stands
from mmsim.metromania.bots.thinking.memory import (
    ALLIES,
    BLOCK,
    CLOSE,
    DEPTH,
    DISTANCES,
    LAKE,
    LEADER,
    NEAR_SPOT,
    PARK,
    PARTNER,
    RACE,
    RIVALS,
    TRIP_POINTS,
    Bots,
    Thoughts,
)
from mmsim.metromania.bots.thinking.rivals import company_in_front, find_needs
from mmsim.metromania.bots.thinking.view import guess_holders
from mmsim.metromania.bots.thinking.weights import weight
from mmsim.metromania.engine.scoring import KEPT_A_LINE, kept_points
from mmsim.metromania.engine.state import MARKERS, NOWHERE, Board, Rules, State
from mmsim.metromania.engine.trips import Network, stations_at_cell

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def study(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, net: Network) -> None:
    """Work out everything about a position that does not depend on the turn to be chosen."""
    seat = v.seat
    t.explaining = 0
    t.held_kinds = v.held[ix(2 * seat)] | v.held[ix(2 * seat + 1)]
    find_free(v, b, t)
    if weight(bots, seat, NEAR_SPOT) != 0.0:
        spot_maps(v, b, t)
    if weight(bots, seat, PARTNER) != 0.0 or weight(bots, seat, ALLIES) != 0.0:
        guess_holders(v, r, t)
    find_networks(v, r, t)
    t.unserved = np.uint64(v.park_stations == _ZERO) << np.uint64(PARK)
    t.unserved |= np.uint64(v.lake_stations == _ZERO) << np.uint64(LAKE)
    for marker in range(MARKERS):
        cell = v.marker_cell[ix(marker)]
        t.marker_at[ix(marker)] = cell
        if cell != NOWHERE and stations_at_cell(v, b, cell) == _ZERO:
            t.unserved |= _ONE << np.uint64(marker)
    about_trips = (TRIP_POINTS, RIVALS, CLOSE, LEADER)
    for seat_ in range(r.companies):
        t.trip_points[ix(seat_)] = 0.0
        t.trips_before[ix(seat_)] = 0.0
        t.standing[ix(seat_)] = np.float64(v.points[ix(seat_)])
    wanted = 0.0
    for feature in about_trips:
        wanted += abs(weight(bots, seat, feature))
    if wanted != 0.0:
        reckon_trips(v, b, r, net, t)
        for seat_ in range(r.companies):
            t.trips_before[ix(seat_)] = t.trip_points[ix(seat_)]
            t.standing[ix(seat_)] = np.float64(kept_points(v, r, seat_)) + t.trip_points[ix(seat_)]
    t.rival = company_in_front(v, r, t)
    t.kept_share = 0.0
    t.rival_turns = 0.0
    if weight(bots, seat, BLOCK) != 0.0 or weight(bots, seat, LEADER) != 0.0 or weight(bots, seat, RACE) != 0.0:
        find_needs(v, b, r, t)
    for to_go in range(DISTANCES):
        t.race[ix(to_go)] = -np.float64(to_go) / (1.0 + t.rival_turns)
    for row in range(2 * (DEPTH + 1)):
        t.end_values_known[ix(row)] = _ZERO
    for number in range(2):
        t.before[ix(number)] = 0.0
        t.chance[ix(number)] = 0.0
        t.before[ix(number)] = as_it_stands(v, b, r, bots, t, np.int64(number))
        t.kept_share += KEPT_A_LINE * t.chance[ix(number)]


@jit
def find_networks(v: State, r: Rules, t: Thoughts) -> None:
    """Which lines are connected with which: through stations, directly or over others."""
    for line in range(2 * r.companies):
        t.network[ix(line)] = _ONE << np.uint64(line)
    for number in range(r.stations - v.supply):
        lines = np.uint64(v.lines_at[ix(v.station_at[ix(number)])])
        if lines & (lines - _ONE) == _ZERO:
            continue
        together = lines
        rest = lines
        while rest != _ZERO:
            together |= t.network[ix(lowest_bit(rest))]
            rest &= rest - _ONE
        rest = together
        while rest != _ZERO:
            t.network[ix(lowest_bit(rest))] |= together
            rest &= rest - _ONE
    t.own_network = t.network[ix(2 * v.seat)] | t.network[ix(2 * v.seat + 1)]
