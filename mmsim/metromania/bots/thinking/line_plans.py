"""The plans of one line: tunnel after tunnel, tried on the position as it is, without playing them.

Plans to be continued are kept on a stack; of every first move the best plans are kept.
"""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import lowest_bit, unlikely
from mmsim.metromania.bots.thinking import features
from mmsim.metromania.bots.thinking.distance_maps import EVERY_DIRECTION, goal_map, usable
from mmsim.metromania.bots.thinking.features import LineEnd, note_if
from mmsim.metromania.bots.thinking.memory import DEPTH, LEAST_POINTS, PLANS, Bots, Thoughts
from mmsim.metromania.bots.turn_weights import Feature
from mmsim.metromania.engine.moves import (
    DIG,
    END,
    START,
    decode_move_compiled,
    encode_move,
    end_slots,
    marker_for,
    markers_left,
)
from mmsim.metromania.engine.placing import start_tunnel
from mmsim.metromania.engine.state import EDGES, HAND, PATH, Board, Rules, State
from mmsim.metromania.engine.stations import has_been_at, meets, parting, slots_ahead, splits

_ONE, _ZERO = np.uint64(1), np.uint64(0)
# `explaining`: write down no amounts, those of a plan, or those of a tunnel before its last
QUIET, EXPLAINING, EXPLAINING_STEP = range(3)
NEVER = -1e18  # a plan that does not exist
CODE_BITS = 16  # of a move in the moves of a plan
STATIONS_AT = CODE_BITS * DEPTH  # the bits above them, in a plan that is kept: how many stations it makes


class LinePlan(NamedTuple):
    """A plan of one line as far as it has got."""

    number: Any  # the line, 0 or 1
    side: Any  # the one on which it started
    depth: Any  # tunnels planned
    at: Any  # the vertex it has reached
    direction: Any  # in which it came there
    edge: Any  # along which it came there
    station: Any  # whether there is a station
    value: Any  # of its tunnels, without that of the end of the line
    kinds: Any  # lanes that may still be dug in: only blank ones once the turn's markers are laid
    stations_made: Any
    unserved: Any  # bits of what has no station by then, as in `unserved`
    connected: Any  # bits of the lines that the company's are connected with by then
    codes: Any  # its moves, CODE_BITS each, the first lowest
    last: Any  # whether its next tunnel is the last one
    explaining: Any  # QUIET where that is known when compiling, otherwise as in the thoughts


class Step(NamedTuple):
    """A plan after one more tunnel in a direction, whatever cell it lies in."""

    to: Any  # the vertex it leads to
    direction: Any
    edge: Any
    station: Any  # whether there is a station then
    at_either: Any  # whether there is one at either end of the tunnel
    value: Any
    stations_made: Any
    unserved: Any
    connected: Any


class Tunnel(NamedTuple):
    """A tunnel that may be dug next."""

    code: Any  # the move
    cell: Any


@inlined
def code_of(codes: Any, i: Any) -> np.int64:
    """The i-th move of a plan."""
    return codes >> CODE_BITS * i & (1 << CODE_BITS) - 1


@inlined
def push(t: Thoughts, plan: LinePlan, cell: Any) -> None:
    """Put a plan on the stack; all plans above it on the stack share the tunnels before its last one."""
    at = t.waiting
    t.waiting += 1
    t.wait_depth[ix(at)] = plan.depth
    t.wait_at[ix(at)] = plan.at
    t.wait_direction[ix(at)] = plan.direction
    t.wait_edge[ix(at)] = plan.edge
    t.wait_station[ix(at)] = plan.station
    t.wait_value[ix(at)] = plan.value
    t.wait_kinds[ix(at)] = plan.kinds
    t.wait_stations[ix(at)] = plan.stations_made
    t.wait_unserved[ix(at)] = plan.unserved
    t.wait_connected[ix(at)] = plan.connected
    t.wait_codes[ix(at)] = plan.codes
    t.wait_cell[ix(at)] = cell


