"""Who decides: the bot of the player in turn."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import draw_below
from mmsim.metro.bots.kinds import EXPERT, GREEDY, PLANNER, SPOILER, UNIFORM
from mmsim.metro.bots.thinking.expert import choose_expert
from mmsim.metro.bots.thinking.heuristic_choice import choose_greedy, choose_planner, choose_spoiler
from mmsim.metro.bots.thinking.memory import VIEW, WEIGHTS, AllThoughts, Bots, Positions
from mmsim.metro.bots.thinking.restrictions import restrict
from mmsim.metro.bots.thinking.search import choose_search
from mmsim.metro.bots.thinking.view import count_unseen, hide
from mmsim.metro.engine.moves import kth_move
from mmsim.metro.engine.state import Board, Rules


@jit
def choose(
    positions: Positions, b: Board, r: Rules, bots: Bots, dice: Any, thoughts: AllThoughts, who: Any
) -> np.int64:
    """The move of a bot for the player in turn; `who` is its place among the bots, its chance that of `dice[0]`."""
    s = positions[0]
    if bots.kind[ix(who)] == UNIFORM:
        return kth_move(s, r, draw_below(dice[0], 1 + s.seat, s.choices))
    return _think(positions, b, r, bots, dice, thoughts, who)


@jit
def _think(
    positions: Positions, b: Board, r: Rules, bots: Bots, dice: Any, thoughts: AllThoughts, who: Any
) -> np.int64:
    """The move of a bot that looks at its view, and at nothing else."""
    positions[VIEW] = positions[0]
    v, t, w = positions[VIEW], thoughts[0], bots.weights
    kind, at, stream = bots.kind[ix(who)], WEIGHTS * who, 1 + v.seat
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    if bots.without[ix(who)] != 0:
        restrict(v, bots.without[ix(who)])
    if kind == GREEDY:
        return choose_greedy(v, b, r, t, w, at, dice[0], stream)
    if kind == SPOILER:
        return choose_spoiler(v, b, r, t, w, at, dice[0], stream)
    if kind == PLANNER:
        return choose_planner(v, b, r, t, w, at, dice[0], stream)
    if kind == EXPERT:
        return choose_expert(positions, b, r, bots, thoughts, who)
    return choose_search(positions, b, r, bots, dice, thoughts, who)
