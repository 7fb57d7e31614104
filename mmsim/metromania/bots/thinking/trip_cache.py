"""The trips as they stand, and a cache of those of networks met lately."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.metromania.bots.thinking.memory import TRIP_KEY, TRIPS_CACHED, Thoughts
from mmsim.metromania.engine import scoring
from mmsim.metromania.engine.scoring import trip_ends, trip_points
from mmsim.metromania.engine.state import SEATS, TRIPS, Board, Rules, State
from mmsim.metromania.engine.trips import Network, build_network, fastest

_ONE, _ZERO = np.uint64(1), np.uint64(0)
# What is cached about the trips of a network: one byte per trip.
_POSSIBLE, _COMPANIES = np.uint64(1 << SEATS), np.uint64((1 << SEATS) - 1)
_FIRST_STATION = 1 + 2 * TRIPS  # in a key: after the rules and the ends of the trips


@jit
def score_trips(v: State, b: Board, r: Rules, network: Network, t: Thoughts) -> None:
    """What the seven trips would score for every company if the game were over; unplaced markers count where seen.

    Networks met lately are looked up: turns that are compared often lead to the same stations, and the next company
    meets the network that the turn before has led to.
    """
    place = find_trips(v, b, r, network, t)
    for trip in range(TRIPS):
        add_trip(v, r, t, place, np.int64(trip))


@jit
def find_trips(v: State, b: Board, r: Rules, network: Network, t: Thoughts) -> np.int64:
    """Place in the cache of who scores by the trips, which are run if they are not in it; clears `trip_points`."""
    looked_up, place = TRIP_KEY * TRIPS_CACHED, _write_key(v, b, r, t)
    for i in range(_FIRST_STATION + r.stations - v.supply):
        if t.trip_key[ix(TRIP_KEY * place + i)] != t.trip_key[ix(looked_up + i)]:
            _run_trips(v, r, network, t, place)
            break
    for seat in range(r.companies):
        t.trip_points[ix(seat)] = 0.0
    return place


@jit
def _write_key(v: State, b: Board, r: Rules, t: Thoughts) -> np.int64:
    """Write down the key: all that the trips depend on; returns its place in the cache."""
    looked_up = TRIP_KEY * TRIPS_CACHED
    stations = r.stations - v.supply
    rules = (r.ride_minutes << 8 | r.change_minutes) << 8 | r.shared_trip
    t.trip_key[ix(looked_up)] = np.uint64((rules << 8 | r.companies) << 8 | stations)
    for trip in range(TRIPS):
        t.trip_key[ix(looked_up + 1 + 2 * trip)], t.trip_key[ix(looked_up + 2 + 2 * trip)] = trip_ends(v, b, trip)
    for number in range(stations):
        t.trip_key[ix(looked_up + _FIRST_STATION + number)] = v.place[ix(v.station_at[ix(number)])]
    hashed = _ZERO
    for i in range(_FIRST_STATION + stations):
        hashed = (hashed << np.uint64(7) | hashed >> np.uint64(57)) ^ t.trip_key[ix(looked_up + i)]
    for half in (32, 16, 8):
        hashed ^= hashed >> np.uint64(half)
    return np.int64(hashed & np.uint64(TRIPS_CACHED - 1))


@jit
def _run_trips(v: State, r: Rules, network: Network, t: Thoughts, place: Any) -> None:
    """Work out who scores by the trips of the network, and cache that."""
    looked_up = TRIP_KEY * TRIPS_CACHED
    for i in range(_FIRST_STATION + r.stations - v.supply):
        t.trip_key[ix(TRIP_KEY * place + i)] = t.trip_key[ix(looked_up + i)]
    build_network(network, v, r)
    outcomes = _ZERO
    for trip in range(TRIPS):
        start, goal = t.trip_key[ix(looked_up + 1 + 2 * trip)], t.trip_key[ix(looked_up + 2 + 2 * trip)]
        if fastest(network, r, start, goal) >= 0:
            companies = scoring.scoring_companies(r, network, scoring.involved_companies(r, network))
            outcomes |= (companies | _POSSIBLE) << np.uint64(8 * trip)
    t.cached_trips[ix(place)] = outcomes


@inlined
def add_trip(v: State, r: Rules, t: Thoughts, place: Any, trip: Any) -> tuple[np.uint64, np.uint64, np.bool, np.uint64]:
    """Add the points of a trip; returns the stations at its ends, whether it is possible, and whom it concerns."""
    key = TRIP_KEY * place + 1 + 2 * trip
    start, goal = t.trip_key[ix(key)], t.trip_key[ix(key + 1)]
    outcome = t.cached_trips[ix(place)] >> np.uint64(8 * trip)
    possible = outcome & _POSSIBLE != _ZERO
    companies = outcome & _COMPANIES if possible else scoring.guilty_companies(v, r, trip, start, goal)
    for seat in range(r.companies):
        points = trip_points(v, r, trip, seat) if possible else -r.penalty
        t.trip_points[ix(seat)] += points * np.int64(companies >> np.uint64(seat) & _ONE)
    return start, goal, possible, companies
