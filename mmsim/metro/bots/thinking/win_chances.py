"""Win chances: how often each player wins when a position is played out to the end, again and again.

They are what an onlooker would bet who sees only what everybody sees. For every playout the hidden information (tiles
in hands and in the supply, shares, station numbers) is sampled from everything that fits what is seen, all equally
likely. Every player then plays like a bot drawn from `PLAYOUT_BOTS`, whatever played that seat so far.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import draw_below, next_seed, open_stream
from mmsim.compiled.standings import win_share
from mmsim.core.rng import CHANCES_PER_TURN, Purpose
from mmsim.metro.bots.thinking.dispatch import finish_playout
from mmsim.metro.bots.thinking.memory import PLAYOUT, PLAYOUT_BOTS, SAMPLE, VIEW, Memory, Setting
from mmsim.metro.bots.thinking.playouts import begin_playout
from mmsim.metro.bots.thinking.view import ONLOOKER, count_unseen, determinize, hide
from mmsim.metro.engine.moves import find_turn

_CHANCES = int(Purpose.CHANCES)


@jit
def sample_wins(m: Memory, setting: Setting, wins: Any) -> None:
    """Play a position at the beginning of a turn out once for every row of `wins`: each player's share of the win."""
    m.positions[VIEW] = m.positions[0]
    v, t, dice, b, r = m.positions[VIEW], m.thoughts[0], m.dice[0], setting.board[0], setting.rules[0]
    onlooker = np.int64(ONLOOKER)
    hide(v, r, onlooker)
    count_unseen(v, b, t, onlooker)
    open_stream(dice, 0, _CHANCES + CHANCES_PER_TURN * v.turn)
    for playout in range(wins.size // r.players):
        m.positions[SAMPLE] = m.positions[VIEW]
        determinize(m.positions[SAMPLE], b, r, t, dice, np.int64(0), onlooker)
        find_turn(m.positions[SAMPLE], b, r)
        for seat in range(r.players):
            t.playout_bot[ix(seat)] = draw_below(dice, 0, np.int64(len(PLAYOUT_BOTS)))
        begin_playout(m, r, next_seed(dice, 0))
        finish_playout(m, setting, np.int64(0))
        for player in range(r.players):
            wins[playout * r.players + player] = win_share(m.positions[PLAYOUT].winners, player)