@inlined
def pop(v: State, r: Rules, t: Thoughts, number: Any, side: Any, explaining: Any) -> LinePlan:
    """Take the plan on top of the stack."""
    t.waiting -= 1
    at = t.waiting
    return LinePlan(
        number,
        side,
        t.wait_depth[ix(at)],
        t.wait_at[ix(at)],
        t.wait_direction[ix(at)],
        t.wait_edge[ix(at)],
        t.wait_station[ix(at)] != 0,
        t.wait_value[ix(at)],
        t.wait_kinds[ix(at)],
        t.wait_stations[ix(at)],
        t.wait_unserved[ix(at)],
        t.wait_connected[ix(at)],
        t.wait_codes[ix(at)],
        is_last(v, r, t, number, t.wait_depth[ix(at)]),
        explaining,
    )


@inlined
def is_last(v: State, r: Rules, t: Thoughts, number: Any, depth: Any) -> bool:
    """Whether at most one tunnel may follow those of a plan."""
    return depth + 1 >= t.planned or v.tunnels[ix(2 * v.seat + number)] + depth + 1 >= r.tunnels_per_line


@inlined
def keep(t: Thoughts, laid: Any, value: Any, plan: LinePlan) -> None:
    """Keep a plan if it is the best so far of its first move, length and use of a marker.

    Without branches, which would be unpredictable.
    """
    at = PLANS * t.first + 2 * plan.depth + laid
    best, codes = t.best[ix(at)], t.best_codes[ix(at)]
    changed = (plan.codes | plan.stations_made << STATIONS_AT) ^ codes
    t.best[ix(at)] = value if value > best else best
    t.best_codes[ix(at)] = codes ^ changed & -np.int64(value > best)


@inlined
def _parting(v: State, line: Any, plan: LinePlan) -> np.uint8:
    """ST2: the lines that a plan splits from if it continues in another direction than they do."""
    return np.uint8(0) if plan.station else parting(v, line, plan.edge, plan.at)


@inlined
def _step(
    v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: LinePlan, parting_here: Any, direction: Any
) -> Step:
    """Continue a plan in a direction: the stations that makes, and the lines that join its network."""
    seat, u = v.seat, plan.at
    line = 2 * seat + plan.number
    w, edge = np.int64(b.neighbour[ix(6 * u + direction)]), np.int64(b.edge[ix(6 * u + direction)])
    at_u = splits(v, parting_here, edge)
    at_w = meets(v, line, w, edge)
    stations_made = plan.stations_made + np.int64(at_u) + np.int64(at_w)
    unserved, connected = plan.unserved, plan.connected
    value = plan.value + note_if(plan.explaining, bots, t, seat, Feature.TUNNELS, 1.0)
    if at_u:
        station, unserved = features.station_value(v, b, r, bots, t, u, unserved)
        joining, connected = features.joining_value(v, r, bots, t, line, u, True, connected)
        value += station + joining
    if at_w:
        station, unserved = features.station_value(v, b, r, bots, t, w, unserved)
        value += station
    station_at_w = at_w or v.station[ix(w)] != 0
    if station_at_w:
        joining, connected = features.joining_value(v, r, bots, t, line, w, at_w, connected)
        value += joining
    at_either = station_at_w or at_u or plan.station
    return Step(w, direction, edge, station_at_w, at_either, value, stations_made, unserved, connected)


