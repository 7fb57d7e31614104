"""Training examples: for each of a decision's best turns the inputs of the net and the result of one playout."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import draw_below, open_stream
from mmsim.core.rng import Purpose
from mmsim.core.training_examples import MARGIN, ExampleSampling, example_rows
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.thinking.dispatch import choose
from mmsim.metromania.bots.thinking.expert import compare_turns, has_no_choice
from mmsim.metromania.bots.thinking.heuristic_choice import plan_turn
from mmsim.metromania.bots.thinking.inputs import INPUTS, MOST_CANDIDATES
from mmsim.metromania.bots.thinking.memory import ROOT, VIEW, Memory, Setting
from mmsim.metromania.bots.thinking.playouts import draw_deal, find_deals, note_turn, play_turn_out
from mmsim.metromania.bots.thinking.view import make_view
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.turns import play_move

_EXAMPLES = int(Purpose.EXAMPLES)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

EXAMPLE = example_rows(INPUTS)
# as many turns of a decision as expert compares
EXAMPLES = ExampleSampling(every=3, most=int(EXPERT.settings["candidates"]), kind=EXAMPLE, rows=1 << 12)


@jit
def collect(m: Memory, setting: Setting, row: Any, wanted: Any, examples: Any) -> np.int64:
    """Play a game that is set up; at one in `every` decisions of the learners' seats write examples.

    Each turn is played out once by the bots in their seats, all with the same guess of the hidden hands; one of the
    turns, drawn at random, is then played. Returns the number of examples.
    """
    s, b, r = m.positions[0], setting.board[0], setting.rules[0]
    written, decision = np.int64(0), np.int64(0)
    open_stream(s, 0, _EXAMPLES)
    while not s.over:
        learns = wanted.learners >> np.uint64(s.seat) & _ONE != _ZERO and written + MOST_CANDIDATES <= examples.size
        if learns and not has_no_choice(s, b) and draw_below(s, 0, wanted.every) == 0:
            count = _write_decision(m, setting, row, wanted.most, written, examples)
            for i in range(count):
                examples[written + i].game = wanted.game
                examples[written + i].decision = decision
            written += count
            decision += 1
        play_move(s, b, r, choose(m, setting, row))
    return written


@jit
def _write_decision(m: Memory, setting: Setting, row: Any, most: Any, written: Any, examples: Any) -> np.int64:
    """The examples of one decision, and the plan of the turn that is played; returns how many turns were compared."""
    s, v, root, t = m.positions[0], m.positions[VIEW], m.positions[ROOT], m.thoughts[0]
    b, r = setting.board[0], setting.rules[0]
    make_view(v, s, b, r)
    copy_position(root, v, b)
    compare_turns(m, b, r, setting.bots[row], most)
    count = np.int64(t.candidates)
    if count == 1:
        return np.int64(0)
    plan_turn(s, t, t.candidate[ix(draw_below(s, 0, count))])
    for turn in range(count):
        note_turn(t, turn, t.candidate[ix(turn)])
        example = examples[written + turn]
        for i in range(INPUTS):
            example.inputs[ix(i)] = t.inputs[ix(INPUTS * turn + i)]
    find_deals(root, r, t, setting.deals)
    open_stream(root, 0, 1)
    draw_deal(root, t)
    for seat in range(r.companies):
        t.playout_bot[ix(seat)] = row
    for turn in range(count):
        examples[written + turn].result = np.float32(play_turn_out(m, setting, np.int64(turn), MARGIN))
    return count
