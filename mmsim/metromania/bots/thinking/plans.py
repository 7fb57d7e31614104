"""The plans of one line: tunnel after tunnel, tried on the position as it is, without playing them."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, lowest_bit, rarely
from mmsim.metromania.bots.thinking.distance_maps import EVERY_DIRECTION, goal_map, usable
from mmsim.metromania.bots.thinking.features import joining_value, marker_value, place_value, station_value
from mmsim.metromania.bots.thinking.line_ends import LineEnd, ended_value, terminus_value
from mmsim.metromania.bots.thinking.memory import (
    AHEAD,
    BLOCK,
    CLOSE,
    DUG,
    LEADER,
    LEAST_POINTS,
    WIDTH,
    Bots,
    Thoughts,
)
from mmsim.metromania.bots.thinking.waiting_plans import (
    CODE_BITS,
    EXPLAINING_STEP,
    QUIET,
    Plan,
    code_of,
    is_last,
    keep,
    put_aside,
    take_up,
)
from mmsim.metromania.bots.thinking.weights import note_if, weight
from mmsim.metromania.engine.moves import DIG, END, START, end_slots, marker_for, markers_left, move_code, move_parts
from mmsim.metromania.engine.placing import start_tunnel
from mmsim.metromania.engine.state import EDGES, HAND, PATH, Board, Rules, State
from mmsim.metromania.engine.stations import has_been_at, meets, parting, slots_ahead, splits

_ONE, _ZERO = np.uint64(1), np.uint64(0)


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
def _step(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: Plan, parting_here: Any, direction: Any) -> Step:
    """Go on with a plan in a direction: the stations that makes, and the lines that join its network."""
    seat, u = v.seat, plan.at
    line = 2 * seat + plan.number
    w, edge = np.int64(b.neighbour[ix(6 * u + direction)]), np.int64(b.edge[ix(6 * u + direction)])
    at_u = splits(v, parting_here, edge)
    at_w = meets(v, line, w, edge)
    made = plan.made + np.int64(at_u) + np.int64(at_w)
    value, unserved, network = (
        plan.value + note_if(plan.explaining, bots, t, seat, DUG, 1.0),
        plan.unserved,
        plan.network,
    )
    if at_u:
        station, unserved = station_value(v, b, r, bots, t, u, unserved)
        joining, network = joining_value(v, r, bots, t, line, u, True, network)
        value += station + joining
    if at_w:
        station, unserved = station_value(v, b, r, bots, t, w, unserved)
        value += station
    there = at_w or v.station[ix(w)] != 0
    if there:
        joining, network = joining_value(v, r, bots, t, line, w, at_w, network)
        value += joining
    return Step(w, direction, edge, there, there or at_u or plan.station, value, made, unserved, network)


@inlined
def _dig(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: Plan, step: Step, tunnel: Tunnel) -> None:
    """The tunnel of a step in one of its cells: weigh the plan with it, and put that aside to be gone on with."""
    seat, number, depth, explaining = v.seat, plan.number, plan.depth, plan.explaining
    line = 2 * seat + number
    kind, _, _, extra = move_parts(tunnel.code)
    value = step.value + note_if(explaining, bots, t, seat, BLOCK, t.need[ix(tunnel.cell)])
    value += note_if(explaining, bots, t, seat, LEADER, t.need_leader[ix(tunnel.cell)])
    kinds, held, unserved = plan.kinds, plan.kinds, step.unserved
    if extra > 0 and kind == DIG:
        served = step.at_both
        for j in range(3):
            served |= v.station[ix(b.corner[ix(3 * tunnel.cell + j)])] != 0
        marker = v.hand_marker[ix(HAND * seat + extra - 1)]
        value += marker_value(v, r, bots, t, marker, served, step.network)
        t.marker_at[ix(marker)] = tunnel.cell
        unserved |= np.uint64(not served) << np.uint64(marker)
        held &= ~(_ONE << np.uint64(16 * v.hand_kind[ix(HAND * seat + extra - 1)]))
        if markers_left(v, r) <= 1 or depth > 0:
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
        t.vertex[ix(depth)] = step.to
        put_aside(t, now, tunnel.cell)
        return
    if kind == END:
        t.vertex[ix(depth)] = step.to
        of_end = ended_value(v, b, bots, t, number) + _bonus_value(v, b, r, bots, t, now)
        if v.ended >> np.uint64(line ^ 1) & _ONE != _ZERO:
            of_end += note_if(explaining, bots, t, seat, CLOSE, _lead(v, r, t))
    else:
        end = LineEnd(number, plan.side, depth + 1, step.to, step.direction, step.station, held)
        of_end = terminus_value(v, b, r, bots, t, end, explaining)
    if explaining != QUIET:
        return
    keep(t, np.int64(held != t.held_kinds), value + of_end - t.before[ix(number)], now)
    if not plan.last and kind != END:
        put_aside(t, now, tunnel.cell)


@inlined
def planned_length(v: State, r: Rules, bots: Bots) -> np.int64:
    """How many tunnels are planned: those the turn still has, as far ahead as this bot looks."""
    return min(r.dig - v.dug, np.int64(weight(bots, v.seat, WIDTH + AHEAD)))


@inlined
def _lead(v: State, r: Rules, t: Thoughts) -> float:
    """Points by which the company is ahead of the best other one, as the game stands."""
    best = LEAST_POINTS
    for seat in range(r.companies):
        if r.seat_player[ix(seat)] != r.seat_player[ix(v.seat)]:
            best = max(best, t.standing[ix(seat)])
    return t.standing[ix(v.seat)] - best


@jit
def _add_tunnel(
    v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: Plan, direction: Any, tunnel: Tunnel
) -> None:
    """A certain tunnel: the first of a plan, or one to be explained."""
    line = 2 * v.seat + plan.number
    step = _step(v, b, r, bots, t, plan, _parting(v, line, plan), direction)
    if plan.depth == 0 or step.made <= v.supply:  # D5; a first tunnel is legal
        _dig(v, b, r, bots, t, plan, step, tunnel)


@jit
def first_tunnel(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, code: Any) -> np.int64:
    """The plan of one legal tunnel; returns the side on which its line started."""
    kind, number, what, extra = move_parts(code)
    line = 2 * v.seat + number
    kinds = t.held_kinds if markers_left(v, r) > 0 else _ONE
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
    goal_map(v, b, r, t, side)
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
        t.unserved,
        t.own_network,
        none,
        is_last(v, r, t, number, none),
        t.explaining,
    )
    _add_tunnel(v, b, r, bots, t, plan, d, Tunnel(code, cell))
    if t.explaining == QUIET:
        t.first_there[ix(t.first)] = v.station[ix(w)] != 0 or (t.waiting > 0 and t.wait_station[0] != 0)
    return side


@jit
def go_on(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, number: Any, side: Any) -> None:
    """Take up the plan that waits last and try the tunnels that may follow.

    Of two blank cells along one edge only the one that others need more is tried. In one piece: here bots spend most of
    their time.
    """
    t.waiting -= 1
    plan = take_up(v, r, t, number, side, QUIET)
    line, u, depth, station = 2 * v.seat + number, plan.at, plan.depth, plan.station
    t.vertex[ix(depth - 1)] = u
    t.cell[ix(depth - 1)] = t.wait_cell[ix(t.waiting)]
    kind, _, _, marker = move_parts(code_of(plan.codes, depth - 1))
    if kind == DIG and marker > 0:  # a plan tried since may have laid it elsewhere
        place = HAND * v.seat + marker - 1
        t.marker_at[ix(v.hand_marker[ix(place)])] = t.cell[ix(depth - 1)]
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
        if has_been_at(v, line, w) != _ZERO or (station and _in_plan(t, depth, w)):  # it cannot turn back elsewhere
            continue
        one, other = np.int64(b.slot_cell[ix(12 * u + 2 * k)]), np.int64(b.slot_cell[ix(12 * u + 2 * k + 1)])
        taken = _ZERO
        if station:  # without one a line cannot turn back into a cell it has just dug in
            taken = np.uint64(_cell_in_plan(t, depth, one)) | np.uint64(_cell_in_plan(t, depth, other)) << _ONE
        step = _step(v, b, r, bots, t, plan, parting_here, k)
        if rarely(step.made > v.supply):  # D5
            continue
        markers = spots >> np.uint64(2 * k) & np.uint64(3) & ~taken
        while markers != _ZERO:
            slot = 2 * k + lowest_bit(markers)
            cell = other if slot & 1 else one
            place = marker_for(v, b, v.seat, cell)
            if place >= 0:
                _dig(v, b, r, bots, t, plan, step, Tunnel(move_code(DIG, number, slot, 1 + place), cell))
            markers &= markers - _ONE
        free = blank >> np.uint64(2 * k) & np.uint64(3) & ~taken
        if free != _ZERO:
            second = _needed_more(t, free, one, other)
            cell = other if second else one
            code = move_code(END if cell >= b.city_cells else DIG, number, 2 * k + second, 0)
            _dig(v, b, r, bots, t, plan, step, Tunnel(code, cell))


@inlined
def _needed_more(t: Thoughts, free: Any, one: Any, other: Any) -> np.int64:
    """Which of two cells others need more, of those that are free as bits; the first of equals, without a branch."""
    first, last = one if free & _ONE != _ZERO else other, other if free > _ONE else one
    needed_more = np.uint64(t.need[ix(last)] > t.need[ix(first)])
    return np.int64(free >> _ONE & (~free | needed_more) & _ONE)


@jit
def next_tunnel(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, number: Any, side: Any, code: Any) -> None:
    """Go on with the one plan that waits, by a certain tunnel: for who tells of a turn."""
    t.waiting = 0
    plan = take_up(v, r, t, number, side, t.explaining)
    slot = move_parts(code)[2]
    cell = np.int64(b.slot_cell[ix(12 * plan.at + slot)])
    _add_tunnel(v, b, r, bots, t, plan, slot >> 1, Tunnel(code, cell))


@inlined
def _in_plan(t: Thoughts, depth: Any, w: Any) -> bool:
    for i in range(depth):  # noqa: SIM110 - compiled code has no any()
        if t.vertex[ix(i)] == w:
            return True
    return False


@inlined
def _cell_in_plan(t: Thoughts, depth: Any, cell: Any) -> bool:
    for i in range(depth):  # noqa: SIM110
        if t.cell[ix(i)] == cell:
            return True
    return False


@inlined
def _bonus_value(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: Plan) -> float:
    """I3: the best bonus station of a line that a plan ends, or none."""
    if v.supply <= plan.made:
        return 0.0
    explaining = t.explaining
    t.explaining = QUIET
    best, place = 0.0, np.int64(-1)
    line = 2 * v.seat + plan.number
    before = v.tunnels[ix(line)]
    made = _stations_on_the_way(v, b, t, line, plan.depth, plan.codes)
    for i in range(1, before + plan.depth):
        x = np.int64(v.path[ix(PATH * line + i)]) if i <= before else t.vertex[ix(i - before - 1)]
        planned = i >= before and made >> np.uint64(i - before) & _ONE != _ZERO
        if v.station[ix(x)] == 0 and not planned:
            value = place_value(v, b, r, bots, t, line, x, plan.unserved, plan.network)
            if value > best:
                best, place = value, x
    t.explaining = explaining
    if explaining != QUIET and place >= 0:
        return place_value(v, b, r, bots, t, line, place, plan.unserved, plan.network)
    return best


@jit
def _stations_on_the_way(v: State, b: Board, t: Thoughts, line: Any, depth: Any, codes: Any) -> np.uint64:
    """Where a plan makes stations: bit 0 for the vertex it begins at, bit i for the end of its i-th tunnel."""
    made, u, last = _ZERO, v.terminus[ix(line)], v.last_edge[ix(line)]
    for i in range(depth):
        w = t.vertex[ix(i)]
        edge = np.int64(EDGES)  # of the tunnel that starts a line
        kind, _, slot, _ = move_parts(code_of(codes, i))
        if kind != START:
            edge = np.int64(b.edge[ix(6 * u + (slot >> 1))])
            made |= np.uint64(splits(v, parting(v, line, last, u), edge)) << np.uint64(i)
        made |= np.uint64(meets(v, line, w, edge)) << np.uint64(i + 1)
        u, last = w, edge
    return made
