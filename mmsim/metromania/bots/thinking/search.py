"""Search: play the net's best few turns out to the end, many times, and take the one that then looks best.

For every playout the hidden hands are drawn from the deals that agree with all that is seen (a determinization), and
every opponent plays like a bot drawn from `PLAYOUT_BOTS`, so that the choice does not depend on a single model of the
others. All turns share the same hands, opponents and chance. After each round of playouts the worse half of the turns
is dropped (sequential halving: Karnin, Koren and Somekh, ICML 2013). Turns are judged by their playouts and by the
net's value, which counts as a number of extra playouts. The whole budget is used: no more turns are compared than there
are playouts, what a round cannot share out equally is left to the next one, and the odd playout of the last round goes
to the turn that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import open_stream
from mmsim.metromania.bots.thinking.expert import compare_turns
from mmsim.metromania.bots.thinking.features import weight
from mmsim.metromania.bots.thinking.memory import ROOT, VIEW, Memory, Setting, Thoughts
from mmsim.metromania.bots.thinking.playouts import draw_deal, draw_playout_bot, find_deals, note_turn, play_turn_out
from mmsim.metromania.bots.thinking.view import UNKNOWN
from mmsim.metromania.bots.turn_weights import CANDIDATES, MARGIN, PLAYOUTS, PRIOR, TURNS_COMPARED
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.state import HAND, Rules, State

_HUGE = 1e30  # more than any value of a turn


@jit
def search(m: Memory, setting: Setting, row: Any) -> np.int64:
    """Compare turns of the company in turn in the view; returns the place of the best among `search_code`."""
    root, t, b, r, bots = m.positions[ROOT], m.thoughts[0], setting.board[0], setting.rules[0], setting.bots[row]
    copy_position(root, m.positions[VIEW], b)
    seat = root.seat
    left, prior = np.int64(weight(bots, seat, PLAYOUTS)), weight(bots, seat, PRIOR)
    most = min(np.int64(weight(bots, seat, TURNS_COMPARED)), left)
    compare_turns(m, b, r, bots, max(most, np.int64(weight(bots, seat, CANDIDATES))))
    _gather_turns(t, most)
    if t.compared == 1:
        return np.int64(0)
    find_deals(root, r, t, setting.deals)
    if t.deals == 0 and _has_hidden_hand(root, r):
        return np.int64(0)  # no deal explains the hands: nothing to play out
    open_stream(root, 0, 1)
    remaining = t.compared
    rounds = np.int64(0)
    while (1 << rounds) < remaining:
        rounds += 1
    for done in range(rounds):
        for _ in range(max(left // ((rounds - done) * remaining), np.int64(1))):
            if left < remaining:
                break
            left -= remaining
            _determinize(root, r, t, row)
            for at in range(t.compared):
                if not t.search_out[ix(at)]:
                    _add_playout(m, setting, row, np.int64(at))
        _judge(t, prior)
        if done == rounds - 1 and left > 0:  # between two
            _determinize(root, r, t, row)
            _add_playout(m, setting, row, _leader(t))
            _judge(t, prior)
        remaining = _drop_half(t, remaining)
    return _leader(t)


@jit
def _gather_turns(t: Thoughts, most: Any) -> None:
    """Keep the best turns by the net, the best first."""
    t.compared = 0
    for at in range(t.candidates):
        t.tried[ix(t.candidate[ix(at)])] = 0
    while t.compared < min(most, t.candidates):
        best = np.int64(-1)
        for at in range(t.candidates):
            better = best < 0 or t.candidate_value[ix(at)] > t.candidate_value[ix(best)]
            if better and not t.tried[ix(t.candidate[ix(at)])]:
                best = np.int64(at)
        first = t.candidate[ix(best)]
        t.tried[ix(first)] = 1
        t.search_net[ix(t.compared)] = t.candidate_value[ix(best)]
        note_turn(t, t.compared, first)
        t.compared += 1


@jit
def _has_hidden_hand(v: State, r: Rules) -> bool:
    for seat in range(r.companies):  # noqa: SIM110 - compiled code has no any()
        if v.hand_marker[ix(HAND * seat)] == UNKNOWN:
            return True
    return False


@jit
def _determinize(root: State, r: Rules, t: Thoughts, row: Any) -> None:
    """Draw the hands, the chance and the opponents of the next playouts; the player's own companies keep their bots."""
    draw_deal(root, t)
    for places in range(r.companies):
        seat = (root.seat + places) % r.companies
        t.playout_bot[ix(seat)] = row
        if r.seat_player[ix(seat)] != r.seat_player[ix(root.seat)]:
            t.playout_bot[ix(seat)] = draw_playout_bot(root, row)


@jit
def _add_playout(m: Memory, setting: Setting, row: Any, at: Any) -> None:
    """Play one of the turns out once, with the hands, chance and opponents that were drawn."""
    t, margin = m.thoughts[0], weight(setting.bots[row], m.positions[ROOT].seat, MARGIN)
    t.search_sum[ix(at)] += play_turn_out(m, setting, at, margin)
    t.search_count[ix(at)] += 1


@jit
def _judge(t: Thoughts, prior: Any) -> None:
    """Value each turn still compared by its playouts and by the net, of whose values only differences matter."""
    above, playouts = 0.0, 0.0
    for at in range(t.compared):
        if not t.search_out[ix(at)]:
            above += t.search_sum[ix(at)] - t.search_count[ix(at)] * t.search_net[ix(at)]
            playouts += t.search_count[ix(at)]
    above /= max(playouts, 1.0)
    for at in range(t.compared):
        if not t.search_out[ix(at)]:
            opinion = prior * (above + t.search_net[ix(at)])
            t.search_mean[ix(at)] = (t.search_sum[ix(at)] + opinion) / max(t.search_count[ix(at)] + prior, 1.0)


@jit
def _drop_half(t: Thoughts, remaining: Any) -> np.int64:
    """Drop the worse half of the turns; returns how many are left."""
    for _ in range(remaining // 2):
        worst, dropped = _HUGE, np.int64(-1)
        for at in range(t.compared):
            if not t.search_out[ix(at)] and t.search_mean[ix(at)] <= worst:
                worst, dropped = t.search_mean[ix(at)], np.int64(at)
        t.search_out[ix(dropped)] = 1
    return remaining - remaining // 2


@jit
def _leader(t: Thoughts) -> np.int64:
    """The best of the turns still compared."""
    best, leader = -_HUGE, np.int64(0)
    for at in range(t.compared):
        if not t.search_out[ix(at)] and t.search_mean[ix(at)] > best:
            best, leader = t.search_mean[ix(at)], np.int64(at)
    return leader
