"""Search: imagine how the planner's best moves go on, many times, and take the one that stands best.

What is hidden is guessed anew for every continuation; all moves meet the same guesses. Halves of the moves drop out as
it goes on (sequential halving: Karnin, Koren and Somekh, ICML 2013).
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.metro.bots.search import SEARCH
from mmsim.metro.bots.thinking.choice import EXCHANGES, OTHERS, WAGONS, may_draw, plan
from mmsim.metro.bots.thinking.evaluation import position_value, weigh_owners
from mmsim.metro.bots.thinking.expectations import copy_expectations, refine
from mmsim.metro.bots.thinking.memory import IMAGINED, PLAYOUT, SAMPLE, VIEW, Thoughts
from mmsim.metro.bots.thinking.modules import best_exchange, best_wagon
from mmsim.metro.bots.thinking.placements import best_placement, drawing_value, weigh_cells, weighed_value
from mmsim.metro.bots.thinking.view import guess
from mmsim.metro.engine.moves import DRAW, PLACE, kth_move, move_code
from mmsim.metro.engine.state import HAND, Board, Dice, Rules, State
from mmsim.metro.engine.turns import play_move

_PLAYOUTS, _WIDTH, _PRIOR, _TURNS, _HASTE = range(len(SEARCH.weights) - 5, len(SEARCH.weights))  # after the planner's
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def choose_search(positions: Any, b: Board, r: Rules, minds: Any, w: Any, at: Any, dice: Dice, stream: Any) -> np.int64:
    """Halve the candidates again and again, imagining the better ones more often, all against the same guesses."""
    v, t = positions[VIEW], minds[0]
    plan(v, b, r, t, w, at)
    count = _find_candidates(v, b, r, t, w, at)
    if count == 0:
        return kth_move(v, r, v.choices - 1)
    for c in range(count):
        t.total[ix(c)] = w[ix(at + _PRIOR)] * t.prior[ix(c)]
    rounds = np.int64(1)
    while 1 << rounds < count:
        rounds += 1
    each = np.int64(w[ix(at + _PLAYOUTS)]) // rounds
    count = max(np.int64(1), min(count, each))  # the best first, as many as can be imagined once
    while count > 1:
        for _ in range(each // count):
            positions[SAMPLE] = positions[VIEW]
            guess(positions[SAMPLE], b, r, t, dice, stream)
            for c in range(count):
                t.total[ix(c)] += _imagine(positions, b, r, minds, w, at, t.candidate[ix(c)], dice, stream)
        _sort_candidates(t, count)
        count = (count + 1) // 2 if count > 2 else np.int64(1)
    return t.candidate[0]


@jit
def _find_candidates(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any) -> np.int64:
    """The planner's best moves of every kind."""
    width, count = np.int64(w[ix(at + _WIDTH)]), np.int64(0)
    weigh_cells(v, b, r, t)
    for place in range(r.hand):
        kind = v.drawn if v.drawn >= 0 else np.int64(v.hand[ix(HAND * v.seat + place)])
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                value = weighed_value(v, b, r, t, np.int64(b.turned[ix(4 * kind + turns)]), cell)
                count = _consider(t, width, count, move_code(PLACE, place, turns, cell), value)
    if v.drawn < 0 and r.stations:
        move, value = best_wagon(v, b, r, t, w[ix(at + WAGONS)])
        count = _consider(t, width, count, move, value)
    if v.drawn < 0 and r.companies:
        move, value = best_exchange(v, b, t, w[ix(at + EXCHANGES)])
        count = _consider(t, width, count, move, value)
    if may_draw(v):
        count = _consider(t, width, count, np.int64(DRAW), drawing_value(v, b, r, t))
    return count


@jit
def _consider(t: Thoughts, width: Any, count: Any, move: Any, value: Any) -> np.int64:
    """Keep a move if it is among the best so far, in order; returns how many there are now."""
    if move < 0 or (count == width and value <= t.prior[ix(count - 1)]):
        return count
    if count < width:
        count += 1
    at = count - 1
    while at > 0 and t.prior[ix(at - 1)] < value:
        t.prior[ix(at)] = t.prior[ix(at - 1)]
        t.candidate[ix(at)] = t.candidate[ix(at - 1)]
        at -= 1
    t.prior[ix(at)] = value
    t.candidate[ix(at)] = move
    return count


@jit
def _imagine(
    positions: Any, b: Board, r: Rules, minds: Any, w: Any, at: Any, move: Any, dice: Dice, stream: Any
) -> float:
    """What a move comes to in the imagined game, after some turns, for the player who thinks.

    Nine arguments: what a decision has, and the move.
    """
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
            _quick_turn(p, b, r, t, others, sweeps, dice, stream)
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
    """By total, best first."""
    for c in range(1, count):
        total, move, i = t.total[ix(c)], t.candidate[ix(c)], c
        while i > 0 and t.total[ix(i - 1)] < total:
            t.total[ix(i)] = t.total[ix(i - 1)]
            t.candidate[ix(i)] = t.candidate[ix(i - 1)]
            i -= 1
        t.total[ix(i)] = total
        t.candidate[ix(i)] = move
