"""The fast core's games: from a seed to the first decision, and to the end where nobody thinks."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import jit
from mmsim.compiled.rng import draw_below, open_stream, set_seed
from mmsim.core.rng import Purpose
from mmsim.metro.engine.moves import find_turn, kth_move
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import Board, Dice, Rules, State
from mmsim.metro.engine.turns import (
    clear_table,
    draw_central,
    hand_out,
    play_move_here,
    shuffle_numbers,
    shuffle_shares,
    shuffle_supply,
)

_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)


@jit
def shuffle(s: State, b: Board, r: Rules, dice: Dice) -> None:
    """As `deal.deal`: everything that chance lays out."""
    if r.central:
        open_stream(dice, 0, _LAYOUT)
        draw_central(s, b, dice)
    open_stream(dice, 0, _DEAL)
    shuffle_supply(s, b, dice)
    if r.companies:
        shuffle_shares(s, dice)
    if r.numbers:
        shuffle_numbers(s, b, r, dice)


@jit
def set_up(s: State, b: Board, r: Rules, dice: Dice, master: Any, game: Any, games_a_deal: Any) -> None:
    """The game of a seed, ready for its first decision; `games_a_deal` in a row are dealt the same."""
    clear_table(s, b)
    set_seed(dice, master, game // games_a_deal)
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
        play_move_here(s, b, r, kth_move(s, r, draw_below(dice, 1 + s.seat, s.choices)))
        decisions += 1
    score_game(s, r)
    return decisions
