"""The plans of one line: tunnel after tunnel, tried on the position as it is, without playing them."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, lowest_bit, rarely
from mmsim.metromania.bots.thinking.features import joining_value, marker_value, place_value, station_value
from mmsim.metromania.bots.thinking.line_ends import LineEnd, ended_value, terminus_value
from mmsim.metromania.bots.thinking.maps import EVERY_DIRECTION, goal_map, usable
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
from mmsim.metromania.bots.thinking.weights import note_if, weight
from mmsim.metromania.engine.moves import DIG, END, START, end_slots, marker_for, move_code, move_parts
from mmsim.metromania.engine.placing import start_tunnel
from mmsim.metromania.engine.state import EDGES, HAND, PATH, Board, Rules, State
from mmsim.metromania.engine.stations import has_been_at, meets, parting, slots_ahead, splits

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
    last: Any  # whether its next tunnel is the last one
    explaining: Any  # QUIET where that is known, else what `m` says


class Step(NamedTuple):
    """What a plan comes to by a tunnel in a direction, whatever cell it lies in."""

    to: Any  # the vertex it leads to
    direction: Any
    edge: Any
    station: Any  # whether there is a station then
    at_both: Any  # whether there is one at either end of the tunnel
    value: Any
    made: Any
    unserved: Any
    network: Any


class Tunnel(NamedTuple):
    """A tunnel that may be dug next."""

    code: Any  # the move
    cell: Any


@inlined
def _parting(v: State, line: Any, plan: Plan) -> np.uint8:
    """ST2: the lines that a plan splits from if it goes on from where it stands elsewhere than they do."""
    return np.uint8(0) if plan.station else parting(v, line, plan.edge, plan.at)


@inlined
def _step(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, plan: Plan, parting_here: Any, direction: Any) -> Step:
    """Go on with a plan in a direction: the stations that makes, and the lines that join its network."""
    seat, u = v.seat, plan.at
    line = 2 * seat + plan.number
    w, edge = np.int64(b.neighbour[ix(6 * u + direction)]), np.int64(b.edge[ix(6 * u + direction)])
    at_u = splits(v, parting_here, edge)
    at_w = meets(v, line, w, edge)
    made = plan.made + np.int64(at_u) + np.int64(at_w)
    value, unserved, network = (
        plan.value + note_if(plan.explaining, bots, m, seat, DUG, 1.0),
        plan.unserved,
        plan.network,
    )
    if at_u:
        station, unserved = station_value(v, b, r, bots, m, u, unserved)
        joining, network = joining_value(v, r, bots, m, line, u, True, network)
        value += station + joining
    if at_w:
        station, unserved = station_value(v, b, r, bots, m, w, unserved)
        value += station
    there = at_w or v.station[ix(w)] != 0
    if there:
        joining, network = joining_value(v, r, bots, m, line, w, at_w, network)
        value += joining
    return Step(w, direction, edge, there, there or at_u or plan.station, value, made, unserved, network)


@inlined
def _dig(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, plan: Plan, step: Step, tunnel: Tunnel) -> None:
    """The tunnel of a step in one of its cells: weigh the plan with it, and put that aside to be gone on with."""
    seat, number, depth, explaining = v.seat, plan.number, plan.depth, plan.explaining
    line = 2 * seat + number
    kind, _, _, extra = move_parts(tunnel.code)
    value = step.value + note_if(explaining, bots, m, seat, BLOCK, m.need[ix(tunnel.cell)])
    value += note_if(explaining, bots, m, seat, LEADER, m.need_leader[ix(tunnel.cell)])
    kinds, held, unserved = plan.kinds, plan.kinds, step.unserved
    if extra > 0 and kind == DIG:
        served = step.at_both
        for j in range(3):
            served |= v.station[ix(b.corner[ix(3 * tunnel.cell + j)])] != 0
        marker = v.hand_marker[ix(HAND * seat + extra - 1)]
        value += marker_value(v, r, bots, m, marker, served, step.network)
        m.marker_at[ix(marker)] = tunnel.cell
        unserved |= np.uint64(not served) << np.uint64(marker)
        held &= ~(_ONE << np.uint64(16 * v.hand_kind[ix(HAND * seat + extra - 1)]))
        if r.markers_per_turn - v.markers_laid <= 1 or depth > 0:
            kinds = _ONE
    now = Plan(
        number,
        plan.side,
        depth + 1,
        step.to,
        step.direction,
        step.edge,
        step.station,
        value,
        kinds,
        step.made,
        unserved,
        step.network,
        plan.codes | tunnel.code << CODE_BITS * depth,
        plan.last,
        explaining,
    )
    if explaining == EXPLAINING_STEP:
        m.vertex[ix(depth)] = step.to
        _wait(m, now, tunnel.cell)
        return
    if kind == END:
        m.vertex[ix(depth)] = step.to
        of_end = ended_value(v, b, bots, m, number) + _bonus_value(v, b, r, bots, m, now)
        if v.ended >> np.uint64(line ^ 1) & _ONE != _ZERO:
            of_end += note_if(explaining, bots, m, seat, CLOSE, _lead(v, r, m))
    else:
        end = LineEnd(number, plan.side, depth + 1, step.to, step.direction, step.station, held)
        of_end = terminus_value(v, b, r, bots, m, end, explaining)
    if explaining != QUIET:
        return
    _keep(m, np.int64(held != m.held_kinds), value + of_end - m.before[ix(number)], now)
    if not plan.last and kind != END:
        _wait(m, now, tunnel.cell)


@inlined
def code_of(codes: Any, i: Any) -> np.int64:
    """The i-th of the moves of a plan."""
    return codes >> CODE_BITS * i & (1 << CODE_BITS) - 1


@inlined
def _wait(m: Thoughts, plan: Plan, cell: Any) -> None:
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
    m.wait_cell[ix(at)] = cell


@inlined
def _waiting(v: State, r: Rules, m: Thoughts, number: Any, side: Any, explaining: Any) -> Plan:
    """The plan that has waited last."""
    at = m.waiting
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
        _is_last(v, r, m, number, m.wait_depth[ix(at)]),
        explaining,
    )


@inlined
def _is_last(v: State, r: Rules, m: Thoughts, number: Any, depth: Any) -> bool:
    """Whether no more than one tunnel may follow on those of a plan."""
    return depth + 1 >= m.planned or v.tunnels[ix(2 * v.seat + number)] + depth + 1 >= r.tunnels_per_line


@inlined
def _keep(m: Thoughts, laid: Any, value: Any, plan: Plan) -> None:
    """Note a plan if it is the best so far of its first move, length and use of a marker.

    Without branches, which nobody could predict.
    """
    at = PLANS * m.first + 2 * plan.depth + laid
    best, codes = m.best[ix(at)], m.best_codes[ix(at)]
    changed = (plan.codes | plan.made << MADE_AT) ^ codes
    m.best[ix(at)] = value if value > best else best
    m.best_codes[ix(at)] = codes ^ changed & -np.int64(value > best)


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
def _add_tunnel(
    v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, plan: Plan, direction: Any, tunnel: Tunnel
) -> None:
    """A certain tunnel: the first of a plan, or one to be explained."""
    line = 2 * v.seat + plan.number
    step = _step(v, b, r, bots, m, plan, _parting(v, line, plan), direction)
    if plan.depth == 0 or step.made <= v.supply:  # D5; a first tunnel is legal
        _dig(v, b, r, bots, m, plan, step, tunnel)


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
    plan = Plan(
        number,
        side,
        none,
        u,
        d,
        last,
        station,
        0.0,
        kinds,
        none,
        m.unserved,
        m.own_network,
        none,
        _is_last(v, r, m, number, none),
        m.explaining,
    )
    _add_tunnel(v, b, r, bots, m, plan, d, Tunnel(code, cell))
    if m.explaining == QUIET:
        m.first_there[ix(m.first)] = v.station[ix(w)] != 0 or (m.waiting > 0 and m.wait_station[0] != 0)
    return side


@jit
def go_on(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, number: Any, side: Any) -> None:
    """Take up the plan that waits last and try the tunnels that may follow.

    Of two blank cells along one edge only the one that others need more is tried. In one piece: here bots spend most of
    their time.
    """
    m.waiting -= 1
    plan = _waiting(v, r, m, number, side, QUIET)
    line, u, depth, station = 2 * v.seat + number, plan.at, plan.depth, plan.station
    m.vertex[ix(depth - 1)] = u
    m.cell[ix(depth - 1)] = m.wait_cell[ix(m.waiting)]
    kind, _, _, marker = move_parts(code_of(plan.codes, depth - 1))
    if kind == DIG and marker > 0:  # a plan tried since may have laid it elsewhere
        place = HAND * v.seat + marker - 1
        m.marker_at[ix(v.hand_marker[ix(place)])] = m.cell[ix(depth - 1)]
    parting_here = _parting(v, line, plan)
    slots = slots_ahead(plan.direction, station)
    blank = usable(v, u, _ONE) & slots
    spots = usable(v, u, plan.kinds & ~_ONE) & slots
    if v.end_free[ix(u)] != _ZERO:
        blank |= end_slots(v, b, r, side, u) & slots
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
        step = _step(v, b, r, bots, m, plan, parting_here, k)
        if rarely(step.made > v.supply):  # D5
            continue
        markers = spots >> np.uint64(2 * k) & np.uint64(3) & ~taken
        while markers != _ZERO:
            slot = 2 * k + lowest_bit(markers)
            cell = other if slot & 1 else one
            place = marker_for(v, b, v.seat, cell)
            if place >= 0:
                _dig(v, b, r, bots, m, plan, step, Tunnel(move_code(DIG, number, slot, 1 + place), cell))
            markers &= markers - _ONE
        free = blank >> np.uint64(2 * k) & np.uint64(3) & ~taken
        if free != _ZERO:
            second = _needed_more(m, free, one, other)
            cell = other if second else one
            code = move_code(END if cell >= b.city_cells else DIG, number, 2 * k + second, 0)
            _dig(v, b, r, bots, m, plan, step, Tunnel(code, cell))


@inlined
def _needed_more(m: Thoughts, free: Any, one: Any, other: Any) -> np.int64:
    """Which of two cells others need more, of those that are free as bits; the first of equals, without a branch."""
    first, last = one if free & _ONE != _ZERO else other, other if free > _ONE else one
    needed_more = np.uint64(m.need[ix(last)] > m.need[ix(first)])
    return np.int64(free >> _ONE & (~free | needed_more) & _ONE)


@jit
def next_tunnel(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, number: Any, side: Any, code: Any) -> None:
    """Go on with the one plan that waits, by a certain tunnel: for who tells of a turn."""
    m.waiting = 0
    plan = _waiting(v, r, m, number, side, m.explaining)
    slot = move_parts(code)[2]
    cell = np.int64(b.slot_cell[ix(12 * plan.at + slot)])
    _add_tunnel(v, b, r, bots, m, plan, slot >> 1, Tunnel(code, cell))


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
            made |= np.uint64(splits(v, parting(v, line, last, u), edge)) << np.uint64(i)
        made |= np.uint64(meets(v, line, w, edge)) << np.uint64(i + 1)
        u, last = w, edge
    return made
