"""A decision by a net: the best turns by weight, each played on a copy, compared by what the position is then like."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.net import net_value
from mmsim.metromania.bots.thinking.choice import (
    best_turn,
    choose_by_weights,
    is_planned,
    play_turn,
    remember,
    weigh_untried,
)
from mmsim.metromania.bots.thinking.memory import (
    CANDIDATES,
    DEPTH,
    EXPERT,
    INPUTS,
    MOST_CANDIDATES,
    POSITION_AT,
    RIVALS,
    TRIP_POINTS,
    VALUE_AT,
    WIDTH,
    Bots,
    Thoughts,
    Views,
)
from mmsim.metromania.bots.thinking.position_features import describe_position
from mmsim.metromania.bots.thinking.restrictions import make_own_view
from mmsim.metromania.bots.thinking.view import guess_holders
from mmsim.metromania.bots.thinking.weights import weight
from mmsim.metromania.bots.thinking.whole_turns import explain_turn
from mmsim.metromania.engine.state import Board, Rules, State
from mmsim.metromania.engine.trips import Network


@jit
def choose_alone(s: State, b: Board, r: Rules, bots: Bots, m: Thoughts, net: Network, views: Views) -> np.int64:
    """The move of a bot that plays nothing out."""
    if bots.kind[ix(s.seat)] != EXPERT or has_no_choice(s, b):
        return choose_by_weights(s, b, r, bots, m, net, views)
    make_own_view(s, b, r, bots, views)
    compare_turns(views, b, r, bots, m, net, np.int64(weight(bots, s.seat, WIDTH + CANDIDATES)))
    best = np.int64(0)
    for at in range(1, m.candidates):
        if m.candidate_value[ix(at)] > m.candidate_value[ix(best)]:
            best = np.int64(at)
    begin_turn(s, m, m.candidate[ix(best)])
    return s.plan[0]


@jit
def has_no_choice(s: State, b: Board) -> bool:
    """Whether there is no whole turn to be chosen: one move only, a bonus station, or a turn that is begun."""
    return s.choices == 1 or s.bonus_line >= 0 or is_planned(s, b)


@jit
def begin_turn(s: State, m: Thoughts, first: Any) -> None:
    """Begin the turn that starts with a first move."""
    remember(s, m.turn_length[ix(first)])
    for i in range(s.plan_length):
        s.plan[ix(i)] = m.turn_code[ix(DEPTH * first + i)]


@jit
def compare_turns(views: Views, b: Board, r: Rules, bots: Bots, m: Thoughts, net: Network, most: Any) -> None:
    """Find the best turns by weight of the company in turn in `views[0]`, and what the net thinks of each."""
    seat = views[0].seat
    weigh_untried(views, b, r, bots, m, net)
    guess_holders(views[0], r, m)
    _gather_candidates(m, min(most, np.int64(MOST_CANDIDATES)))
    for at in range(m.candidates):  # first of all turns: it needs what was found out about the position before
        first = m.candidate[ix(at)]
        explain_turn(views[0], b, r, bots, m, first)
        for i in range(WIDTH):
            m.inputs[ix(INPUTS * at + i)] = np.float32(m.amount[ix(i)])
    for at in range(m.candidates):
        _look_ahead(views, b, r, bots, m, net, np.int64(at))
        m.candidate_value[ix(at)] = net_value(bots, bots.net_at[ix(seat)], m, INPUTS * at, np.int64(INPUTS))


@jit
def _gather_candidates(m: Thoughts, most: Any) -> None:
    """The best turns by weight, of those with the same moves in another order the first."""
    m.candidates = 0
    while m.candidates < most:
        first = best_turn(m, True)
        if first < 0:
            return
        m.tried[ix(first)] = 1
        if not _is_among(m, first):
            m.candidate[ix(m.candidates)] = first
            m.candidates += 1


@jit
def _is_among(m: Thoughts, first: Any) -> bool:
    """Whether a turn is the same as one that is a candidate: its moves are, or it is the twin of it."""
    length = m.turn_length[ix(first)]
    for at in range(m.candidates):
        other = m.candidate[ix(at)]
        if other == m.twin[ix(first)]:
            return True
        same = m.turn_length[ix(other)] == length
        for i in range(length):
            found = False
            for j in range(length):
                found |= m.turn_code[ix(DEPTH * other + j)] == m.turn_code[ix(DEPTH * first + i)]
            same &= found
        if same:
            return True
    return False


@jit
def _look_ahead(views: Views, b: Board, r: Rules, bots: Bots, m: Thoughts, net: Network, at: Any) -> None:
    """Play a candidate on a copy; note the position then, and the turn's value with its trips."""
    seat = views[0].seat
    first = m.candidate[ix(at)]
    play_turn(views, b, r, m, first)
    describe_position(views[1], b, r, m, net, seat, INPUTS * at + POSITION_AT)
    own = m.trip_points[ix(seat)] - m.trips_before[ix(seat)]
    rival = m.trip_points[ix(m.rival)] - m.trips_before[ix(m.rival)]
    m.value[ix(first)] += weight(bots, seat, TRIP_POINTS) * own + weight(bots, seat, RIVALS) * rival
    m.inputs[ix(INPUTS * at + TRIP_POINTS)] = np.float32(own)
    m.inputs[ix(INPUTS * at + RIVALS)] = np.float32(rival)
    m.inputs[ix(INPUTS * at + VALUE_AT)] = np.float32(0.1 * m.value[ix(first)])
