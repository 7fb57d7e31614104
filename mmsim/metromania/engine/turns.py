"""The fast core's turns: play a move, begin and end a turn, play a whole game with uniform bots."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import unlikely
from mmsim.compiled.rng import Streams, draw_below
from mmsim.compiled.standings import update_lead
from mmsim.metromania.engine.dig_duty import keep_dutiful_choices
from mmsim.metromania.engine.ending import count_last_turns, seat_after, stops_turn, trigger
from mmsim.metromania.engine.moves import (
    PASS,
    STATION,
    decode_move_compiled,
    find_tunnels,
    find_turn_choices,
    kth_choice,
    tunnels_per_turn,
)
from mmsim.metromania.engine.placing import put_down
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.state import DEADLOCK, MOST, STOP, Board, Rules, State
from mmsim.metromania.engine.trips import Network

_ZERO = np.uint64(0)


@jit
def play_move(s: State, b: Board, r: Rules, move: Any) -> None:
    """Play a legal move and prepare the next decision."""
    if s.plan_length > 0 and s.bonus_line < 0:
        _drop_stale_plan(s, move)
    kind, number, where, extra = decode_move_compiled(move)
    play_decoded(s, b, r, kind, number, where, extra)


@inlined
def play_decoded(s: State, b: Board, r: Rules, kind: Any, number: Any, where: Any, extra: Any) -> None:
    """Play a decoded legal move without checking a bot's plan."""
    if kind == PASS:
        s.passes += 1
        s.passes_made += 1
    else:
        s.passes = 0
    if put_down(s, b, r, kind, number, where, extra):
        return
    if prepare_next_tunnel(s, b, r, kind):
        s.places[0] = _ZERO
        s.places[1] = _ZERO
    else:
        end_turn(s, b, r)


@jit
def _drop_stale_plan(s: State, move: Any) -> None:
    """Forget a bot's plan when its turn is over or another move is played."""
    step = s.dug - s.plan_dug
    if s.plan_turn != s.turn or step >= s.plan_length or s.plan[ix(step)] != move:
        s.plan_length = 0


@inlined
def prepare_next_tunnel(s: State, b: Board, r: Rules, kind: Any) -> bool:
    """T1, T3, P4: find the choices for the next tunnel; returns False if the turn is over."""
    if kind in (STATION, PASS) or s.dug == tunnels_per_turn(s, r):
        return False
    if unlikely(r.trigger_turn == STOP and stops_turn(s, b, r)):
        return False
    if find_tunnels(s, b, r) == 0:
        return False
    if unlikely(r.dig_duty == MOST):
        keep_dutiful_choices(s, b, r)
    return True


def _begin_turn(s: State, b: Board, r: Rules) -> None:
    """T1-T4: prepare the first decision of a turn."""
    find_turn_choices(s, b, r)
    if unlikely(r.dig_duty == MOST):
        keep_dutiful_choices(s, b, r)


begin_turn, begin_turn_inline = jit(_begin_turn), inlined(_begin_turn)


@inlined
def end_turn(s: State, b: Board, r: Rules) -> None:
    """P3, P5, T4: check the triggers, begin or continue the last round, pass the turn on."""
    s.turns_taken[ix(s.seat)] += 1
    if s.scored:
        update_lead(s, s.player_points, r.players)
        s.scored = 0
    if s.turns_left >= 0:  # P5: triggers no longer matter
        s.turns_left -= 1
        s.over = np.int64(s.turns_left == 0)
    else:
        reason = trigger(s, b, r)
        if reason >= 0:
            s.end_reason = reason
            s.end_seat = s.seat
            s.turns_left = count_last_turns(s, r)
            s.over = np.int64(s.turns_left == 0)
        elif s.passes == r.companies:  # T4
            s.end_reason = DEADLOCK
            s.over = 1
    if s.over:
        s.choices = 0
        return
    s.seat = seat_after(s, r)
    s.turn += 1
    s.dug = 0
    s.has_started = 0
    s.markers_laid = 0
    s.lines_noticed = 0
    begin_turn_inline(s, b, r)


@jit
def play_uniform(s: State, b: Board, r: Rules, streams: Streams, network: Network) -> np.int64:
    """Play a game from its first decision to its end with uniform bots; returns the number of decisions."""
    decisions = np.int64(0)
    while not s.over:
        kind, number, where, extra = kth_choice(s, b, draw_below(streams, 1 + s.seat, s.choices))
        play_decoded(s, b, r, kind, number, where, extra)
        decisions += 1
    score_game(s, b, r, network)
    return decisions
