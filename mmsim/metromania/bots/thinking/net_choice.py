"""A decision by the net: the best turns by weight, each played on a copy, compared by the positions they lead to."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.neural_net import net_value
from mmsim.compiled.rng import Streams
from mmsim.metromania.bots.kinds import EXPERT
from mmsim.metromania.bots.thinking import heuristic_choice
from mmsim.metromania.bots.thinking.board_features import list_features
from mmsim.metromania.bots.thinking.features import weight
from mmsim.metromania.bots.thinking.input_layout import (
    INPUTS,
    JUDGED_AT,
    MOST_CANDIDATES,
    POSITION,
    POSITION_AT,
    VALUE_AT,
    VALUE_ROW,
)
from mmsim.metromania.bots.thinking.memory import DEPTH, TRIAL, VIEW, Bots, Memory, Setting, Thoughts
from mmsim.metromania.bots.thinking.net_inputs import TENS, describe_position
from mmsim.metromania.bots.thinking.value_net import value_of_inputs
from mmsim.metromania.bots.thinking.view import guess_holders, make_view
from mmsim.metromania.bots.thinking.whole_turns import explain_turn
from mmsim.metromania.bots.turn_weights import FEATURE_COUNT, Feature, Parameter
from mmsim.metromania.engine.state import Board, Rules, State


@jit
def choose_without_search(s: State, m: Memory, setting: Setting, streams: Streams, row: Any) -> np.int64:
    """The move of a bot that does no playouts; row `row` of the bots says who sits where."""
    b, r, bots = setting.board[0], setting.rules[0], setting.bots[row]
    if bots.kind[ix(s.seat)] != EXPERT or has_no_choice(s, b):
        return heuristic_choice.choose_by_weights(s, m, b, r, streams, bots)
    t = m.thoughts[0]
    make_view(m, s, b, r, streams)
    compare_turns(m, setting, row, np.int64(weight(bots, s.seat, Parameter.CANDIDATES)))
    best = np.int64(0)
    for at in range(1, t.candidates):
        if t.candidate_value[ix(at)] > t.candidate_value[ix(best)]:
            best = np.int64(at)
    heuristic_choice.plan_turn(s, t, t.candidate[ix(best)])
    return s.plan[0]


@jit
def has_no_choice(s: State, b: Board) -> bool:
    """Whether a whole turn cannot be chosen: one move only, a bonus station, or a turn that has begun."""
    return s.choices == 1 or s.bonus_line >= 0 or heuristic_choice.is_planned(s, b)


@jit
def compare_turns(m: Memory, setting: Setting, row: Any, most: Any) -> None:
    """Find the best turns by weight of the company in turn in the view, and the net's value of each."""
    v, t, b, r, bots = m.positions[VIEW], m.thoughts[0], setting.board[0], setting.rules[0], setting.bots[row]
    heuristic_choice.weigh_untried(m, b, r, bots)
    guess_holders(v, r, t)
    _gather_candidates(t, min(most, np.int64(MOST_CANDIDATES)))
    for at in range(t.candidates):  # before any turn is played: it needs the survey of the position before the turn
        first = t.candidate[ix(at)]
        explain_turn(v, b, r, bots, t, first)
        for i in range(FEATURE_COUNT):
            t.inputs[ix(INPUTS * at + i)] = np.float32(t.amount[ix(i)])
    for at in range(t.candidates):
        _look_ahead(m, b, r, bots, np.int64(at))
        _judge(m, setting, row, np.int64(at))
        t.candidate_value[ix(at)] = net_value(setting.nets, bots.net_at[ix(v.seat)], t, INPUTS * at, np.int64(INPUTS))


@jit
def _judge(m: Memory, setting: Setting, row: Any, at: Any) -> None:
    """Have the value net judge the position after a candidate, which has been played on the copy and described."""
    p, t, seat, first = m.positions[TRIAL], m.thoughts[0], m.positions[VIEW].seat, INPUTS * at
    for i in range(POSITION):
        t.inputs[ix(VALUE_ROW + i)] = t.inputs[ix(first + POSITION_AT + i)]
    t.inputs[ix(VALUE_ROW + POSITION)] = np.float32(0.0)  # it is not in turn
    list_features(p, setting.board[0], setting.rules[0], t, seat)
    t.inputs[ix(first + JUDGED_AT)] = np.float32(value_of_inputs(t, setting, row, seat))


@jit
def _gather_candidates(t: Thoughts, most: Any) -> None:
    """Find the best turns by weight; of turns with the same moves in another order only the first."""
    t.candidates = 0
    while t.candidates < most:
        first = heuristic_choice.best_untried(t)
        if first < 0:
            return
        t.tried[ix(first)] = 1
        if not _is_among(t, first):
            t.candidate[ix(t.candidates)] = first
            t.candidates += 1


@jit
def _is_among(t: Thoughts, first: Any) -> bool:
    """Whether a turn is the same as a candidate: it has the same moves, or is its twin."""
    length = t.turn_length[ix(first)]
    for at in range(t.candidates):
        candidate = t.candidate[ix(at)]
        if candidate == t.twin[ix(first)]:
            return True
        has_same_moves = t.turn_length[ix(candidate)] == length
        for i in range(length):
            has_move = False
            for j in range(length):
                has_move |= t.turn_code[ix(DEPTH * candidate + j)] == t.turn_code[ix(DEPTH * first + i)]
            has_same_moves &= has_move
        if has_same_moves:
            return True
    return False


@jit
def _look_ahead(m: Memory, b: Board, r: Rules, bots: Bots, at: Any) -> None:
    """Play a candidate on a copy; write down the inputs for the position then and for its value with the trips."""
    t, seat = m.thoughts[0], m.positions[VIEW].seat
    first = t.candidate[ix(at)]
    heuristic_choice.play_turn(m, b, r, first)
    describe_position(m.positions[TRIAL], b, r, t, m.network[0], seat, INPUTS * at + POSITION_AT)
    own = t.trip_points[ix(seat)] - t.trips_before[ix(seat)]
    rival = t.trip_points[ix(t.rival)] - t.trips_before[ix(t.rival)]
    t.value[ix(first)] += weight(bots, seat, Feature.TRIPS) * own + weight(bots, seat, Feature.RIVALS) * rival
    t.inputs[ix(INPUTS * at + Feature.TRIPS)] = np.float32(own)
    t.inputs[ix(INPUTS * at + Feature.RIVALS)] = np.float32(rival)
    t.inputs[ix(INPUTS * at + VALUE_AT)] = np.float32(TENS * t.value[ix(first)])
