"""The inputs of evaluator's net: each player's standing, what the open lines may lose, and the rivals' replies."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit
from mmsim.metro.bots.thinking import input_layout
from mmsim.metro.bots.thinking.evaluation import RANK, expected_points, expected_tenths, weigh_owners
from mmsim.metro.bots.thinking.memory import NEVER, Thoughts
from mmsim.metro.bots.thinking.move_values import placement_value, weigh_cells, weighed_value
from mmsim.metro.engine.lines import holds_number, line_points, number_factor
from mmsim.metro.engine.moves import cells_without_short_line
from mmsim.metro.engine.state import GRID, KINDS, NOBODY, SUPPLY, Board, Rules, State
from mmsim.metro.rules.board import STOPS

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def _put(thinker: Thoughts, at: Any, value: Any) -> None:
    thinker.inputs[ix(at)] = np.float32(value)


@jit
def describe_position(
    p: State, b: Board, r: Rules, t: Thoughts, thinker: Thoughts, seat: Any, others: Any, at: Any
) -> None:
    """Write the inputs for a position after a move into `thinker.inputs`, from `at` on.

    `t` has the thoughts about that position, `thinker` those of the player who considers the move.
    """
    _survey_lines(p, b, r, t)
    for player in range(r.players):
        t.standing[ix(player)] = _player_quantity(p, r, t, player, input_layout.STANDING)
    next_seat = (seat + 1) % r.players
    leader, rivals_ahead = next_seat, 0.0  # among equals the rival whose turn comes first
    for i in range(1, r.players):
        rival = (seat + i) % r.players
        rivals_ahead += np.float64(t.standing[ix(rival)] > t.standing[ix(seat)])
        if t.standing[ix(rival)] > t.standing[ix(leader)]:
            leader = rival
    for quantity in range(input_layout.PLAYER):
        offset, total = at + quantity, 0.0
        for i in range(1, r.players):
            total += _player_quantity(p, r, t, (seat + i) % r.players, quantity)
        _put(thinker, offset + input_layout.OWN, input_layout.TENS * _player_quantity(p, r, t, seat, quantity))
        _put(thinker, offset + input_layout.NEXT, input_layout.TENS * _player_quantity(p, r, t, next_seat, quantity))
        _put(thinker, offset + input_layout.LEADER, input_layout.TENS * _player_quantity(p, r, t, leader, quantity))
        _put(thinker, offset + input_layout.MEAN, input_layout.TENS * total / np.float64(r.players - 1))
    threat = _describe_replies(p, b, r, t, thinker, seat, others, at + input_layout.THREAT)
    late = np.float64(count_bits(p.placed)) / np.float64(SUPPLY)
    lead = t.standing[ix(seat)] - t.standing[ix(leader)]
    _put(thinker, at + input_layout.LEAD, input_layout.TENS * lead)
    _put(thinker, at + input_layout.LEAD + 1, rivals_ahead)
    _put(thinker, at + input_layout.PROGRESS, late)
    _put(thinker, at + input_layout.PROGRESS + 1, input_layout.TENS * lead * late)
    _put(thinker, at + input_layout.PROGRESS + 2, input_layout.TENS * threat * late)
    loss = _player_quantity(p, r, t, seat, input_layout.LOSS)
    _put(thinker, at + input_layout.PROGRESS + 3, input_layout.TENS * loss * late)
    _put(thinker, at + input_layout.PROGRESS + 4, input_layout.TENS * t.standing[ix(leader)] * late)
    _put(thinker, at + input_layout.PROGRESS + 5, input_layout.TENS * _number_points(p, r, seat))
    rules = (r.players, r.orientation, r.hand, r.companies, r.stations, r.central, r.numbers)
    for i in range(len(rules)):
        _put(thinker, at + input_layout.RULES + i, rules[i])


@jit
def _describe_replies(
    p: State, b: Board, r: Rules, t: Thoughts, thinker: Thoughts, seat: Any, others: Any, at: Any
) -> float:
    """The replies of the rivals before the player moves again; returns their total effect on the player's score."""
    threat, gains = 0.0, 0.0
    for i in range(1, r.players):
        rival = (seat + i) % r.players
        change, gain = _expect_reply(p, b, r, t, thinker, seat, rival, others)
        threat += change
        gains += gain
        if i == 1:
            _put(thinker, at + 1, input_layout.TENS * change)
            _put(thinker, at + 3, input_layout.TENS * gain)
    _put(thinker, at, input_layout.TENS * threat)
    _put(thinker, at + 2, input_layout.TENS * gains)
    return threat


