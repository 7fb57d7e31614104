"""The inputs of expert's net for a position after a turn, as seen by the company that has moved.

Companies are distinguished only by their place in the playing order after that company. The rules are applied by
calling the engine; what only a company itself knows is already hidden in the view.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit
from mmsim.metromania.bots.thinking import distance_maps, input_layout
from mmsim.metromania.bots.thinking.evaluation import find_networks, shortest_ways
from mmsim.metromania.bots.thinking.features import holders_on
from mmsim.metromania.bots.thinking.memory import FAR, FAR_AWAY, Thoughts
from mmsim.metromania.bots.thinking.trip_cache import add_trip, find_trips
from mmsim.metromania.engine import state, stations
from mmsim.metromania.engine.ending import blocked_lines
from mmsim.metromania.engine.scoring import KEPT_PER_LINE, kept_points
from mmsim.metromania.engine.state import MARKERS, NOWHERE, PATH, SPOT_KINDS, TRIPS, VERTICES, Board, Rules, State
from mmsim.metromania.engine.stations import has_been_at, meets, slots_ahead
from mmsim.metromania.engine.trips import Network, stations_at_cell
from mmsim.metromania.rules.lattice import DIRECTIONS

_ONE, _ZERO, _TWO_LINES = np.uint64(1), np.uint64(0), np.uint64(3)
_BYTE = np.uint32(255)
_PARK_LAKE = TRIPS - 1
_LAST_DIRECTION = len(DIRECTIONS) - 1
# Scales: counts are in twos, tens, fives and so on, so that an input of the net is about one.
_TWOS, _THREES, _FOURS, _FIVES, TENS, _TWENTIES, _FIFTIES = 0.5, 0.3, 0.25, 0.2, 0.1, 0.05, 0.02
_FAR_OFF, _LATER = 4.0, 3.0  # caps of inputs
_UNSTARTED_HOPE = 0.5  # for the end of a line that is not started
_HOPELESS = 30.0  # tunnels to go with which a line is not expected to end
_HELD_COST = 2.0  # points that a marker in the hand is expected to cost
_NO_LINE, _AMPLE = 99.0, 9.0  # tunnels or turns to go, and tunnels to spare, before any line is counted
_NOBODY = -99.0  # tens of points, before any rival is counted


@inlined
def _put(t: Thoughts, at: Any, amount: Any) -> None:
    t.inputs[ix(at)] = np.float32(amount)


@inlined
def _add(t: Thoughts, at: Any, amount: Any) -> None:
    t.inputs[ix(at)] += np.float32(amount)


@jit
def describe_position(v: State, b: Board, r: Rules, t: Thoughts, network: Network, seat: Any, row: Any) -> None:
    """Write the inputs for a view from a company's side into `t.inputs`, from `row` on; changes who is in turn."""
    for i in range(input_layout.POSITION):
        _put(t, row + i, 0.0)
    v.seat = seat
    t.held_kinds = v.held[ix(2 * seat)] | v.held[ix(2 * seat + 1)]
    distance_maps.find_free(v, b, t)
    distance_maps.spot_maps(b, t)
    find_networks(v, r, t)
    _describe_trips(v, b, r, t, network, seat, row)
    _forget_lines(t)
    for place in range(r.companies):
        company = seat + place if seat + place < r.companies else seat + place - r.companies
        _describe_company(v, b, r, t, seat, company, row + input_layout.COMPANY * place)
    _describe_ways(t, row)
    _compare(v, r, t, row, seat)
    _describe_table(v, b, r, t, row)


