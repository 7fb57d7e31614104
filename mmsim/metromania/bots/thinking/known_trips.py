"""The trips as they stand, and the memory of those of networks met lately."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit
from mmsim.metromania.bots.thinking.memory import TRIP_KEY, TRIPS_KEPT, Thoughts
from mmsim.metromania.engine.scoring import (
    guilty_companies,
    involved_companies,
    scoring_companies,
    trip_ends,
    trip_points,
)
from mmsim.metromania.engine.state import SEATS, TRIPS, Board, Rules, State
from mmsim.metromania.engine.trips import Network, build_network, fastest

_ONE, _ZERO = np.uint64(1), np.uint64(0)
# What is known about the trips of a network: a byte a trip.
_POSSIBLE, _COMPANIES = np.uint64(1 << SEATS), np.uint64((1 << SEATS) - 1)
_FIRST_STATION = 1 + 2 * TRIPS  # in a key: after the rules and the ends of the trips


@jit
def reckon_trips(v: State, b: Board, r: Rules, net: Network, t: Thoughts) -> None:
    """What the seven trips would bring every company if the game were over; unplaced markers count where seen.

    The trips of a network that was met lately are known: turns that are compared often lead to the same stations, and
    whoever is next to move meets what the turn before has led to.
    """
    known = know_trips(v, b, r, net, t)
    for trip in range(TRIPS):
        add_trip(v, r, t, known, np.int64(trip))


@jit
def know_trips(v: State, b: Board, r: Rules, net: Network, t: Thoughts) -> np.int64:
    """Where it is kept who scores by the trips, which are run if they are not known; nobody has any points yet."""
    asked, known = TRIP_KEY * TRIPS_KEPT, _note_network(v, b, r, t)
    for i in range(_FIRST_STATION + r.stations - v.supply):
        if t.trip_key[ix(TRIP_KEY * known + i)] != t.trip_key[ix(asked + i)]:
            _run_trips(v, r, net, t, known)
            break
    for seat in range(r.companies):
        t.trip_points[ix(seat)] = 0.0
    return known


@jit
def _note_network(v: State, b: Board, r: Rules, t: Thoughts) -> np.int64:
    """Write down all that the trips depend on; returns where they are kept if they are known."""
    asked = TRIP_KEY * TRIPS_KEPT
    stations = r.stations - v.supply
    rules = (r.ride_minutes << 8 | r.change_minutes) << 8 | r.shared_trip
    t.trip_key[ix(asked)] = np.uint64((rules << 8 | r.companies) << 8 | stations)
    for trip in range(TRIPS):
        t.trip_key[ix(asked + 1 + 2 * trip)], t.trip_key[ix(asked + 2 + 2 * trip)] = trip_ends(v, b, trip)
    for number in range(stations):
        t.trip_key[ix(asked + _FIRST_STATION + number)] = v.place[ix(v.station_at[ix(number)])]
    mixed = _ZERO
    for i in range(_FIRST_STATION + stations):
        mixed = (mixed << np.uint64(7) | mixed >> np.uint64(57)) ^ t.trip_key[ix(asked + i)]
    for half in (32, 16, 8):
        mixed ^= mixed >> np.uint64(half)
    return np.int64(mixed & np.uint64(TRIPS_KEPT - 1))


@jit
def _run_trips(v: State, r: Rules, net: Network, t: Thoughts, known: Any) -> None:
    """Work out who scores by the trips of the network that is asked about, and keep that."""
    asked = TRIP_KEY * TRIPS_KEPT
    for i in range(_FIRST_STATION + r.stations - v.supply):
        t.trip_key[ix(TRIP_KEY * known + i)] = t.trip_key[ix(asked + i)]
    build_network(net, v, r)
    outcomes = _ZERO
    for trip in range(TRIPS):
        start, goal = t.trip_key[ix(asked + 1 + 2 * trip)], t.trip_key[ix(asked + 2 + 2 * trip)]
        possible, companies = _run_trip(r, net, start, goal)
        outcomes |= (companies | (_POSSIBLE if possible else _ZERO)) << np.uint64(8 * trip)
    t.trips_known[ix(known)] = outcomes


@jit
def _run_trip(r: Rules, net: Network, start: Any, goal: Any) -> tuple[np.bool, np.uint64]:
    """Whether a trip is possible, and who scores by it then."""
    possible = fastest(net, r, start, goal) >= 0
    return possible, scoring_companies(r, net, involved_companies(r, net)) if possible else _ZERO


@inlined
def add_trip(v: State, r: Rules, t: Thoughts, known: Any, trip: Any) -> tuple[np.uint64, np.uint64, np.bool, np.uint64]:
    """Add what a trip brings every company; its stations at both ends, whether it is possible, whom it concerns."""
    key = TRIP_KEY * known + 1 + 2 * trip
    start, goal, outcome = t.trip_key[ix(key)], t.trip_key[ix(key + 1)], t.trips_known[ix(known)] >> np.uint64(8 * trip)
    possible = outcome & _POSSIBLE != _ZERO
    companies = outcome & _COMPANIES if possible else guilty_companies(v, r, trip, start, goal)
    for seat in range(r.companies):
        points = trip_points(v, r, trip, seat) if possible else -r.penalty
        t.trip_points[ix(seat)] += points * np.int64(companies >> np.uint64(seat) & _ONE)
    return start, goal, possible, companies
