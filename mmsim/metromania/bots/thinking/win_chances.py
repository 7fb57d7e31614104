"""Win chances: how often each player wins when a position is played out to the end, again and again.

They are what an onlooker would bet who sees only what everybody sees. For every playout the hidden hands are drawn from
the deals that agree with what is seen, and every company is played by a bot drawn from `PLAYOUT_BOTS`, whatever played
it so far.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import open_stream
from mmsim.compiled.standings import win_share
from mmsim.core.rng import CHANCES_PER_TURN, Purpose
from mmsim.metromania.bots.thinking.memory import PLAYOUT, ROOT, Memory, Setting
from mmsim.metromania.bots.thinking.playouts import (
    begin_playout,
    draw_deal,
    draw_playout_bot,
    find_deals,
    finish_playout,
)
from mmsim.metromania.bots.thinking.view import hide_hand
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.state import OPEN
from mmsim.metromania.engine.turns import begin_turn

_CHANCES = int(Purpose.CHANCES)


@jit
def sample_wins(m: Memory, setting: Setting, wins: Any) -> None:
    """Play a position at the beginning of a turn out once for every row of `wins`: each player's share of the win."""
    root, t, b, r = m.positions[ROOT], m.thoughts[0], setting.board[0], setting.rules[0]
    _hide_from_onlooker(m, setting)
    open_stream(root, 0, _CHANCES + CHANCES_PER_TURN * root.turn)
    for playout in range(wins.size // r.players):
        draw_deal(root, t)
        for seat in range(r.companies):
            t.playout_bot[ix(seat)] = draw_playout_bot(root, np.int64(0))
        begin_playout(m, setting)
        if t.playout_deal >= 0:
            begin_turn(m.positions[PLAYOUT], b, r)  # the legal moves depend on the hand
        finish_playout(m, setting)
        for player in range(r.players):
            wins[playout * r.players + player] = win_share(m.positions[PLAYOUT].winners, player)


@jit
def _hide_from_onlooker(m: Memory, setting: Setting) -> None:
    """Put what everybody sees at the root, and find the deals that agree with it.

    Hands that no deal explains stay as they are.
    """
    s, root, t, b, r = m.positions[0], m.positions[ROOT], m.thoughts[0], setting.board[0], setting.rules[0]
    copy_position(root, s, b)
    t.deals = 0
    if r.hands == OPEN:
        return
    for seat in range(r.companies):
        hide_hand(root, r, seat)
    find_deals(root, r, t, setting.deals)
    if t.deals == 0:
        copy_position(root, s, b)