@inlined
def _dig(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: LinePlan, step: Step, tunnel: Tunnel) -> None:
    """Add the tunnel of a step in one of its cells: weigh the plan with it, and put that on the stack."""
    seat, number, depth, explaining = v.seat, plan.number, plan.depth, plan.explaining
    line = 2 * seat + number
    code, cell = tunnel
    kind, _, _, extra = decode_move_compiled(code)
    value = step.value + note_if(explaining, bots, t, seat, Feature.BLOCK, t.need[ix(cell)])
    value += note_if(explaining, bots, t, seat, Feature.LEADER, t.need_leader[ix(cell)])
    kinds, held, unserved = plan.kinds, plan.kinds, step.unserved
    if extra > 0 and kind == DIG:
        served = step.at_either
        for j in range(3):
            served |= v.station[ix(b.corner[ix(3 * cell + j)])] != 0
        marker = v.hand_marker[ix(HAND * seat + extra - 1)]
        value += features.marker_value(v, r, bots, t, marker, served, step.connected)
        t.marker_at[ix(marker)] = cell
        unserved |= np.uint64(not served) << np.uint64(marker)
        held &= ~(_ONE << np.uint64(16 * v.hand_kind[ix(HAND * seat + extra - 1)]))
        if markers_left(v, r) <= 1 or depth > 0:
            kinds = _ONE
    now = LinePlan(
        number,
        plan.side,
        depth + 1,
        step.to,
        step.direction,
        step.edge,
        step.station,
        value,
        kinds,
        step.stations_made,
        unserved,
        step.connected,
        plan.codes | code << CODE_BITS * depth,
        plan.last,
        explaining,
    )
    if explaining == EXPLAINING_STEP:
        t.vertex[ix(depth)] = step.to
        push(t, now, cell)
        return
    if kind == END:
        t.vertex[ix(depth)] = step.to
        end_value = features.ended_value(v, bots, t, number) + _bonus_value(v, b, r, bots, t, now)
        if v.ended >> np.uint64(line ^ 1) & _ONE != _ZERO:
            end_value += note_if(explaining, bots, t, seat, Feature.CLOSE, _lead(v, r, t))
    else:
        end = LineEnd(number, plan.side, depth + 1, step.to, step.direction, step.station, held)
        end_value = features.terminus_value(v, b, r, bots, t, end, explaining)
    if explaining != QUIET:
        return
    keep(t, np.int64(held != t.held_kinds), value + end_value - t.before[ix(number)], now)
    if not plan.last and kind != END:
        push(t, now, cell)


@inlined
def _lead(v: State, r: Rules, t: Thoughts) -> float:
    """Points by which the company is ahead of the best of other players, if the game were over."""
    best = LEAST_POINTS
    for seat in range(r.companies):
        if r.seat_player[ix(seat)] != r.seat_player[ix(v.seat)]:
            best = max(best, t.standing[ix(seat)])
    return t.standing[ix(v.seat)] - best


@jit
def _add_tunnel(
    v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: LinePlan, direction: Any, tunnel: Tunnel
) -> None:
    """Add a given tunnel: the first of a plan, or one to be explained."""
    line = 2 * v.seat + plan.number
    step = _step(v, b, r, bots, t, plan, _parting(v, line, plan), direction)
    if plan.depth == 0 or step.stations_made <= v.supply:  # D5; a first tunnel is legal
        _dig(v, b, r, bots, t, plan, step, tunnel)


@jit
def first_tunnel(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, code: Any) -> np.int64:
    """Begin a plan with a legal tunnel; returns the side on which its line started."""
    kind, number, place, extra = decode_move_compiled(code)
    line = 2 * v.seat + number
    kinds = t.held_kinds if markers_left(v, r) > 0 else _ONE
    if kind == START:
        cell = b.city_cells + place
        side, u, w, d = start_tunnel(b, place, extra)
        last = np.int64(EDGES)
        station = False
    else:
        side = v.start_side[ix(line)]
        u = v.terminus[ix(line)]
        last = v.last_edge[ix(line)]
        station = v.station[ix(u)] != 0
        d = place >> 1
        w = np.int64(b.neighbour[ix(6 * u + d)])
        cell = np.int64(b.slot_cell[ix(12 * u + place)])
    goal_map(v, b, r, t, side)
    none = np.int64(0)
    plan = LinePlan(
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
        t.own_connected,
        none,
        is_last(v, r, t, number, none),
        t.explaining,
    )
    _add_tunnel(v, b, r, bots, t, plan, d, Tunnel(code, cell))
    if t.explaining == QUIET:
        t.first_at_station[ix(t.first)] = v.station[ix(w)] != 0 or (t.waiting > 0 and t.wait_station[0] != 0)
    return side


