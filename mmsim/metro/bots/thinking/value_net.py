"""What the value net expects of a position: the share of the win, plus a part for the margin."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.neural_net import value_net_value
from mmsim.metro.bots.thinking.evaluation import copy_expectations, refine
from mmsim.metro.bots.thinking.heuristic_choice import OTHERS_WEIGHT, survey_position
from mmsim.metro.bots.thinking.input_layout import DESCRIBED_ROW, OF_POSITION, VALUE_INPUTS, VALUE_ROW
from mmsim.metro.bots.thinking.memory import IMAGINED, VIEW, WEIGHTS, Memory, Setting
from mmsim.metro.bots.thinking.net_inputs import describe_position
from mmsim.metro.bots.thinking.view import count_unseen, hide

_OF_POSITION = np.array(OF_POSITION)


@jit
def judge_position(m: Memory, setting: Setting, row: Any, bot: Any, seat: Any) -> float:
    """What the position of a memory is worth to a player, by the value net of a bot."""
    describe(m, setting, row, bot, seat)
    at = setting.bots[row].value_net_at[ix(bot)]
    return value_net_value(setting.nets, at, m.thoughts[0], np.int64(VALUE_ROW), np.int64(VALUE_INPUTS))


@jit
def describe(m: Memory, setting: Setting, row: Any, bot: Any, seat: Any) -> None:
    """Write the inputs for what a player may see of the position of a memory, surveyed by the weights of a bot."""
    b, r, w, at = setting.board[0], setting.rules[0], setting.bots[row].weights, WEIGHTS * bot
    m.positions[VIEW] = m.positions[0]
    v, t, imagined = m.positions[VIEW], m.thoughts[0], m.thoughts[IMAGINED]
    in_turn = v.seat == seat
    hide(v, r, seat)
    count_unseen(v, b, t, seat)
    v.seat = seat
    survey_position(v, b, r, t, w, at)
    copy_expectations(imagined, t)
    refine(v, b, imagined, np.int64(1))
    describe_position(v, b, r, imagined, t, seat, w[ix(at + OTHERS_WEIGHT)], np.int64(DESCRIBED_ROW))
    for i in range(VALUE_INPUTS - 1):
        t.inputs[ix(VALUE_ROW + i)] = t.inputs[ix(DESCRIBED_ROW + _OF_POSITION[i])]
    t.inputs[ix(VALUE_ROW + VALUE_INPUTS - 1)] = np.float32(in_turn)
    t.features = 0
