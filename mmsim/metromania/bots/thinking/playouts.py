"""Playouts: how one begins with hidden hands that have been guessed, how it is played, and what its end is worth."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import draw_below, next_seed, open_stream, set_seed
from mmsim.compiled.standings import win_and_margin
from mmsim.core.rng import Purpose
from mmsim.metromania.bots.thinking.expert import choose_without_search
from mmsim.metromania.bots.thinking.heuristic_choice import may_play
from mmsim.metromania.bots.thinking.memory import (
    DEPTH,
    LEAST_POINTS,
    MOST_DEALS,
    PLAYOUT,
    PLAYOUT_ODDS,
    ROOT,
    Memory,
    Setting,
    Thoughts,
)
from mmsim.metromania.bots.thinking.view import UNKNOWN
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.moves import note_touching
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.setup import give_hands
from mmsim.metromania.engine.state import HAND, MARKERS, NOWHERE, SEATS, Rules, State
from mmsim.metromania.engine.turns import play_move

_BOT = int(Purpose.BOT)


@jit
def find_deals(v: State, r: Rules, t: Thoughts, deals: Any) -> None:
    """Find all deals that agree with the hands seen in a view and with the markers placed."""
    t.deals = 0
    for which in range(deals.size // (SEATS * HAND)):
        if t.deals < MOST_DEALS and _agrees(v, r, deals, which):
            t.deal[ix(t.deals)] = which
            t.deals += 1


@jit
def _agrees(v: State, r: Rules, deals: Any, which: Any) -> bool:
    for seat in range(r.companies):
        laid, explained = np.int64(0), np.int64(0)
        hidden = v.hand_marker[ix(HAND * seat)] == UNKNOWN
        for marker in range(MARKERS):
            laid += np.int64(v.marker_holder[ix(marker)] == seat and v.marker_cell[ix(marker)] != NOWHERE)
        for i in range(r.hand_size):
            dealt = np.int64(deals[(which * SEATS + seat) * HAND + i]) >> 2
            if hidden:
                explained += np.int64(v.marker_holder[ix(dealt)] == seat)
            elif v.hand_marker[ix(HAND * seat + i)] != dealt:
                return False
        if hidden and explained != laid:
            return False
    return True


@jit
def draw_deal(root: State, t: Thoughts) -> None:
    """Draw the hands (the determinization) and the chance of the next playout."""
    t.playout_deal = np.int64(t.deal[ix(draw_below(root, 0, t.deals))]) if t.deals > 0 else np.int64(-1)
    t.playout_chance = next_seed(root, 0)


@jit
def draw_playout_bot(root: State, row: Any) -> np.int64:
    """Draw one of the bots that play in playouts: its row of `BOTS`."""
    return row + 1 + PLAYOUT_ODDS[draw_below(root, 0, np.int64(len(PLAYOUT_ODDS)))]


@jit
def note_turn(t: Thoughts, at: Any, first: Any) -> None:
    """Keep the turn that begins with a first move as one of those to be played out."""
    t.search_sum[ix(at)] = 0.0
    t.search_count[ix(at)] = 0
    t.search_mean[ix(at)] = 0.0
    t.search_out[ix(at)] = 0
    t.search_length[ix(at)] = t.turn_length[ix(first)]
    for i in range(t.turn_length[ix(first)]):
        t.search_code[ix(DEPTH * at + i)] = t.turn_code[ix(DEPTH * first + i)]


@jit
def play_turn_out(m: Memory, setting: Setting, at: Any, margin: Any) -> float:
    """The value of one of the turns kept, by one playout with the hands and bots that were drawn."""
    begin_playout(m, setting)
    p, t, b, r = m.positions[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    player, turn = r.seat_player[ix(p.seat)], p.turn
    for i in range(t.search_length[ix(at)]):
        code = t.search_code[ix(DEPTH * at + i)]
        if p.turn == turn and may_play(p, b, code):
            play_move(p, b, r, code)
    finish_playout(m, setting)
    return playout_value(p, r, player, margin)


@jit
def begin_playout(m: Memory, setting: Setting) -> None:
    """Copy the root position to where playouts are played, with the hands and the chance that were drawn."""
    p, t, b, r = m.positions[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    copy_position(p, m.positions[ROOT], b)
    if t.playout_deal >= 0:
        give_hands(p, r, setting.deals, t.playout_deal)
        for line in range(2 * r.companies):
            note_touching(p, b, r, np.int64(line))
    set_seed(p, t.playout_chance, p.turn)
    for places in range(r.companies):  # in playing order, so that seat numbers make no difference
        open_stream(p, 1 + (p.seat + places) % r.companies, _BOT + places)


@jit
def finish_playout(m: Memory, setting: Setting) -> None:
    """Play the game in `m.positions[PLAYOUT]` to its end, every seat by its `playout_bot`, and score it."""
    p, t, b, r = m.positions[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    while not p.over:
        play_move(p, b, r, choose_without_search(p, m, b, r, setting.bots[t.playout_bot[ix(p.seat)]]))
    score_game(p, b, r, m.network[0])


@jit
def playout_value(p: State, r: Rules, player: Any, margin: Any) -> float:
    """What a scored game is worth to a player: the share of the win, and something for the margin."""
    own, best = 0.0, LEAST_POINTS
    for other in range(r.players):
        points = 0.0
        for seat in range(r.companies):
            if r.seat_player[ix(seat)] == other:
                points += np.float64(p.scores[ix(seat)])
        if other == player:
            own = points
        else:
            best = max(best, points)
    return win_and_margin(p.winners, player, own - best, margin)
