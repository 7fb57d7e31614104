"""The fast core's scoring (section 9): points kept, the seven trips, the winners."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits
from mmsim.metromania.engine.state import (
    CEIL,
    FAULT_NONE,
    LINES_PER_COMPANY,
    NO_ROUTE,
    NO_STATION,
    NOT_PLACED,
    NOWHERE,
    SEATS,
    SHARED_ALL,
    SHARED_NONE,
    TRIPS,
    Board,
    Rules,
    State,
)
from mmsim.metromania.engine.trips import (
    Network,
    build_network,
    count_sections,
    fastest,
    fewest_changes,
    stations_at_cell,
    tunnels_used,
)

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_PARK_LAKE = TRIPS - 1
_MORE_THAN_LINES, _MORE_THAN_TUNNELS = 8, 256  # than a player can have
KEPT_PER_LINE = 1 / LINES_PER_COMPANY  # L1: the share of its points a company keeps for each line it ends


@jit
def score_game(s: State, b: Board, r: Rules, network: Network) -> None:
    """Score a game whose building phase is over."""
    build_network(network, s, r)
    for seat in range(r.companies):
        s.kept[ix(seat)] = kept_points(s, r, seat)
        s.scores[ix(seat)] = s.kept[ix(seat)] + r.seat_points[ix(seat)]  # H1
    for trip in range(TRIPS):
        run_trip(s, b, r, network, trip)
        for seat in range(r.companies):
            s.scores[ix(seat)] += s.trip_scores[ix(SEATS * trip + seat)]
    find_standings(s, r)
    s.winners = find_winners(s, r)


@inlined
def lines_ended(s: State, seat: Any) -> np.int64:
    return count_bits(s.ended >> np.uint64(2 * seat) & np.uint64(3))


@inlined
def kept_points(s: State, r: Rules, seat: Any) -> np.int64:
    """L1: all station points with both lines ended, half with one, none with none."""
    ended = lines_ended(s, seat)
    if ended == 1:
        return (s.points[ix(seat)] + np.int64(r.half_kept == CEIL)) // 2
    return s.points[ix(seat)] if ended == LINES_PER_COMPANY else np.int64(0)


@inlined
def trip_ends(s: State, b: Board, trip: Any) -> tuple[np.uint64, np.uint64]:
    """TT1: the bits of the stations at which a trip may begin, and end."""
    if trip == _PARK_LAKE:
        return s.park_stations, s.lake_stations
    start = stations_at_cell(s, b, s.marker_cell[ix(2 * trip)])
    return start, stations_at_cell(s, b, s.marker_cell[ix(2 * trip + 1)])


@inlined
def run_trip(s: State, b: Board, r: Rules, network: Network, trip: Any) -> None:
    """TT1-TT6: one trip, its time and what every company gains or loses by it."""
    start, goal = trip_ends(s, b, trip)
    s.involved[ix(trip)] = _ZERO
    s.fault[ix(trip)] = -1
    s.changes[ix(trip)] = 0
    s.sections[ix(trip)] = 0
    minutes = fastest(network, r, start, goal)
    s.minutes[ix(trip)] = minutes
    if minutes < 0:
        s.fault[ix(trip)] = _fault(s, trip, start, goal)
        guilty = guilty_companies(s, r, trip, start, goal)
        for seat in range(r.companies):
            s.trip_scores[ix(SEATS * trip + seat)] = -r.penalty * np.int64(guilty >> np.uint64(seat) & _ONE)
        return
    if minutes > 0:
        s.sections[ix(trip)] = count_sections(network, r)
        s.changes[ix(trip)] = fewest_changes(network, r, minutes)
    involved = involved_companies(r, network)
    s.involved[ix(trip)] = involved
    scoring = scoring_companies(r, network, involved)
    for seat in range(r.companies):
        points = trip_points(s, r, trip, seat)
        s.trip_scores[ix(SEATS * trip + seat)] = points if scoring >> np.uint64(seat) & _ONE != _ZERO else np.int64(0)


@inlined
def involved_companies(r: Rules, network: Network) -> np.uint64:
    """TT3: the bits of the companies with a section on a fastest route of the trip just run."""
    involved = _ZERO
    for seat in range(r.companies):
        used = network.used[ix(2 * seat)] | network.used[ix(2 * seat + 1)]
        involved |= np.uint64(used != _ZERO) << np.uint64(seat)
    return involved


@inlined
def scoring_companies(r: Rules, network: Network, involved: Any) -> np.uint64:
    """TT6: the bits of the involved companies that score, by the knob `shared_trip`."""
    if r.shared_trip == SHARED_ALL or count_bits(involved) <= 1:
        return involved
    most, ahead = np.int64(0), _ZERO  # the one company with the most tunnels used, if there is one
    if r.shared_trip != SHARED_NONE:
        for seat in range(r.companies):
            tunnels = tunnels_used(network, seat)
            if tunnels > most:
                most, ahead = tunnels, _ONE << np.uint64(seat)
            elif tunnels == most:
                ahead = _ZERO
    return ahead


@inlined
def trip_points(s: State, r: Rules, trip: Any, seat: Any) -> np.int64:
    """TT4: what a company scores for a trip; a possible trip has both its markers placed."""
    if trip == _PARK_LAKE:
        return r.park_lake_points
    holds_marker = s.marker_holder[ix(2 * trip)] == seat or s.marker_holder[ix(2 * trip + 1)] == seat
    return r.trip_points + (r.own_marker_bonus if holds_marker else np.int64(0))


@inlined
def guilty_companies(s: State, r: Rules, trip: Any, start: Any, goal: Any) -> np.uint64:
    """TT5, TT6: the bits of the companies that lose points by an impossible trip.

    An unknown holder (-1) is a bit beyond all seats: another company.
    """
    if trip == _PARK_LAKE:
        return _ZERO
    start_holder = _ONE << np.uint64(s.marker_holder[ix(2 * trip)] & 63)
    goal_holder = _ONE << np.uint64(s.marker_holder[ix(2 * trip + 1)] & 63)
    guilty = (start_holder if start == _ZERO else _ZERO) | (goal_holder if goal == _ZERO else _ZERO)
    if guilty == _ZERO:
        guilty = start_holder | goal_holder
    return _ZERO if r.shared_fault == FAULT_NONE and count_bits(guilty) > 1 else guilty


@inlined
def _fault(s: State, trip: Any, start: Any, goal: Any) -> np.int64:
    """TT5: the worst fault of an impossible trip."""
    if trip != _PARK_LAKE and (s.marker_cell[ix(2 * trip)] == NOWHERE or s.marker_cell[ix(2 * trip + 1)] == NOWHERE):
        return np.int64(NOT_PLACED)
    return np.int64(NO_STATION) if start == _ZERO or goal == _ZERO else np.int64(NO_ROUTE)


@inlined
def find_standings(s: State, r: Rules) -> None:
    """W1: points, then lines ended, then tunnels of every player, packed into one number that compares the same way."""
    for player in range(SEATS):
        s.standings[ix(player)] = 0
    for seat in range(r.companies):
        tunnels = s.tunnels[ix(2 * seat)] + s.tunnels[ix(2 * seat + 1)]
        s.standings[ix(r.seat_player[ix(seat)])] += (
            s.scores[ix(seat)] * _MORE_THAN_LINES + lines_ended(s, seat)
        ) * _MORE_THAN_TUNNELS + tunnels


@inlined
def find_winners(s: State, r: Rules) -> np.uint64:
    """W1: the bits of the players with the best standing."""
    best = s.standings[0]
    for player in range(1, r.players):
        best = max(best, s.standings[ix(player)])
    winners = _ZERO
    for player in range(r.players):
        winners |= np.uint64(s.standings[ix(player)] == best) << np.uint64(player)
    return winners
