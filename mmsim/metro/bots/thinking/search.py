"""Search: play the best few moves by the net out to the end, many times, and take the one that then looks best.

What is hidden is guessed anew for every playout, and every rival plays like a bot that is drawn by chance, so that no
single model of the others is relied on. All moves meet the same guesses, rivals and chance. Halves of the moves drop
out as the playouts go on (sequential halving: Karnin, Koren and Somekh, ICML 2013), judged by their playouts and by the
net, whose opinion counts like some more of them: like many while the board is empty and the game may go any way, like
few towards its end, when playouts tell much and cost little. The whole budget is used: no more moves are compared than
there are playouts, what a round cannot share out equally is left to the next one, and the odd playouts of the last one
go to the move that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, ix, jit
from mmsim.compiled.rng import next_fraction, next_seed
from mmsim.metro.bots.greedy import GREEDY
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.search import SEARCH
from mmsim.metro.bots.thinking.evaluation import weigh_owners
from mmsim.metro.bots.thinking.expectations import copy_expectations, refine
from mmsim.metro.bots.thinking.expert import rank_moves
from mmsim.metro.bots.thinking.heuristic_choice import OTHERS, choose_planned, place_or_draw
from mmsim.metro.bots.thinking.memory import (
    IMAGINED,
    PLAYOUT,
    SAMPLE,
    VIEW,
    WEIGHTS,
    AllThoughts,
    Bots,
    Positions,
    Thoughts,
)
from mmsim.metro.bots.thinking.view import count_unseen, guess
from mmsim.metro.bots.thinking.worlds import enter_world, result_of
from mmsim.metro.engine.moves import kth_move
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import SUPPLY, Board, Rules
from mmsim.metro.engine.turns import play_move

_PLAYOUTS, _WIDTH, _CANDIDATES, _DOUBT, _BEGIN, _PRIOR, _MARGIN, _HASTE, _STRANGERS = range(
    len(PLANNER.weights), len(SEARCH.weights)
)
_GREEDY_OPEN = GREEDY.settings["open"]


@jit
def choose_search(
    positions: Positions, b: Board, r: Rules, bots: Bots, dice: Any, thoughts: AllThoughts, who: Any
) -> np.int64:
    """Halve the moves again and again, playing the better ones out more often, all in the same worlds."""
    v, t, w, at = positions[VIEW], thoughts[0], bots.weights, WEIGHTS * who
    left = np.int64(w[ix(at + _PLAYOUTS)])
    most = min(np.int64(w[ix(at + _WIDTH)]), left)
    found = rank_moves(positions, b, r, bots, thoughts, who, max(most, np.int64(w[ix(at + _CANDIDATES)])))
    if found == 0:
        return kth_move(v, r, v.choices - 1)
    full = np.float64(count_bits(v.placed)) / np.float64(SUPPLY)
    if found == 1 or full < w[ix(at + _BEGIN)]:
        return t.candidate[0]
    prior = w[ix(at + _PRIOR)] * (1.0 - full) ** 2
    count = np.int64(0)
    while count < min(found, most) and t.opinion[ix(count)] >= t.opinion[0] - w[ix(at + _DOUBT)]:
        t.total[ix(count)] = t.count[ix(count)] = 0.0
        count += 1
    rounds = np.int64(0)
    while 1 << rounds < count:
        rounds += 1
    for done in range(rounds):
        for _ in range(max(left // ((rounds - done) * count), np.int64(1))):
            if left >= count:
                left -= count
                _compare_once(positions, b, r, bots, thoughts, who, count, dice)
        _sort_moves(t, count, prior)
        if done == rounds - 1 and left > 0:
            _compare_once(positions, b, r, bots, thoughts, who, np.int64(1), dice)
            _sort_moves(t, count, prior)
        count = (count + 1) // 2
    return t.candidate[0]


@jit
def _compare_once(
    positions: Positions, b: Board, r: Rules, bots: Bots, thoughts: AllThoughts, who: Any, count: Any, dice: Any
) -> None:
    """One playout of each of the best moves so far, all in the same world."""
    v, t, stream = positions[VIEW], thoughts[0], 1 + positions[VIEW].seat
    positions[SAMPLE] = v
    guess(positions[SAMPLE], b, r, t, dice[0], stream, v.seat)
    chance = next_seed(dice[0], stream)
    for places in range(r.players):
        strange = next_fraction(dice[0], stream) < bots.weights[ix(WEIGHTS * who + _STRANGERS)]
        t.open_of[ix((v.seat + places) % r.players)] = _GREEDY_OPEN if strange and places > 0 else -1.0
    for c in range(count):
        t.total[ix(c)] += _play_out(positions, b, r, bots, thoughts, who, t.candidate[ix(c)], dice, chance)
        t.count[ix(c)] += 1.0


@jit
def _play_out(
    positions: Positions,
    b: Board,
    r: Rules,
    bots: Bots,
    thoughts: AllThoughts,
    who: Any,
    move: Any,
    dice: Any,
    chance: Any,
) -> float:
    """What a move comes to in the world that was drawn, for the player who thinks.

    Nine arguments: what a decision has, and the move.
    """
    enter_world(positions, r, dice, chance)
    p, t, w, at = positions[PLAYOUT], thoughts[IMAGINED], bots.weights, WEIGHTS * who
    seat = p.seat
    copy_expectations(t, thoughts[0])
    play_move(p, b, r, move)
    while not p.over:
        count_unseen(p, b, t, p.seat)
        weigh_owners(p, r, t, p.seat, 1.0, w[ix(at + OTHERS)])
        t.open_value = thoughts[0].open_of[ix(p.seat)]
        if t.open_value < 0.0:
            refine(p, b, t, np.int64(w[ix(at + _HASTE)]))
            move = choose_planned(p, b, r, t, w, at, dice[1], 1 + p.seat)
        else:
            move = place_or_draw(p, b, r, t, dice[1], 1 + p.seat)
        play_move(p, b, r, move)
    score_game(p, r)
    return result_of(p, r, seat, w[ix(at + _MARGIN)])


@jit
def _sort_moves(t: Thoughts, count: Any, prior: Any) -> None:
    """Best first, by their playouts and by the net, which knows only how moves differ."""
    above, playouts = 0.0, 0.0
    for c in range(count):
        above += t.total[ix(c)] - t.count[ix(c)] * t.opinion[ix(c)]
        playouts += t.count[ix(c)]
    above /= max(playouts, 1.0)
    for c in range(count):
        opinion = prior * (above + t.opinion[ix(c)])
        t.prior[ix(c)] = (t.total[ix(c)] + opinion) / max(t.count[ix(c)] + prior, 1.0)
    for c in range(1, count):
        i = c
        while i > 0 and t.prior[ix(i - 1)] < t.prior[ix(i)]:
            _swap(t, i - 1, i)
            i -= 1


@jit
def _swap(t: Thoughts, one: Any, other: Any) -> None:
    """Two moves change places, with all that is known of them."""
    t.prior[ix(one)], t.prior[ix(other)] = t.prior[ix(other)], t.prior[ix(one)]
    t.opinion[ix(one)], t.opinion[ix(other)] = t.opinion[ix(other)], t.opinion[ix(one)]
    t.total[ix(one)], t.total[ix(other)] = t.total[ix(other)], t.total[ix(one)]
    t.count[ix(one)], t.count[ix(other)] = t.count[ix(other)], t.count[ix(one)]
    t.candidate[ix(one)], t.candidate[ix(other)] = t.candidate[ix(other)], t.candidate[ix(one)]
