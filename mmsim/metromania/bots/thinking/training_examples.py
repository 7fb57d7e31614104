"""Decisions to learn from: the inputs of a net for each turn, and how a game went that was played out after it."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import draw_below, open_stream
from mmsim.core.rng import Purpose
from mmsim.core.training_examples import MARGIN, lesson_rows
from mmsim.metromania.bots.thinking.dispatch import choose
from mmsim.metromania.bots.thinking.expert import begin_turn, compare_turns, has_no_choice
from mmsim.metromania.bots.thinking.memory import INPUTS, MOST_CANDIDATES, Thoughts, Views
from mmsim.metromania.bots.thinking.search import SEEN, draw_deal, gather_deals, note_turn, play_in_world
from mmsim.metromania.bots.thinking.view import make_view
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.state import Board, Rules, State
from mmsim.metromania.engine.trips import Network
from mmsim.metromania.engine.turns import play_move

_LESSONS = int(Purpose.LESSONS)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

LESSON = lesson_rows(INPUTS)


@jit
def collect(
    s: State,
    b: Board,
    r: Rules,
    deals: Any,
    seatings: Any,
    at: Any,
    t: Thoughts,
    net: Network,
    views: Views,
    learners: Any,
    every: Any,
    most: Any,
    game: Any,
    rows: Any,
) -> np.int64:
    """Play a game that is set up; at one in `every` decisions of the learners' seats compare turns.

    Each is played out once by the bots that sit there, all in the same world; one of them, by chance, is then played.
    All of it is what a game is made of, and where lessons go, hence so many arguments. Returns the rows written.
    """
    row, decision = np.int64(0), np.int64(0)
    open_stream(s, 0, _LESSONS)
    while not s.over:
        learns = learners >> np.uint64(s.seat) & _ONE != _ZERO and row + MOST_CANDIDATES <= rows.size
        if learns and not has_no_choice(s, b) and draw_below(s, 0, every) == 0:
            found = _compare(s, b, r, deals, seatings, at, t, net, views, most, row, rows)
            for i in range(found):
                rows[row + i].game = game
                rows[row + i].decision = decision
            row += found
            decision += 1
        play_move(s, b, r, choose(s, b, r, deals, seatings, at, t, net, views))
    return row


@jit
def _compare(
    s: State,
    b: Board,
    r: Rules,
    deals: Any,
    seatings: Any,
    at: Any,
    t: Thoughts,
    net: Network,
    views: Views,
    most: Any,
    row: Any,
    rows: Any,
) -> np.int64:
    """The lessons of one decision; the turn that is played is begun. Its arguments are those of `collect`."""
    make_view(s, b, r, views)
    seen = views[SEEN]
    copy_position(seen, views[0], b)
    compare_turns(views, b, r, seatings[at], t, net, most)
    found = np.int64(t.candidates)
    if found == 1:
        return np.int64(0)
    begin_turn(s, t, t.candidate[ix(draw_below(s, 0, found))])
    for turn in range(found):
        note_turn(t, turn, t.candidate[ix(turn)])
        lesson = rows[row + turn]
        for i in range(INPUTS):
            lesson.inputs[ix(i)] = t.inputs[ix(INPUTS * turn + i)]
    gather_deals(seen, r, t, deals)
    open_stream(seen, 0, 1)
    draw_deal(seen, t)
    for seat in range(r.companies):
        t.guide[ix(seat)] = at
    for turn in range(found):
        rows[row + turn].result = np.float32(
            play_in_world(views, b, r, deals, seatings, t, net, np.int64(turn), MARGIN)
        )
    return found
