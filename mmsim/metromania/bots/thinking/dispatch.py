"""Who decides: the bot of the company in turn."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.metromania.bots.kinds import SEARCH
from mmsim.metromania.bots.thinking.expert import choose_without_search, has_no_choice
from mmsim.metromania.bots.thinking.heuristic_choice import begin_plan
from mmsim.metromania.bots.thinking.memory import DEPTH, VIEW, Memory, Setting
from mmsim.metromania.bots.thinking.search import search
from mmsim.metromania.bots.thinking.view import make_view


@jit
def choose(m: Memory, setting: Setting, row: Any) -> np.int64:
    """The move of the bot in turn; row `row` of the bots says who sits where."""
    s, t, b, r, bots = m.positions[0], m.thoughts[0], setting.board[0], setting.rules[0], setting.bots[row]
    if bots.kind[ix(s.seat)] != SEARCH or has_no_choice(s, b):
        return choose_without_search(s, m, b, r, bots)
    make_view(m.positions[VIEW], s, b, r)
    best = search(m, setting, row)
    begin_plan(s, t.search_length[ix(best)])
    for i in range(s.plan_length):
        s.plan[ix(i)] = t.search_code[ix(DEPTH * best + i)]
    return s.plan[0]
