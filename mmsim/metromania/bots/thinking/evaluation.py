"""What a bot works out before it weighs turns: networks, who is ahead, what others need, where its lines stand."""

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.metromania.bots.thinking.known_trips import reckon_trips
from mmsim.metromania.bots.thinking.line_ends import as_it_stands
from mmsim.metromania.bots.thinking.maps import find_free, spot_maps
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
from mmsim.metromania.engine.scoring import kept_points
from mmsim.metromania.engine.state import MARKERS, NOWHERE, Board, Rules, State
from mmsim.metromania.engine.trips import Network, stations_at_cell

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def study(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, net: Network) -> None:
    """Work out everything about a position that does not depend on the turn to be chosen."""
    seat = v.seat
    m.explaining = 0
    m.held_kinds = v.held[ix(2 * seat)] | v.held[ix(2 * seat + 1)]
    find_free(v, b, m)
    if weight(bots, seat, NEAR_SPOT) != 0.0:
        spot_maps(v, b, m)
    if weight(bots, seat, PARTNER) != 0.0 or weight(bots, seat, ALLIES) != 0.0:
        guess_holders(v, r, m)
    find_networks(v, r, m)
    m.unserved = np.uint64(v.park_stations == _ZERO) << np.uint64(PARK)
    m.unserved |= np.uint64(v.lake_stations == _ZERO) << np.uint64(LAKE)
    for marker in range(MARKERS):
        cell = v.marker_cell[ix(marker)]
        m.marker_at[ix(marker)] = cell
        if cell != NOWHERE and stations_at_cell(v, b, cell) == _ZERO:
            m.unserved |= _ONE << np.uint64(marker)
    about_trips = (TRIP_POINTS, RIVALS, CLOSE, LEADER)
    for seat_ in range(r.companies):
        m.trip_points[ix(seat_)] = 0.0
        m.trips_before[ix(seat_)] = 0.0
        m.standing[ix(seat_)] = np.float64(v.points[ix(seat_)])
    wanted = 0.0
    for feature in about_trips:
        wanted += abs(weight(bots, seat, feature))
    if wanted != 0.0:
        reckon_trips(v, b, r, net, m)
        for seat_ in range(r.companies):
            m.trips_before[ix(seat_)] = m.trip_points[ix(seat_)]
            m.standing[ix(seat_)] = np.float64(kept_points(v, r, seat_)) + m.trip_points[ix(seat_)]
    m.rival = company_in_front(v, r, m)
    m.kept_share = 0.0
    m.rival_turns = 0.0
    if weight(bots, seat, BLOCK) != 0.0 or weight(bots, seat, LEADER) != 0.0 or weight(bots, seat, RACE) != 0.0:
        find_needs(v, b, r, m)
    for to_go in range(DISTANCES):
        m.race[ix(to_go)] = -np.float64(to_go) / (1.0 + m.rival_turns)
    for row in range(2 * (DEPTH + 1)):
        m.end_values_known[ix(row)] = _ZERO
    for number in range(2):
        m.before[ix(number)] = 0.0
        m.chance[ix(number)] = 0.0
        m.before[ix(number)] = as_it_stands(v, b, r, bots, m, np.int64(number))
        m.kept_share += 0.5 * m.chance[ix(number)]


@jit
def find_networks(v: State, r: Rules, m: Thoughts) -> None:
    """Which lines are connected with which: through stations, directly or over others."""
    for line in range(2 * r.companies):
        m.network[ix(line)] = _ONE << np.uint64(line)
    for number in range(r.stations - v.supply):
        lines = np.uint64(v.lines_at[ix(v.station_at[ix(number)])])
        if lines & (lines - _ONE) == _ZERO:
            continue
        together = lines
        rest = lines
        while rest != _ZERO:
            together |= m.network[ix(lowest_bit(rest))]
            rest &= rest - _ONE
        rest = together
        while rest != _ZERO:
            m.network[ix(lowest_bit(rest))] |= together
            rest &= rest - _ONE
    m.own_network = m.network[ix(2 * v.seat)] | m.network[ix(2 * v.seat + 1)]
