"""The survey of a position before turns are weighed: networks, standings, what others need, the ends of own lines."""

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.metromania.bots.thinking.distance_maps import find_free, spot_maps
from mmsim.metromania.bots.thinking.features import weight
from mmsim.metromania.bots.thinking.line_ends import current_end_value
from mmsim.metromania.bots.thinking.memory import DEPTH, DISTANCES, LAKE, PARK, Bots, Thoughts
from mmsim.metromania.bots.thinking.rivals import company_in_front, find_needs
from mmsim.metromania.bots.thinking.trip_cache import score_trips
from mmsim.metromania.bots.thinking.view import guess_holders
from mmsim.metromania.bots.turn_weights import (
    ALLIES,
    BLOCK,
    CLOSE,
    LEADER,
    NEAR_SPOT,
    PARTNER,
    RACE,
    RIVALS,
    TRIP_POINTS,
)
from mmsim.metromania.engine.scoring import KEPT_PER_LINE, kept_points
from mmsim.metromania.engine.state import MARKERS, NOWHERE, Board, Rules, State
from mmsim.metromania.engine.trips import Network, stations_at_cell

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def survey_position(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, network: Network) -> None:
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
    for company in range(r.companies):
        t.trip_points[ix(company)] = 0.0
        t.trips_before[ix(company)] = 0.0
        t.standing[ix(company)] = np.float64(v.points[ix(company)])
    weight_of_trips = 0.0
    for feature in (TRIP_POINTS, RIVALS, CLOSE, LEADER):
        weight_of_trips += abs(weight(bots, seat, feature))
    if weight_of_trips != 0.0:
        score_trips(v, b, r, network, t)
        for company in range(r.companies):
            t.trips_before[ix(company)] = t.trip_points[ix(company)]
            t.standing[ix(company)] = np.float64(kept_points(v, r, company)) + t.trip_points[ix(company)]
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
        t.before[ix(number)] = current_end_value(v, b, r, bots, t, np.int64(number))
        t.kept_share += KEPT_PER_LINE * t.chance[ix(number)]


@jit
def find_networks(v: State, r: Rules, t: Thoughts) -> None:
    """Find which lines are connected through stations, directly or via other lines."""
    for line in range(2 * r.companies):
        t.connected[ix(line)] = _ONE << np.uint64(line)
    for number in range(r.stations - v.supply):
        lines = np.uint64(v.lines_at[ix(v.station_at[ix(number)])])
        if lines & (lines - _ONE) == _ZERO:
            continue
        together = lines
        rest = lines
        while rest != _ZERO:
            together |= t.connected[ix(lowest_bit(rest))]
            rest &= rest - _ONE
        rest = together
        while rest != _ZERO:
            t.connected[ix(lowest_bit(rest))] |= together
            rest &= rest - _ONE
    t.own_connected = t.connected[ix(2 * v.seat)] | t.connected[ix(2 * v.seat + 1)]
