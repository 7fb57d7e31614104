"""The fast core's games: from a seed to the first decision, and to the end with uniform bots."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import jit
from mmsim.compiled.rng import draw_below, open_stream, set_seed
from mmsim.core.rng import Purpose
from mmsim.metro.engine.moves import find_turn, kth_move
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.setup import clear_table, hand_out, shuffle
from mmsim.metro.engine.state import Board, Dice, Rules, State
from mmsim.metro.engine.turns import play_move_inline

_BOT = int(Purpose.BOT)


@jit
def set_up(s: State, b: Board, r: Rules, dice: Dice, master: Any, game: Any, games_per_deal: Any) -> None:
    """Set up a game for its first decision; `games_per_deal` consecutive games share a deal."""
    clear_table(s, b)
    set_seed(dice, master, game // games_per_deal)
    shuffle(s, b, r, dice)
    set_seed(dice, master, game)
    for seat in range(r.players):
        open_stream(dice, 1 + seat, _BOT + seat)
    hand_out(s, b, r)
    find_turn(s, b, r)


@jit
def play_uniform(s: State, b: Board, r: Rules, dice: Dice) -> np.int64:
    """Play a game that is set up to its end with a uniform bot in every seat; returns the number of decisions."""
    decisions = np.int64(0)
    while not s.over:
        play_move_inline(s, b, r, kth_move(s, r, draw_below(dice, 1 + s.seat, s.choices)))
        decisions += 1
    score_game(s, r)
    return decisions
