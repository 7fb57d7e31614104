"""The end of the building phase (section 8): blocked lines, triggers, how many turns are left."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit, unlikely
from mmsim.metromania.engine.moves import any_lane, ways_on
from mmsim.metromania.engine.state import (
    BOTH_LINES,
    ENOUGH_LINES,
    LACKS_CELL,
    LACKS_MARKER,
    LACKS_STATION,
    LACKS_TUNNEL,
    LINES,
    NO_STATIONS,
    OTHERS,
    PLAYERS,
    REVERSED,
    ROUND,
    STOP,
    Board,
    Rules,
    State,
)
from mmsim.metromania.rules.position import MAX_STATIONS_PER_TUNNEL

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def is_blocked(s: State, b: Board, r: Rules, line: Any) -> bool:
    """P2: nothing could be dug on a started, unfinished line if a turn of its company began now."""
    if s.supply >= MAX_STATIONS_PER_TUNNEL and s.lanes[ix(s.terminus[ix(line)])] & s.open[ix(line)] != _ZERO:
        return False  # a free blank cell: the usual case
    first, second = ways_on(s, b, r, line, r.markers_per_turn)
    return first | second == _ZERO


@inlined
def _blank_ahead(s: State) -> np.uint64:
    """The bits of lines that can be dug on into a free blank cell; others may be dug on elsewhere."""
    if s.supply < MAX_STATIONS_PER_TUNNEL:
        return _ZERO
    can_dig = _ZERO
    for line in range(LINES):
        free = s.lanes[ix(s.terminus[ix(line)])] & s.open[ix(line)]
        can_dig |= np.uint64(free != _ZERO) << np.uint64(line)
    return can_dig


@inlined
def blocked_lines(s: State, b: Board, r: Rules) -> np.uint64:
    blocked = _ZERO
    rest = s.started & ~s.ended
    while rest != _ZERO:
        line = lowest_bit(rest)
        if is_blocked(s, b, r, line):
            blocked |= _ONE << np.uint64(line)
        rest &= rest - _ONE
    return blocked


@jit
def block_reason(s: State, b: Board, r: Rules, line: Any) -> np.int64:
    """P2: what a blocked line lacks: the first of tunnels, stations, markers with which it could be dug on."""
    if s.tunnels[ix(line)] == r.tunnels_per_line:
        return np.int64(LACKS_TUNNEL)
    supply = s.supply
    s.supply = 2
    first, second = ways_on(s, b, r, line, r.markers_per_turn)
    s.supply = supply
    if first | second != _ZERO:
        return np.int64(LACKS_STATION)
    free = any_lane(s.lanes[ix(s.terminus[ix(line)])])
    return np.int64(LACKS_MARKER) if free & s.open[ix(line)] != _ZERO else np.int64(LACKS_CELL)


@inlined
def enough_lines(s: State, b: Board, r: Rules) -> bool:
    """P1: whether enough lines are ended or blocked to end the building phase."""
    if count_bits(s.started) >= r.end_lines and unlikely(count_bits(s.started & ~_blank_ahead(s)) >= r.end_lines):
        return count_bits(s.ended | blocked_lines(s, b, r)) >= r.end_lines
    return False


@jit
def notice_lines(s: State, b: Board, r: Rules) -> None:
    """P3: remember a trigger that held before a bonus station is placed, which may free a blocked line."""
    s.lines_noticed = np.int64(r.trigger_turn == STOP and s.turns_left < 0 and enough_lines(s, b, r))


@inlined
def trigger(s: State, b: Board, r: Rules) -> np.int64:
    """P1, P3: the first reason that ends the building phase now; -1 if none does."""
    both_lines = s.ended & s.ended >> _ONE & np.uint64(0x55) != _ZERO
    enough = s.lines_noticed != 0 or enough_lines(s, b, r)
    if both_lines or s.supply == 0:
        s.two_reasons = np.int64(enough or (both_lines and s.supply == 0))
        return np.int64(BOTH_LINES) if both_lines else np.int64(NO_STATIONS)
    return np.int64(ENOUGH_LINES) if enough else np.int64(-1)


@jit
def stops_turn(s: State, b: Board, r: Rules) -> bool:
    """P3, P4: whether a trigger ends the turn at once; in the last round none does (P5)."""
    return bool(s.turns_left < 0 and trigger(s, b, r) >= 0)


@jit
def count_last_turns(s: State, r: Rules) -> np.int64:
    """P5: how many turns follow the one that triggered the end."""
    others = r.companies - 1
    if r.last_round == ROUND:
        return s.seat if plays_backwards(s, r) else others - s.seat
    if r.last_round != OTHERS:
        return np.int64(0)
    return others - r.companies // r.players + 1 if r.last_turns == PLAYERS else others


@inlined
def plays_backwards(s: State, r: Rules) -> bool:
    """H3: whether this turn is of a first round that is played backwards."""
    return r.first_round == REVERSED and s.turn <= r.companies


@inlined
def seat_after(s: State, r: Rules) -> np.int64:
    """T1, H3: the seat that is next; P5: in the last round one that has a last turn."""
    if unlikely(plays_backwards(s, r)) and (s.turns_left < 0 or r.last_round == ROUND):
        return max(s.seat - 1, np.int64(0))
    seat = s.seat + 1 if s.seat + 1 < r.companies else np.int64(0)
    if unlikely(s.turns_left > 0 and r.last_turns == PLAYERS and r.last_round == OTHERS):
        while r.seat_player[ix(seat)] == r.seat_player[ix(s.end_seat)]:
            seat = seat + 1 if seat + 1 < r.companies else np.int64(0)
    return seat