@jit
def _describe_trips(v: State, b: Board, r: Rules, t: Thoughts, network: Network, seat: Any, row: Any) -> None:
    """The seven trips as they stand: what they score for everybody, and what the company's own ones lack."""
    place = find_trips(v, b, r, network, t)
    for trip in range(TRIPS):
        start, goal, possible, companies = add_trip(v, r, t, place, np.int64(trip))
        on_route = possible and companies >> np.uint64(seat) & _ONE != _ZERO
        if trip == _PARK_LAKE:
            _put(t, row + input_layout.PARK, 1.0 if start != _ZERO else 0.0)
            _put(t, row + input_layout.PARK + 1, 1.0 if goal != _ZERO else 0.0)
            _put(t, row + input_layout.PARK + 2, _on_network(v, t, start))
            _put(t, row + input_layout.PARK + 3, _on_network(v, t, goal))
            _put(t, row + input_layout.PARK + 4, 1.0 if on_route else 0.0)
        elif v.marker_holder[ix(2 * trip)] == seat or v.marker_holder[ix(2 * trip + 1)] == seat:
            own = 2 * trip + np.int64(v.marker_holder[ix(2 * trip)] != seat)
            own_end, other_end = (start, goal) if own == 2 * trip else (goal, start)
            states = 3 * _marker_state(v, own, own_end) + _marker_state(v, own ^ 1, other_end)
            _add(t, row + input_layout.OWN_TRIPS + states, _TWOS)
            if possible:
                _add(t, row + input_layout.SCORES + (0 if on_route else 1), _TWOS)
            elif start != _ZERO and goal != _ZERO:
                ends = _on_network(v, t, start) + _on_network(v, t, goal)
                _add(t, row + input_layout.SCORES + (2 if ends > 0.0 else 3), _TWOS)
            _add(t, row + input_layout.ALLIES, _TWOS * holders_on(r, t, own ^ 1, t.own_connected))
        elif possible:
            _add(t, row + input_layout.GUEST + (0 if on_route else 1), _TWOS)
        elif start != _ZERO and goal != _ZERO:
            _add(t, row + input_layout.GUEST + 2, _TWOS)


@inlined
def _marker_state(v: State, marker: Any, stations: Any) -> np.int64:
    """0: held, 1: laid, 2: laid and with a station."""
    return np.int64(v.marker_cell[ix(marker)] != NOWHERE) + np.int64(stations != _ZERO)


@inlined
def _on_network(v: State, t: Thoughts, stations: Any) -> float:
    """Whether a line of the company's network stops at one of some stations."""
    rest = stations
    lines = _ZERO
    while rest != _ZERO:
        lines |= np.uint64(v.lines_at[ix(v.station_at[ix(lowest_bit(rest))])])
        rest &= rest - _ONE
    return 1.0 if lines & t.own_connected != _ZERO else 0.0


@inlined
def _lines_met(v: State, line: Any) -> np.uint64:
    """The lines with a station in common with a line, itself too."""
    rest, met = v.stops[ix(line)], _ZERO
    while rest != _ZERO:
        met |= np.uint64(v.lines_at[ix(v.path[ix(PATH * line + lowest_bit(rest))])])
        rest &= rest - _ONE
    return met


