"""What the value net expects of a position: the share of the win, plus a part for the margin."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.neural_net import value_net_value
from mmsim.metromania.bots.thinking.board_features import list_features
from mmsim.metromania.bots.thinking.input_layout import POSITION, VALUE_INPUTS, VALUE_ROW
from mmsim.metromania.bots.thinking.memory import PLAYOUT, VIEW, Memory, Setting, Thoughts
from mmsim.metromania.bots.thinking.net_inputs import describe_position
from mmsim.metromania.bots.thinking.view import guess_holders, see_as
from mmsim.metromania.engine.state import Board, Rules, State


@jit
def judge_position(m: Memory, setting: Setting, row: Any, seat: Any) -> float:
    """What the position of a playout is worth to a company, by the value net of its bot in a row of the bots."""
    describe(m.positions[PLAYOUT], m, setting.board[0], setting.rules[0], seat)
    return value_of_inputs(m.thoughts[0], setting, row, seat)


@jit
def value_of_inputs(t: Thoughts, setting: Setting, row: Any, seat: Any) -> float:
    """The value of the inputs and the features written down, by the value net of the bot in a seat."""
    at = setting.bots[row].value_net_at[ix(seat)]
    return value_net_value(setting.nets, at, t, np.int64(VALUE_ROW), np.int64(VALUE_INPUTS))


@jit
def describe(s: State, m: Memory, b: Board, r: Rules, seat: Any) -> None:
    """Write the inputs and the features for what a company may see of a position at the beginning of a turn."""
    v, t = m.positions[VIEW], m.thoughts[0]
    see_as(v, s, b, r, seat)
    guess_holders(v, r, t)
    list_features(v, b, r, t, seat)
    t.inputs[ix(VALUE_ROW + POSITION)] = np.float32(s.seat == seat)
    describe_position(v, b, r, t, m.network[0], seat, np.int64(VALUE_ROW))
