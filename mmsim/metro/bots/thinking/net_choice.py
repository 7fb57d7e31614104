"""A decision by the net: the planner's best moves, each made on a copy, compared by the positions they lead to."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.compiled.neural_net import net_value
from mmsim.metro.bots.evaluator import EVALUATOR
from mmsim.metro.bots.thinking import memory
from mmsim.metro.bots.thinking.evaluation import copy_expectations, position_value, refine, weigh_owners
from mmsim.metro.bots.thinking.heuristic_choice import EXCHANGE_WEIGHT, OTHERS_WEIGHT, WAGON_WEIGHT, survey_position
from mmsim.metro.bots.thinking.input_layout import AFTER, BEHIND, INPUTS, KEPT, MOST_CANDIDATES, MOVE, TENS, VALUE
from mmsim.metro.bots.thinking.memory import SAMPLE, VIEW, WEIGHTS, Memory, Setting, Thoughts
from mmsim.metro.bots.thinking.move_values import best_exchange, best_wagon, drawing_value, weigh_cells, weighed_value
from mmsim.metro.bots.thinking.net_inputs import describe_position
from mmsim.metro.engine import moves
from mmsim.metro.engine.placing import lay, put_wagon, share_taken
from mmsim.metro.engine.state import SHARES, Board, Rules, State

_CANDIDATES = list(EVALUATOR.weights).index("candidates")
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def choose_by_net(m: Memory, setting: Setting, row: Any, bot: Any) -> np.int64:
    """The best move by the net of a bot; `bot` is its place in the row of bots."""
    most = np.int64(setting.bots[row].weights[ix(WEIGHTS * bot + _CANDIDATES)])
    if rank_moves(m, setting, row, bot, most) == 0:
        v = m.positions[VIEW]
        return moves.kth_move(v, setting.rules[0], v.choices - 1)
    return m.thoughts[0].candidate[0]


@jit
def rank_moves(m: Memory, setting: Setting, row: Any, bot: Any, most: Any) -> np.int64:
    """Find the planner's best moves in the view and sort them by the net's `opinion`; returns how many there are."""
    t = m.thoughts[0]
    count = compare_moves(m, setting, row, bot, most)
    if count < 2:
        return count
    for c in range(count):
        opinion = net_value(setting.nets, setting.bots[row].net_at[ix(bot)], t, INPUTS * c, np.int64(INPUTS))
        t.opinion[ix(c)] = t.prior[ix(c)] = opinion
    sort_candidates(t, count)
    return count


@jit
def sort_candidates(t: Thoughts, count: Any) -> None:
    """Sort the candidates by `prior`, the best first, with all that is known of them."""
    for c in range(1, count):
        i = c
        while i > 0 and t.prior[ix(i - 1)] < t.prior[ix(i)]:
            j = i - 1
            t.prior[ix(i)], t.prior[ix(j)] = t.prior[ix(j)], t.prior[ix(i)]
            t.opinion[ix(i)], t.opinion[ix(j)] = t.opinion[ix(j)], t.opinion[ix(i)]
            t.total[ix(i)], t.total[ix(j)] = t.total[ix(j)], t.total[ix(i)]
            t.count[ix(i)], t.count[ix(j)] = t.count[ix(j)], t.count[ix(i)]
            t.candidate[ix(i)], t.candidate[ix(j)] = t.candidate[ix(j)], t.candidate[ix(i)]
            i = j


@jit
def compare_moves(m: Memory, setting: Setting, row: Any, bot: Any, most: Any) -> np.int64:
    """Find the planner's best moves in the view and the net's inputs for each; returns how many there are."""
    v, t, b, r = m.positions[VIEW], m.thoughts[0], setting.board[0], setting.rules[0]
    w, at = setting.bots[row].weights, WEIGHTS * bot
    survey_position(v, b, r, t, w, at)
    count = _find_candidates(v, b, r, t, w, at, min(most, np.int64(MOST_CANDIDATES)))
    if count == 1:
        return count
    kept = 0.0
    for c in range(count - 1, -1, -1):
        if moves.decode_move_compiled(t.candidate[ix(c)])[0] == moves.PLACE:
            kept = t.prior[ix(c)]
    for c in range(count):
        _look_ahead(m, b, r, w[ix(at + OTHERS_WEIGHT)], kept, np.int64(c))
    return count


@jit
def _find_candidates(v: State, b: Board, r: Rules, t: Thoughts, w: Any, at: Any, width: Any) -> np.int64:
    """The best `width` moves of all kinds by the planner's values; returns how many there are."""
    count = np.int64(0)
    weigh_cells(v, b, r, t)
    for place in range(r.hand):
        kind = moves.tile_to_place(v, place)
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                value = weighed_value(v, b, r, t, np.int64(b.turned[ix(4 * kind + turns)]), cell)
                count = _insert(t, width, count, moves.encode_move(moves.PLACE, place, turns, cell), value)
    if v.drawn < 0 and r.stations:
        move, value = best_wagon(v, b, r, t, w[ix(at + WAGON_WEIGHT)])
        count = _insert(t, width, count, move, value)
    if v.drawn < 0 and r.companies:
        move, value = best_exchange(v, b, t, w[ix(at + EXCHANGE_WEIGHT)])
        count = _insert(t, width, count, move, value)
    if moves.may_draw(v):
        count = _insert(t, width, count, np.int64(moves.DRAW), drawing_value(v, b, r, t))
    return count


