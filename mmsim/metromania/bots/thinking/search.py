"""What the bot in turn decides, and search: play the net's best few turns out, many times, and take the best.

For every playout the hidden hands are drawn from the deals that agree with all that is seen (a determinization), and
every opponent plays like a bot drawn from `PLAYOUT_BOTS`, so that the choice does not depend on a single model of the
others. All turns share the same hands, opponents and random draws. After each round of playouts the worse half of the
turns is dropped (sequential halving: Karnin, Koren and Somekh, ICML 2013). Turns are judged by their playouts and by
the net's value, which counts as a number of extra playouts. The whole budget is used: no more turns are compared than
there are playouts, what a round cannot share out equally is left to the next one, and the odd playout of the last round
goes to the turn that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import Streams, draw_below, next_seed, open_stream, set_seed
from mmsim.compiled.standings import win_and_margin
from mmsim.core.rng import Purpose
from mmsim.metromania.bots.kinds import SEARCH
from mmsim.metromania.bots.thinking import memory
from mmsim.metromania.bots.thinking.features import weight
from mmsim.metromania.bots.thinking.heuristic_choice import begin_plan, may_play
from mmsim.metromania.bots.thinking.memory import DEPTH, PLAYOUT, ROOT, VIEW, Bots, Memory, Setting, Thoughts
from mmsim.metromania.bots.thinking.net_choice import choose_without_search, compare_turns, has_no_choice
from mmsim.metromania.bots.thinking.value_net import judge_position
from mmsim.metromania.bots.thinking.view import UNKNOWN, make_view
from mmsim.metromania.bots.turn_weights import Parameter
from mmsim.metromania.engine.moves import note_touching
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.setup import replace_hands
from mmsim.metromania.engine.state import HAND, MARKERS, NOWHERE, SEATS, Rules, State, copy_position
from mmsim.metromania.engine.turns import play_move

_HUGE = 1e30  # more than any value of a turn
_BOT = int(Purpose.BOT)


@jit
def choose(m: Memory, setting: Setting, row: Any) -> np.int64:
    """The move of the bot in turn; row `row` of the bots says who sits where."""
    s, t, b, r, bots = m.positions[0], m.thoughts[0], setting.board[0], setting.rules[0], setting.bots[row]
    if bots.kind[ix(s.seat)] != SEARCH or has_no_choice(s, b):
        return choose_without_search(s, m, setting, m.streams[0], row)
    make_view(m, s, b, r, m.streams[0])
    best = _search(m, setting, row)
    begin_plan(s, t.search_length[ix(best)])
    for i in range(s.plan_length):
        s.plan[ix(i)] = t.search_code[ix(DEPTH * best + i)]
    return s.plan[0]


@jit
def _search(m: Memory, setting: Setting, row: Any) -> np.int64:
    """Compare turns of the company in turn in the view; returns the place of the best among `search_code`."""
    root, t, b, r, bots = m.positions[ROOT], m.thoughts[0], setting.board[0], setting.rules[0], setting.bots[row]
    copy_position(root, m.positions[VIEW], b)
    m.streams[ROOT] = m.streams[VIEW]
    seat = root.seat
    left, prior = np.int64(weight(bots, seat, Parameter.PLAYOUTS)), weight(bots, seat, Parameter.PRIOR)
    most = min(np.int64(weight(bots, seat, Parameter.TURNS)), left)
    compare_turns(m, setting, row, max(most, np.int64(weight(bots, seat, Parameter.CANDIDATES))))
    _gather_turns(t, most)
    if t.compared == 1:
        return np.int64(0)
    find_deals(root, r, t, setting.deals)
    if t.deals == 0 and _has_hidden_hand(root, r):
        return np.int64(0)  # no deal explains the hands: nothing to play out
    open_stream(m.streams[ROOT], 0, 1)
    remaining = t.compared
    rounds = np.int64(0)
    while (1 << rounds) < remaining:
        rounds += 1
    for done in range(rounds):
        for _ in range(max(left // ((rounds - done) * remaining), np.int64(1))):
            if left < remaining:
                break
            left -= remaining
            _determinize(root, r, bots, t, m.streams[ROOT], row)
            for at in range(t.compared):
                if not t.search_out[ix(at)]:
                    _add_playout(m, setting, row, np.int64(at))
        _judge(t, prior)
        if done == rounds - 1 and left > 0:  # between two
            _determinize(root, r, bots, t, m.streams[ROOT], row)
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
def _determinize(root: State, r: Rules, bots: Bots, t: Thoughts, streams: Streams, row: Any) -> None:
    """Draw the hands, the seed and the opponents of the next playouts; the player's own companies keep their bots."""
    judged = weight(bots, root.seat, Parameter.ROUNDS) > 0.0
    draw_deal(t, streams)
    for offset in range(r.companies):
        seat = (root.seat + offset) % r.companies
        t.playout_bot[ix(seat)] = row
        if r.seat_player[ix(seat)] != r.seat_player[ix(root.seat)]:
            t.playout_bot[ix(seat)] = draw_playout_bot(streams, row, judged)