@jit
def continue_plan(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, number: Any, side: Any) -> None:
    """Take the plan on top of the stack and try the tunnels that may follow.

    Of two blank cells along one edge only the one that others need more is tried. One function, because bots spend most
    of their time here.
    """
    plan = pop(v, r, t, number, side, QUIET)
    line, u, depth, station = 2 * v.seat + number, plan.at, plan.depth, plan.station
    t.vertex[ix(depth - 1)] = u
    t.cell[ix(depth - 1)] = t.wait_cell[ix(t.waiting)]
    kind, _, _, marker = decode_move_compiled(code_of(plan.codes, depth - 1))
    if kind == DIG and marker > 0:  # another plan may have laid it elsewhere in the meantime
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
        if has_been_at(v, line, w) != _ZERO or (station and _in_plan(t, depth, w)):  # only there it can turn back
            continue
        left, right = np.int64(b.slot_cell[ix(12 * u + 2 * k)]), np.int64(b.slot_cell[ix(12 * u + 2 * k + 1)])
        taken = _ZERO
        if station:  # without one a line cannot turn back into a cell it has just dug in
            taken = np.uint64(_cell_in_plan(t, depth, left)) | np.uint64(_cell_in_plan(t, depth, right)) << _ONE
        step = _step(v, b, r, bots, t, plan, parting_here, k)
        if unlikely(step.stations_made > v.supply):  # D5
            continue
        markers = spots >> np.uint64(2 * k) & np.uint64(3) & ~taken
        while markers != _ZERO:
            slot = 2 * k + lowest_bit(markers)
            cell = right if slot & 1 else left
            place = marker_for(v, b, v.seat, cell)
            if place >= 0:
                _dig(v, b, r, bots, t, plan, step, Tunnel(encode_move(DIG, number, slot, 1 + place), cell))
            markers &= markers - _ONE
        free = blank >> np.uint64(2 * k) & np.uint64(3) & ~taken
        if free != _ZERO:
            second = _needed_more(t, free, left, right)
            cell = right if second else left
            code = encode_move(END if cell >= b.city_cells else DIG, number, 2 * k + second, 0)
            _dig(v, b, r, bots, t, plan, step, Tunnel(code, cell))


@inlined
def _needed_more(t: Thoughts, free: Any, left: Any, right: Any) -> np.int64:
    """Which of two cells others need more, 0 or 1, among those whose bits in `free` are set; without a branch."""
    first, last = left if free & _ONE != _ZERO else right, right if free > _ONE else left
    needed_more = np.uint64(t.need[ix(last)] > t.need[ix(first)])
    return np.int64(free >> _ONE & (~free | needed_more) & _ONE)


@jit
def next_tunnel(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, number: Any, side: Any, code: Any) -> None:
    """Continue the only plan on the stack by a given tunnel, to explain a turn."""
    plan = pop(v, r, t, number, side, t.explaining)
    slot = decode_move_compiled(code)[2]
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
def _bonus_value(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, plan: LinePlan) -> float:
    """I3: the best bonus station of a line that a plan ends, or none."""
    if v.supply <= plan.stations_made:
        return 0.0
    explaining = t.explaining
    t.explaining = QUIET
    best, place = 0.0, np.int64(-1)
    line = 2 * v.seat + plan.number
    before = v.tunnels[ix(line)]
    stations_made = _stations_on_the_way(v, b, t, line, plan.depth, plan.codes)
    for i in range(1, before + plan.depth):
        vertex = np.int64(v.path[ix(PATH * line + i)]) if i <= before else t.vertex[ix(i - before - 1)]
        planned = i >= before and stations_made >> np.uint64(i - before) & _ONE != _ZERO
        if v.station[ix(vertex)] == 0 and not planned:
            value = features.place_value(v, b, r, bots, t, line, vertex, plan.unserved, plan.connected)
            if value > best:
                best, place = value, vertex
    t.explaining = explaining
    if explaining != QUIET and place >= 0:
        return features.place_value(v, b, r, bots, t, line, place, plan.unserved, plan.connected)
    return best


@jit
def _stations_on_the_way(v: State, b: Board, t: Thoughts, line: Any, depth: Any, codes: Any) -> np.uint64:
    """Where a plan makes stations: bit 0 for the vertex it begins at, bit i for the end of its i-th tunnel."""
    made, u, last = _ZERO, v.terminus[ix(line)], v.last_edge[ix(line)]
    for i in range(depth):
        w = t.vertex[ix(i)]
        edge = np.int64(EDGES)  # of the tunnel that starts a line
        kind, _, slot, _ = decode_move_compiled(code_of(codes, i))
        if kind != START:
            edge = np.int64(b.edge[ix(6 * u + (slot >> 1))])
            made |= np.uint64(splits(v, parting(v, line, last, u), edge)) << np.uint64(i)
        made |= np.uint64(meets(v, line, w, edge)) << np.uint64(i + 1)
        u, last = w, edge
    return made