@jit
def _insert(t: Thoughts, width: Any, count: Any, move: Any, value: Any) -> np.int64:
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
def _look_ahead(m: Memory, b: Board, r: Rules, others: Any, kept: Any, c: Any) -> None:
    """Make a candidate on a copy of the view, and write down the inputs for the position it leads to."""
    m.positions[SAMPLE] = m.positions[VIEW]
    p, t, imagined = m.positions[SAMPLE], m.thoughts[0], m.thoughts[memory.IMAGINED]
    seat, at, move = p.seat, INPUTS * c, t.candidate[ix(c)]
    kind, _, _, _ = moves.decode_move_compiled(move)
    copy_expectations(imagined, t)
    _make(p, b, r, move)
    refine(p, b, imagined, np.int64(1))
    describe_position(p, b, r, imagined, t, seat, others, at)
    weigh_owners(p, r, imagined, seat, 1.0, others)
    after = position_value(p, b, r, imagined, seat)
    if kind == moves.DRAW:  # nothing has changed yet
        after += t.prior[ix(c)]
    t.inputs[ix(at + VALUE)] = np.float32(TENS * t.prior[ix(c)])
    t.inputs[ix(at + BEHIND)] = np.float32(TENS * (t.prior[0] - t.prior[ix(c)]))
    t.inputs[ix(at + AFTER)] = np.float32(TENS * after)
    t.inputs[ix(at + MOVE)] = np.float32(kind == moves.PLACE)
    t.inputs[ix(at + MOVE + 1)] = np.float32(kind == moves.DRAW)
    t.inputs[ix(at + MOVE + 2)] = np.float32(kind == moves.EXCHANGE)
    t.inputs[ix(at + MOVE + 3)] = np.float32(kind == moves.WAGON)
    t.inputs[ix(at + KEPT)] = np.float32(0.0 if kind == moves.PLACE else TENS * kept)


@jit
def _make(p: State, b: Board, r: Rules, move: Any) -> None:
    """Apply the visible effects of a move; the tile drawn after it is unknown."""
    kind, index, turns, where = moves.decode_move_compiled(move)
    if kind == moves.PLACE:
        tile = moves.tile_to_place(p, index)
        p.printed[ix(where)] = tile
        lay(p, b, r, np.int64(b.turned[ix(4 * tile + turns)]), where)
    elif kind == moves.EXCHANGE:
        p.share[ix(SHARES * p.seat + index)] = share_taken(p, index, turns)  # UNKNOWN if it was hidden
    elif kind == moves.WAGON:
        put_wagon(p, b, r, index, where)
