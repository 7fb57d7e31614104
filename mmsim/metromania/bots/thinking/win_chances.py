"""The chance to win: how often each player wins when a position is played out to the end, again and again.

It is what somebody would bet who sees what lies open and no hidden hand. Hidden hands are drawn anew for every playout
from the deals that agree with what lies open, and every company is then played by a bot that is drawn from the pool of
search, whoever played it so far.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import open_stream
from mmsim.compiled.standings import win_share
from mmsim.core.rng import CHANCES_A_TURN, Purpose
from mmsim.metromania.bots.thinking.memory import Thoughts, Views
from mmsim.metromania.bots.thinking.search import (
    PLAYED,
    SEEN,
    draw_deal,
    draw_guide,
    enter_world,
    gather_deals,
    play_out,
)
from mmsim.metromania.bots.thinking.view import hide_hand
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.state import OPEN, Board, Rules, State
from mmsim.metromania.engine.trips import Network
from mmsim.metromania.engine.turns import begin_turn

_CHANCES = int(Purpose.CHANCES)


@jit
def sample_wins(
    s: State, b: Board, r: Rules, deals: Any, seatings: Any, t: Thoughts, net: Network, views: Views, wins: Any
) -> None:
    """Play a position at the beginning of a turn out once for every row of `wins`: what each player has of the win.

    The pool is in the rows of `seatings` after the first. Nine arguments: compiled code passes records on one by one.
    """
    seen = views[SEEN]
    _show_onlooker(seen, s, b, r, deals, t)
    open_stream(seen, 0, _CHANCES + CHANCES_A_TURN * s.turn)
    for playout in range(wins.size // r.players):
        draw_deal(seen, t)
        for seat in range(r.companies):
            t.guide[ix(seat)] = draw_guide(seen, np.int64(0))
        enter_world(views, b, r, deals, t)
        if t.search_deal >= 0:
            begin_turn(views[PLAYED], b, r)  # what may be done depends on the hand
        play_out(views, b, r, seatings, t, net)
        for player in range(r.players):
            wins[playout * r.players + player] = win_share(views[PLAYED].winners, player)


@jit
def _show_onlooker(seen: State, s: State, b: Board, r: Rules, deals: Any, t: Thoughts) -> None:
    """What lies open, and the deals that agree with it; hands that no deal explains are left as they are."""
    copy_position(seen, s, b)
    t.deals = 0
    if r.hands == OPEN:
        return
    for seat in range(r.companies):
        hide_hand(seen, r, seat)
    gather_deals(seen, r, t, deals)
    if t.deals == 0:
        copy_position(seen, s, b)
