"""The inputs of expert's net: how everybody stands, what the open lines may lose, and what the rivals may do next."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits
from mmsim.metro.bots.thinking import inputs
from mmsim.metro.bots.thinking.evaluation import RANK, expected_points, held_tenths
from mmsim.metro.bots.thinking.memory import Thoughts
from mmsim.metro.bots.thinking.replies import expect_reply
from mmsim.metro.engine.lines import holds_number, line_points, number_factor
from mmsim.metro.engine.state import NOBODY, SUPPLY, Board, Rules, State
from mmsim.metro.rules.board import STOPS

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def _put(thinker: Thoughts, at: Any, value: Any) -> None:
    thinker.inputs[ix(at)] = np.float32(value)


@jit
def describe_position(
    p: State, b: Board, r: Rules, t: Thoughts, thinker: Thoughts, seat: Any, others: Any, at: Any
) -> None:
    """Write the inputs for a position after a move into `thinker.inputs`, from `at` on; `t` has its expectations."""
    _survey_lines(p, b, r, t)
    for player in range(r.players):
        t.standing[ix(player)] = _of_player(p, r, t, player, inputs.STANDING)
    following = (seat + 1) % r.players
    front, ahead = following, 0.0  # among equals the rival whose turn comes first
    for i in range(1, r.players):
        rival = (seat + i) % r.players
        ahead += np.float64(t.standing[ix(rival)] > t.standing[ix(seat)])
        if t.standing[ix(rival)] > t.standing[ix(front)]:
            front = rival
    for quantity in range(inputs.PLAYER):
        place, total = at + quantity, 0.0
        for i in range(1, r.players):
            total += _of_player(p, r, t, (seat + i) % r.players, quantity)
        _put(thinker, place + inputs.OWN * inputs.PLAYER, inputs.TENS * _of_player(p, r, t, seat, quantity))
        _put(thinker, place + inputs.NEXT * inputs.PLAYER, inputs.TENS * _of_player(p, r, t, following, quantity))
        _put(thinker, place + inputs.FRONT * inputs.PLAYER, inputs.TENS * _of_player(p, r, t, front, quantity))
        _put(thinker, place + inputs.MEAN * inputs.PLAYER, inputs.TENS * total / np.float64(r.players - 1))
    threat = _describe_replies(p, b, r, t, thinker, seat, others, at + inputs.THREAT)
    late = np.float64(count_bits(p.placed)) / np.float64(SUPPLY)
    lead = t.standing[ix(seat)] - t.standing[ix(front)]
    _put(thinker, at + inputs.LEAD, inputs.TENS * lead)
    _put(thinker, at + inputs.LEAD + 1, ahead)
    _put(thinker, at + inputs.LATE, late)
    _put(thinker, at + inputs.LATE + 1, inputs.TENS * lead * late)
    _put(thinker, at + inputs.LATE + 2, inputs.TENS * threat * late)
    _put(thinker, at + inputs.LATE + 3, inputs.TENS * _of_player(p, r, t, seat, inputs.LOSS) * late)
    _put(thinker, at + inputs.LATE + 4, inputs.TENS * t.standing[ix(front)] * late)
    _put(thinker, at + inputs.LATE + 5, inputs.TENS * _number_points(p, r, seat))
    _describe_rules(r, thinker, at + inputs.RULES)


@jit
def _describe_replies(
    p: State, b: Board, r: Rules, t: Thoughts, thinker: Thoughts, seat: Any, others: Any, at: Any
) -> float:
    """What the rivals may do before the player moves again; returns what all of it changes for the player."""
    threat, gains = 0.0, 0.0
    for i in range(1, r.players):
        rival = (seat + i) % r.players
        change, gain = expect_reply(p, b, r, t, thinker, seat, rival, others)
        threat += change
        gains += gain
        if i == 1:
            _put(thinker, at + 1, inputs.TENS * change)
            _put(thinker, at + 3, inputs.TENS * gain)
    _put(thinker, at, inputs.TENS * threat)
    _put(thinker, at + 2, inputs.TENS * gains)
    return threat


@jit
def _describe_rules(r: Rules, thinker: Thoughts, at: Any) -> None:
    _put(thinker, at, r.players)
    _put(thinker, at + 1, r.orientation)
    _put(thinker, at + 2, r.hand)
    _put(thinker, at + 3, r.companies)
    _put(thinker, at + 4, r.stations)
    _put(thinker, at + 5, r.central)
    _put(thinker, at + 6, r.numbers)


@jit
def _survey_lines(p: State, b: Board, r: Rules, t: Thoughts) -> None:
    """Sum up the expectations of every owner's open lines, and what the next tile may do to them."""
    for owner in range(r.owners):
        t.loss[ix(owner)] = t.chance[ix(owner)] = t.open[ix(owner)] = t.lines[ix(owner)] = 0.0
    for line in range(STOPS):
        owner = p.owner[ix(line)]
        if owner == NOBODY or p.arrived >> np.uint64(line) & _ONE != _ZERO:
            continue
        first = b.departure[ix(line)]
        node, tiles = np.int64(p.last[ix(first)]), np.int64(p.length[ix(first)])
        before = expected_points(t, line, node, tiles)
        worst = best = before
        cell, side = node >> 2, node & 3
        for out in range(4):
            beyond = b.exit[ix(4 * cell + out)]
            to = np.int64(p.last[ix(beyond)])
            if t.track[ix((out - side) & 3)] > 0.0 and to >> 2 != cell:
                after = expected_points(t, line, to, tiles + (1 + np.int64(p.length[ix(beyond)])))
                worst, best = min(worst, after), max(best, after)
        t.loss[ix(owner)] += before - worst
        t.chance[ix(owner)] += best - before
        t.open[ix(owner)] += before
        t.lines[ix(owner)] += 1.0


@jit
def _of_player(p: State, r: Rules, t: Thoughts, player: Any, quantity: Any) -> float:
    """A number of a player: that of its own lines, or with companies (X15) that of its shares in them."""
    if not r.companies:
        return _of_owner(p, t, player, quantity)
    total = 0.0
    for owner in range(r.owners):
        total += RANK * held_tenths(p, player, owner) * _of_owner(p, t, owner, quantity)
    return total


@inlined
def _of_owner(p: State, t: Thoughts, owner: Any, quantity: Any) -> float:
    if quantity == inputs.STANDING:
        return p.points[ix(owner)] + t.open[ix(owner)]
    if quantity == inputs.POINTS:
        return np.float64(p.points[ix(owner)])
    if quantity == inputs.LINES:
        return t.lines[ix(owner)]
    if quantity == inputs.LOSS:
        return t.loss[ix(owner)]
    return t.chance[ix(owner)]


@jit
def _number_points(p: State, r: Rules, seat: Any) -> float:
    """X18: the points of the player's station numbers so far."""
    points = np.int64(0)
    if r.numbers:
        for line in range(STOPS):
            if p.owner[ix(line)] != NOBODY and holds_number(p, seat, np.int64(p.to[ix(line)])):
                points += line_points(p, line) * number_factor(line)
    return np.float64(points)
