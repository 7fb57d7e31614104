"""The fast core's games: from a seed to the first decision, and to the end with uniform bots."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import jit
from mmsim.compiled.rng import draw_below, open_stream, set_seed
from mmsim.core.rng import Purpose
from mmsim.metromania.engine.moves import kth_choice
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.setup import clear_table, hand_out, lay_out
from mmsim.metromania.engine.state import HAND, SEATS, Board, Rules, State
from mmsim.metromania.engine.trips import Network
from mmsim.metromania.engine.turns import begin_turn, play_choice
from mmsim.metromania.rules.board import LAYOUTS

assert LAYOUTS < 2**32  # one draw of 32 bits
_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)


@jit
def set_up(s: State, b: Board, r: Rules, deals: Any, master: Any, game: Any, games_per_deal: Any, layout: Any) -> None:
    """Set up a game for its first decision; a layout below zero is drawn.

    `games_per_deal` consecutive games share a layout and a deal.
    """
    set_seed(s, master, game // games_per_deal)
    open_stream(s, 0, _DEAL)  # first, so that a row of the long table arrives from memory while the city is laid out
    hand_out(s, r, deals, draw_below(s, 0, deals.size // (SEATS * HAND)))
    if layout < 0:
        open_stream(s, 0, _LAYOUT)
        layout = draw_below(s, 0, LAYOUTS)
    lay_out(s, b, layout)
    clear_table(s, b, r)
    set_seed(s, master, game)
    for seat in range(r.companies):
        open_stream(s, 1 + seat, _BOT + seat)
    begin_turn(s, b, r)


@jit
def play_uniform(s: State, b: Board, r: Rules, network: Network) -> np.int64:
    """Play a game that is set up to its end with a uniform bot in every seat; returns the number of decisions."""
    decisions = np.int64(0)
    while not s.over:
        kind, number, where, extra = kth_choice(s, b, draw_below(s, 1 + s.seat, s.choices))
        play_choice(s, b, r, kind, number, where, extra)
        decisions += 1
    score_game(s, b, r, network)
    return decisions
