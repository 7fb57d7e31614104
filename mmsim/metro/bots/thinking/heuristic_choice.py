"""The decisions of the bots that do not search: greedy, spoiler and planner."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.metro.bots.greedy import GREEDY
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.spoiler import SPOILER
from mmsim.metro.bots.thinking.evaluation import weigh_owners
from mmsim.metro.bots.thinking.expectations import expect, refine
from mmsim.metro.bots.thinking.memory import Thoughts
from mmsim.metro.bots.thinking.placements import best_placement, drawing_value, weigh_cells
from mmsim.metro.bots.thinking.wagons_and_shares import best_exchange, best_wagon
from mmsim.metro.engine.moves import DRAW, kth_move, may_draw
from mmsim.metro.engine.state import Board, Dice, Rules, State

# places of the weights, in the order of their declaration
_OPEN_WEIGHT, _GIVEN_WEIGHT = range(len(GREEDY.weights))
_SPOILER_OPEN_WEIGHT, _OWN_WEIGHT = range(len(SPOILER.weights))
OTHERS_WEIGHT, _SWEEPS_WEIGHT, _START_WEIGHT, WAGON_WEIGHT, EXCHANGE_WEIGHT = range(len(PLANNER.weights))


@jit
def choose_greedy(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, dice: Dice, stream: Any) -> np.int64:
    """The placement worth most, or a tile from the supply if that promises more."""
    t.open_value = w[ix(at + _OPEN_WEIGHT)]
    weigh_owners(v, r, t, v.seat, 1.0, w[ix(at + _GIVEN_WEIGHT)])
    return place_or_draw(v, b, r, t, dice, stream)


@jit
def choose_spoiler(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, dice: Dice, stream: Any) -> np.int64:
    """Like the greedy bot, but the points of the others come first."""
    t.open_value = w[ix(at + _SPOILER_OPEN_WEIGHT)]
    weigh_owners(v, r, t, v.seat, w[ix(at + _OWN_WEIGHT)], 1.0)
    return place_or_draw(v, b, r, t, dice, stream)


@jit
def place_or_draw(v: State, b: Board, r: Rules, t: Thoughts, dice: Dice, stream: Any) -> np.int64:
    """X8: the best placement of a tile in hand, or a draw where an unseen tile does better on average."""
    draws = may_draw(v)
    if draws:
        weigh_cells(v, b, r, t)
    move, value = best_placement(v, b, r, t, draws, dice, stream)
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
def choose_planner(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, dice: Dice, stream: Any) -> np.int64:
    """The move that raises the bot's expectations most: a tile, a draw, a wagon or an exchange."""
    survey_position(v, b, r, t, w, at)
    return choose_surveyed(v, b, r, t, w, at, dice, stream)


@jit
def choose_surveyed(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, dice: Dice, stream: Any) -> np.int64:
    """The same for a position that has been surveyed."""
    if v.drawn >= 0 or not (r.companies or r.stations):
        return place_or_draw(v, b, r, t, dice, stream)
    weigh_cells(v, b, r, t)
    chosen, best = best_placement(v, b, r, t, True, dice, stream)
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
    return chosen if chosen >= 0 else place_or_draw(v, b, r, t, dice, stream)
