"""The fast core's scoring (section 9): what is kept, the seven trips, the winners."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit
from mmsim.metromania.engine.state import (
    CEIL,
    FAULT_NONE,
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
    build_network,
    count_used,
    fastest,
    fewest_changes,
    stations_at_cell,
    tunnels_used,
)

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_PARK_LAKE = TRIPS - 1


@jit
def score_game(s: State, b: Board, r: Rules, net: Any) -> None:
    """Score a game whose building phase is over."""
    build_network(net, s, r)
    for seat in range(r.companies):
        s.kept[ix(seat)] = kept_points(s, r, seat)
        s.scores[ix(seat)] = s.kept[ix(seat)]
    for trip in range(TRIPS):
        for seat in range(r.companies):
            s.trip_scores[ix(SEATS * trip + seat)] = 0
        run_trip(s, b, r, net, trip)
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
    return s.points[ix(seat)] if ended == 2 else np.int64(0)


@inlined
def run_trip(s: State, b: Board, r: Rules, net: Any, trip: Any) -> None:
    """TT1-TT6: one trip, its time and what every company gains or loses by it."""
    if trip == _PARK_LAKE:
        start, goal = s.park_stations, s.lake_stations
    else:
        start = stations_at_cell(s, b, s.marker_cell[ix(2 * trip)])
        goal = stations_at_cell(s, b, s.marker_cell[ix(2 * trip + 1)])
    s.involved[ix(trip)] = _ZERO
    s.fault[ix(trip)] = -1
    s.changes[ix(trip)] = 0
    s.sections[ix(trip)] = 0
    minutes = fastest(net, r, start, goal)
    s.minutes[ix(trip)] = minutes
    if minutes < 0:
        _blame(s, r, trip, start, goal)
        return
    if minutes > 0:
        sections, stops = count_used(net, r)
        changes = stops - sections - 1
        # With one fastest route that is all; every further one would add minutes to this sum.
        if r.change_minutes == 0 or sections * r.ride_minutes + changes * r.change_minutes != minutes:
            changes = fewest_changes(net, r, minutes, goal)
        s.sections[ix(trip)] = sections
        s.changes[ix(trip)] = changes
    _reward(s, r, net, trip)


@inlined
def _reward(s: State, r: Rules, net: Any, trip: Any) -> None:
    """TT3, TT4, TT6: the involved companies score, as far as they may share a trip."""
    involved = _ZERO
    most: Any = np.int64(0)
    ahead: Any = np.int64(-1)  # TT6: the company with the most tunnels used, if it is alone
    for seat in range(r.companies):
        if net.used[ix(2 * seat)] | net.used[ix(2 * seat + 1)] != _ZERO:
            involved |= _ONE << np.uint64(seat)
            tunnels = tunnels_used(net, seat)
            if tunnels > most:
                most, ahead = tunnels, seat
            elif tunnels == most:
                ahead = np.int64(-1)
    s.involved[ix(trip)] = involved
    scoring = involved
    if count_bits(involved) > 1 and r.shared_trip != SHARED_ALL:
        scoring = _ZERO
        if r.shared_trip != SHARED_NONE and ahead >= 0:
            scoring = _ONE << np.uint64(ahead)
    for seat in range(r.companies):
        if scoring >> np.uint64(seat) & _ONE != _ZERO:
            points = r.park_lake_points
            if trip != _PARK_LAKE:
                points = r.trip_points
                if s.marker_holder[ix(2 * trip)] == seat or s.marker_holder[ix(2 * trip + 1)] == seat:
                    points += r.own_marker_bonus  # a trip that is possible has both its markers placed
            s.trip_scores[ix(SEATS * trip + seat)] = points


@inlined
def _blame(s: State, r: Rules, trip: Any, start: Any, goal: Any) -> None:
    """TT5, TT6: the guilty companies of an impossible trip lose points."""
    s.fault[ix(trip)] = NO_STATION if start == _ZERO or goal == _ZERO else NO_ROUTE
    if trip == _PARK_LAKE:
        return
    first = np.uint64(s.marker_holder[ix(2 * trip)])
    second = np.uint64(s.marker_holder[ix(2 * trip + 1)])
    unplaced = s.marker_cell[ix(2 * trip)] == NOWHERE or s.marker_cell[ix(2 * trip + 1)] == NOWHERE
    s.fault[ix(trip)] = NOT_PLACED if unplaced else s.fault[ix(trip)]
    guilty = np.uint64(start == _ZERO) << first | np.uint64(goal == _ZERO) << second
    if guilty == _ZERO:
        guilty = _ONE << first | _ONE << second
    if count_bits(guilty) > 1 and r.shared_fault == FAULT_NONE:
        return
    for seat in range(r.companies):
        s.trip_scores[ix(SEATS * trip + seat)] = -r.penalty * np.int64(guilty >> np.uint64(seat) & _ONE)


@inlined
def find_standings(s: State, r: Rules) -> None:
    """W1: points, then lines ended, then tunnels of every player, as one number that compares alike."""
    for player in range(SEATS):
        s.standings[ix(player)] = 0
    for seat in range(r.companies):
        tunnels = s.tunnels[ix(2 * seat)] + s.tunnels[ix(2 * seat + 1)]
        s.standings[ix(r.seat_player[ix(seat)])] += (s.scores[ix(seat)] * 8 + lines_ended(s, seat)) * 256 + tunnels


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
