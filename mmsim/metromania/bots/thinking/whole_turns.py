"""Whole turns weighed: every tunnel, every way to go on after it, and the best share of tunnels between both lines.

The plans of the two lines are put together so that their tunnels make a turn. A turn may also be one intermediate
station.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, lowest_bit
from mmsim.metromania.bots.thinking.features import place_value
from mmsim.metromania.bots.thinking.line_ends import as_it_stands
from mmsim.metromania.bots.thinking.memory import DEPTH, FIRST_MOVES, PLANS, RIVALS, TRIP_POINTS, WIDTH, Bots, Thoughts
from mmsim.metromania.bots.thinking.plans import (
    CODE_BITS,
    EXPLAINING,
    EXPLAINING_STEP,
    MADE_AT,
    NEVER,
    QUIET,
    code_of,
    first_tunnel,
    go_on,
    next_tunnel,
    planned_length,
)
from mmsim.metromania.engine.moves import DIG, END, STATION, kth_move, move_code, move_parts, way_move
from mmsim.metromania.engine.state import PATH, Board, Rules, State

_SHORT_TURN = -100.0  # for every tunnel that a turn lacks
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def weigh_turns(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts) -> None:
    """For every legal move the best turn that begins with it, and its value."""
    m.planned = planned_length(v, r, bots)
    m.firsts = min(v.choices, np.int64(FIRST_MOVES))
    for i in range(2 * PLANS):
        m.line_best[ix(i)] = -1
        m.line_value[ix(i)] = NEVER
    m.first = 0
    for at in range(4):
        rest = v.ways[ix(at)]
        while rest != _ZERO and m.first < m.firsts:
            _weigh_first(v, b, r, bots, m, way_move(v, np.int64(at), lowest_bit(rest)))
            rest &= rest - _ONE
            m.first += 1
    while m.first < m.firsts:
        _weigh_first(v, b, r, bots, m, kth_move(v, b, m.first))
        m.first += 1
    _put_together(v, r, m)


@jit
def _weigh_first(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, code: Any) -> None:
    """Weigh all plans of a first move, or the move itself if it is no tunnel."""
    first = m.first
    m.tried[ix(first)] = 0
    for i in range(PLANS):
        m.best[ix(PLANS * first + i)] = NEVER
    kind, number, what, _ = move_parts(code)
    m.turn_code[ix(DEPTH * first)] = code
    m.turn_length[ix(first)] = 1
    m.turn_made[ix(first)] = 0
    m.value[ix(first)] = 0.0
    m.first_line[ix(first)] = -1
    m.twin[ix(first)] = -1
    if kind == STATION:
        line = 2 * v.seat + number
        x = np.int64(v.path[ix(PATH * line + what)])
        m.value[ix(first)] = place_value(v, b, r, bots, m, line, x, m.unserved, m.own_network)
        m.turn_made[ix(first)] = 1
    elif kind <= END:
        m.first_line[ix(first)] = number
        if _is_twin(v, b, m, first, code):  # its plans and its turn are those of the move before
            m.twin[ix(first)] = first - 1
            m.twin[ix(first - 1)] = first
            return
        m.waiting = 0
        side = first_tunnel(v, b, r, bots, m, code)
        while m.waiting > 0:
            go_on(v, b, r, bots, m, number, side)
        _note_best(m, first, number)


@inlined
def _note_best(m: Thoughts, first: Any, number: Any) -> None:
    """Note the plans of a first move that are the best so far of their line."""
    for i in range(2, PLANS):
        at, of_line = PLANS * first + i, PLANS * number + i
        value, best, place = m.best[ix(at)], m.line_value[ix(of_line)], m.line_best[ix(of_line)]
        m.line_value[ix(of_line)] = value if value > best else best
        m.line_best[ix(of_line)] = np.int64(at) if value > best else place


@inlined
def _is_twin(v: State, b: Board, m: Thoughts, first: Any, code: Any) -> bool:
    """Whether a first tunnel runs along the same edge as the one before it, through a cell worth as much.

    What may follow is the same then, unless there is a station where they end: only from there a line may turn so
    sharply that its next tunnel would lie in one of the two cells.
    """
    kind, number, slot, marker = move_parts(code)
    if first == 0 or kind != DIG or marker != 0 or slot & 1 == 0:
        return False
    before = m.turn_code[ix(DEPTH * (first - 1))]
    if before != move_code(DIG, number, slot - 1, 0) or m.first_there[ix(first - 1)]:
        return False
    u = v.terminus[ix(2 * v.seat + number)]
    cell, other = b.slot_cell[ix(12 * u + slot)], b.slot_cell[ix(12 * u + slot - 1)]
    return m.need[ix(cell)] == m.need[ix(other)] and m.need_leader[ix(cell)] == m.need_leader[ix(other)]


@inlined
def _copy_turn(m: Thoughts, first: Any) -> None:
    """Take over the turn of the first move before this one, its twin."""
    m.value[ix(first)] = m.value[ix(first - 1)]
    m.turn_length[ix(first)] = m.turn_length[ix(first - 1)]
    m.turn_made[ix(first)] = m.turn_made[ix(first - 1)]
    for i in range(1, DEPTH):
        m.turn_code[ix(DEPTH * first + i)] = m.turn_code[ix(DEPTH * (first - 1) + i)]


@jit
def _put_together(v: State, r: Rules, m: Thoughts) -> None:
    """Whole turns: a plan of one line, then the best plan of the other line for the tunnels that are left."""
    length = m.planned
    markers = r.markers_per_turn - v.markers_laid
    _plan_rests(m)
    for f in range(m.firsts):
        first = np.int64(f)
        number = m.first_line[ix(first)]
        if number < 0:
            continue
        if first > 0 and m.twin[ix(first)] == first - 1:
            _copy_turn(m, first)
            continue
        best, tunnels, laid = NEVER, np.int64(1), np.int64(0)
        for plan in range(2, 2 * length + 2):
            way = _way_left(m, number, plan >> 1, np.int64(plan & 1 < markers))
            value = m.best[ix(PLANS * first + plan)]
            whole = value + m.rest_value[ix(way)] + _SHORT_TURN * (length - (plan >> 1) - m.rest_length[ix(way)])
            better = (value != NEVER) & (whole > best)
            best = whole if better else best
            tunnels, laid = np.int64(plan >> 1) if better else tunnels, np.int64(plan & 1) if better else laid
        m.value[ix(first)] = best
        if best != NEVER:
            way = _way_left(m, number, tunnels, np.int64(laid < markers))
            _write_turn(m, first, m.best_codes[ix(PLANS * first + 2 * tunnels + laid)], tunnels, way)


@inlined
def _way_left(m: Thoughts, number: Any, tunnels: Any, may_lay: Any) -> np.int64:
    """Where the best plan of the other line is kept for what so many tunnels of a line leave."""
    return (DEPTH + 1) * (2 * (1 - number) + may_lay) + m.planned - tunnels


@inlined
def _write_turn(m: Thoughts, first: Any, codes: Any, tunnels: Any, way: Any) -> None:
    """Write down the turn of a first move: so many tunnels of its line, then what the other line does."""
    rest, other = m.rest_length[ix(way)], m.rest_plan[ix(way)]
    others = m.best_codes[ix(other)] if other >= 0 else np.int64(0)
    m.turn_length[ix(first)] = tunnels + rest
    m.turn_made[ix(first)] = (codes >> MADE_AT) + (others >> MADE_AT)
    codes |= (others & (1 << MADE_AT) - 1) << CODE_BITS * tunnels
    for i in range(DEPTH):
        m.turn_code[ix(DEPTH * first + i)] = code_of(codes, i)


@inlined
def _plan_rests(m: Thoughts) -> None:
    """The best plan of either line for the tunnels that the other leaves, or for as many of them as it can dig."""
    for number in range(2):
        for may_lay in range(2):
            row = (DEPTH + 1) * (2 * number + may_lay)
            m.rest_plan[ix(row)], m.rest_length[ix(row)], m.rest_value[ix(row)] = -1, 0, 0.0
            for tunnels in range(1, m.planned + 1):
                plan = _best_plan(m, number, tunnels, may_lay != 0)
                length = np.int64(tunnels)
                if plan < 0:
                    plan, length = m.rest_plan[ix(row + tunnels - 1)], m.rest_length[ix(row + tunnels - 1)]
                m.rest_plan[ix(row + tunnels)], m.rest_length[ix(row + tunnels)] = plan, length
                m.rest_value[ix(row + tunnels)] = m.best[ix(plan)] if plan >= 0 else 0.0


@inlined
def _best_plan(m: Thoughts, number: Any, tunnels: Any, may_lay: Any) -> np.int64:
    """The place of the best plan of so many tunnels for a line; -1 for none."""
    plain = PLANS * number + 2 * tunnels
    laying = plain + 1
    if may_lay and m.line_value[ix(laying)] > m.line_value[ix(plain)]:
        return m.line_best[ix(laying)]
    return m.line_best[ix(plain)]


@jit
def explain_turn(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, first: Any) -> None:
    """Write down the amounts of all features of a turn that has been weighed."""
    for feature in range(WIDTH):
        m.amount[ix(feature)] = 0.0
    length = m.turn_length[ix(first)]
    kind, number, what, _ = move_parts(m.turn_code[ix(DEPTH * first)])
    if kind == STATION:
        m.explaining = EXPLAINING
        line = 2 * v.seat + number
        x = np.int64(v.path[ix(PATH * line + what)])
        place_value(v, b, r, bots, m, line, x, m.unserved, m.own_network)
    elif kind <= END:
        for of_line in range(2):
            last = np.int64(-1)
            for i in range(length):
                if move_parts(m.turn_code[ix(DEPTH * first + i)])[1] == of_line:
                    last = np.int64(i)
            if last >= 0:
                _explain_line(v, b, r, bots, m, first, np.int64(of_line), last)
    m.explaining = QUIET
    m.amount[ix(TRIP_POINTS)] += m.turn_own[ix(first)]
    m.amount[ix(RIVALS)] += m.turn_rival[ix(first)]


@jit
def _explain_line(v: State, b: Board, r: Rules, bots: Bots, m: Thoughts, first: Any, number: Any, last: Any) -> None:
    """The tunnels of one line in a turn: what they bring, and how the end of the line changes."""
    m.explaining = EXPLAINING
    for feature in range(WIDTH):
        m.amount[ix(feature)] = -m.amount[ix(feature)]
    as_it_stands(v, b, r, bots, m, number)
    for feature in range(WIDTH):
        m.amount[ix(feature)] = -m.amount[ix(feature)]
    m.waiting = 0
    side = np.int64(0)
    for i in range(last + 1):
        code = m.turn_code[ix(DEPTH * first + i)]
        if move_parts(code)[1] != number:
            continue
        m.explaining = EXPLAINING if i == last else EXPLAINING_STEP
        if m.waiting == 0:
            side = first_tunnel(v, b, r, bots, m, code)
        else:
            next_tunnel(v, b, r, bots, m, number, side, code)
