"""A world that was guessed: how a game that is played out in it begins, and what it comes to."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import open_stream, set_seed
from mmsim.compiled.standings import win_and_margin
from mmsim.core.rng import Purpose
from mmsim.metro.bots.thinking.memory import PLAYOUT, SAMPLE, Positions
from mmsim.metro.engine.state import Rules, State

_BOT = int(Purpose.BOT)


@jit
def enter_world(positions: Positions, r: Rules, dice: Any, chance: Any) -> None:
    """Put the position that was guessed, and the chance of its bots, where games are played out."""
    positions[PLAYOUT] = positions[SAMPLE]
    p = positions[PLAYOUT]
    set_seed(dice[1], chance, p.turn)
    for places in range(r.players):  # in playing order, so that the number of a seat tells nothing
        open_stream(dice[1], 1 + (p.seat + places) % r.players, _BOT + places)


@jit
def result_of(p: State, r: Rules, seat: Any, margin: Any) -> float:
    """How a game that is scored went for a player."""
    best = np.int64(-1)
    for rival in range(r.players):
        if rival != seat:
            best = max(best, p.scores[ix(rival)])
    return win_and_margin(p.winners, seat, np.float64(p.scores[ix(seat)] - best), margin)