@jit
def _survey_lines(p: State, b: Board, r: Rules, t: Thoughts) -> None:
    """Sum up the expectations of every owner's open lines, and what the next tile may do to them."""
    for owner in range(r.owners):
        t.loss[ix(owner)] = t.possible_gain[ix(owner)] = t.open[ix(owner)] = t.lines[ix(owner)] = 0.0
    for line in range(STOPS):
        owner = p.owner[ix(line)]
        if owner == NOBODY or p.arrived >> np.uint64(line) & _ONE != _ZERO:
            continue
        first = b.departure[ix(line)]
        node, tiles = np.int64(p.stretch_end[ix(first)]), np.int64(p.length[ix(first)])
        before = expected_points(t, line, node, tiles)
        worst = best = before
        cell, side = node >> 2, node & 3
        for out in range(4):
            beyond = b.exit[ix(4 * cell + out)]
            to = np.int64(p.stretch_end[ix(beyond)])
            if t.track[ix((out - side) & 3)] > 0.0 and to >> 2 != cell:
                after = expected_points(t, line, to, tiles + (1 + np.int64(p.length[ix(beyond)])))
                worst, best = min(worst, after), max(best, after)
        t.loss[ix(owner)] += before - worst
        t.possible_gain[ix(owner)] += best - before
        t.open[ix(owner)] += before
        t.lines[ix(owner)] += 1.0


@jit
def _player_quantity(p: State, r: Rules, t: Thoughts, player: Any, quantity: Any) -> float:
    """One quantity of a player: of its own lines or, with companies (X15), weighted by its shares."""
    if not r.companies:
        return _owner_quantity(p, t, player, quantity)
    total = 0.0
    for owner in range(r.owners):
        total += RANK * expected_tenths(p, player, owner) * _owner_quantity(p, t, owner, quantity)
    return total


@inlined
def _owner_quantity(p: State, t: Thoughts, owner: Any, quantity: Any) -> float:
    if quantity == input_layout.STANDING:
        return p.points[ix(owner)] + t.open[ix(owner)]
    if quantity == input_layout.POINTS:
        return np.float64(p.points[ix(owner)])
    if quantity == input_layout.LINES:
        return t.lines[ix(owner)]
    if quantity == input_layout.LOSS:
        return t.loss[ix(owner)]
    return t.possible_gain[ix(owner)]


@jit
def _number_points(p: State, r: Rules, seat: Any) -> float:
    """X18: the points of the player's station numbers so far."""
    points = np.int64(0)
    if r.numbers:
        for line in range(STOPS):
            if p.owner[ix(line)] != NOBODY and holds_number(p, seat, np.int64(p.end_stop[ix(line)])):
                points += line_points(p, line) * number_factor(line)
    return np.float64(points)


@jit
def _expect_reply(
    p: State, b: Board, r: Rules, t: Thoughts, thinker: Thoughts, seat: Any, rival: Any, others: Any
) -> tuple[float, float]:
    """What a rival's best reply changes for a player, and what the rival gains by it, by the planner's values.

    The rival may hold any unseen tile, and draws another one if that promises more. `thinker` has the thoughts of the
    player, `t` those about the imagined position.
    """
    weigh_owners(p, r, t, rival, 1.0, others)
    mover = p.seat
    p.seat = rival
    weigh_cells(p, b, r, t)
    total, tiles = 0.0, 0.0
    for kind in range(KINDS):
        if thinker.unseen[ix(kind)] > 0:
            _find_reply(p, b, r, t, np.int64(kind))
            if t.best[ix(kind)] > NEVER:
                total += thinker.unseen[ix(kind)] * t.best[ix(kind)]
                tiles += thinker.unseen[ix(kind)]
    p.seat = mover
    if tiles == 0.0:
        return 0.0, 0.0
    mean = total / tiles
    weigh_owners(p, r, t, seat, 1.0, others)
    changes, gains, drawn, changes_drawn = 0.0, 0.0, 0.0, 0.0
    for kind in range(KINDS):
        count = np.float64(thinker.unseen[ix(kind)])
        if count > 0.0 and t.best[ix(kind)] > NEVER:
            change = placement_value(p, b, r, t, t.reply[ix(kind)] // GRID, t.reply[ix(kind)] % GRID)
            changes_drawn += count * change
            if t.best[ix(kind)] >= mean:
                changes += count * change
                gains += count * t.best[ix(kind)]
            else:
                drawn += count / tiles
    return (changes + drawn * changes_drawn) / tiles, (gains + drawn * total) / tiles


@jit
def _find_reply(p: State, b: Board, r: Rules, t: Thoughts, kind: Any) -> None:
    """Find the best placement of a kind of tile for the player in turn, and its value."""
    best, chosen = NEVER, np.int64(0)
    for turns in range(b.ways[ix(kind)]):
        lying = np.int64(b.turned[ix(4 * kind + turns)])
        cells = cells_without_short_line(p, b, lying)
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            value = weighed_value(p, b, r, t, lying, cell)
            if value > best:
                best, chosen = value, GRID * lying + cell
    t.best[ix(kind)] = best
    t.reply[ix(kind)] = chosen
