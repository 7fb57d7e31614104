"""Training examples: for each of a decision's best moves the inputs of the net and the result of one playout."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import draw_below, next_seed, open_stream
from mmsim.core.rng import Purpose
from mmsim.core.training_examples import MARGIN, ExampleSampling, example_rows
from mmsim.metro.bots.expert import EXPERT
from mmsim.metro.bots.thinking.dispatch import choose, finish_playout
from mmsim.metro.bots.thinking.expert import compare_moves
from mmsim.metro.bots.thinking.inputs import INPUTS, MOST_CANDIDATES
from mmsim.metro.bots.thinking.memory import PLAYOUT, SAMPLE, VIEW, Memory, Setting
from mmsim.metro.bots.thinking.playouts import begin_playout, playout_value
from mmsim.metro.bots.thinking.view import count_unseen, determinize, hide
from mmsim.metro.engine.turns import play_move

_EXAMPLES = int(Purpose.EXAMPLES)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

EXAMPLE = example_rows(INPUTS)
# as many moves of a decision as expert compares
EXAMPLES = ExampleSampling(every=2, most=int(EXPERT.settings["candidates"]), kind=EXAMPLE, rows=1 << 11)


@jit
def collect(m: Memory, setting: Setting, row: Any, wanted: Any, examples: Any) -> np.int64:
    """Play a game that is set up; at one in `every` decisions of the learners' seats write examples.

    Each move is played out once by the bots in their seats, all from the same guess of what is hidden; one of the
    moves, drawn at random, is then played. Returns the number of examples.
    """
    s, b, r, t, dice = m.positions[0], setting.board[0], setting.rules[0], m.thoughts[0], m.dice[0]
    written, decision = np.int64(0), np.int64(0)
    open_stream(dice, 0, _EXAMPLES)
    while not s.over:
        learns = wanted.learners >> np.uint64(s.seat) & _ONE != _ZERO and written + MOST_CANDIDATES <= examples.size
        if learns and s.choices > 1 and draw_below(dice, 0, wanted.every) == 0:
            count = _write_decision(m, setting, row, wanted.most, written, examples)
            for i in range(count):
                examples[written + i].game = wanted.game
                examples[written + i].decision = decision
            if count > 1:
                written += count
                decision += 1
                play_move(s, b, r, t.candidate[ix(draw_below(dice, 0, count))])
                continue
        play_move(s, b, r, choose(m, setting, row, s.seat))
    return written


@jit
def _write_decision(m: Memory, setting: Setting, row: Any, most: Any, written: Any, examples: Any) -> np.int64:
    """The examples of one decision; returns how many moves were compared."""
    m.positions[VIEW] = m.positions[0]
    v, t, b, r = m.positions[VIEW], m.thoughts[0], setting.board[0], setting.rules[0]
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    count = compare_moves(m, setting, row, v.seat, most)
    if count < 2:
        return count
    m.positions[SAMPLE] = m.positions[VIEW]
    determinize(m.positions[SAMPLE], b, r, t, m.dice[0], np.int64(0), v.seat)
    chance = next_seed(m.dice[0], 0)
    for seat in range(r.players):
        t.playout_bot[ix(seat)] = seat
    for c in range(count):
        example = examples[written + c]
        for i in range(INPUTS):
            example.inputs[ix(i)] = t.inputs[ix(INPUTS * c + i)]
        begin_playout(m, r, chance)
        p = m.positions[PLAYOUT]
        seat = p.seat
        play_move(p, b, r, t.candidate[ix(c)])
        finish_playout(m, setting, row)
        example.result = np.float32(playout_value(p, r, seat, MARGIN))
    return count
