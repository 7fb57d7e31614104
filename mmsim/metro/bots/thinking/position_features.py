"""What expert's net is told of a position: how everybody stands, what the open lines may lose, what may come next."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit
from mmsim.metro.bots.thinking.answers import expect_answer
from mmsim.metro.bots.thinking.evaluation import RANK, expected_points, held_tenths
from mmsim.metro.bots.thinking.inputs import (
    FRONT,
    LATE,
    LEAD,
    LINES,
    LOSS,
    MEAN,
    NEXT,
    OWN,
    PLAYER,
    POINTS,
    RULES,
    STANDING,
    TENS,
    THREAT,
)
from mmsim.metro.bots.thinking.memory import Thoughts
from mmsim.metro.engine.lines import holds_number, line_points, number_factor
from mmsim.metro.engine.state import NOBODY, SUPPLY, Board, Rules, State
from mmsim.metro.rules.board import STOPS

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def _put(own: Thoughts, at: Any, value: Any) -> None:
    own.inputs[ix(at)] = np.float32(value)


@jit
def describe_position(
    p: State, b: Board, r: Rules, t: Thoughts, own: Thoughts, seat: Any, others: Any, at: Any
) -> None:
    """Write the inputs of a position after a move into `own.inputs` from a place on; `t` has what is expected of it."""
    _survey_lines(p, b, r, t)
    for player in range(r.players):
        t.standing[ix(player)] = _of_player(p, r, t, player, STANDING)
    following = (seat + 1) % r.players
    front, ahead = following, 0.0  # of rivals with the same standing the one whose turn comes first
    for i in range(1, r.players):
        rival = (seat + i) % r.players
        ahead += np.float64(t.standing[ix(rival)] > t.standing[ix(seat)])
        if t.standing[ix(rival)] > t.standing[ix(front)]:
            front = rival
    for what in range(PLAYER):
        _put(own, at + OWN * PLAYER + what, TENS * _of_player(p, r, t, seat, what))
        _put(own, at + NEXT * PLAYER + what, TENS * _of_player(p, r, t, following, what))
        _put(own, at + FRONT * PLAYER + what, TENS * _of_player(p, r, t, front, what))
        total = 0.0
        for i in range(1, r.players):
            total += _of_player(p, r, t, (seat + i) % r.players, what)
        _put(own, at + MEAN * PLAYER + what, TENS * total / np.float64(r.players - 1))
    threat = _describe_answers(p, b, r, t, own, seat, others, at + THREAT)
    late = np.float64(count_bits(p.placed)) / np.float64(SUPPLY)
    lead = t.standing[ix(seat)] - t.standing[ix(front)]
    _put(own, at + LEAD, TENS * lead)
    _put(own, at + LEAD + 1, ahead)
    _put(own, at + LATE, late)
    _put(own, at + LATE + 1, TENS * lead * late)
    _put(own, at + LATE + 2, TENS * threat * late)
    _put(own, at + LATE + 3, TENS * _of_player(p, r, t, seat, LOSS) * late)
    _put(own, at + LATE + 4, TENS * t.standing[ix(front)] * late)
    _put(own, at + LATE + 5, TENS * _number_points(p, r, seat))
    _describe_rules(r, own, at + RULES)


@jit
def _describe_answers(
    p: State, b: Board, r: Rules, t: Thoughts, own: Thoughts, seat: Any, others: Any, at: Any
) -> float:
    """What the others may do before the player moves again; returns what all of it changes for the player."""
    threat, answer = 0.0, 0.0
    for i in range(1, r.players):
        rival = (seat + i) % r.players
        change, gain = expect_answer(p, b, r, t, own, seat, rival, others)
        threat += change
        answer += gain
        if i == 1:
            _put(own, at + 1, TENS * change)
            _put(own, at + 3, TENS * gain)
    _put(own, at, TENS * threat)
    _put(own, at + 2, TENS * answer)
    return threat


@jit
def _describe_rules(r: Rules, own: Thoughts, at: Any) -> None:
    _put(own, at, r.players)
    _put(own, at + 1, r.orientation)
    _put(own, at + 2, r.hand)
    _put(own, at + 3, r.companies)
    _put(own, at + 4, r.stations)
    _put(own, at + 5, r.central)
    _put(own, at + 6, r.numbers)


@jit
def _survey_lines(p: State, b: Board, r: Rules, t: Thoughts) -> None:
    """What is expected of every owner's open lines, and what the next tile may do to them."""
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
def _of_player(p: State, r: Rules, t: Thoughts, player: Any, what: Any) -> float:
    """Something of a player: that of its own lines, or with module 1 of the companies by the shares in them."""
    if not r.companies:
        return _of_owner(p, t, player, what)
    total = 0.0
    for owner in range(r.owners):
        total += RANK * held_tenths(p, player, owner) * _of_owner(p, t, owner, what)
    return total


@inlined
def _of_owner(p: State, t: Thoughts, owner: Any, what: Any) -> float:
    if what == STANDING:
        return p.points[ix(owner)] + t.open[ix(owner)]
    if what == POINTS:
        return np.float64(p.points[ix(owner)])
    if what == LINES:
        return t.lines[ix(owner)]
    if what == LOSS:
        return t.loss[ix(owner)]
    return t.chance[ix(owner)]


@jit
def _number_points(p: State, r: Rules, seat: Any) -> float:
    """X18: what the own station numbers have brought."""
    points = np.int64(0)
    if r.numbers:
        for line in range(STOPS):
            if p.owner[ix(line)] != NOBODY and holds_number(p, seat, np.int64(p.to[ix(line)])):
                points += line_points(p, line) * number_factor(line)
    return np.float64(points)
