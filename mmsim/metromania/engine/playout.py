"""The fast core's games: from a seed to the first decision, and to the end where nobody thinks."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import jit
from mmsim.compiled.rng import draw_below, open_stream, set_seed
from mmsim.core.rng import Purpose
from mmsim.metromania.engine.moves import kth_choice
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.setup import clear_table, hand_out, lay_out
from mmsim.metromania.engine.state import HAND, SEATS, Board, Rules, State
from mmsim.metromania.engine.trips import Network
from mmsim.metromania.engine.turns import begin_turn, play_choice
from mmsim.metromania.rules.board import LAYOUTS

assert LAYOUTS < 2**32  # drawn at once
_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)


@jit
def set_up(s: State, b: Board, r: Rules, deals: Any, master: Any, game: Any, games_a_deal: Any, layout: Any) -> None:
    """The game of a seed, ready for its first decision; a layout below zero is drawn.

    `games_a_deal` games in a row share a layout and a deal.
    """
    set_seed(s, master, game // games_a_deal)
    open_stream(s, 0, _DEAL)  # first of all: a row of a long table comes from far while the city is laid out
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
def play_uniform(s: State, b: Board, r: Rules, net: Network) -> np.int64:
    """`play_game` with a uniform bot in every seat."""
    decisions = np.int64(0)
    while not s.over:
        kind, number, what, extra = kth_choice(s, b, draw_below(s, 1 + s.seat, s.choices))
        play_choice(s, b, r, kind, number, what, extra)
        decisions += 1
    score_game(s, b, r, net)
    return decisions
