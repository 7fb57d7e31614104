"""Weigh whole turns: every first tunnel, every way to continue, and the best split of tunnels between the two lines.

The plans of the two lines are combined so that their tunnels make a turn. A turn may also be one intermediate station.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.metromania.bots.thinking import line_plans
from mmsim.metromania.bots.thinking.features import current_end_value, place_value, weight
from mmsim.metromania.bots.thinking.memory import DEPTH, FIRST_MOVES, PLANS, Bots, Thoughts
from mmsim.metromania.bots.turn_weights import FEATURE_COUNT, Feature, Parameter
from mmsim.metromania.engine.moves import (
    DIG,
    END,
    START,
    STATION,
    decode_move_compiled,
    encode_move,
    kth_move,
    markers_left,
    tunnels_per_turn,
    way_move,
)
from mmsim.metromania.engine.state import PATH, WHOLE, Board, Rules, State

_SHORT_TURN = -100.0  # for every tunnel that a turn is short of
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def weigh_turns(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts) -> None:
    """For every legal move the best turn that begins with it, and its value."""
    ahead = weight(bots, v.seat, Parameter.AHEAD)
    # On an empty board a whole turn looks good wherever it ends; the first tunnel alone makes the better start.
    if v.started >> np.uint64(2 * v.seat) & np.uint64(3) == _ZERO:
        ahead = min(ahead, weight(bots, v.seat, Parameter.OPENING))
    t.planned = min(tunnels_per_turn(v, r) - v.dug, np.int64(ahead))  # as far as this bot looks ahead
    t.firsts = min(v.choices, np.int64(FIRST_MOVES))
    for i in range(2 * PLANS):
        t.line_best[ix(i)] = -1
        t.line_value[ix(i)] = line_plans.NEVER
    t.first = 0
    for at in range(4):
        rest = v.ways[ix(at)]
        while rest != _ZERO and t.first < t.firsts:
            _weigh_first(v, b, r, bots, t, way_move(v, np.int64(at), lowest_bit(rest)))
            rest &= rest - _ONE
            t.first += 1
    while t.first < t.firsts:
        _weigh_first(v, b, r, bots, t, kth_move(v, b, t.first))
        t.first += 1
    _combine_plans(v, r, t)


@jit
def _weigh_first(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, code: Any) -> None:
    """Weigh all plans of a first move, or the move itself if it is not a tunnel."""
    first = t.first
    t.tried[ix(first)] = 0
    for i in range(PLANS):
        t.best[ix(PLANS * first + i)] = line_plans.NEVER
    kind, number, place, _ = decode_move_compiled(code)
    t.turn_code[ix(DEPTH * first)] = code
    t.turn_length[ix(first)] = 1
    t.turn_stations[ix(first)] = 0
    t.value[ix(first)] = 0.0
    t.first_line[ix(first)] = -1
    t.twin[ix(first)] = -1
    if kind == STATION:
        line = 2 * v.seat + number
        vertex = np.int64(v.path[ix(PATH * line + place)])
        t.value[ix(first)] = place_value(v, b, r, bots, t, line, vertex, t.unserved, t.own_connected)
        t.turn_stations[ix(first)] = 1
    elif kind <= END:
        t.first_line[ix(first)] = number
        if _is_twin(v, b, t, first, code):  # its plans and turn are those of the move before
            t.twin[ix(first)] = first - 1
            t.twin[ix(first - 1)] = first
            return
        t.waiting = 0
        side = line_plans.first_tunnel(v, b, r, bots, t, code)
        while t.waiting > 0:
            line_plans.continue_plan(v, b, r, bots, t, number, side)
        if kind != START or r.start_turn != WHOLE:  # B1: else no other line is dug in the same turn
            _note_best(t, first, number)


@inlined
def _note_best(t: Thoughts, first: Any, number: Any) -> None:
    """Keep the plans of a first move that are the best so far of their line."""
    for i in range(2, PLANS):
        at, line_at = PLANS * first + i, PLANS * number + i
        value, best, place = t.best[ix(at)], t.line_value[ix(line_at)], t.line_best[ix(line_at)]
        t.line_value[ix(line_at)] = value if value > best else best
        t.line_best[ix(line_at)] = np.int64(at) if value > best else place


@inlined
def _is_twin(v: State, b: Board, t: Thoughts, first: Any, code: Any) -> bool:
    """Whether a first tunnel runs along the same edge as the one before it, through a cell worth as much.

    Then the same tunnels may follow, unless they end at a station: only there a line may turn so sharply that its next
    tunnel would lie in one of the two cells.
    """
    kind, number, slot, marker = decode_move_compiled(code)
    if first == 0 or kind != DIG or marker != 0 or slot & 1 == 0:
        return False
    before = t.turn_code[ix(DEPTH * (first - 1))]
    if before != encode_move(DIG, number, slot - 1, 0) or t.first_at_station[ix(first - 1)]:
        return False
    u = v.terminus[ix(2 * v.seat + number)]
    cell, cell_before = b.slot_cell[ix(12 * u + slot)], b.slot_cell[ix(12 * u + slot - 1)]
    return t.need[ix(cell)] == t.need[ix(cell_before)] and t.need_leader[ix(cell)] == t.need_leader[ix(cell_before)]


@inlined
def _copy_turn(t: Thoughts, first: Any) -> None:
    """Copy the turn of the first move before this one, its twin."""
    t.value[ix(first)] = t.value[ix(first - 1)]
    t.turn_length[ix(first)] = t.turn_length[ix(first - 1)]
    t.turn_stations[ix(first)] = t.turn_stations[ix(first - 1)]
    for i in range(1, DEPTH):
        t.turn_code[ix(DEPTH * first + i)] = t.turn_code[ix(DEPTH * (first - 1) + i)]


@jit
def _combine_plans(v: State, r: Rules, t: Thoughts) -> None:
    """Make whole turns: a plan of one line, then the best plan of the other line for the tunnels left."""
    length = t.planned
    markers = markers_left(v, r)
    _plan_rests(t)
    for f in range(t.firsts):
        first = np.int64(f)
        number = t.first_line[ix(first)]
        if number < 0:
            continue
        if first > 0 and t.twin[ix(first)] == first - 1:
            _copy_turn(t, first)
            continue
        best, tunnels, laid = line_plans.NEVER, np.int64(1), np.int64(0)
        alone = r.start_turn == WHOLE and decode_move_compiled(t.turn_code[ix(DEPTH * first)])[0] == START  # B1
        for plan in range(2, 2 * length + 2):
            way = _way_left(t, number, length if alone else plan >> 1, np.int64(plan & 1 < markers))
            value = t.best[ix(PLANS * first + plan)]
            whole = value + t.rest_value[ix(way)] + _SHORT_TURN * (length - (plan >> 1) - t.rest_length[ix(way)])
            better = (value != line_plans.NEVER) & (whole > best)
            best = whole if better else best
            tunnels, laid = np.int64(plan >> 1) if better else tunnels, np.int64(plan & 1) if better else laid
        t.value[ix(first)] = best
        if best != line_plans.NEVER:
            way = _way_left(t, number, length if alone else tunnels, np.int64(laid < markers))
            _write_turn(t, first, t.best_codes[ix(PLANS * first + 2 * tunnels + laid)], tunnels, way)


@inlined
def _way_left(t: Thoughts, number: Any, tunnels: Any, may_lay: Any) -> np.int64:
    """Place of the best plan of the other line for the tunnels left after `tunnels` of a line."""
    return (DEPTH + 1) * (2 * (1 - number) + may_lay) + t.planned - tunnels


@inlined
def _write_turn(t: Thoughts, first: Any, codes: Any, tunnels: Any, way: Any) -> None:
    """Write down the turn of a first move: `tunnels` of its line, then those of the other line."""
    rest, other_plan = t.rest_length[ix(way)], t.rest_plan[ix(way)]
    other_codes = t.best_codes[ix(other_plan)] if other_plan >= 0 else np.int64(0)
    t.turn_length[ix(first)] = tunnels + rest
    t.turn_stations[ix(first)] = (codes >> line_plans.STATIONS_AT) + (other_codes >> line_plans.STATIONS_AT)
    codes |= (other_codes & (1 << line_plans.STATIONS_AT) - 1) << line_plans.CODE_BITS * tunnels
    for i in range(DEPTH):
        t.turn_code[ix(DEPTH * first + i)] = line_plans.code_of(codes, i)


@inlined
def _plan_rests(t: Thoughts) -> None:
    """Find the best plan of either line for the tunnels left by the other, or for as many as it can dig."""
    for number in range(2):
        for may_lay in range(2):
            row = (DEPTH + 1) * (2 * number + may_lay)
            t.rest_plan[ix(row)], t.rest_length[ix(row)], t.rest_value[ix(row)] = -1, 0, 0.0
            for tunnels in range(1, t.planned + 1):
                plan = _best_plan(t, number, tunnels, may_lay != 0)
                length = np.int64(tunnels)
                if plan < 0:
                    plan, length = t.rest_plan[ix(row + tunnels - 1)], t.rest_length[ix(row + tunnels - 1)]
                t.rest_plan[ix(row + tunnels)], t.rest_length[ix(row + tunnels)] = plan, length
                t.rest_value[ix(row + tunnels)] = t.best[ix(plan)] if plan >= 0 else 0.0


@inlined
def _best_plan(t: Thoughts, number: Any, tunnels: Any, may_lay: Any) -> np.int64:
    """Place of the best plan of a line with `tunnels` tunnels; -1 for none."""
    plain = PLANS * number + 2 * tunnels
    laying = plain + 1
    if may_lay and t.line_value[ix(laying)] > t.line_value[ix(plain)]:
        return t.line_best[ix(laying)]
    return t.line_best[ix(plain)]


@jit
def explain_turn(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, first: Any) -> None:
    """Write down the amounts of all features of a turn that has been weighed."""
    for feature in range(FEATURE_COUNT):
        t.amount[ix(feature)] = 0.0
    length = t.turn_length[ix(first)]
    kind, number, place, _ = decode_move_compiled(t.turn_code[ix(DEPTH * first)])
    if kind == STATION:
        t.explaining = line_plans.EXPLAINING
        line = 2 * v.seat + number
        vertex = np.int64(v.path[ix(PATH * line + place)])
        place_value(v, b, r, bots, t, line, vertex, t.unserved, t.own_connected)
    elif kind <= END:
        for line_at in range(2):
            last = np.int64(-1)
            for i in range(length):
                if decode_move_compiled(t.turn_code[ix(DEPTH * first + i)])[1] == line_at:
                    last = np.int64(i)
            if last >= 0:
                _explain_line(v, b, r, bots, t, first, np.int64(line_at), last)
    t.explaining = line_plans.QUIET
    t.amount[ix(Feature.TRIPS)] += t.turn_own[ix(first)]
    t.amount[ix(Feature.RIVALS)] += t.turn_rival[ix(first)]


@jit
def _explain_line(v: State, b: Board, r: Rules, bots: Bots, t: Thoughts, first: Any, number: Any, last: Any) -> None:
    """Add the amounts of the tunnels of one line in a turn, and of the change at the end of the line."""
    t.explaining = line_plans.EXPLAINING
    for feature in range(FEATURE_COUNT):
        t.amount[ix(feature)] = -t.amount[ix(feature)]
    current_end_value(v, b, r, bots, t, number)
    for feature in range(FEATURE_COUNT):
        t.amount[ix(feature)] = -t.amount[ix(feature)]
    t.waiting = 0
    side = np.int64(0)
    for i in range(last + 1):
        code = t.turn_code[ix(DEPTH * first + i)]
        if decode_move_compiled(code)[1] != number:
            continue
        t.explaining = line_plans.EXPLAINING if i == last else line_plans.EXPLAINING_STEP
        if t.waiting == 0:
            side = line_plans.first_tunnel(v, b, r, bots, t, code)
        else:
            line_plans.next_tunnel(v, b, r, bots, t, number, side, code)