@jit
def _describe_company(v: State, b: Board, r: Rules, t: Thoughts, seat: Any, company: Any, at: Any) -> None:
    """A company: its points, how far its lines are from an end, its markers.

    In one piece, because what is counted along its two lines goes into many inputs.
    """
    nearer, farther, total, slack, stops, met = _NO_LINE, 0.0, 0.0, _AMPLE, 0.0, _ZERO
    hope, unstarted, stuck, points_next = 0.0, 0.0, 0.0, 0.0
    for line in range(2 * company, 2 * company + 2):
        to_go = 0.0
        stops += count_bits(v.stops[ix(line)])
        met |= _lines_met(v, np.int64(line))
        if v.started >> np.uint64(line) & _ONE == _ZERO:
            unstarted += 1.0
            to_go = np.float64(distance_maps.tunnels_across(b))
            hope += _UNSTARTED_HOPE
        elif v.ended >> np.uint64(line) & _ONE != _ZERO:
            hope += 1.0
        else:
            left = np.float64(r.tunnels_per_line - v.tunnels[ix(line)])
            if company == seat:
                to_go = _own_line(v, b, r, t, np.int64(line))
                t.own_points += _most_points(v, b, r, np.int64(line), t.held_kinds, True)
                t.own_reserve += left
            else:
                to_go = np.float64(shortest_ways(v, b, r, t, np.int64(line))[0])
            kinds = t.held_kinds if company == seat else _ONE
            points_next = max(points_next, _most_points(v, b, r, np.int64(line), kinds, False))
            slack = min(slack, left - to_go)
            if to_go > left or to_go >= FAR_AWAY:
                stuck += 1.0
            else:
                hope += 1.0 - to_go / _HOPELESS
        nearer = min(nearer, to_go)
        farther = max(farther, to_go)
        total += to_go
    laid, unserved = 0.0, 0.0
    for marker in range(MARKERS):
        cell = v.marker_cell[ix(marker)]
        if v.marker_holder[ix(marker)] == company and cell != NOWHERE:
            laid += 1.0
            unserved += 1.0 if stations_at_cell(v, b, cell) == _ZERO else 0.0
    held = np.float64(r.hand_size) - laid
    turns = np.ceil(total / r.dig)
    trips = t.trip_points[ix(company)]
    points = np.float64(v.points[ix(company)])
    _put(t, at + input_layout.OF.points, TENS * points)
    _put(t, at + input_layout.OF.kept, TENS * kept_points(v, r, company))
    _put(t, at + input_layout.OF.trips, TENS * trips)
    _put(t, at + input_layout.OF.ended, _TWOS * count_bits(v.ended >> np.uint64(2 * company) & _TWO_LINES))
    _put(t, at + input_layout.OF.nearer_end, TENS * nearer)
    _put(t, at + input_layout.OF.farther_end, TENS * farther)
    _put(t, at + input_layout.OF.unstarted, _TWOS * unstarted)
    _put(t, at + input_layout.OF.slack, _FIVES * max(slack, -_FAR_OFF))
    _put(t, at + input_layout.OF.turns, _FIVES * turns)
    _put(t, at + input_layout.OF.soon, 1.0 / (1.0 + turns))
    _put(t, at + input_layout.OF.held, held / r.hand_size)
    _put(t, at + input_layout.OF.unserved, _TWOS * unserved)
    connected = t.connected[ix(2 * company)] | t.connected[ix(2 * company + 1)]
    _put(t, at + input_layout.OF.network, _FIVES * count_bits(connected))
    _put(t, at + input_layout.OF.projected, TENS * (KEPT_PER_LINE * points * hope + trips - _HELD_COST * held))
    _put(t, at + input_layout.OF.next_points, _TWOS * points_next)
    _put(t, at + input_layout.OF.stuck, _TWOS * stuck)
    _put(t, at + input_layout.OF.stops, TENS * stops)
    _put(t, at + input_layout.OF.met, _FIVES * count_bits(met))
    if company != seat:
        _put(t, at + input_layout.OF.mate, 1.0 if r.seat_player[ix(company)] == r.seat_player[ix(seat)] else 0.0)


@jit
def _own_line(v: State, b: Board, r: Rules, t: Thoughts, line: Any) -> float:
    """Tunnels from an own line to an end; writes down its room, its shortest ways, and the spots it may reach."""
    u = v.terminus[ix(line)]
    left = r.tunnels_per_line - v.tunnels[ix(line)]
    station = v.station[ix(u)] != 0
    distance_maps.goal_map(v, b, r, t, v.start_side[ix(line)])
    into = (VERTICES + 1) * v.start_side[ix(line)]
    open_here = distance_maps.usable(v, u, t.held_kinds) & slots_ahead(v.direction[ix(line)], station)
    open_here |= open_here >> _ONE  # the two slots of a direction
    to_go, room, ways = np.int64(FAR_AWAY), 0.0, 0.0
    if left > 0:
        if t.ahead[ix(into + u)] & _BYTE == 1:
            to_go, ways = np.int64(1), 1.0
        k, directions = stations.directions_ahead(v.direction[ix(line)], station)
        for _ in range(directions):
            w = np.int64(b.neighbour[ix(6 * u + k)])
            if open_here >> np.uint64(2 * k) & _ONE != _ZERO and has_been_at(v, line, w) == _ZERO:
                beyond = t.ahead[ix(into + w)]
                room += 1.0
                far = 1 + np.int64(beyond & _BYTE)
                if far < to_go:
                    to_go, ways = far, 1.0
                elif far == to_go:
                    ways += 1.0
                for kind in range(SPOT_KINDS):
                    spot = np.int64(beyond >> np.uint32(8 * kind + 8) & _BYTE)
                    t.spot_near[ix(kind)] = min(t.spot_near[ix(kind)], spot)
            k = np.int64(0) if k == _LAST_DIRECTION else k + 1
    t.own_room[ix(line & 1)] = room
    t.own_ways[ix(line & 1)] = ways
    return np.float64(to_go)


