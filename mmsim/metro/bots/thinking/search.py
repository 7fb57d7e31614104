"""Search: imagine how the expert's best moves go on, many times, and take the one that stands best.

What is hidden is guessed anew for every continuation; all moves meet the same guesses. Rivals are of several kinds, so
that no model of the very bots it meets decides. Halves of the moves drop out as it goes on (sequential halving: Karnin,
Koren and Somekh, ICML 2013). The whole budget is used: no more moves are compared than there are playouts, what a round
cannot share out equally is left to the next one, and the odd playouts of the last round go to the move that leads then.
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.streams import next_word
from mmsim.metro.bots.greedy import GREEDY
from mmsim.metro.bots.search import SEARCH
from mmsim.metro.bots.thinking.choice import OTHERS, may_draw
from mmsim.metro.bots.thinking.evaluation import position_value, weigh_owners
from mmsim.metro.bots.thinking.expectations import copy_expectations, refine
from mmsim.metro.bots.thinking.expert import rank_moves
from mmsim.metro.bots.thinking.memory import IMAGINED, PLAYOUT, SAMPLE, VIEW, WEIGHTS, Bots, Minds, Positions, Thoughts
from mmsim.metro.bots.thinking.placements import best_placement
from mmsim.metro.bots.thinking.view import guess
from mmsim.metro.engine.moves import DRAW, kth_move
from mmsim.metro.engine.state import Board, Dice, Rules, State
from mmsim.metro.engine.turns import play_move

_PLAYOUTS, _WIDTH, _PRIOR, _TURNS, _HASTE, _STRANGERS = range(len(SEARCH.weights) - 6, len(SEARCH.weights))
_GREEDY_OPEN = GREEDY.settings["open"]
_WORD = 2.0**-32  # makes a share of a random word


@jit
def choose_search(
    positions: Positions, b: Board, r: Rules, bots: Bots, minds: Minds, who: Any, dice: Dice, stream: Any
) -> np.int64:
    """Halve the candidates again and again, imagining the better ones more often, all against the same guesses."""
    v, t, w, at = positions[VIEW], minds[0], bots.weights, WEIGHTS * who
    left = np.int64(w[ix(at + _PLAYOUTS)])
    count = rank_moves(positions, b, r, bots, minds, who, np.int64(w[ix(at + _WIDTH)]))
    if count == 0:
        return kth_move(v, r, v.choices - 1)
    for c in range(count):
        t.total[ix(c)] = w[ix(at + _PRIOR)] * t.prior[ix(c)]
        t.count[ix(c)] = w[ix(at + _PRIOR)]
    count = min(count, left)  # the best first, as many as can be imagined once
    rounds = np.int64(0)
    while 1 << rounds < count:
        rounds += 1
    for done in range(rounds):
        for _ in range(max(left // ((rounds - done) * count), np.int64(1))):
            if left >= count:
                left -= count
                _compare_once(positions, b, r, bots, minds, who, count, dice, stream)
        _sort_candidates(t, count)
        if done == rounds - 1 and left > 0:
            _compare_once(positions, b, r, bots, minds, who, np.int64(1), dice, stream)
            _sort_candidates(t, count)
        count = (count + 1) // 2
    return t.candidate[0]


@jit
def _compare_once(
    positions: Positions, b: Board, r: Rules, bots: Bots, minds: Minds, who: Any, count: Any, dice: Dice, stream: Any
) -> None:
    """One playout of each of the best moves so far, all from the same guess.

    Nine arguments: what a decision has, and how many moves.
    """
    t = minds[0]
    positions[SAMPLE] = positions[VIEW]
    guess(positions[SAMPLE], b, r, t, dice, stream, positions[SAMPLE].seat)
    for c in range(count):
        t.total[ix(c)] += _imagine(positions, b, r, bots, minds, who, t.candidate[ix(c)], dice, stream)
        t.count[ix(c)] += 1.0


@jit
def _imagine(
    positions: Positions, b: Board, r: Rules, bots: Bots, minds: Minds, who: Any, move: Any, dice: Dice, stream: Any
) -> float:
    """What a move comes to in the imagined game, after some turns, for the player who thinks.

    Nine arguments: what a decision has, and the move.
    """
    w, at = bots.weights, WEIGHTS * who
    positions[PLAYOUT] = positions[SAMPLE]
    p, t = positions[PLAYOUT], minds[IMAGINED]
    copy_expectations(t, minds[0])
    me, others, sweeps = p.seat, w[ix(at + OTHERS)], np.int64(w[ix(at + _HASTE)])
    play_move(p, b, r, move)
    if p.drawn >= 0:  # the tile drawn goes where the planner would put it
        move, _ = best_placement(p, b, r, t, False, dice, stream)
        play_move(p, b, r, move)
    for _ in range(np.int64(w[ix(at + _TURNS)]) if w[ix(at + _TURNS)] >= 0.0 else r.players - 1):
        if not p.over:
            strange = _WORD * np.float64(next_word(dice, stream)) < w[ix(at + _STRANGERS)]
            t.open_value = _GREEDY_OPEN if strange else -1.0
            _quick_turn(p, b, r, t, others, sweeps, dice, stream)
    t.open_value = -1.0
    refine(p, b, t, sweeps)
    weigh_owners(p, r, t, me, 1.0, others)
    return position_value(p, b, r, t, me)


@jit
def _quick_turn(p: State, b: Board, r: Rules, t: Thoughts, others: Any, sweeps: Any, dice: Dice, stream: Any) -> None:
    """A turn as the planner plays it, but in haste: a tile from the hand if it does no harm, else one that is drawn."""
    refine(p, b, t, sweeps)
    weigh_owners(p, r, t, p.seat, 1.0, others)
    move, value = best_placement(p, b, r, t, False, dice, stream)
    if value < 0.0 and may_draw(p):
        play_move(p, b, r, np.int64(DRAW))
        move, value = best_placement(p, b, r, t, False, dice, stream)
    play_move(p, b, r, move if move >= 0 else kth_move(p, r, p.choices - 1))


@jit
def _sort_candidates(t: Thoughts, count: Any) -> None:
    """By the mean of their playouts, best first."""
    for c in range(1, count):
        total, tried, move, i = t.total[ix(c)], t.count[ix(c)], t.candidate[ix(c)], c
        while i > 0 and t.total[ix(i - 1)] * tried < total * t.count[ix(i - 1)]:
            t.total[ix(i)] = t.total[ix(i - 1)]
            t.count[ix(i)] = t.count[ix(i - 1)]
            t.candidate[ix(i)] = t.candidate[ix(i - 1)]
            i -= 1
        t.total[ix(i)] = total
        t.count[ix(i)] = tried
        t.candidate[ix(i)] = move
