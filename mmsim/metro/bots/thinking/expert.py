"""A decision by a net: the planner's best moves, each made on a copy, compared by what the position is then like."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.compiled.neural_net import net_value
from mmsim.metro.bots.expert import EXPERT
from mmsim.metro.bots.thinking.candidates import find_candidates
from mmsim.metro.bots.thinking.evaluation import position_value, weigh_owners
from mmsim.metro.bots.thinking.expectations import copy_expectations, refine
from mmsim.metro.bots.thinking.heuristic_choice import OTHERS, plan
from mmsim.metro.bots.thinking.inputs import AFTER, BEHIND, KEPT, MOST_CANDIDATES, MOVE, TENS, VALUE
from mmsim.metro.bots.thinking.memory import IMAGINED, INPUTS, NET, SAMPLE, VIEW, WEIGHTS, AllThoughts, Bots, Positions
from mmsim.metro.bots.thinking.position_features import describe_position
from mmsim.metro.engine.moves import DRAW, EXCHANGE, PLACE, WAGON, kth_move, move_parts, tile_to_place
from mmsim.metro.engine.state import SHARES, Board, Rules, State
from mmsim.metro.engine.turns import lay, put_wagon, share_taken

_CANDIDATES = list(EXPERT.weights).index("candidates")


@jit
def choose_expert(positions: Positions, b: Board, r: Rules, bots: Bots, thoughts: AllThoughts, who: Any) -> np.int64:
    """The best move by the net of a bot; `who` is its place among the bots."""
    count = rank_moves(positions, b, r, bots, thoughts, who, np.int64(bots.weights[ix(WEIGHTS * who + _CANDIDATES)]))
    if count == 0:
        v = positions[VIEW]
        return kth_move(v, r, v.choices - 1)
    return thoughts[0].candidate[0]


@jit
def rank_moves(
    positions: Positions, b: Board, r: Rules, bots: Bots, thoughts: AllThoughts, who: Any, most: Any
) -> np.int64:
    """The planner's best moves in the view, the best by the net first, with its `opinion` of each; returns how many
    there are."""
    t = thoughts[0]
    count = compare_moves(positions, b, r, bots, thoughts, who, most)
    if count < 2:
        return count
    for c in range(count):
        t.opinion[ix(c)] = net_value(bots, NET * who, t, INPUTS * c, np.int64(INPUTS))
    for c in range(1, count):
        opinion, move, i = t.opinion[ix(c)], t.candidate[ix(c)], c
        while i > 0 and t.opinion[ix(i - 1)] < opinion:
            t.opinion[ix(i)] = t.opinion[ix(i - 1)]
            t.candidate[ix(i)] = t.candidate[ix(i - 1)]
            i -= 1
        t.opinion[ix(i)] = opinion
        t.candidate[ix(i)] = move
    return count


@jit
def compare_moves(
    positions: Positions, b: Board, r: Rules, bots: Bots, thoughts: AllThoughts, who: Any, most: Any
) -> np.int64:
    """Find the planner's best moves in the view and what a net is told of each; returns how many there are."""
    v, t, at = positions[VIEW], thoughts[0], WEIGHTS * who
    plan(v, b, r, t, bots.weights, at)
    others = bots.weights[ix(at + OTHERS)]
    count = find_candidates(v, b, r, t, bots.weights, at, min(most, np.int64(MOST_CANDIDATES)))
    if count == 1:
        return count
    kept = 0.0
    for c in range(count - 1, -1, -1):
        if move_parts(t.candidate[ix(c)])[0] == PLACE:
            kept = t.prior[ix(c)]
    for c in range(count):
        _look_ahead(positions, b, r, thoughts, others, kept, np.int64(c))
    return count


@jit
def _look_ahead(
    positions: Positions, b: Board, r: Rules, thoughts: AllThoughts, others: Any, kept: Any, c: Any
) -> None:
    """Make a candidate on a copy of the view, and note what the position is like then."""
    positions[SAMPLE] = positions[VIEW]
    p, t, imagined = positions[SAMPLE], thoughts[0], thoughts[IMAGINED]
    seat, at, move = p.seat, INPUTS * c, t.candidate[ix(c)]
    kind, _, _, _ = move_parts(move)
    copy_expectations(imagined, t)
    _make(p, b, r, move)
    refine(p, b, imagined, np.int64(1))
    describe_position(p, b, r, imagined, t, seat, others, at)
    weigh_owners(p, r, imagined, seat, 1.0, others)
    after = position_value(p, b, r, imagined, seat)
    if kind == DRAW:  # nothing has changed yet
        after += t.prior[ix(c)]
    t.inputs[ix(at + VALUE)] = np.float32(TENS * t.prior[ix(c)])
    t.inputs[ix(at + BEHIND)] = np.float32(TENS * (t.prior[0] - t.prior[ix(c)]))
    t.inputs[ix(at + AFTER)] = np.float32(TENS * after)
    t.inputs[ix(at + MOVE)] = np.float32(kind == PLACE)
    t.inputs[ix(at + MOVE + 1)] = np.float32(kind == DRAW)
    t.inputs[ix(at + MOVE + 2)] = np.float32(kind == EXCHANGE)
    t.inputs[ix(at + MOVE + 3)] = np.float32(kind == WAGON)
    t.inputs[ix(at + KEPT)] = np.float32(0.0 if kind == PLACE else TENS * kept)


@jit
def _make(p: State, b: Board, r: Rules, move: Any) -> None:
    """What a move changes that can be seen at once; which tile follows is not known."""
    kind, what, turns, where = move_parts(move)
    if kind == PLACE:
        tile = tile_to_place(p, what)
        p.printed[ix(where)] = tile
        lay(p, b, r, np.int64(b.turned[ix(4 * tile + turns)]), where)
    elif kind == EXCHANGE:
        p.share[ix(SHARES * p.seat + what)] = share_taken(p, what, turns)  # of a hidden one a view may say nothing
    elif kind == WAGON:
        put_wagon(p, b, r, what, where)
