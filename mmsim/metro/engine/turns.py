"""The fast core's turns: play a move, end a turn, play a whole game with uniform bots."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.rng import Streams, draw_below
from mmsim.metro.engine.moves import (
    DRAW,
    EXCHANGE,
    PLACE,
    WAGON,
    decode_move_compiled,
    find_drawn_tile_choices,
    find_turn_choices,
    kth_move,
)
from mmsim.metro.engine.placing import exchange, place, put_wagon
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import NO_TILES, TOO_LONG, Board, Rules, State


def _play_move(s: State, b: Board, r: Rules, move: Any) -> None:
    """Play a legal move and prepare the next decision."""
    kind, item, turns, where = decode_move_compiled(move)
    if kind == DRAW:
        s.drawn = np.int64(s.supply[ix(s.next)])
        s.next += 1
        s.draws[ix(s.seat)] += 1
        find_drawn_tile_choices(s, b, r)
        return
    if kind == PLACE:
        place(s, b, r, item, turns, where)
    elif kind == EXCHANGE:
        exchange(s, item, turns)
    elif kind == WAGON:
        put_wagon(s, b, r, item, where)
    end_turn(s, b, r)


play_move, play_move_inline = jit(_play_move), inlined(_play_move)


@inlined
def end_turn(s: State, b: Board, r: Rules) -> None:
    """X12: the game ends with the last tile; else the next player's turn begins."""
    if s.placed == b.cells:
        s.end_reason = NO_TILES
    elif s.turn == r.turn_limit:
        s.end_reason = TOO_LONG
    else:
        s.turn += 1
        s.seat = s.seat + 1 if s.seat + 1 < r.players else np.int64(0)
        find_turn_choices(s, b, r)
        return
    s.over = 1
    s.choices = 0


@jit
def play_uniform(s: State, b: Board, r: Rules, streams: Streams) -> np.int64:
    """Play a game from its first decision to its end with uniform bots; returns the number of decisions."""
    decisions = np.int64(0)
    while not s.over:
        play_move_inline(s, b, r, kth_move(s, r, draw_below(streams, 1 + s.seat, s.choices)))
        decisions += 1
    score_game(s, r)
    return decisions
