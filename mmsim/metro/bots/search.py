"""Tries its best moves in imagined games."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots.planner import EXCHANGES, OTHERS, PLANNER, WAGONS, best_exchange, best_wagon, plan, refine
from mmsim.metro.bots.thinking.evaluation import (
    best_placement,
    drawing_value,
    placement_value,
    position_value,
    weigh_owners,
)
from mmsim.metro.bots.thinking.view import guess
from mmsim.metro.engine.moves import DRAW, PLACE, kth_move, move_code
from mmsim.metro.engine.state import CANDIDATES, HAND, IMAGINED, PLAYOUT, SAMPLE, SUPPLY, VIEW
from mmsim.metro.engine.turns import play_move

SEARCH = Bot(
    "search",
    "Imagines how the planner's best moves go on, with any supply and hands that fit what it has seen, and takes the "
    "one that stands best when its turn comes again.",
    "All that the planner looks at.",
    {
        **PLANNER.weights,
        "playouts": Weight(200.0, 1.0, 1e6, "Continuations imagined for every decision."),
        "width": Weight(16.0, 1.0, CANDIDATES, "Moves that are tried, the planner's best ones."),
        "prior": Weight(4.0, 0.0, 1e6, "Playouts the planner's own opinion of a move counts for."),
        "turns": Weight(-1.0, -1.0, 60.0, "Turns that are imagined after a move; -1: one of every other player."),
        "haste": Weight(1.0, 0.0, 50.0, "How often expectations are passed on in an imagined turn."),
    },
)
_PLAYOUTS, _WIDTH, _PRIOR, _TURNS, _HASTE = range(5, 10)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def _consider(mind: Any, width: Any, count: Any, move: Any, value: Any) -> np.int64:
    """Keep a move if it is among the best so far, in order; returns how many there are now."""
    if move < 0 or (count == width and value <= mind.prior[ix(count - 1)]):
        return count
    if count < width:
        count += 1
    at = count - 1
    while at > 0 and mind.prior[ix(at - 1)] < value:
        mind.prior[ix(at)] = mind.prior[ix(at - 1)]
        mind.candidate[ix(at)] = mind.candidate[ix(at - 1)]
        at -= 1
    mind.prior[ix(at)] = value
    mind.candidate[ix(at)] = move
    return count


@jit
def _find_candidates(v: Any, b: Any, r: Any, mind: Any, w: Any, at: Any) -> np.int64:
    """The planner's best moves of every kind."""
    width, count = np.int64(w[ix(at + _WIDTH)]), np.int64(0)
    wagon, wagon_value, share, share_value = np.int64(-1), 0.0, np.int64(-1), 0.0
    if v.drawn < 0 and r.stations:
        wagon, wagon_value = best_wagon(v, b, r, mind, w[ix(at + WAGONS)])
    if v.drawn < 0 and r.companies:
        share, share_value = best_exchange(v, b, mind, w[ix(at + EXCHANGES)])
    for place in range(r.hand):
        kind = v.drawn if v.drawn >= 0 else np.int64(v.hand[ix(HAND * v.seat + place)])
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                value = placement_value(v, b, r, mind, np.int64(b.turned[ix(4 * kind + turns)]), cell)
                count = _consider(mind, width, count, move_code(PLACE, place, turns, cell), value)
    count = _consider(mind, width, count, wagon, wagon_value)
    count = _consider(mind, width, count, share, share_value)
    if v.drawn < 0 and v.next < SUPPLY:
        count = _consider(mind, width, count, np.int64(DRAW), drawing_value(v, b, r, mind))
    return count


@jit
def _quick_turn(p: Any, b: Any, r: Any, mind: Any, others: Any, sweeps: Any, dice: Any, stream: Any) -> None:
    """A turn as the planner plays it, but in haste: a tile from the hand if it does no harm, else one that is drawn."""
    refine(p, b, mind, sweeps)
    weigh_owners(p, r, mind, p.seat, 1.0, others)
    move, value = best_placement(p, b, r, mind, dice, stream)
    if value < 0.0 and p.next < SUPPLY:
        play_move(p, b, r, np.int64(DRAW))
        move, value = best_placement(p, b, r, mind, dice, stream)
    play_move(p, b, r, move if move >= 0 else kth_move(p, r, p.choices - 1))


@jit
def _imagine(positions: Any, b: Any, r: Any, minds: Any, w: Any, at: Any, move: Any, dice: Any, stream: Any) -> float:
    """What a move comes to in the imagined game, after some turns, for the player who thinks."""
    positions[PLAYOUT] = positions[SAMPLE]
    minds[IMAGINED] = minds[0]
    p, mind = positions[PLAYOUT], minds[IMAGINED]
    me, others, sweeps = p.seat, w[ix(at + OTHERS)], np.int64(w[ix(at + _HASTE)])
    play_move(p, b, r, move)
    if p.drawn >= 0:  # the tile drawn goes where the planner would put it
        move, _ = best_placement(p, b, r, mind, dice, stream)
        play_move(p, b, r, move)
    for _ in range(np.int64(w[ix(at + _TURNS)]) if w[ix(at + _TURNS)] >= 0.0 else r.players - 1):
        if not p.over:
            _quick_turn(p, b, r, mind, others, sweeps, dice, stream)
    refine(p, b, mind, sweeps)
    weigh_owners(p, r, mind, me, 1.0, others)
    return position_value(p, b, r, mind, me)


@jit
def choose_search(positions: Any, b: Any, r: Any, minds: Any, w: Any, at: Any, dice: Any, stream: Any) -> np.int64:
    """Halve the candidates again and again, imagining the better ones more often, all against the same guesses."""
    v, mind = positions[VIEW], minds[0]
    plan(v, b, r, mind, w, at)
    count = _find_candidates(v, b, r, mind, w, at)
    if count == 0:
        return kth_move(v, r, v.choices - 1)
    for c in range(count):
        mind.total[ix(c)] = w[ix(at + _PRIOR)] * mind.prior[ix(c)]
    rounds = np.int64(1)
    while 1 << rounds < count:
        rounds += 1
    each = np.int64(w[ix(at + _PLAYOUTS)]) // rounds
    count = max(np.int64(1), min(count, each))  # the best first, as many as can be imagined once
    while count > 1:
        for _ in range(each // count):
            positions[SAMPLE] = positions[VIEW]
            guess(positions[SAMPLE], b, r, mind, dice, stream)
            for c in range(count):
                mind.total[ix(c)] += _imagine(positions, b, r, minds, w, at, mind.candidate[ix(c)], dice, stream)
        _sort_candidates(mind, count)
        count = (count + 1) // 2 if count > 2 else np.int64(1)
    return mind.candidate[0]


@jit
def _sort_candidates(mind: Any, count: Any) -> None:
    """By total, best first."""
    for c in range(1, count):
        total, move, i = mind.total[ix(c)], mind.candidate[ix(c)], c
        while i > 0 and mind.total[ix(i - 1)] < total:
            mind.total[ix(i)] = mind.total[ix(i - 1)]
            mind.candidate[ix(i)] = mind.candidate[ix(i - 1)]
            i -= 1
        mind.total[ix(i)] = total
        mind.candidate[ix(i)] = move