@inlined
def _forget_lines(t: Thoughts) -> None:
    for number in range(2):
        t.own_room[ix(number)] = -1.0
        t.own_ways[ix(number)] = -1.0
    t.own_points = 0.0
    t.own_reserve = 0.0
    for kind in range(SPOT_KINDS):
        t.spot_near[ix(kind)] = FAR


@jit
def _describe_ways(t: Thoughts, row: Any) -> None:
    """Where the own lines may continue: the sum and the minimum of both lines, and the spots they may reach."""
    room, least_room, ways, least_ways = 0.0, _AMPLE, 0.0, _AMPLE
    for number in range(2):
        if t.own_room[ix(number)] >= 0.0:
            room += t.own_room[ix(number)]
            ways += t.own_ways[ix(number)]
            least_room = min(least_room, t.own_room[ix(number)])
            least_ways = min(least_ways, t.own_ways[ix(number)])
    near, none = 0.0, 0.0
    for kind in range(SPOT_KINDS):
        if t.held_kinds >> np.uint64(16 * (kind + 1)) & _ONE != _ZERO:
            near += 1.0 / (1.0 + t.spot_near[ix(kind)])
            none += 1.0 if t.spot_near[ix(kind)] == FAR else 0.0
    _put(t, row + input_layout.SPOTS, near)
    _put(t, row + input_layout.SPOTS + 1, _TWOS * none)
    _put(t, row + input_layout.ROOM, _FIVES * room)
    _put(t, row + input_layout.ROOM + 1, _THREES * min(least_room, _FAR_OFF))
    _put(t, row + input_layout.WAYS, _FIVES * ways)
    _put(t, row + input_layout.WAYS + 1, _THREES * min(least_ways, _FAR_OFF))
    _put(t, row + input_layout.WAYS + 2, _THREES * t.own_points)
    _put(t, row + input_layout.WAYS + 3, _TWENTIES * t.own_reserve)


@jit
def _most_points(v: State, b: Board, r: Rules, line: Any, kinds: Any, two: Any) -> float:
    """The most points that the next tunnel of a line, or the next two, may score with stations."""
    u = v.terminus[ix(line)]
    most = np.int64(0)
    rest = v.open[ix(line)] & distance_maps.usable(v, u, kinds)
    rest = (rest | rest >> _ONE) & np.uint64(distance_maps.EVERY_DIRECTION)
    while rest != _ZERO:
        d = lowest_bit(rest) >> 1
        rest &= rest - _ONE
        edge, w = np.int64(b.edge[ix(6 * u + d)]), np.int64(b.neighbour[ix(6 * u + d)])
        met = meets(v, line, w, edge)
        points = stations.station_points(r, v.lanes[ix(w)]) if met else np.int64(0)
        if stations.splits_here(v, line, u, edge):
            points += stations.station_points(r, v.lanes[ix(u)])
        beyond = distance_maps.usable(v, w, _ONE) & slots_ahead(d, met or v.station[ix(w)] != 0) if two else _ZERO
        beyond = (beyond | beyond >> _ONE) & np.uint64(distance_maps.EVERY_DIRECTION)
        best = np.int64(0)
        while beyond != _ZERO:
            k = lowest_bit(beyond) >> 1
            beyond &= beyond - _ONE
            vertex = np.int64(b.neighbour[ix(6 * w + k)])
            if has_been_at(v, line, vertex) == _ZERO and meets(v, line, vertex, np.int64(b.edge[ix(6 * w + k)])):
                best = max(best, stations.station_points(r, v.lanes[ix(vertex)]))
        most = max(most, points + best)
    return np.float64(most)


