"""The plans of one line: tunnel after tunnel, tried on the position as it is, without playing them."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, lowest_bit
from mmsim.metromania.bots.thinking.evaluation import (
    EVERY_DIRECTION,
    LineEnd,
    ended_value,
    note_if,
    terminus_value,
    weight,
)
from mmsim.metromania.bots.thinking.features import joining_value, marker_value, place_value, station_value
from mmsim.metromania.bots.thinking.maps import goal_map, usable
from mmsim.metromania.bots.thinking.memory import (
    AHEAD,
    BLOCK,
    CLOSE,
    DEPTH,
    DUG,
    LEADER,
    LEAST_POINTS,
    PLANS,
    WIDTH,
    Bots,
    Thoughts,
)
from mmsim.metromania.engine.moves import DIG, END, START, end_slots, marker_for, move_code, move_parts
from mmsim.metromania.engine.placing import start_tunnel
from mmsim.metromania.engine.state import EDGES, HAND, PATH, Board, Rules, State
from mmsim.metromania.engine.stations import has_been_at, meets, slots_ahead, splits

_ONE, _ZERO = np.uint64(1), np.uint64(0)
QUIET, EXPLAINING, EXPLAINING_STEP = range(3)  # amounts: not written down; of a plan; of a tunnel on the way to its end
NEVER = -1e18  # a plan that does not exist
CODE_BITS = 16  # of a move in the moves of a plan
MADE_AT = CODE_BITS * DEPTH  # above them, in a plan that is kept: how many stations it makes


class Plan(NamedTuple):
    """Where a plan of one line stands."""

    number: Any  # the line, 0 or 1
    side: Any  # the one on which it started
    depth: Any  # tunnels planned
    at: Any  # the vertex it has come to
    direction: Any  # in which it came there
    edge: Any  # along which it came there
    station: Any  # whether there is a station
    value: Any  # of its tunnels, without that of the end of the line
    kinds: Any  # lanes that may still be dug in: blank ones only once the turn's markers are laid
    made: Any  # stations it makes
    unserved: Any  # bits of what has no station by then, as in `unserved`
    network: Any  # bits of the lines that the company's are connected with by then
    codes: Any  # its moves, CODE_BITS each, the first lowest


class Tunnel(NamedTuple):
    """A tunnel that may be dug next."""

    code: Any  # the move
    to: Any  # the vertex it leads to
    direction: Any
    cell: Any


@inlined
def _add_tunnel(
    v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, plan: Plan, tunnel: Tunnel, explaining: Any
) -> None:
    """One more tunnel of a plan: what it is worth, and the plan as it stands then; it waits to be gone on with.

    `explaining`: as in `m`, or QUIET where that is known. In one piece: here bots spend most of their time.
    """
    seat, number, depth, u = v.seat, plan.number, plan.depth, plan.at
    line = 2 * seat + number
    w, kinds = tunnel.to, plan.kinds
    edge = np.int64(b.edge[ix(6 * u + tunnel.direction)])
    kind, _, _, extra = move_parts(tunnel.code)
    at_u = not plan.station and splits(v, line, plan.edge, u, edge)
    at_w = meets(v, line, w, edge)
    made = plan.made + np.int64(at_u) + np.int64(at_w)
    if depth > 0 and made > v.supply:  # D5
        return
    value, unserved, network = plan.value + note_if(explaining, bots, m, seat, DUG, 1.0), plan.unserved, plan.network
    if at_u:
        station, unserved = station_value(v, b, r, bots, m, u, unserved)
        joining, network = joining_value(v, r, bots, m, line, u, True, network)
        value += station + joining
    if at_w:
        station, unserved = station_value(v, b, r, bots, m, w, unserved)
        value += station
    there = at_w or (kind != END and v.station[ix(w)] != 0)
    if there:
        joining, network = joining_value(v, r, bots, m, line, w, at_w, network)
        value += joining
    value += note_if(explaining, bots, m, seat, BLOCK, m.need[ix(tunnel.cell)])
    value += note_if(explaining, bots, m, seat, LEADER, m.need_leader[ix(tunnel.cell)])
    held = kinds
    if extra > 0 and kind == DIG:
        served = there or at_u or plan.station
        for j in range(3):
            served |= v.station[ix(b.corner[ix(3 * tunnel.cell + j)])] != 0
        marker = v.hand_marker[ix(HAND * seat + extra - 1)]
        value += marker_value(v, r, bots, m, marker, served, network)
        m.marker_at[ix(marker)] = tunnel.cell
        unserved |= np.uint64(not served) << np.uint64(marker)
        held &= ~(_ONE << np.uint64(16 * v.hand_kind[ix(HAND * seat + extra - 1)]))
        if r.markers_per_turn - v.markers_laid <= 1 or depth > 0:
            kinds = _ONE
    codes = plan.codes | tunnel.code << CODE_BITS * depth
    m.vertex[ix(depth)] = w
    m.cell[ix(depth)] = tunnel.cell
    to = tunnel.direction
    now = Plan(number, plan.side, depth + 1, w, to, edge, there, value, kinds, made, unserved, network, codes)
    if explaining == EXPLAINING_STEP:
        _wait(m, now)
        return
    if kind == END:
        of_end = ended_value(v, b, bots, m, number) + _bonus_value(v, b, r, bots, m, now)
        if v.ended >> np.uint64(line ^ 1) & _ONE != _ZERO:
            of_end += note_if(explaining, bots, m, seat, CLOSE, _lead(v, r, m))
    else:
        end = LineEnd(number, plan.side, depth + 1, w, tunnel.direction, there, held)
        of_end = terminus_value(v, b, r, bots, m, end, explaining)
    if explaining != QUIET:
        return
    _keep(m, number, depth, np.int64(held != m.held_kinds), value + of_end - m.before[ix(number)], now)
    if kind != END and depth + 1 < m.planned and v.tunnels[ix(line)] + depth + 1 < r.tunnels_per_line:
        _wait(m, now)


@inlined
def code_of(codes: Any, i: Any) -> np.int64:
    """The i-th of the moves of a plan."""
    return codes >> CODE_BITS * i & (1 << CODE_BITS) - 1


@inlined
def _wait(m: Thoughts, plan: Plan) -> None:
    """Put a plan aside, to be gone on with; the tunnels before its last one are those of all that wait above it."""
    at = m.waiting
    m.waiting += 1
    m.wait_depth[ix(at)] = plan.depth
    m.wait_at[ix(at)] = plan.at
    m.wait_direction[ix(at)] = plan.direction
    m.wait_edge[ix(at)] = plan.edge
    m.wait_station[ix(at)] = plan.station
    m.wait_value[ix(at)] = plan.value
    m.wait_kinds[ix(at)] = plan.kinds
    m.wait_made[ix(at)] = plan.made
    m.wait_unserved[ix(at)] = plan.unserved
    m.wait_network[ix(at)] = plan.network
    m.wait_codes[ix(at)] = plan.codes
    m.wait_cell[ix(at)] = m.cell[ix(plan.depth - 1)]


@inlined
def _waiting(m: Thoughts, at: Any, number: Any, side: Any) -> Plan:
    """A plan that waits."""
    return Plan(
        number,
        side,
        m.wait_depth[ix(at)],
        m.wait_at[ix(at)],
        m.wait_direction[ix(at)],
        m.wait_edge[ix(at)],
        m.wait_station[ix(at)] != 0,
        m.wait_value[ix(at)],
        m.wait_kinds[ix(at)],
        m.wait_made[ix(at)],
        m.wait_unserved[ix(at)],
        m.wait_network[ix(at)],
        m.wait_codes[ix(at)],
    )


@inlined
def _keep(m: Thoughts, number: Any, depth: Any, laid: Any, value: Any, plan: Plan) -> None:
    """Note a plan if it is the best so far of its first move, length and use of a marker; and of its line.

    Without branches, which nobody could predict.
    """
    at, of_line = PLANS * m.first + 2 * (depth + 1) + laid, PLANS * number + 2 * (depth + 1) + laid
    best, codes = m.best[ix(at)], m.best_codes[ix(at)]
    m.best[ix(at)] = value if value > best else best
    m.best_codes[ix(at)] = plan.codes | plan.made << MADE_AT if value > best else codes
    best, place = m.line_value[ix(of_line)], m.line_best[ix(of_line)]
    m.line_value[ix(of_line)] = value if value > best else best
    m.line_best[ix(of_line)] = at if value > best else place


@inlined
def planned_length(v: State, r: Rules, bots: Bots) -> np.int64:
    """How many tunnels are planned: those the turn still has, as far ahead as this bot looks."""
    return min(r.dig - v.dug, np.int64(weight(bots, v.seat, WIDTH + AHEAD)))


@inlined
def _lead(v: State, r: Rules, m: Thoughts) -> float:
    """Points by which the company is ahead of the best other one, as the game stands."""
    best = LEAST_POINTS
    for seat in range(r.companies):
        if r.seat_player[ix(seat)] != r.seat_player[ix(v.seat)]:
            best = max(best, m.standing[ix(seat)])
    return m.standing[ix(v.seat)] - best


@jit
def add_tunnel(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, plan: Plan, tunnel: Tunnel) -> None:
    """`_add_tunnel`, not inlined: for first tunnels, and for who tells of a turn."""
    _add_tunnel(v, b, r, bots, m, plan, tunnel, m.explaining)


@jit
def first_tunnel(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, code: Any) -> np.int64:
    """The plan of one legal tunnel; returns the side on which its line started."""
    kind, number, what, extra = move_parts(code)
    line = 2 * v.seat + number
    kinds = m.held_kinds if r.markers_per_turn > v.markers_laid else _ONE
    if kind == START:
        cell = b.city_cells + what
        side, u, w, d = start_tunnel(b, what, extra)
        last = np.int64(EDGES)
        station = False
    else:
        side = v.start_side[ix(line)]
        u = v.terminus[ix(line)]
        last = v.last_edge[ix(line)]
        station = v.station[ix(u)] != 0
        d = what >> 1
        w = np.int64(b.neighbour[ix(6 * u + d)])
        cell = np.int64(b.slot_cell[ix(12 * u + what)])
    goal_map(v, b, r, m, side)
    none = np.int64(0)
    plan = Plan(number, side, none, u, d, last, station, 0.0, kinds, none, m.unserved, m.own_network, none)
    add_tunnel(v, b, r, bots, m, plan, Tunnel(code, w, d, cell))
    m.first_there[ix(m.first)] = v.station[ix(w)] != 0 or (m.waiting > 0 and m.wait_station[0] != 0)
    return side


@jit
def go_on(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, number: Any, side: Any) -> None:
    """Take up the plan that waits last and try the tunnels that may follow.

    Of two blank cells along one edge only the one that others need more is tried.
    """
    m.waiting -= 1
    at = m.waiting
    plan = _waiting(m, at, number, side)
    m.vertex[ix(plan.depth - 1)] = plan.at
    m.cell[ix(plan.depth - 1)] = m.wait_cell[ix(at)]
    kind, _, _, marker = move_parts(code_of(plan.codes, plan.depth - 1))
    if kind == DIG and marker > 0:  # a plan tried since may have laid it elsewhere
        place = HAND * v.seat + marker - 1
        m.marker_at[ix(v.hand_marker[ix(place)])] = m.wait_cell[ix(at)]
    for i in range(_find_next(v, b, r, m, plan)):
        code = m.try_code[ix(i)]
        d = move_parts(code)[2] >> 1
        w = np.int64(b.neighbour[ix(6 * plan.at + d)])
        _add_tunnel(v, b, r, bots, m, plan, Tunnel(code, w, d, m.try_cell[ix(i)]), QUIET)


@jit
def next_tunnel(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, number: Any, side: Any, code: Any) -> None:
    """Go on with the one plan that waits, by a certain tunnel: for who tells of a turn."""
    m.waiting = 0
    plan = _waiting(m, np.int64(0), number, side)
    slot = move_parts(code)[2]
    w, cell = np.int64(b.neighbour[ix(6 * plan.at + (slot >> 1))]), np.int64(b.slot_cell[ix(12 * plan.at + slot)])
    add_tunnel(v, b, r, bots, m, plan, Tunnel(code, w, slot >> 1, cell))


@inlined
def _find_next(v: State, b: Board, r: Rules, m: Thoughts, plan: Plan) -> np.int64:
    """List the tunnels that may follow on a plan; returns how many."""
    seat, number, depth, u, station = v.seat, plan.number, plan.depth, plan.at, plan.station
    line = 2 * seat + number
    slots = slots_ahead(plan.direction, station)
    blank = usable(v, u, _ONE) & slots
    spots = usable(v, u, plan.kinds & ~_ONE) & slots
    if v.end_free[ix(u)] != _ZERO:
        blank |= end_slots(v, b, r, plan.side, u) & slots
    found = np.int64(0)
    rest = (blank | spots | (blank | spots) >> _ONE) & np.uint64(EVERY_DIRECTION)
    while rest != _ZERO:
        k = lowest_bit(rest) >> 1
        rest &= rest - _ONE
        w = np.int64(b.neighbour[ix(6 * u + k)])
        if has_been_at(v, line, w) != _ZERO or (station and _in_plan(m, depth, w)):  # it cannot turn back elsewhere
            continue
        one, other = np.int64(b.slot_cell[ix(12 * u + 2 * k)]), np.int64(b.slot_cell[ix(12 * u + 2 * k + 1)])
        taken = _ZERO
        if station:  # without one a line cannot turn back into a cell it has just dug in
            taken = np.uint64(_cell_in_plan(m, depth, one)) | np.uint64(_cell_in_plan(m, depth, other)) << _ONE
        markers = spots >> np.uint64(2 * k) & np.uint64(3) & ~taken
        while markers != _ZERO:
            slot = 2 * k + lowest_bit(markers)
            cell = other if slot & 1 else one
            place = marker_for(v, b, seat, cell)
            if place >= 0:
                m.try_code[ix(found)] = move_code(DIG, number, slot, 1 + place)
                m.try_cell[ix(found)] = cell
                found += 1
            markers &= markers - _ONE
        free = blank >> np.uint64(2 * k) & np.uint64(3) & ~taken
        if free != _ZERO:
            first, last = one if free & _ONE != _ZERO else other, other if free > _ONE else one
            needed_more = np.uint64(m.need[ix(last)] > m.need[ix(first)])  # without a branch nobody could predict
            second = np.int64(free >> _ONE & (~free | needed_more) & _ONE)
            cell = other if second else one
            m.try_code[ix(found)] = move_code(END if cell >= b.city_cells else DIG, number, 2 * k + second, 0)
            m.try_cell[ix(found)] = cell
            found += 1
    return found


@inlined
def _in_plan(m: Thoughts, depth: Any, w: Any) -> bool:
    for i in range(depth):  # noqa: SIM110 - compiled code has no any()
        if m.vertex[ix(i)] == w:
            return True
    return False


@inlined
def _cell_in_plan(m: Thoughts, depth: Any, cell: Any) -> bool:
    for i in range(depth):  # noqa: SIM110
        if m.cell[ix(i)] == cell:
            return True
    return False


@inlined
def _bonus_value(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, plan: Plan) -> float:
    """I3: the best bonus station of a line that a plan ends, or none."""
    if v.supply <= plan.made:
        return 0.0
    explaining = m.explaining
    m.explaining = QUIET
    best, place = 0.0, np.int64(-1)
    line = 2 * v.seat + plan.number
    before = v.tunnels[ix(line)]
    made = _stations_on_the_way(v, b, m, line, plan.depth, plan.codes)
    for i in range(1, before + plan.depth):
        x = np.int64(v.path[ix(PATH * line + i)]) if i <= before else m.vertex[ix(i - before - 1)]
        planned = i >= before and made >> np.uint64(i - before) & _ONE != _ZERO
        if v.station[ix(x)] == 0 and not planned:
            value = place_value(v, b, r, bots, m, line, x, plan.unserved, plan.network)
            if value > best:
                best, place = value, x
    m.explaining = explaining
    if explaining != QUIET and place >= 0:
        return place_value(v, b, r, bots, m, line, place, plan.unserved, plan.network)
    return best


@jit
def _stations_on_the_way(v: State, b: Board, m: Thoughts, line: Any, depth: Any, codes: Any) -> np.uint64:
    """Where a plan makes stations: bit 0 for the vertex it begins at, bit i for the end of its i-th tunnel."""
    made, u, last = _ZERO, v.terminus[ix(line)], v.last_edge[ix(line)]
    for i in range(depth):
        w = m.vertex[ix(i)]
        edge = np.int64(EDGES)  # of the tunnel that starts a line
        kind, _, slot, _ = move_parts(code_of(codes, i))
        if kind != START:
            edge = np.int64(b.edge[ix(6 * u + (slot >> 1))])
            made |= np.uint64(splits(v, line, last, u, edge)) << np.uint64(i)
        made |= np.uint64(meets(v, line, w, edge)) << np.uint64(i + 1)
        u, last = w, edge
    return made
