"""A decision by a net: the best turns by weight, each played on a copy, compared by what the position is then like."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.neural_net import net_value
from mmsim.metromania.bots.thinking.heuristic_choice import (
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
from mmsim.metromania.bots.thinking.position_features import TENS, describe_position
from mmsim.metromania.bots.thinking.restrictions import make_own_view
from mmsim.metromania.bots.thinking.view import guess_holders
from mmsim.metromania.bots.thinking.weights import weight
from mmsim.metromania.bots.thinking.whole_turns import explain_turn
from mmsim.metromania.engine.state import Board, Rules, State
from mmsim.metromania.engine.trips import Network


@jit
def choose_alone(s: State, b: Board, r: Rules, bots: Bots, t: Thoughts, net: Network, views: Views) -> np.int64:
    """The move of a bot that plays nothing out."""
    if bots.kind[ix(s.seat)] != EXPERT or has_no_choice(s, b):
        return choose_by_weights(s, b, r, bots, t, net, views)
    make_own_view(s, b, r, bots, views)
    compare_turns(views, b, r, bots, t, net, np.int64(weight(bots, s.seat, WIDTH + CANDIDATES)))
    best = np.int64(0)
    for at in range(1, t.candidates):
        if t.candidate_value[ix(at)] > t.candidate_value[ix(best)]:
            best = np.int64(at)
    begin_turn(s, t, t.candidate[ix(best)])
    return s.plan[0]


@jit
def has_no_choice(s: State, b: Board) -> bool:
    """Whether there is no whole turn to be chosen: one move only, a bonus station, or a turn that is begun."""
    return s.choices == 1 or s.bonus_line >= 0 or is_planned(s, b)


@jit
def begin_turn(s: State, t: Thoughts, first: Any) -> None:
    """Begin the turn that starts with a first move."""
    remember(s, t.turn_length[ix(first)])
    for i in range(s.plan_length):
        s.plan[ix(i)] = t.turn_code[ix(DEPTH * first + i)]


@jit
def compare_turns(views: Views, b: Board, r: Rules, bots: Bots, t: Thoughts, net: Network, most: Any) -> None:
    """Find the best turns by weight of the company in turn in `views[0]`, and what the net thinks of each."""
    seat = views[0].seat
    weigh_untried(views, b, r, bots, t, net)
    guess_holders(views[0], r, t)
    _gather_candidates(t, min(most, np.int64(MOST_CANDIDATES)))
    for at in range(t.candidates):  # first of all turns: it needs what was found out about the position before
        first = t.candidate[ix(at)]
        explain_turn(views[0], b, r, bots, t, first)
        for i in range(WIDTH):
            t.inputs[ix(INPUTS * at + i)] = np.float32(t.amount[ix(i)])
    for at in range(t.candidates):
        _look_ahead(views, b, r, bots, t, net, np.int64(at))
        t.candidate_value[ix(at)] = net_value(bots, bots.net_at[ix(seat)], t, INPUTS * at, np.int64(INPUTS))


@jit
def _gather_candidates(t: Thoughts, most: Any) -> None:
    """The best turns by weight, of those with the same moves in another order the first."""
    t.candidates = 0
    while t.candidates < most:
        first = best_turn(t, True)
        if first < 0:
            return
        t.tried[ix(first)] = 1
        if not _is_among(t, first):
            t.candidate[ix(t.candidates)] = first
            t.candidates += 1


@jit
def _is_among(t: Thoughts, first: Any) -> bool:
    """Whether a turn is the same as one that is a candidate: its moves are, or it is the twin of it."""
    length = t.turn_length[ix(first)]
    for at in range(t.candidates):
        other = t.candidate[ix(at)]
        if other == t.twin[ix(first)]:
            return True
        same = t.turn_length[ix(other)] == length
        for i in range(length):
            found = False
            for j in range(length):
                found |= t.turn_code[ix(DEPTH * other + j)] == t.turn_code[ix(DEPTH * first + i)]
            same &= found
        if same:
            return True
    return False


@jit
def _look_ahead(views: Views, b: Board, r: Rules, bots: Bots, t: Thoughts, net: Network, at: Any) -> None:
    """Play a candidate on a copy; note the position then, and the turn's value with its trips."""
    seat = views[0].seat
    first = t.candidate[ix(at)]
    play_turn(views, b, r, t, first)
    describe_position(views[1], b, r, t, net, seat, INPUTS * at + POSITION_AT)
    own = t.trip_points[ix(seat)] - t.trips_before[ix(seat)]
    rival = t.trip_points[ix(t.rival)] - t.trips_before[ix(t.rival)]
    t.value[ix(first)] += weight(bots, seat, TRIP_POINTS) * own + weight(bots, seat, RIVALS) * rival
    t.inputs[ix(INPUTS * at + TRIP_POINTS)] = np.float32(own)
    t.inputs[ix(INPUTS * at + RIVALS)] = np.float32(rival)
    t.inputs[ix(INPUTS * at + VALUE_AT)] = np.float32(TENS * t.value[ix(first)])
