"""The survey of a position before turns are weighed: networks, standings, the ends of own lines, and the others.

Of the other companies it finds who is in front, which cells they need next, and how soon one may end both its lines.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit
from mmsim.metromania.bots.thinking import distance_maps
from mmsim.metromania.bots.thinking.features import current_end_value, weight
from mmsim.metromania.bots.thinking.memory import DEPTH, DISTANCES, FAR_AWAY, LAKE, PARK, Bots, Thoughts
from mmsim.metromania.bots.thinking.trip_cache import score_trips
from mmsim.metromania.bots.thinking.view import guess_holders
from mmsim.metromania.bots.turn_weights import Feature
from mmsim.metromania.engine.scoring import KEPT_PER_LINE, kept_points
from mmsim.metromania.engine.state import MARKERS, NOWHERE, Board, Rules, State
from mmsim.metromania.engine.trips import Network, stations_at_cell

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_NEVER_ENDS = 99.0  # turns: for a company that cannot end its lines


@jit
def survey_position(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, network: Network) -> None:
    """Work out everything about a position that does not depend on the turn to be chosen."""
    seat = v.seat
    t.explaining = 0
    t.held_kinds = v.held[ix(2 * seat)] | v.held[ix(2 * seat + 1)]
    distance_maps.find_free(v, b, t)
    if weight(bots, seat, Feature.NEAR_SPOT) != 0.0:
        distance_maps.spot_maps(b, t)
    if weight(bots, seat, Feature.PARTNER) != 0.0 or weight(bots, seat, Feature.ALLIES) != 0.0:
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
        t.standing[ix(company)] = np.float64(v.points[ix(company)] + r.seat_points[ix(company)])  # H1
    weight_of_trips = 0.0
    for feature in (Feature.TRIPS, Feature.RIVALS, Feature.CLOSE, Feature.LEADER):
        weight_of_trips += abs(weight(bots, seat, feature))
    if weight_of_trips != 0.0:
        score_trips(v, b, r, network, t)
        for company in range(r.companies):
            t.trips_before[ix(company)] = t.trip_points[ix(company)]
            kept = kept_points(v, r, company) + r.seat_points[ix(company)]  # H1
            t.standing[ix(company)] = np.float64(kept) + t.trip_points[ix(company)]
    t.rival = company_in_front(v, r, t)
    t.kept_share = 0.0
    t.rival_turns = 0.0
    blocks = weight(bots, seat, Feature.BLOCK) != 0.0 or weight(bots, seat, Feature.LEADER) != 0.0
    if blocks or weight(bots, seat, Feature.RACE) != 0.0:
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


@inlined
def _seat_after(v: State, r: Rules, offset: Any) -> np.int64:
    """The seat `offset` places after the one in turn; bots distinguish companies by the playing order only."""
    seat = v.seat + offset
    return seat if seat < r.companies else seat - r.companies


@inlined
def company_in_front(v: State, r: Rules, t: Thoughts) -> np.int64:
    """The company of another player with the best standing; among equals the one whose turn comes first."""
    front = np.int64(-1)
    for offset in range(1, r.companies):
        seat = _seat_after(v, r, np.int64(offset))
        if r.seat_player[ix(seat)] != r.seat_player[ix(v.seat)] and (
            front < 0 or t.standing[ix(seat)] > t.standing[ix(front)]
        ):
            front = np.int64(seat)
    return front


@jit
def find_needs(v: State, b: Board, r: Rules, t: Thoughts) -> None:
    """Find which cells other companies need for their next tunnels, and how soon one may end both its lines."""
    for i in range(t.needed_count):
        t.need[ix(t.needed[ix(i)])] = 0.0
        t.need_leader[ix(t.needed[ix(i)])] = 0.0
    t.needed_count = 0
    t.rival_turns = _NEVER_ENDS
    for offset in range(1, r.companies):  # in playing order, so that sums are the same to the last bit in every seat
        seat = _seat_after(v, r, np.int64(offset))
        if r.seat_player[ix(seat)] == r.seat_player[ix(v.seat)]:
            continue
        to_dig = np.int64(0)
        for line in range(2 * seat, 2 * seat + 2):
            if v.started >> np.uint64(line) & _ONE == _ZERO:
                to_dig += distance_maps.tunnels_across(b)
            elif v.ended >> np.uint64(line) & _ONE == _ZERO:
                to_go, slots = shortest_ways(v, b, r, t, np.int64(line))
                to_dig += to_go
                if slots != _ZERO:
                    _add_needs(b, t, v.terminus[ix(line)], slots, np.float64(to_go), seat == t.rival)
        t.rival_turns = min(t.rival_turns, to_dig / r.dig)


@jit
def shortest_ways(v: State, b: Board, r: Rules, t: Thoughts, line: Any) -> tuple[np.int64, np.uint64]:
    """How many tunnels a line of another company has to go, and the slots of the first ones on its shortest ways."""
    u = v.terminus[ix(line)]
    ways = v.open[ix(line)] & (v.lanes[ix(u)] | v.exits[ix(line)])
    most = min(r.tunnels_per_line - v.tunnels[ix(line)], np.int64(FAR_AWAY - 1))
    if ways == _ZERO or most <= 0:
        return np.int64(FAR_AWAY), _ZERO
    exits = ways & v.exits[ix(line)]
    if exits != _ZERO:
        return np.int64(1), exits
    for word in range(1, b.words):
        t.target[ix(word)] = _ZERO
    rest = (ways | ways >> _ONE) & np.uint64(distance_maps.EVERY_DIRECTION)
    while rest != _ZERO:
        at = np.uint64(b.bit[ix(b.neighbour[ix(6 * u + (lowest_bit(rest) >> 1))])])
        t.target[ix(at >> np.uint64(6))] |= _ONE << (at & np.uint64(63))
        rest &= rest - _ONE
    beyond = distance_maps.reach_targets(v, b, r, t, v.start_side[ix(line)], most - 1)
    if beyond == 0:
        return np.int64(FAR_AWAY), _ZERO
    nearest = _ZERO
    rest = ways
    while rest != _ZERO:
        slot = lowest_bit(rest)
        at = np.uint64(b.bit[ix(b.neighbour[ix(6 * u + (slot >> 1))])])
        met = t.wave[ix(at >> np.uint64(6))] >> (at & np.uint64(63)) & _ONE
        nearest |= met << np.uint64(slot)
        rest &= rest - _ONE
    return 1 + beyond, nearest


@inlined
def _add_needs(b: Board, t: Thoughts, u: Any, slots: Any, to_go: Any, leading: Any) -> None:
    """Add the need of a line with `to_go` tunnels to go for the cells of some slots."""
    share = 1.0 / (np.float64(count_bits(slots)) * to_go)
    rest = slots
    while rest != _ZERO:
        cell = b.slot_cell[ix(12 * u + lowest_bit(rest))]
        if t.need[ix(cell)] == 0.0:
            t.needed[ix(t.needed_count)] = cell
            t.needed_count += 1
        t.need[ix(cell)] += share
        if leading:
            t.need_leader[ix(cell)] += share
        rest &= rest - _ONE