@jit
def _compare(v: State, r: Rules, t: Thoughts, row: Any, seat: Any) -> None:
    """The company's player against the others: points now, projected points, and the race to the end."""
    own, own_projected, best, best_projected = 0.0, 0.0, _NOBODY, _NOBODY
    ahead = 0.0
    for player in range(r.players):
        stands, projected = 0.0, 0.0
        for company in range(r.companies):
            if r.seat_player[ix(company)] == player:
                at = row + input_layout.COMPANY * ((company - seat) % r.companies)
                stands += t.inputs[ix(at + input_layout.OF.kept)] + t.inputs[ix(at + input_layout.OF.trips)]
                projected += t.inputs[ix(at + input_layout.OF.projected)]
                stands += TENS * r.seat_points[ix(company)]  # H1
                projected += TENS * r.seat_points[ix(company)]
        t.player_stands[ix(player)] = stands
        if player == r.seat_player[ix(seat)]:
            own, own_projected = stands, projected
        else:
            best, best_projected = max(best, stands), max(best_projected, projected)
    for player in range(r.players):
        ahead += 1.0 if t.player_stands[ix(player)] > own else 0.0
    first, second, leading, leader_turns = _NO_LINE, _NO_LINE, _NOBODY, 0.0
    for place in range(1, r.companies):
        at = row + input_layout.COMPANY * place
        if t.inputs[ix(at + input_layout.OF.mate)] == 0.0:
            turns = np.float64(t.inputs[ix(at + input_layout.OF.turns)])
            if t.inputs[ix(at + input_layout.OF.projected)] > leading:
                leading, leader_turns = np.float64(t.inputs[ix(at + input_layout.OF.projected)]), turns
            second = min(second, max(first, turns))
            first = min(first, turns)
    _put(t, row + input_layout.LEAD, own - best)
    _put(t, row + input_layout.LEAD + 1, own_projected - best_projected)
    _put(t, row + input_layout.LEAD + 2, _TWOS * ahead)
    soon = 1.0 / (1.0 + first / _FIVES)  # as `OF.soon`, of turns
    _put(t, row + input_layout.LEAD + 3, (own - best) * t.inputs[ix(row + input_layout.OF.soon)])
    _put(t, row + input_layout.LEAD + 4, (own - best) * soon)
    _put(t, row + input_layout.LEAD + 5, (own_projected - best_projected) * (1.0 - soon))
    _put(t, row + input_layout.LEAD + 6, min(leader_turns, _FAR_OFF))
    _put(t, row + input_layout.LEAD + 7, min(np.float64(t.inputs[ix(row + input_layout.OF.turns)]) - first, _LATER))
    _put(t, row + input_layout.LEAD + 8, min(first, _FAR_OFF))
    _put(t, row + input_layout.LEAD + 9, min(second, _FAR_OFF))
    if v.over:
        _put(t, row + input_layout.OVER, 1.0)
        _put(t, row + input_layout.OVER + 1, 1.0 if own > best else 0.0)
        _put(t, row + input_layout.OVER + 2, 1.0 if own < best else 0.0)


@jit
def _describe_table(v: State, b: Board, r: Rules, t: Thoughts, row: Any) -> None:
    """What concerns all: stations left, how near the end of the building phase is, and the rules that matter."""
    unserved = 0.0
    for place in range(r.companies):
        unserved += t.inputs[ix(row + input_layout.COMPANY * place + input_layout.OF.unserved)]
    gone = count_bits(v.ended | blocked_lines(v, b, r))
    _put(t, row + input_layout.SUPPLY, _TWENTIES * v.supply)
    _put(t, row + input_layout.SUPPLY + 1, _FOURS * (r.end_lines - gone))
    _put(t, row + input_layout.SUPPLY + 2, unserved)
    _put(t, row + input_layout.LAST_ROUND, 1.0 if v.turns_left >= 0 else 0.0)
    _put(t, row + input_layout.TURN, _FIFTIES * v.turn)
    _put(t, row + input_layout.RULES, _FOURS * r.companies)
    _put(t, row + input_layout.RULES + 1, 1.0 if r.companies > r.players else 0.0)
    _put(t, row + input_layout.RULES + 2, 1.0 if r.last_round == state.OTHERS or r.last_round == state.ROUND else 0.0)
    _put(t, row + input_layout.RULES + 3, 1.0 if r.trigger_turn == state.STOP else 0.0)
    _put(t, row + input_layout.RULES + 4, 1.0 if r.hands == state.OPEN else 0.0)
    _put(t, row + input_layout.RULES + 5, 1.0 if r.shared_trip == state.SHARED_ALL else 0.0)
    _put(t, row + input_layout.RULES + 6, _THREES * r.dig)
