"""What a bot works out before it weighs turns: networks, who is ahead, what others need, where its lines stand."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit
from mmsim.compiled.vectors import least_bytes
from mmsim.metromania.bots.thinking.maps import find_free, goal_map, reach_targets, spot_maps, usable
from mmsim.metromania.bots.thinking.memory import (
    ALLIES,
    BLOCK,
    CHANCES,
    CLOSE,
    DEPTH,
    DISTANCES,
    END_VALUES,
    ENDS,
    FINISH,
    LAKE,
    LEADER,
    NEAR,
    NEAR_SPOT,
    NEARNESS,
    PARK,
    PARTNER,
    RACE,
    RIVALS,
    ROOM,
    SHORTER,
    SLACKS,
    TRIP_KEY,
    TRIP_POINTS,
    TRIPS_KEPT,
    UNSTARTED,
    WEIGHTS,
    WIDTH,
    Bots,
    Thoughts,
)
from mmsim.metromania.bots.thinking.view import guess_holders
from mmsim.metromania.engine.scoring import (
    guilty_companies,
    involved_companies,
    kept_points,
    scoring_companies,
    trip_ends,
    trip_points,
)
from mmsim.metromania.engine.state import MARKERS, NOWHERE, SEATS, TRIPS, VERTICES, Board, Rules, State
from mmsim.metromania.engine.stations import directions_ahead, slots_ahead
from mmsim.metromania.engine.trips import Network, build_network, fastest, stations_at_cell

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_BYTE = np.uint32(255)
EVERY_DIRECTION = 0x555  # the first slot of every direction
FAR_AWAY = 24  # tunnels: what a line without any way to an end counts as
_NEVER_ENDS = 99.0  # turns: what a company that cannot end its lines needs
_ENOUGH_ROOM = 3  # ways: more do not count
# What is known about the trips of a network: a byte a trip.
_POSSIBLE, _COMPANIES = np.uint64(1 << SEATS), np.uint64((1 << SEATS) - 1)
_FIRST_STATION = 1 + 2 * TRIPS  # in a key: after the rules and the ends of the trips


@inlined
def weight(bots: Bots, seat: Any, which: Any) -> float:
    return bots.weight[ix(WEIGHTS * seat + which)]


@inlined
def note_if(explaining: Any, bots: Bots, m: Thoughts, seat: Any, feature: Any, amount: Any) -> float:
    """An amount of a feature: what it is worth to the bot, and in the list of amounts if those are told."""
    if explaining:
        m.amount[ix(feature)] += amount
    return weight(bots, seat, feature) * amount


@jit
def note(bots: Bots, m: Thoughts, seat: Any, feature: Any, amount: Any) -> float:
    return note_if(m.explaining, bots, m, seat, feature, amount)


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
    m.rival = _company_in_front(v, r, m)
    m.kept_share = 0.0
    m.rival_turns = 0.0
    if weight(bots, seat, BLOCK) != 0.0 or weight(bots, seat, LEADER) != 0.0 or weight(bots, seat, RACE) != 0.0:
        _find_needs(v, b, r, m)
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


@jit
def reckon_trips(v: State, b: Board, r: Rules, net: Network, m: Thoughts) -> None:
    """What the seven trips would bring every company if the game were over; unplaced markers count where seen.

    The trips of a network that was met lately are known: turns that are compared often lead to the same stations, and
    whoever is next to move meets what the turn before has led to.
    """
    asked, known = TRIP_KEY * TRIPS_KEPT, _note_network(v, b, r, m)
    for i in range(_FIRST_STATION + r.stations - v.supply):
        if m.trip_key[ix(TRIP_KEY * known + i)] != m.trip_key[ix(asked + i)]:
            _run_trips(v, r, net, m, known)
            break
    for seat in range(r.companies):
        m.trip_points[ix(seat)] = 0.0
    for trip in range(TRIPS):
        start, goal = m.trip_key[ix(asked + 1 + 2 * trip)], m.trip_key[ix(asked + 2 + 2 * trip)]
        outcome = m.trips_known[ix(known)] >> np.uint64(8 * trip)
        _add_points(v, r, m, trip, start, goal, outcome & _POSSIBLE != _ZERO, outcome & _COMPANIES)


@jit
def _note_network(v: State, b: Board, r: Rules, m: Thoughts) -> np.int64:
    """Write down all that the trips depend on; returns where they are kept if they are known."""
    asked = TRIP_KEY * TRIPS_KEPT
    stations = r.stations - v.supply
    rules = (r.ride_minutes << 8 | r.change_minutes) << 8 | r.shared_trip
    m.trip_key[ix(asked)] = np.uint64((rules << 8 | r.companies) << 8 | stations)
    for trip in range(TRIPS):
        m.trip_key[ix(asked + 1 + 2 * trip)], m.trip_key[ix(asked + 2 + 2 * trip)] = trip_ends(v, b, trip)
    for number in range(stations):
        m.trip_key[ix(asked + _FIRST_STATION + number)] = v.place[ix(v.station_at[ix(number)])]
    mixed = _ZERO
    for i in range(_FIRST_STATION + stations):
        word, turned = m.trip_key[ix(asked + i)], np.uint64(1 + 7 * i % 63)
        mixed ^= word << turned | word >> (np.uint64(64) - turned)
    for half in (32, 16, 8):
        mixed ^= mixed >> np.uint64(half)
    return np.int64(mixed & np.uint64(TRIPS_KEPT - 1))


@jit
def _run_trips(v: State, r: Rules, net: Network, m: Thoughts, known: Any) -> None:
    """Work out who scores by the trips of the network that is asked about, and keep that."""
    asked = TRIP_KEY * TRIPS_KEPT
    for i in range(_FIRST_STATION + r.stations - v.supply):
        m.trip_key[ix(TRIP_KEY * known + i)] = m.trip_key[ix(asked + i)]
    build_network(net, v, r)
    outcomes = _ZERO
    for trip in range(TRIPS):
        start, goal = m.trip_key[ix(asked + 1 + 2 * trip)], m.trip_key[ix(asked + 2 + 2 * trip)]
        possible, companies = _run_trip(r, net, start, goal)
        outcomes |= (companies | (_POSSIBLE if possible else _ZERO)) << np.uint64(8 * trip)
    m.trips_known[ix(known)] = outcomes


@jit
def _run_trip(r: Rules, net: Network, start: Any, goal: Any) -> tuple[np.bool, np.uint64]:
    """Whether a trip is possible, and who scores by it then."""
    possible = fastest(net, r, start, goal) >= 0
    return possible, scoring_companies(r, net, involved_companies(r, net)) if possible else _ZERO


@inlined
def _add_points(
    v: State, r: Rules, m: Thoughts, trip: Any, start: Any, goal: Any, possible: Any, scoring: Any
) -> np.uint64:
    """Add what a trip brings every company; returns the bits of those that it concerns."""
    companies = scoring if possible else guilty_companies(v, r, trip, start, goal)
    for seat in range(r.companies):
        points = trip_points(v, r, trip, seat) if possible else -r.penalty
        m.trip_points[ix(seat)] += points * np.int64(companies >> np.uint64(seat) & _ONE)
    return companies


@jit
def add_trip(
    v: State, b: Board, r: Rules, net: Network, m: Thoughts, trip: Any
) -> tuple[np.uint64, np.uint64, np.bool, np.uint64]:
    """Add what a trip brings every company; its stations at both ends, whether it is possible, whom it concerns."""
    start, goal = trip_ends(v, b, trip)
    possible, scoring = _run_trip(r, net, start, goal)
    return start, goal, possible, _add_points(v, r, m, trip, start, goal, possible, scoring)


@inlined
def _seat_after(v: State, r: Rules, places: Any) -> np.int64:
    """The seat so many places after the one in turn: a bot tells companies apart by the playing order only."""
    seat = v.seat + places
    return seat if seat < r.companies else seat - r.companies


@inlined
def _company_in_front(v: State, r: Rules, m: Thoughts) -> np.int64:
    """The company of another player with the best standing; of several the one whose turn comes first."""
    front = np.int64(-1)
    for places in range(1, r.companies):
        seat = _seat_after(v, r, np.int64(places))
        if r.seat_player[ix(seat)] != r.seat_player[ix(v.seat)] and (
            front < 0 or m.standing[ix(seat)] > m.standing[ix(front)]
        ):
            front = np.int64(seat)
    return front


@jit
def _find_needs(v: State, b: Board, r: Rules, m: Thoughts) -> None:
    """Which cells the other companies need for their next tunnel, and how soon one of them may end both its lines."""
    for i in range(m.needs):
        m.need[ix(m.needed[ix(i)])] = 0.0
        m.need_leader[ix(m.needed[ix(i)])] = 0.0
    m.needs = 0
    m.rival_turns = _NEVER_ENDS
    for places in range(1, r.companies):  # sums of shares are the same to the last bit wherever somebody sits
        seat = _seat_after(v, r, np.int64(places))
        if r.seat_player[ix(seat)] == r.seat_player[ix(v.seat)]:
            continue
        to_dig = np.int64(0)
        for line in range(2 * seat, 2 * seat + 2):
            if v.started >> np.uint64(line) & _ONE == _ZERO:
                to_dig += 2 * b.side
            elif v.ended >> np.uint64(line) & _ONE == _ZERO:
                to_dig += _line_needs(v, b, r, m, np.int64(line), seat == m.rival)
        m.rival_turns = min(m.rival_turns, to_dig / r.dig)


@inlined
def _line_needs(v: State, b: Board, r: Rules, m: Thoughts, line: Any, leading: Any) -> np.int64:
    """The cells of the next tunnels on the shortest ways of a line; returns how many tunnels it has to go."""
    to_go, slots = shortest_ways(v, b, r, m, line)
    if slots != _ZERO:
        _note_needs(b, m, v.terminus[ix(line)], slots, np.float64(to_go), leading)
    return to_go


@jit
def shortest_ways(v: State, b: Board, r: Rules, m: Thoughts, line: Any) -> tuple[np.int64, np.uint64]:
    """How many tunnels a line of another company has to go, and the slots of the next ones on its shortest ways."""
    u = v.terminus[ix(line)]
    ways = v.open[ix(line)] & (v.lanes[ix(u)] | v.end_free[ix(u)])
    most = min(r.tunnels_per_line - v.tunnels[ix(line)], np.int64(FAR_AWAY - 1))
    if ways == _ZERO or most <= 0:
        return np.int64(FAR_AWAY), _ZERO
    exits = ways & v.end_free[ix(u)]
    if exits != _ZERO:
        return np.int64(1), exits
    for word in range(1, b.words):
        m.target[ix(word)] = _ZERO
    rest = (ways | ways >> _ONE) & np.uint64(EVERY_DIRECTION)
    while rest != _ZERO:
        at = np.uint64(b.bit[ix(b.neighbour[ix(6 * u + (lowest_bit(rest) >> 1))])])
        m.target[ix(at >> np.uint64(6))] |= _ONE << (at & np.uint64(63))
        rest &= rest - _ONE
    beyond = reach_targets(v, b, r, m, v.start_side[ix(line)], most - 1)
    if beyond == 0:
        return np.int64(FAR_AWAY), _ZERO
    nearest = _ZERO
    rest = ways
    while rest != _ZERO:
        slot = lowest_bit(rest)
        at = np.uint64(b.bit[ix(b.neighbour[ix(6 * u + (slot >> 1))])])
        met = m.wave[ix(at >> np.uint64(6))] >> (at & np.uint64(63)) & _ONE
        nearest |= met << np.uint64(slot)
        rest &= rest - _ONE
    return 1 + beyond, nearest


@inlined
def _note_needs(b: Board, m: Thoughts, u: Any, slots: Any, to_go: Any, leading: Any) -> None:
    """Note that a line with so many tunnels to go needs one of the cells of some slots."""
    share = 1.0 / (np.float64(count_bits(slots)) * to_go)
    rest = slots
    while rest != _ZERO:
        cell = b.slot_cell[ix(12 * u + lowest_bit(rest))]
        if m.need[ix(cell)] == 0.0:
            m.needed[ix(m.needs)] = cell
            m.needs += 1
        m.need[ix(cell)] += share
        if leading:
            m.need_leader[ix(cell)] += share
        rest &= rest - _ONE


# --- what the end of a line is worth ---------------------------------------------------------------------------


class LineEnd(NamedTuple):
    """The end of a line, as it is or after some tunnels."""

    number: Any  # the line, 0 or 1
    side: Any  # the one on which it started
    planned: Any  # tunnels after those it has
    at: Any  # the vertex
    direction: Any  # in which it came there
    station: Any  # whether there is a station
    kinds: Any  # lanes of the markers left to lay


@jit
def as_it_stands(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, number: Any) -> float:
    """What the end of a line is worth where it is now; notes its chance."""
    line = 2 * v.seat + number
    if v.ended >> np.uint64(line) & _ONE != _ZERO:
        return ended_value(v, b, bots, m, number)
    if v.started >> np.uint64(line) & _ONE == _ZERO:
        m.chance[ix(number)] = weight(bots, v.seat, WIDTH + UNSTARTED)
        return _line_end_value(v, bots, m, m.chance[ix(number)], 2 * b.side, 0.0, 0.0, m.explaining)
    u, side = v.terminus[ix(line)], v.start_side[ix(line)]
    goal_map(v, b, r, m, side)
    end = LineEnd(number, side, np.int64(0), u, v.direction[ix(line)], v.station[ix(u)] != 0, m.held_kinds)
    to_go, near, room = _around(v, b, r, bots, m, end)
    chance = _chance(bots, v.seat, to_go, r.tunnels_per_line - v.tunnels[ix(line)])
    m.chance[ix(number)] = chance
    return _line_end_value(v, bots, m, chance, to_go, near, room, m.explaining)


@inlined
def terminus_value(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, end: LineEnd, explaining: Any) -> float:
    """What the end of a line is worth after some planned tunnels."""
    to_go, near, room = _around(v, b, r, bots, m, end)
    left = r.tunnels_per_line - v.tunnels[ix(2 * v.seat + end.number)] - end.planned
    if explaining:
        return _line_end_value(v, bots, m, _chance(bots, v.seat, to_go, left), to_go, near, room, explaining)
    row = (DEPTH + 1) * end.number + end.planned
    if m.end_values_known[ix(row)] >> np.uint64(to_go) & _ONE == _ZERO:
        m.end_values_known[ix(row)] |= _ONE << np.uint64(to_go)
        m.end_value[ix(END_VALUES * row + to_go)] = _ending_value(
            v, bots, m, _chance(bots, v.seat, to_go, left), to_go, explaining
        )
    value = m.end_value[ix(END_VALUES * row + to_go)]
    value += weight(bots, v.seat, NEAR_SPOT) * near
    return value + weight(bots, v.seat, ROOM) * room


@inlined
def _line_end_value(
    v: State, bots: Bots, m: Thoughts, chance: Any, to_go: Any, near: Any, room: Any, explaining: Any
) -> float:
    """The features of the end of a line, weighed."""
    value = _ending_value(v, bots, m, chance, to_go, explaining)
    value += note_if(explaining, bots, m, v.seat, NEAR_SPOT, near)
    return value + note_if(explaining, bots, m, v.seat, ROOM, room)


@inlined
def _ending_value(v: State, bots: Bots, m: Thoughts, chance: Any, to_go: Any, explaining: Any) -> float:
    """Those of them that are about ending the line."""
    seat, shown = v.seat, min(to_go, np.int64(FAR_AWAY))
    value = note_if(explaining, bots, m, seat, ENDS, chance)
    value += note_if(explaining, bots, m, seat, FINISH, chance * 0.5 * np.float64(v.points[ix(seat)]))
    value += note_if(explaining, bots, m, seat, SHORTER, -np.float64(shown))
    return value + note_if(explaining, bots, m, seat, RACE, m.race[ix(shown)])


@jit
def ended_value(v: State, b: Board, bots: Bots, m: Thoughts, number: Any) -> float:
    """What a line is worth that has ended."""
    if v.ended >> np.uint64(2 * v.seat + number) & _ONE != _ZERO:
        m.chance[ix(number)] = 1.0
    return _line_end_value(v, bots, m, 1.0, np.int64(0), 0.0, 0.0, m.explaining)


@inlined
def _chance(bots: Bots, seat: Any, to_go: Any, left: Any) -> float:
    """The chance to end a line with so many tunnels to go and so many left."""
    if to_go > left or to_go >= DISTANCES:
        return 0.0
    return bots.chance[ix(CHANCES * seat + SLACKS * to_go + min(left - to_go, np.int64(SLACKS - 1)))]


@inlined
def _around(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, end: LineEnd) -> tuple[np.int64, float, float]:
    """The tunnels from the end of a line to an end of lines, up to DISTANCES, how near spots are, and the room."""
    line = 2 * v.seat + end.number
    left = r.tunnels_per_line - v.tunnels[ix(line)] - end.planned
    if left <= 0:
        return np.int64(DISTANCES), 0.0, 0.0
    u, into = end.at, (VERTICES + 1) * end.side
    ways = usable(v, u, end.kinds) & slots_ahead(end.direction, end.station)
    ways |= ways >> _ONE  # the two slots of a direction
    least, places = np.uint32(0xFFFFFFFF), np.int64(0)
    k, directions = directions_ahead(end.direction, end.station)
    for _ in range(directions // 3):
        for _ in range(3):  # so many at once: compiled without a loop
            w = np.int64(b.neighbour[ix(6 * u + k)])
            open_there = np.int64(ways >> np.uint64(2 * k) & _ONE) & ~(np.int64(v.lines_at[ix(w)]) >> line)
            shut = np.uint32((~open_there & 1) * 0xFFFFFFFF)
            places += open_there & 1
            least = least_bytes(least, np.uint32(m.ahead[ix(into + w)] | shut))
            k = np.int64(0) if k == 5 else k + 1
    to_go = np.int64(1) if m.ahead[ix(into + u)] & _BYTE == 1 else 1 + np.int64(least & _BYTE)
    near = 0.0
    if weight(bots, v.seat, NEAR_SPOT) != 0.0:
        near = _nearness(bots, v.seat, end.kinds, least, left)
    return min(to_go, np.int64(DISTANCES)), near, np.float64(min(places, np.int64(_ENOUGH_ROOM)))


@inlined
def _nearness(bots: Bots, seat: Any, kinds: Any, least: Any, left: Any) -> float:
    """How near spots are for the markers of some kinds, by bytes of tunnels to spots R, C, E above the lowest."""
    row = NEARNESS * ((NEAR + 1) * seat + min(left, np.int64(NEAR)))
    near = 0.0
    for lane in range(1, 4):
        held = (kinds >> np.uint64(16 * lane) & _ONE) * np.uint64(NEARNESS - 1)
        tunnels = np.uint64(least >> np.uint32(8 * lane)) & np.uint64(NEARNESS - 1)
        near += bots.nearness[ix(row) + (tunnels | held ^ np.uint64(NEARNESS - 1))]
    return near