@jit
def _add_playout(m: Memory, setting: Setting, row: Any, at: Any) -> None:
    """Play one of the turns out once, with the hands, seed and opponents drawn."""
    t, bots, seat = m.thoughts[0], setting.bots[row], m.positions[ROOT].seat
    rounds, margin = np.int64(weight(bots, seat, Parameter.ROUNDS)), weight(bots, seat, Parameter.MARGIN)
    t.search_sum[ix(at)] += play_turn_on(m, setting, row, at, rounds, margin)
    t.search_count[ix(at)] += 1


@jit
def _judge(t: Thoughts, prior: Any) -> None:
    """Value each turn still compared by its playouts and by the net; of its values only differences matter."""
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


@jit
def find_deals(v: State, r: Rules, t: Thoughts, deals: Any) -> None:
    """Find all deals that agree with the hands seen in a view and with the markers placed."""
    t.deals = 0
    for which in range(deals.size // (SEATS * HAND)):
        if t.deals < memory.MOST_DEALS and _agrees(v, r, deals, which):
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
def draw_deal(t: Thoughts, streams: Streams) -> None:
    """Draw the hands (the determinization) and the seed of the next playout."""
    t.playout_deal = np.int64(t.deal[ix(draw_below(streams, 0, t.deals))]) if t.deals > 0 else np.int64(-1)
    t.playout_chance = next_seed(streams, 0)


@jit
def draw_playout_bot(streams: Streams, row: Any, judged: Any) -> np.int64:
    """Draw one of the bots that play in playouts, to the end or until they are judged: its row of `BOTS`."""
    place = draw_below(streams, 0, np.int64(len(memory.PLAYOUT_ODDS)))
    return row + 1 + (memory.JUDGED_ODDS[place] if judged else memory.PLAYOUT_ODDS[place])


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
def play_turn_on(m: Memory, setting: Setting, row: Any, at: Any, rounds: Any, margin: Any) -> float:
    """The value of one of the turns kept, by one playout with the hands and bots that were drawn.

    After some rounds, when the company is in turn again, its value net judges the position. With 0 rounds the game is
    played to its end.
    """
    p, streams, t, b, r = m.positions[PLAYOUT], m.streams[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    seat, last_turn = m.positions[ROOT].seat, m.positions[ROOT].turn + r.companies * rounds
    _begin_with_turn(m, setting, at)
    while rounds > 0 and not p.over:
        if p.turn >= last_turn and p.seat == seat:
            return judge_position(m, setting, row, seat)
        play_move(p, b, r, choose_without_search(p, m, setting, streams, t.playout_bot[ix(p.seat)]))
    finish_playout(m, setting)
    return playout_value(p, r, r.seat_player[ix(seat)], margin)


@jit
def _begin_with_turn(m: Memory, setting: Setting, at: Any) -> None:
    """Begin a playout with one of the turns kept."""
    begin_playout(m, setting)
    p, t, b, r = m.positions[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    turn = p.turn
    for i in range(t.search_length[ix(at)]):
        code = t.search_code[ix(DEPTH * at + i)]
        if p.turn == turn and may_play(p, b, code):
            play_move(p, b, r, code)


@jit
def begin_playout(m: Memory, setting: Setting) -> None:
    """Copy the root position to where playouts are played, with the hands and the seed drawn."""
    p, streams, t, b, r = m.positions[PLAYOUT], m.streams[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    copy_position(p, m.positions[ROOT], b)
    if t.playout_deal >= 0:
        replace_hands(p, r, setting.deals, t.playout_deal)
        for line in range(2 * r.companies):
            note_touching(p, b, r, np.int64(line))
    set_seed(streams, t.playout_chance, p.turn)
    for offset in range(r.companies):  # in playing order, so that seat numbers make no difference
        open_stream(streams, 1 + (p.seat + offset) % r.companies, _BOT + offset)


@jit
def finish_playout(m: Memory, setting: Setting) -> None:
    """Play the game in `m.positions[PLAYOUT]` to its end, every seat by its `playout_bot`, and score it."""
    p, streams, t, b, r = m.positions[PLAYOUT], m.streams[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    while not p.over:
        play_move(p, b, r, choose_without_search(p, m, setting, streams, t.playout_bot[ix(p.seat)]))
    score_game(p, b, r, m.network[0])


@jit
def playout_value(p: State, r: Rules, player: Any, margin: Any) -> float:
    """What a scored game is worth to a player: the share of the win, plus a part for the margin."""
    own, best = 0.0, memory.LEAST_POINTS
    for contender in range(r.players):
        points = 0.0
        for seat in range(r.companies):
            if r.seat_player[ix(seat)] == contender:
                points += np.float64(p.scores[ix(seat)])
        if contender == player:
            own = points
        else:
            best = max(best, points)
    return win_and_margin(p.winners, player, own - best, margin)
