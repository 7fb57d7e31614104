"""The chance to win: how often each player wins when a position is played out to the end, again and again.

It is what somebody would bet who sees what lies open: tiles in hands and in the supply, shares and station numbers that
are hidden from anybody are guessed anew for every playout, everything that fits what lies open equally likely. Every
player then plays like a bot that is drawn from a pool, whoever played so far.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import draw_below, next_seed, open_stream
from mmsim.compiled.standings import win_share
from mmsim.core.rng import CHANCES_A_TURN, Purpose
from mmsim.metro.bots.thinking.memory import PLAYOUT, POOL, SAMPLE, VIEW, AllThoughts, Bots, Positions
from mmsim.metro.bots.thinking.playouts import play_out
from mmsim.metro.bots.thinking.view import ONLOOKER, count_unseen, guess, hide
from mmsim.metro.bots.thinking.worlds import enter_world
from mmsim.metro.engine.moves import find_turn
from mmsim.metro.engine.state import Board, Rules

_CHANCES = int(Purpose.CHANCES)


@jit
def sample_wins(
    positions: Positions, b: Board, r: Rules, bots: Bots, dice: Any, thoughts: AllThoughts, wins: Any
) -> None:
    """Play a position at the beginning of a turn out once for every row of `wins`: what each player has of the win.

    The bots that are listed are the pool.
    """
    positions[VIEW] = positions[0]
    v, t = positions[VIEW], thoughts[0]
    onlooker = np.int64(ONLOOKER)
    hide(v, r, onlooker)
    count_unseen(v, b, t, onlooker)
    open_stream(dice[0], 0, _CHANCES + CHANCES_A_TURN * v.turn)
    for playout in range(wins.size // r.players):
        positions[SAMPLE] = positions[VIEW]
        guess(positions[SAMPLE], b, r, t, dice[0], np.int64(0), onlooker)
        find_turn(positions[SAMPLE], b, r)
        for seat in range(r.players):
            t.guide[ix(seat)] = draw_below(dice[0], 0, np.int64(len(POOL)))
        enter_world(positions, r, dice, next_seed(dice[0], 0))
        play_out(positions, b, r, bots, dice, thoughts)
        for player in range(r.players):
            wins[playout * r.players + player] = win_share(positions[PLAYOUT].winners, player)
