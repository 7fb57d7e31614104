"""The other companies: who is in front, which cells they need next, how soon one may end both its lines."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit
from mmsim.metromania.bots.thinking.distance_maps import EVERY_DIRECTION, reach_targets, tunnels_across
from mmsim.metromania.bots.thinking.memory import FAR_AWAY, Thoughts
from mmsim.metromania.engine.state import Board, Rules, State

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_NEVER_ENDS = 99.0  # turns: what a company that cannot end its lines needs


@inlined
def _seat_after(v: State, r: Rules, places: Any) -> np.int64:
    """The seat so many places after the one in turn: a bot tells companies apart by the playing order only."""
    seat = v.seat + places
    return seat if seat < r.companies else seat - r.companies


@inlined
def company_in_front(v: State, r: Rules, t: Thoughts) -> np.int64:
    """The company of another player with the best standing; of several the one whose turn comes first."""
    front = np.int64(-1)
    for places in range(1, r.companies):
        seat = _seat_after(v, r, np.int64(places))
        if r.seat_player[ix(seat)] != r.seat_player[ix(v.seat)] and (
            front < 0 or t.standing[ix(seat)] > t.standing[ix(front)]
        ):
            front = np.int64(seat)
    return front


@jit
def find_needs(v: State, b: Board, r: Rules, t: Thoughts) -> None:
    """Which cells the other companies need for their next tunnel, and how soon one of them may end both its lines."""
    for i in range(t.needs):
        t.need[ix(t.needed[ix(i)])] = 0.0
        t.need_leader[ix(t.needed[ix(i)])] = 0.0
    t.needs = 0
    t.rival_turns = _NEVER_ENDS
    for places in range(1, r.companies):  # sums of shares are the same to the last bit wherever somebody sits
        seat = _seat_after(v, r, np.int64(places))
        if r.seat_player[ix(seat)] == r.seat_player[ix(v.seat)]:
            continue
        to_dig = np.int64(0)
        for line in range(2 * seat, 2 * seat + 2):
            if v.started >> np.uint64(line) & _ONE == _ZERO:
                to_dig += tunnels_across(b)
            elif v.ended >> np.uint64(line) & _ONE == _ZERO:
                to_dig += _line_needs(v, b, r, t, np.int64(line), seat == t.rival)
        t.rival_turns = min(t.rival_turns, to_dig / r.dig)


@inlined
def _line_needs(v: State, b: Board, r: Rules, t: Thoughts, line: Any, leading: Any) -> np.int64:
    """The cells of the next tunnels on the shortest ways of a line; returns how many tunnels it has to go."""
    to_go, slots = shortest_ways(v, b, r, t, line)
    if slots != _ZERO:
        _note_needs(b, t, v.terminus[ix(line)], slots, np.float64(to_go), leading)
    return to_go


@jit
def shortest_ways(v: State, b: Board, r: Rules, t: Thoughts, line: Any) -> tuple[np.int64, np.uint64]:
    """How many tunnels a line of another company has to go, and the slots of the next ones on its shortest ways."""
    u = v.terminus[ix(line)]
    ways = v.open[ix(line)] & (v.lanes[ix(u)] | v.exits[ix(line)])
    most = min(r.tunnels_per_line - v.tunnels[ix(line)], np.int64(FAR_AWAY - 1))
    if ways == _ZERO or most <= 0:
        return np.int64(FAR_AWAY), _ZERO
    exits = ways & v.exits[ix(line)]
    if exits != _ZERO:
        return np.int64(1), exits
    for word in range(1, b.words):
        t.target[ix(word)] = _ZERO
    rest = (ways | ways >> _ONE) & np.uint64(EVERY_DIRECTION)
    while rest != _ZERO:
        at = np.uint64(b.bit[ix(b.neighbour[ix(6 * u + (lowest_bit(rest) >> 1))])])
        t.target[ix(at >> np.uint64(6))] |= _ONE << (at & np.uint64(63))
        rest &= rest - _ONE
    beyond = reach_targets(v, b, r, t, v.start_side[ix(line)], most - 1)
    if beyond == 0:
        return np.int64(FAR_AWAY), _ZERO
    nearest = _ZERO
    rest = ways
    while rest != _ZERO:
        slot = lowest_bit(rest)
        at = np.uint64(b.bit[ix(b.neighbour[ix(6 * u + (slot >> 1))])])
        met = t.wave[ix(at >> np.uint64(6))] >> (at & np.uint64(63)) & _ONE
        nearest |= met << np.uint64(slot)
        rest &= rest - _ONE
    return 1 + beyond, nearest


@inlined
def _note_needs(b: Board, t: Thoughts, u: Any, slots: Any, to_go: Any, leading: Any) -> None:
    """Note that a line with so many tunnels to go needs one of the cells of some slots."""
    share = 1.0 / (np.float64(count_bits(slots)) * to_go)
    rest = slots
    while rest != _ZERO:
        cell = b.slot_cell[ix(12 * u + lowest_bit(rest))]
        if t.need[ix(cell)] == 0.0:
            t.needed[ix(t.needs)] = cell
            t.needs += 1
        t.need[ix(cell)] += share
        if leading:
            t.need_leader[ix(cell)] += share
        rest &= rest - _ONE
