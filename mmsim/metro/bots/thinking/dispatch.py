"""Who decides: the bot of the player in turn."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import draw_below
from mmsim.metro.bots.kinds import EXPERT, GREEDY, PLANNER, SPOILER, UNIFORM
from mmsim.metro.bots.thinking.expert import choose_expert
from mmsim.metro.bots.thinking.heuristic_choice import choose_greedy, choose_planner, choose_spoiler
from mmsim.metro.bots.thinking.memory import PLAYOUT, PLAYOUT_THOUGHTS, VIEW, WEIGHTS, Memory, Setting
from mmsim.metro.bots.thinking.restrictions import restrict
from mmsim.metro.bots.thinking.search import choose_search
from mmsim.metro.bots.thinking.view import count_unseen, hide
from mmsim.metro.engine.moves import kth_move
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.turns import play_move


@jit
def choose(m: Memory, setting: Setting, row: Any, who: Any) -> np.int64:
    """The move of a bot for the player in turn; `who` is its place in the row of bots, its chance is `m.dice[0]`."""
    s, dice, b, r, bots = m.positions[0], m.dice[0], setting.board[0], setting.rules[0], setting.bots[row]
    kind, stream = bots.kind[ix(who)], 1 + s.seat
    if kind == UNIFORM:
        return kth_move(s, r, draw_below(dice, stream, s.choices))
    m.positions[VIEW] = m.positions[0]  # all others look at their view, and at nothing else
    v, t, w, at = m.positions[VIEW], m.thoughts[0], bots.weights, WEIGHTS * who
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    if bots.without[ix(who)] != 0:
        restrict(v, bots.without[ix(who)])
    if kind == GREEDY:
        return choose_greedy(v, b, r, t, w, at, dice, stream)
    if kind == SPOILER:
        return choose_spoiler(v, b, r, t, w, at, dice, stream)
    if kind == PLANNER:
        return choose_planner(v, b, r, t, w, at, dice, stream)
    if kind == EXPERT:
        return choose_expert(m, setting, row, who)
    return choose_search(m, setting, row, who)


@jit
def finish_playout(m: Memory, setting: Setting, row: Any) -> None:
    """Play the game in `m.positions[PLAYOUT]` to its end, every seat by its `playout_bot`, and score it."""
    p, t, b, r = m.positions[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    inner = Memory(m.positions[PLAYOUT:], m.dice[1:], m.thoughts[PLAYOUT_THOUGHTS:])
    while not p.over:
        play_move(p, b, r, choose(inner, setting, row, t.playout_bot[ix(p.seat)]))
    score_game(p, r)
