"""Search: play the best few turns by the net out to the end, and take the one that then looks best.

Hidden hands are drawn anew for every playout from the deals that agree with all that is seen, and every opponent plays
like a bot that is drawn from a pool, so that no single model of the others is relied on. All turns meet the same deals,
opponents and chance. Halves of the turns drop out as the playouts go on (sequential halving: Karnin, Koren and Somekh,
ICML 2013), judged by their playouts and by the net, whose opinion counts like some more of them. The whole budget is
used: no more turns are compared than there are playouts, what a round cannot share out equally is left to the next one,
and the odd playout of the last round goes to the turn that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.rng import draw_below, next_seed, open_stream, set_seed
from mmsim.compiled.standings import win_and_margin
from mmsim.core.rng import Purpose
from mmsim.metromania.bots.thinking.expert import choose_alone, compare_turns
from mmsim.metromania.bots.thinking.heuristic_choice import may_play
from mmsim.metromania.bots.thinking.memory import (
    CANDIDATES,
    DEPTH,
    LEAST_POINTS,
    MARGIN,
    MOST_DEALS,
    PLAYOUTS,
    POOL_PLACES,
    PRIOR,
    TURNS_COMPARED,
    WIDTH,
    Thoughts,
    Views,
)
from mmsim.metromania.bots.thinking.view import UNKNOWN
from mmsim.metromania.bots.thinking.weights import weight
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.moves import note_touching
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.setup import give_hands
from mmsim.metromania.engine.state import HAND, MARKERS, NOWHERE, SEATS, Board, Rules, State
from mmsim.metromania.engine.trips import Network
from mmsim.metromania.engine.turns import play_move

_BOT = int(Purpose.BOT)
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_MORE_THAN_ALL = 1e30  # than any value of a turn
PLAYED, SEEN = 2, 3  # places in `views`; 0 and 1 are for weighing


@jit
def search(
    views: Views, b: Board, r: Rules, deals: Any, seatings: Any, row: Any, t: Thoughts, net: Network
) -> np.int64:
    """Compare turns of the company in turn in `views[0]`; returns the place of the best among `search_code`."""
    seen, bots = views[SEEN], seatings[row]
    copy_position(seen, views[0], b)
    seat = seen.seat
    left = np.int64(weight(bots, seat, WIDTH + PLAYOUTS))
    most = min(np.int64(weight(bots, seat, WIDTH + TURNS_COMPARED)), left)
    compare_turns(views, b, r, bots, t, net, max(most, np.int64(weight(bots, seat, WIDTH + CANDIDATES))))
    _gather_turns(t, most)
    if t.compared == 1:
        return np.int64(0)
    gather_deals(seen, r, t, deals)
    if t.deals == 0 and _something_hidden(seen, r):
        return np.int64(0)  # hands that no deal explains: nothing to play out
    open_stream(seen, 0, 1)
    still = t.compared
    rounds = np.int64(0)
    while (1 << rounds) < still:
        rounds += 1
    for done in range(rounds):
        each = max(left // ((rounds - done) * still), np.int64(1))
        for _ in range(each):
            if left < still:
                break
            left -= still
            _compare_once(views, b, r, deals, seatings, row, t, net)
        _judge(t, weight(bots, seat, WIDTH + PRIOR))
        if done == rounds - 1 and left > 0:  # of two
            draw_world(seen, r, t, row)
            _add_playout(views, b, r, deals, seatings, row, t, net, _leader(t))
            _judge(t, weight(bots, seat, WIDTH + PRIOR))
        still = _drop_half(t, still)
    return _leader(t)


@jit
def _gather_turns(t: Thoughts, most: Any) -> None:
    """The best turns by the net, the best first."""
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
def note_turn(t: Thoughts, at: Any, first: Any) -> None:
    """The turn that begins with a first move is one of those to be played out."""
    t.search_sum[ix(at)] = 0.0
    t.search_count[ix(at)] = 0
    t.search_mean[ix(at)] = 0.0
    t.search_out[ix(at)] = 0
    t.search_length[ix(at)] = t.turn_length[ix(first)]
    for i in range(t.turn_length[ix(first)]):
        t.search_code[ix(DEPTH * at + i)] = t.turn_code[ix(DEPTH * first + i)]


@jit
def gather_deals(v: State, r: Rules, t: Thoughts, deals: Any) -> None:
    """All deals that agree with the hands that are seen and with who has placed what."""
    t.deals = 0
    for which in range(deals.size // (SEATS * HAND)):
        if t.deals < MOST_DEALS and _agrees(v, r, deals, which):
            t.deal[ix(t.deals)] = which
            t.deals += 1


@jit
def _something_hidden(v: State, r: Rules) -> bool:
    for seat in range(r.companies):  # noqa: SIM110 - compiled code has no any()
        if v.hand_marker[ix(HAND * seat)] == UNKNOWN:
            return True
    return False


@jit
def _agrees(v: State, r: Rules, deals: Any, which: Any) -> bool:
    for seat in range(r.companies):
        laid, found = np.int64(0), np.int64(0)
        hidden = v.hand_marker[ix(HAND * seat)] == UNKNOWN
        for marker in range(MARKERS):
            laid += np.int64(v.marker_holder[ix(marker)] == seat and v.marker_cell[ix(marker)] != NOWHERE)
        for i in range(r.hand_size):
            dealt = np.int64(deals[(which * SEATS + seat) * HAND + i]) >> 2
            if hidden:
                found += np.int64(v.marker_holder[ix(dealt)] == seat)
            elif v.hand_marker[ix(HAND * seat + i)] != dealt:
                return False
        if hidden and found != laid:
            return False
    return True


@jit
def _compare_once(
    views: Views, b: Board, r: Rules, deals: Any, seatings: Any, row: Any, t: Thoughts, net: Network
) -> None:
    """One playout for every turn still compared, all in the same world."""
    draw_world(views[SEEN], r, t, row)
    for at in range(t.compared):
        if not t.search_out[ix(at)]:
            _add_playout(views, b, r, deals, seatings, row, t, net, np.int64(at))


@jit
def draw_world(seen: Any, r: Rules, t: Thoughts, row: Any) -> None:
    """Draw the hands, the chance and the opponents of a playout; a player goes on by the weights it sits there with."""
    draw_deal(seen, t)
    for places in range(r.companies):
        seat = (seen.seat + places) % r.companies
        t.guide[ix(seat)] = row
        if r.seat_player[ix(seat)] != r.seat_player[ix(seen.seat)]:
            t.guide[ix(seat)] = draw_guide(seen, row)


@jit
def draw_guide(seen: Any, row: Any) -> np.int64:
    """Draw a bot of the pool: its row of `BOTS`."""
    return row + 1 + POOL_PLACES[draw_below(seen, 0, np.int64(len(POOL_PLACES)))]


@jit
def draw_deal(seen: Any, t: Thoughts) -> None:
    """Draw the hands and the chance of a playout."""
    t.search_deal = np.int64(t.deal[ix(draw_below(seen, 0, t.deals))]) if t.deals > 0 else np.int64(-1)
    t.search_chance = next_seed(seen, 0)


@jit
def _add_playout(
    views: Views, b: Board, r: Rules, deals: Any, seatings: Any, row: Any, t: Thoughts, net: Network, at: Any
) -> None:
    """A playout of a turn in the world that was drawn; nine arguments, those of `play_in_world`."""
    margin = weight(seatings[row], views[SEEN].seat, WIDTH + MARGIN)
    t.search_sum[ix(at)] += play_in_world(views, b, r, deals, seatings, t, net, at, margin)
    t.search_count[ix(at)] += 1


@jit
def play_in_world(
    views: Views, b: Board, r: Rules, deals: Any, seatings: Any, t: Thoughts, net: Network, at: Any, margin: Any
) -> float:
    """The value of a turn of the position seen, played out once in the world that was drawn.

    Nine arguments: compiled code passes records on one by one.
    """
    enter_world(views, b, r, deals, t)
    s = views[PLAYED]
    player = r.seat_player[ix(s.seat)]
    turn = s.turn
    for i in range(t.search_length[ix(at)]):
        code = t.search_code[ix(DEPTH * at + i)]
        if s.turn == turn and may_play(s, b, code):
            play_move(s, b, r, code)
    play_out(views, b, r, seatings, t, net)
    return _value(s, r, player, margin)


@jit
def enter_world(views: Views, b: Board, r: Rules, deals: Any, t: Thoughts) -> None:
    """Put the position seen, with the hands and the chance that were drawn, into `views[PLAYED]`."""
    s = views[PLAYED]
    copy_position(s, views[SEEN], b)
    if t.search_deal >= 0:
        give_hands(s, r, deals, t.search_deal)
        for line in range(2 * r.companies):
            note_touching(s, b, r, np.int64(line))
    set_seed(s, t.search_chance, s.turn)
    for places in range(r.companies):
        open_stream(s, 1 + (s.seat + places) % r.companies, _BOT + places)


@jit
def play_out(views: Views, b: Board, r: Rules, seatings: Any, t: Thoughts, net: Network) -> None:
    """Play the game in `views[PLAYED]` to its end, every seat by the row of `BOTS` that guides it, and score it."""
    s = views[PLAYED]
    while not s.over:
        play_move(s, b, r, choose_alone(s, b, r, seatings[t.guide[ix(s.seat)]], t, net, views))
    score_game(s, b, r, net)


@jit
def _value(s: State, r: Rules, player: Any, margin: Any) -> float:
    """What a game that is over is worth to a player: the share in the win, and something for the margin."""
    own, best = 0.0, LEAST_POINTS
    for p in range(r.players):
        points = 0.0
        for seat in range(r.companies):
            if r.seat_player[ix(seat)] == p:
                points += np.float64(s.scores[ix(seat)])
        if p == player:
            own = points
        else:
            best = max(best, points)
    return win_and_margin(s.winners, player, own - best, margin)


@jit
def _judge(t: Thoughts, prior: Any) -> None:
    """What each turn still compared is worth by its playouts and by the net, which knows only how turns differ."""
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
def _drop_half(t: Thoughts, still: Any) -> np.int64:
    """The worse half of the turns is compared no more."""
    for _ in range(still // 2):
        worst, found = _MORE_THAN_ALL, np.int64(-1)
        for at in range(t.compared):
            if not t.search_out[ix(at)] and t.search_mean[ix(at)] <= worst:
                worst, found = t.search_mean[ix(at)], np.int64(at)
        t.search_out[ix(found)] = 1
    return still - still // 2


@jit
def _leader(t: Thoughts) -> np.int64:
    """The best of the turns still compared."""
    best, found = -_MORE_THAN_ALL, np.int64(0)
    for at in range(t.compared):
        if not t.search_out[ix(at)] and t.search_mean[ix(at)] > best:
            best, found = t.search_mean[ix(at)], np.int64(at)
    return found
