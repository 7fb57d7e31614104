"""Who decides: the bot of the company in turn."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.metromania.bots.thinking.expert import choose_alone, has_no_choice
from mmsim.metromania.bots.thinking.heuristic_choice import remember
from mmsim.metromania.bots.thinking.memory import DEPTH, SEARCH, Thoughts, Views
from mmsim.metromania.bots.thinking.search import search
from mmsim.metromania.bots.thinking.view import make_view
from mmsim.metromania.engine.state import Board, Rules, State
from mmsim.metromania.engine.trips import Network


@jit
def choose(
    s: State, b: Board, r: Rules, deals: Any, seatings: Any, at: Any, t: Thoughts, net: Network, views: Views
) -> np.int64:
    """The move of the bot in turn; `seatings[at]` says who sits where, the rows after it are the pool of playouts.

    Nine arguments: compiled code passes records on one by one.
    """
    bots = seatings[at]
    if bots.kind[ix(s.seat)] != SEARCH or has_no_choice(s, b):
        return choose_alone(s, b, r, bots, t, net, views)
    make_view(s, b, r, views)
    best = search(views, b, r, deals, seatings, at, t, net)
    remember(s, t.search_length[ix(best)])
    for i in range(s.plan_length):
        s.plan[ix(i)] = t.search_code[ix(DEPTH * best + i)]
    return s.plan[0]
