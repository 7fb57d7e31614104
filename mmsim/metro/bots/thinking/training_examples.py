"""Decisions to learn from: the inputs of a net for each move, and how a game went that was played out after it."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import draw_below, next_seed, open_stream
from mmsim.core.rng import Purpose
from mmsim.core.training_examples import MARGIN, lesson_rows
from mmsim.metro.bots.thinking.dispatch import choose
from mmsim.metro.bots.thinking.expert import compare_moves
from mmsim.metro.bots.thinking.inputs import MOST_CANDIDATES
from mmsim.metro.bots.thinking.memory import INPUTS, PLAYOUT, SAMPLE, VIEW, AllThoughts, Bots, Positions
from mmsim.metro.bots.thinking.playouts import play_out
from mmsim.metro.bots.thinking.view import count_unseen, guess, hide
from mmsim.metro.bots.thinking.worlds import enter_world, result_of
from mmsim.metro.engine.state import Board, Rules
from mmsim.metro.engine.turns import play_move

_LESSONS = int(Purpose.LESSONS)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

LESSON = lesson_rows(INPUTS)


@jit
def collect(
    positions: Positions,
    b: Board,
    r: Rules,
    bots: Bots,
    dice: Any,
    thoughts: AllThoughts,
    learners: Any,
    every: Any,
    most: Any,
    game: Any,
    rows: Any,
) -> np.int64:
    """Play a game that is set up; at one in `every` decisions of the learners' seats compare moves.

    Each is played out once by the bots that sit there, all in the same world; one of them, by chance, is then played.
    All of it is what a game is made of, and where lessons go, hence so many arguments. Returns the rows written.
    """
    s = positions[0]
    row, decision = np.int64(0), np.int64(0)
    open_stream(dice[0], 0, _LESSONS)
    while not s.over:
        learns = learners >> np.uint64(s.seat) & _ONE != _ZERO and row + MOST_CANDIDATES <= rows.size
        if learns and s.choices > 1 and draw_below(dice[0], 0, every) == 0:
            found = _compare(positions, b, r, bots, dice, thoughts, most, row, rows)
            for i in range(found):
                rows[row + i].game = game
                rows[row + i].decision = decision
            if found > 1:
                row += found
                decision += 1
                play_move(s, b, r, thoughts[0].candidate[ix(draw_below(dice[0], 0, found))])
                continue
        play_move(s, b, r, choose(positions, b, r, bots, dice, thoughts, s.seat))
    return row


@jit
def _compare(
    positions: Positions,
    b: Board,
    r: Rules,
    bots: Bots,
    dice: Any,
    thoughts: AllThoughts,
    most: Any,
    row: Any,
    rows: Any,
) -> np.int64:
    """The lessons of one decision; returns how many moves were compared. Its arguments are those of `collect`."""
    positions[VIEW] = positions[0]
    v, t = positions[VIEW], thoughts[0]
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    found = compare_moves(positions, b, r, bots, thoughts, v.seat, most)
    if found < 2:
        return found
    positions[SAMPLE] = positions[VIEW]
    guess(positions[SAMPLE], b, r, t, dice[0], np.int64(0), v.seat)
    chance = next_seed(dice[0], 0)
    for seat in range(r.players):
        t.guide[ix(seat)] = seat
    for c in range(found):
        lesson = rows[row + c]
        for i in range(INPUTS):
            lesson.inputs[ix(i)] = t.inputs[ix(INPUTS * c + i)]
        enter_world(positions, r, dice, chance)
        p = positions[PLAYOUT]
        seat = p.seat
        play_move(p, b, r, t.candidate[ix(c)])
        play_out(positions, b, r, bots, dice, thoughts)
        lesson.result = np.float32(result_of(p, r, seat, MARGIN))
    return found
