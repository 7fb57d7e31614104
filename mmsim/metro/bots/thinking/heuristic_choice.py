"""The best move by points, now or expected: the choice of greedy, spoiler and planner."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import Streams
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.thinking.evaluation import expect, refine, weigh_owners
from mmsim.metro.bots.thinking.memory import Thoughts
from mmsim.metro.bots.thinking.move_values import best_exchange, best_placement, best_wagon, drawing_value, weigh_cells
from mmsim.metro.engine.moves import DRAW, kth_move, may_draw
from mmsim.metro.engine.state import Board, Rules, State

# places of the weights, in the order of their declaration
OTHERS_WEIGHT, _SWEEPS_WEIGHT, _START_WEIGHT, WAGON_WEIGHT, EXCHANGE_WEIGHT = range(len(PLANNER.weights))


@jit
def place_or_draw(v: State, b: Board, r: Rules, t: Thoughts, streams: Streams, stream: Any) -> np.int64:
    """X8: the best placement of a tile in hand, or a draw where an unseen tile does better on average."""
    draws = may_draw(v)
    if draws:
        weigh_cells(v, b, r, t)
    move, value = best_placement(v, b, r, t, draws, streams, stream)
    if draws and drawing_value(v, b, r, t) > value:
        return np.int64(DRAW)
    return move if move >= 0 else kth_move(v, r, v.choices - 1)  # nothing to place: pass


@jit
def survey_position(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any) -> None:
    """Work out what every owner's points are worth, and what to expect of every line."""
    weigh_owners(v, r, t, v.seat, 1.0, w[ix(at + OTHERS_WEIGHT)])
    expect(b, t, w[ix(at + _START_WEIGHT)])
    refine(v, b, t, np.int64(w[ix(at + _SWEEPS_WEIGHT)]))


@jit
def choose_surveyed(
    v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, streams: Streams, stream: Any
) -> np.int64:
    """The move that raises expectations most in a surveyed position: a tile, a draw, a wagon or an exchange."""
    if v.drawn >= 0 or not (r.companies or r.stations):
        return place_or_draw(v, b, r, t, streams, stream)
    weigh_cells(v, b, r, t)
    chosen, best = best_placement(v, b, r, t, True, streams, stream)
    if may_draw(v):
        value = drawing_value(v, b, r, t)
        if value > best:
            chosen, best = np.int64(DRAW), value
    if r.stations:
        move, value = best_wagon(v, b, r, t, w[ix(at + WAGON_WEIGHT)])
        if move >= 0 and value > best:
            chosen, best = move, value
    if r.companies:
        move, value = best_exchange(v, b, t, w[ix(at + EXCHANGE_WEIGHT)])
        if move >= 0 and value > best:
            chosen = move
    return chosen if chosen >= 0 else place_or_draw(v, b, r, t, streams, stream)
