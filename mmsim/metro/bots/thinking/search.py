"""What the bot in turn decides, and search: play the net's best few moves out, many times, and take the best.

For every playout the hidden information is guessed again (a determinization), and every rival plays like a bot drawn
at random, so that the choice does not depend on a single model of the others. All moves share the same guesses, rivals
and random draws. After each round of playouts the worse half of the moves is dropped (sequential halving: Karnin, Koren
and Somekh, ICML 2013). Moves are judged by their playouts and by the net's opinion, which counts as a number of extra
playouts: many while the board is empty, few towards the end, when playouts are informative and cheap. The whole budget
is used: no more moves are compared than there are playouts, what a round cannot share out equally is left to the next
one, and the odd playout of the last round goes to the move that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import count_bits
from mmsim.compiled.rng import draw_below, next_fraction, next_seed, open_stream, set_seed
from mmsim.compiled.standings import win_and_margin
from mmsim.core.rng import Purpose
from mmsim.metro.bots import kinds
from mmsim.metro.bots.greedy import GREEDY
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.search import SEARCH
from mmsim.metro.bots.spoiler import SPOILER
from mmsim.metro.bots.thinking import heuristic_choice, memory
from mmsim.metro.bots.thinking.evaluation import copy_expectations, refine, weigh_owners
from mmsim.metro.bots.thinking.memory import PLAYOUT, SAMPLE, VIEW, WEIGHTS, Memory, Setting, Thoughts
from mmsim.metro.bots.thinking.net_choice import choose_by_net, rank_moves, sort_candidates
from mmsim.metro.bots.thinking.view import count_unseen, determinize, hide
from mmsim.metro.engine.moves import kth_move
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import SUPPLY, Rules, State
from mmsim.metro.engine.turns import play_move

# places of the weights, in the order of their declaration
_OPEN, _GIVEN = range(len(GREEDY.weights))
_SPOILER_OPEN, _OWN = range(len(SPOILER.weights))
_PLAYOUTS, _WIDTH, _CANDIDATES, _DOUBT, _BEGIN, _PRIOR, _MARGIN, _HASTE, _STRANGERS = range(
    len(PLANNER.weights), len(SEARCH.weights)
)
_GREEDY_OPEN = GREEDY.settings["open"]
_BOT = int(Purpose.BOT)


@jit
def choose(m: Memory, setting: Setting, row: Any, bot: Any) -> np.int64:
    """The move of a bot for the player in turn; `bot` is its place in the row of bots, who draw from `m.streams[0]`."""
    s, streams, b, r, bots = m.positions[0], m.streams[0], setting.board[0], setting.rules[0], setting.bots[row]
    kind, stream = bots.kind[ix(bot)], 1 + s.seat
    if kind == kinds.UNIFORM:
        return kth_move(s, r, draw_below(streams, stream, s.choices))
    m.positions[VIEW] = m.positions[0]  # all others look at their view, and at nothing else
    v, t, w, at = m.positions[VIEW], m.thoughts[0], bots.weights, WEIGHTS * bot
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    if kind == kinds.GREEDY:
        t.open_value = w[ix(at + _OPEN)]
        weigh_owners(v, r, t, v.seat, 1.0, w[ix(at + _GIVEN)])
        return heuristic_choice.place_or_draw(v, b, r, t, streams, stream)
    if kind == kinds.SPOILER:
        t.open_value = w[ix(at + _SPOILER_OPEN)]
        weigh_owners(v, r, t, v.seat, w[ix(at + _OWN)], 1.0)
        return heuristic_choice.place_or_draw(v, b, r, t, streams, stream)
    if kind == kinds.PLANNER:
        heuristic_choice.survey_position(v, b, r, t, w, at)
        return heuristic_choice.choose_surveyed(v, b, r, t, w, at, streams, stream)
    if kind == kinds.EVALUATOR:
        return choose_by_net(m, setting, row, bot)
    return _choose_search(m, setting, row, bot)


@jit
def finish_playout(m: Memory, setting: Setting, row: Any) -> None:
    """Play the game in `m.positions[PLAYOUT]` to its end, every seat by its `playout_bot`, and score it."""
    p, t, b, r = m.positions[PLAYOUT], m.thoughts[0], setting.board[0], setting.rules[0]
    inner = Memory(m.positions[PLAYOUT:], m.streams[PLAYOUT:], m.thoughts[memory.PLAYOUT_THOUGHTS :])
    while not p.over:
        play_move(p, b, r, choose(inner, setting, row, t.playout_bot[ix(p.seat)]))
    score_game(p, r)


@jit
def _choose_search(m: Memory, setting: Setting, row: Any, bot: Any) -> np.int64:
    """Halve the moves again and again, playing the better ones out more often, all with the same guesses."""
    v, t, w, at = m.positions[VIEW], m.thoughts[0], setting.bots[row].weights, WEIGHTS * bot
    left = np.int64(w[ix(at + _PLAYOUTS)])
    most = min(np.int64(w[ix(at + _WIDTH)]), left)
    ranked = rank_moves(m, setting, row, bot, max(most, np.int64(w[ix(at + _CANDIDATES)])))
    if ranked == 0:
        return kth_move(v, setting.rules[0], v.choices - 1)
    full = np.float64(count_bits(v.placed)) / np.float64(SUPPLY)
    if ranked == 1 or full < w[ix(at + _BEGIN)]:
        return t.candidate[0]
    prior = w[ix(at + _PRIOR)] * (1.0 - full) ** 2
    count = np.int64(0)
    while count < min(ranked, most) and t.opinion[ix(count)] >= t.opinion[0] - w[ix(at + _DOUBT)]:
        t.total[ix(count)] = t.count[ix(count)] = 0.0
        count += 1
    rounds = np.int64(0)
    while 1 << rounds < count:
        rounds += 1
    for done in range(rounds):
        for _ in range(max(left // ((rounds - done) * count), np.int64(1))):
            if left >= count:
                left -= count
                _compare_once(m, setting, row, bot, count)
        _sort_moves(t, count, prior)
        if done == rounds - 1 and left > 0:
            _compare_once(m, setting, row, bot, np.int64(1))
            _sort_moves(t, count, prior)
        count = (count + 1) // 2
    return t.candidate[0]


@jit
def _compare_once(m: Memory, setting: Setting, row: Any, bot: Any, count: Any) -> None:
    """One playout of each of the best `count` moves, all from the same guess of the hidden information."""
    m.positions[SAMPLE] = m.positions[VIEW]
    p, t, streams, b, r = m.positions[SAMPLE], m.thoughts[0], m.streams[0], setting.board[0], setting.rules[0]
    stream = 1 + p.seat
    determinize(p, b, r, t, streams, stream, p.seat)
    playout_seed = next_seed(streams, stream)
    for offset in range(r.players):
        is_stranger = next_fraction(streams, stream) < setting.bots[row].weights[ix(WEIGHTS * bot + _STRANGERS)]
        t.open_of[ix((p.seat + offset) % r.players)] = _GREEDY_OPEN if is_stranger and offset > 0 else -1.0
    for c in range(count):
        t.total[ix(c)] += _play_move_out(m, setting, row, bot, t.candidate[ix(c)], playout_seed)
        t.count[ix(c)] += 1.0


@jit
def _play_move_out(m: Memory, setting: Setting, row: Any, bot: Any, move: Any, playout_seed: Any) -> float:
    """The value of a move to the player who thinks, by one playout with quick bots."""
    b, r, w, at, thinker = setting.board[0], setting.rules[0], setting.bots[row].weights, WEIGHTS * bot, m.thoughts[0]
    begin_playout(m, r, playout_seed)
    p, t, streams = m.positions[PLAYOUT], m.thoughts[memory.IMAGINED], m.streams[PLAYOUT]
    seat = p.seat
    copy_expectations(t, thinker)
    play_move(p, b, r, move)
    while not p.over:
        count_unseen(p, b, t, p.seat)
        weigh_owners(p, r, t, p.seat, 1.0, w[ix(at + heuristic_choice.OTHERS_WEIGHT)])
        t.open_value = thinker.open_of[ix(p.seat)]
        if t.open_value < 0.0:
            refine(p, b, t, np.int64(w[ix(at + _HASTE)]))
            move = heuristic_choice.choose_surveyed(p, b, r, t, w, at, streams, 1 + p.seat)
        else:
            move = heuristic_choice.place_or_draw(p, b, r, t, streams, 1 + p.seat)
        play_move(p, b, r, move)
    score_game(p, r)
    return playout_value(p, r, seat, w[ix(at + _MARGIN)])


@jit
def _sort_moves(t: Thoughts, count: Any, prior: Any) -> None:
    """Sort the moves, best first, by their playouts and by the net; of its values only differences matter."""
    above, playouts = 0.0, 0.0
    for c in range(count):
        above += t.total[ix(c)] - t.count[ix(c)] * t.opinion[ix(c)]
        playouts += t.count[ix(c)]
    above /= max(playouts, 1.0)
    for c in range(count):
        opinion = prior * (above + t.opinion[ix(c)])
        t.prior[ix(c)] = (t.total[ix(c)] + opinion) / max(t.count[ix(c)] + prior, 1.0)
    sort_candidates(t, count)


@jit
def begin_playout(m: Memory, r: Rules, playout_seed: Any) -> None:
    """Copy the guessed position to where playouts are played, and seed its bots' random streams."""
    m.positions[PLAYOUT] = m.positions[SAMPLE]
    p, streams = m.positions[PLAYOUT], m.streams[PLAYOUT]
    set_seed(streams, playout_seed, p.turn)
    for offset in range(r.players):  # in playing order, so that seat numbers make no difference
        open_stream(streams, 1 + (p.seat + offset) % r.players, _BOT + offset)


@jit
def playout_value(p: State, r: Rules, seat: Any, margin: Any) -> float:
    """What a scored game is worth to a player: the share of the win, plus a part for the margin."""
    best = np.int64(-1)
    for rival in range(r.players):
        if rival != seat:
            best = max(best, p.scores[ix(rival)])
    return win_and_margin(p.winners, seat, np.float64(p.scores[ix(seat)] - best), margin)
