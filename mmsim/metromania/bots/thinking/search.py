"""Search: play the best few turns out to the end, many times, and take the one that won most.

Hidden hands are drawn anew for every playout from the deals that agree with all that is seen; all turns meet the same
deals and the same chance. Halves of the turns drop out as the playouts go on (sequential halving: Karnin, Koren and
Somekh, ICML 2013). The whole budget is used: no more turns are compared than there are playouts, what a round cannot
share out equally is left to the next one, and the odd playout of the last round goes to the turn that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, ix, jit
from mmsim.compiled.streams import draw_below, next_word, open_stream, set_seed
from mmsim.core.rng import Purpose
from mmsim.metromania.bots.thinking.choice import best_turn, may_play, play_on, weigh
from mmsim.metromania.bots.thinking.evaluation import weight
from mmsim.metromania.bots.thinking.expert import choose_alone
from mmsim.metromania.bots.thinking.memory import (
    DEPTH,
    LEAST_POINTS,
    MARGIN,
    MOST_COMPARED,
    MOST_DEALS,
    PLAYOUTS,
    TURNS_COMPARED,
    WIDTH,
    Bots,
    Thoughts,
    Views,
)
from mmsim.metromania.bots.thinking.view import UNKNOWN
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.moves import note_touching
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.setup import give_hands
from mmsim.metromania.engine.state import HAND, MARKERS, NOWHERE, SEATS, Board, Rules, State
from mmsim.metromania.engine.trips import Network

_BOT = int(Purpose.BOT)
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_HALF = np.uint64(32)
_WIDE = 30.0  # points: margins count up to here
_MORE_THAN_ALL = 1e30  # than any value of a turn
_PLAYED, SEEN = 2, 3  # places in `views`; 0 and 1 are for weighing


@jit
def search(
    views: Views, b: Board, r: Rules, deals: Any, bots: Bots, guide: Bots, m: Thoughts, net: Network
) -> np.int64:
    """Compare turns of the company in turn in `views[0]`; returns the place of the best among `search_code`."""
    seen = views[SEEN]
    copy_position(seen, views[0], b)
    seat = seen.seat
    weigh(views, b, r, bots, m, net)
    left = np.int64(weight(bots, seat, WIDTH + PLAYOUTS))
    _gather_turns(m, min(np.int64(weight(bots, seat, WIDTH + TURNS_COMPARED)), np.int64(MOST_COMPARED), left))
    if m.compared == 1:
        return np.int64(0)
    gather_deals(seen, r, m, deals)
    if m.deals == 0 and _something_hidden(seen, r):
        return np.int64(0)  # hands that no deal explains: nothing to play out
    open_stream(seen, 0, 1)
    still = m.compared
    rounds = np.int64(0)
    while (1 << rounds) < still:
        rounds += 1
    for done in range(rounds):
        each = max(left // ((rounds - done) * still), np.int64(1))
        for _ in range(each):
            if left < still:
                break
            left -= still
            _compare_once(views, b, r, deals, bots, guide, m, net)
        if done == rounds - 1 and left > 0:  # of two
            draw_world(seen, m)
            _add_playout(views, b, r, deals, bots, guide, m, net, _leader(m))
        still = _drop_half(m, still)
    return _leader(m)


@jit
def _gather_turns(m: Thoughts, most: Any) -> None:
    """The best turns by weight, without those that dig the same tunnels in another order."""
    m.compared = 0
    while m.compared < most:
        first = best_turn(m, False)
        if first < 0:
            return
        if not _is_among(m, first) or m.compared == 0:
            at = m.compared
            m.compared += 1
            m.search_length[ix(at)] = m.turn_length[ix(first)]
            m.search_sum[ix(at)] = 0.0
            m.search_count[ix(at)] = 0
            m.search_out[ix(at)] = 0
            for i in range(m.turn_length[ix(first)]):
                m.search_code[ix(DEPTH * at + i)] = m.turn_code[ix(DEPTH * first + i)]
        m.value[ix(first)] = -_MORE_THAN_ALL


@jit
def _is_among(m: Thoughts, first: Any) -> bool:
    """Whether a turn has the same moves as one already gathered."""
    for at in range(m.compared):
        same = m.search_length[ix(at)] == m.turn_length[ix(first)]
        for i in range(m.turn_length[ix(first)]):
            found = False
            for j in range(m.search_length[ix(at)]):
                found |= m.search_code[ix(DEPTH * at + j)] == m.turn_code[ix(DEPTH * first + i)]
            same &= found
        if same:
            return True
    return False


@jit
def gather_deals(v: State, r: Rules, m: Thoughts, deals: Any) -> None:
    """All deals that agree with the hands that are seen and with who has placed what."""
    m.deals = 0
    for which in range(deals.size // (SEATS * HAND)):
        if m.deals < MOST_DEALS and _agrees(v, r, deals, which):
            m.deal[ix(m.deals)] = which
            m.deals += 1


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
    views: Views, b: Board, r: Rules, deals: Any, bots: Bots, guide: Bots, m: Thoughts, net: Network
) -> None:
    """One playout for every turn still compared, all from the same deal and the same chance."""
    draw_world(views[SEEN], m)
    for at in range(m.compared):
        if not m.search_out[ix(at)]:
            _add_playout(views, b, r, deals, bots, guide, m, net, np.int64(at))


@jit
def draw_world(seen: Any, m: Thoughts) -> None:
    """Draw the hands and the chance of a playout."""
    m.search_deal = np.int64(m.deal[ix(draw_below(seen, 0, m.deals))]) if m.deals > 0 else np.int64(-1)
    m.search_chance = next_word(seen, 0) << _HALF | next_word(seen, 0)


@jit
def _add_playout(
    views: Views, b: Board, r: Rules, deals: Any, bots: Bots, guide: Bots, m: Thoughts, net: Network, at: Any
) -> None:
    """A playout of a turn in the world that was drawn; all of them are what a playout is made of, hence so many."""
    margin = weight(bots, views[SEEN].seat, WIDTH + MARGIN)
    m.search_sum[ix(at)] += play_in_world(views, b, r, deals, guide, m, net, at, margin)
    m.search_count[ix(at)] += 1


@jit
def play_in_world(
    views: Views, b: Board, r: Rules, deals: Any, guide: Bots, m: Thoughts, net: Network, at: Any, margin: Any
) -> float:
    """The value of a turn of the position seen, played out once in the world that was drawn."""
    s = views[_PLAYED]
    copy_position(s, views[SEEN], b)
    if m.search_deal >= 0:
        give_hands(s, r, deals, m.search_deal)
        for line in range(2 * r.companies):
            note_touching(s, b, r, np.int64(line))
    set_seed(s, m.search_chance, s.turn)
    for seat in range(r.companies):
        open_stream(s, 1 + seat, _BOT + seat)
    return _play_out(views, b, r, guide, m, net, at, margin)


@jit
def _play_out(views: Views, b: Board, r: Rules, guide: Bots, m: Thoughts, net: Network, at: Any, margin: Any) -> float:
    """Play a turn and then the whole game; returns what it was worth to the player whose turn it was."""
    s = views[_PLAYED]
    player = r.seat_player[ix(s.seat)]
    turn = s.turn
    for i in range(m.search_length[ix(at)]):
        code = m.search_code[ix(DEPTH * at + i)]
        if s.turn == turn and may_play(s, b, code):
            play_on(s, b, r, code)
    while not s.over:
        play_on(s, b, r, choose_alone(s, b, r, guide, m, net, views))
    score_game(s, b, r, net)
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
    won = 0.0
    if s.winners >> np.uint64(player) & _ONE != _ZERO:
        won = 1.0 / np.float64(count_bits(s.winners))
    return won + margin * max(min((own - best) / _WIDE, 1.0), -1.0)


@jit
def _drop_half(m: Thoughts, still: Any) -> np.int64:
    """The worse half of the turns is compared no more."""
    for _ in range(still // 2):
        worst, found = _MORE_THAN_ALL, np.int64(-1)
        for at in range(m.compared):
            if not m.search_out[ix(at)]:
                mean = m.search_sum[ix(at)] / max(m.search_count[ix(at)], 1)
                if mean <= worst:
                    worst, found = mean, np.int64(at)
        m.search_out[ix(found)] = 1
    return still - still // 2


@jit
def _leader(m: Thoughts) -> np.int64:
    """The best of the turns still compared."""
    best, found = -_MORE_THAN_ALL, np.int64(0)
    for at in range(m.compared):
        if not m.search_out[ix(at)]:
            mean = m.search_sum[ix(at)] / max(m.search_count[ix(at)], 1)
            if mean > best:
                best, found = mean, np.int64(at)
    return found
