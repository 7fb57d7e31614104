"""Who decides: the bot of the player in turn."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.streams import draw_below
from mmsim.metro.bots.kinds import EXPERT, GREEDY, PLANNER, SPOILER, UNIFORM
from mmsim.metro.bots.thinking.choice import choose_greedy, choose_planner, choose_spoiler
from mmsim.metro.bots.thinking.expert import choose_expert
from mmsim.metro.bots.thinking.memory import VIEW, WEIGHTS, Bots
from mmsim.metro.bots.thinking.search import choose_search
from mmsim.metro.bots.thinking.view import count_unseen, hide
from mmsim.metro.engine.moves import kth_move
from mmsim.metro.engine.state import Board, Dice, Rules, State


@jit
def bot_in_turn(s: State, r: Rules, rotation: Any) -> np.int64:
    """Which of the listed bots is in turn, when they have moved on by so many seats."""
    return seated_bot(s.seat, r, rotation)


@jit
def seated_bot(seat: Any, r: Rules, rotation: Any) -> np.int64:
    """Which of the listed bots sits in a seat, when they have moved on by so many."""
    who = seat + rotation
    return who - r.players if who >= r.players else who


@jit
def choose(positions: Any, b: Board, r: Rules, bots: Bots, dice: Dice, minds: Any, who: Any) -> np.int64:
    """The move of the bot in turn, which is the `who`-th of those listed."""
    s = positions[0]
    if bots.kind[ix(who)] == UNIFORM:
        return kth_move(s, r, draw_below(dice, 1 + s.seat, s.choices))
    return _think(positions, b, r, bots, dice, minds, who)


@jit
def _think(positions: Any, b: Board, r: Rules, bots: Bots, dice: Dice, minds: Any, who: Any) -> np.int64:
    """The move of a bot that looks at its view, and at nothing else."""
    positions[VIEW] = positions[0]
    v, t, kind, w, at = positions[VIEW], minds[0], bots.kind[ix(who)], bots.weights, WEIGHTS * who
    stream = 1 + v.seat
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    if kind == GREEDY:
        return choose_greedy(v, b, r, t, w, at, dice, stream)
    if kind == SPOILER:
        return choose_spoiler(v, b, r, t, w, at, dice, stream)
    if kind == PLANNER:
        return choose_planner(v, b, r, t, w, at, dice, stream)
    if kind == EXPERT:
        return choose_expert(positions, b, r, bots, minds, who)
    return choose_search(positions, b, r, bots, minds, who, dice, stream)
