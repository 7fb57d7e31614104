"""Playouts: how one begins from a position whose hidden information has been guessed, and what its end is worth."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import open_stream, set_seed
from mmsim.compiled.standings import win_and_margin
from mmsim.core.rng import Purpose
from mmsim.metro.bots.thinking.memory import PLAYOUT, SAMPLE, Memory
from mmsim.metro.engine.state import Rules, State

_BOT = int(Purpose.BOT)


@jit
def begin_playout(m: Memory, r: Rules, chance: Any) -> None:
    """Copy the guessed position to where playouts are played, and seed the chance of its bots."""
    m.positions[PLAYOUT] = m.positions[SAMPLE]
    p, dice = m.positions[PLAYOUT], m.dice[1]
    set_seed(dice, chance, p.turn)
    for places in range(r.players):  # in playing order, so that seat numbers make no difference
        open_stream(dice, 1 + (p.seat + places) % r.players, _BOT + places)


@jit
def playout_value(p: State, r: Rules, seat: Any, margin: Any) -> float:
    """What a scored game is worth to a player: the share of the win, and something for the margin."""
    best = np.int64(-1)
    for rival in range(r.players):
        if rival != seat:
            best = max(best, p.scores[ix(rival)])
    return win_and_margin(p.winners, seat, np.float64(p.scores[ix(seat)] - best), margin)
