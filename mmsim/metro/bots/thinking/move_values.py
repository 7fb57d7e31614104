"""The value of moves: the best placement, drawing another tile, the best centre wagon (X16) and exchange (X15)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.compiled.rng import Streams, draw_below
from mmsim.metro.bots.thinking.evaluation import expected_points, open_points
from mmsim.metro.bots.thinking.memory import NEVER, Thoughts
from mmsim.metro.engine.lines import follow_line, holds_number, line_at, number_factor
from mmsim.metro.engine.moves import EXCHANGE, PLACE, WAGON, cells_without_short_line, encode_move, tile_to_place
from mmsim.metro.engine.scoring import company_value, tenths_held
from mmsim.metro.engine.state import ENTRIES, KINDS, NOBODY, SHARES, UNKNOWN, Board, Rules, State
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_WINDING = NEVER / 2.0  # a sum of gains below this contains NEVER
_MAJORITY = 0.2  # added to the value of a share for every tenth of its company already held


@jit
def placement_value(v: State, b: Board, r: Rules, t: Thoughts, kind: Any, cell: Any) -> float:
    """The value of a tile in a cell to the player in turn: its effect on the lines that wait there."""
    value = 0.0
    for side in range(4):
        node = 4 * cell + side
        line = line_at(v, b, node)
        if line < 0:
            continue
        tiles = np.int64(v.length[ix(v.stretch_start[ix(node)])])
        to, more = follow_line(v, b, kind, cell, side)
        after = expected_points(t, line, to, tiles + more)
        value += t.stake[ix(v.owner[ix(line)])] * (after - expected_points(t, line, node, tiles))
        if r.numbers and holds_number(v, v.seat, to - ENTRIES + 1):
            value += after * np.float64(number_factor(line))
    return value


@jit
def weigh_cells(v: State, b: Board, r: Rules, t: Thoughts) -> None:
    """Work out `gain` for every path through every open cell, so that many tiles can be weighed quickly."""
    cells = v.reach & ~v.placed
    while cells != _ZERO:
        cell = lowest_bit(cells)
        cells &= cells - _ONE
        for side in range(4):
            _weigh_side(v, b, r, t, cell, side)


@inlined
def _weigh_side(v: State, b: Board, r: Rules, t: Thoughts, cell: Any, side: Any) -> None:
    """The gains of the line that waits at a side of a cell, for every side by which it may leave."""
    node, at = 4 * cell + side, 16 * cell + 4 * side
    line = line_at(v, b, node)
    if line < 0:
        for out in range(4):
            t.gain[ix(at + out)] = t.number_gain[ix(at + out)] = 0.0
        return
    tiles = np.int64(v.length[ix(v.stretch_start[ix(node)])])
    stake, before = t.stake[ix(v.owner[ix(line)])], expected_points(t, line, node, tiles)
    for out in range(4):
        beyond = b.exit[ix(4 * cell + out)]
        to = np.int64(v.stretch_end[ix(beyond)])
        after = expected_points(t, line, to, tiles + (1 + np.int64(v.length[ix(beyond)])))
        # a line that comes back passes the tile twice: where it ends depends on the whole tile
        t.gain[ix(at + out)] = stake * (after - before) if to >> 2 != cell else NEVER
        if r.numbers:
            holds = holds_number(v, v.seat, to - ENTRIES + 1)
            t.number_gain[ix(at + out)] = after * np.float64(number_factor(line)) if holds else 0.0


@inlined
def weighed_value(v: State, b: Board, r: Rules, t: Thoughts, kind: Any, cell: Any) -> float:
    """The same as `placement_value`, from the gains already worked out."""
    value = 0.0
    for side in range(4):
        way = 16 * cell + 4 * side + np.int64(b.out[ix(4 * kind + side)])
        value += t.gain[ix(way)]
        if r.numbers:
            value += t.number_gain[ix(way)]
    return value if value > _WINDING else placement_value(v, b, r, t, kind, cell)


@jit
def best_placement(
    v: State, b: Board, r: Rules, t: Thoughts, weighed: Any, streams: Streams, stream: Any
) -> tuple[np.int64, float]:
    """The best placement of a tile in hand and its value; ties are broken at random; -1 if there is none."""
    best, ties, chosen = NEVER, np.int64(0), np.int64(-1)
    for place in range(r.hand):
        kind = tile_to_place(v, place)
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                lying = np.int64(b.turned[ix(4 * kind + turns)])
                value = weighed_value(v, b, r, t, lying, cell) if weighed else placement_value(v, b, r, t, lying, cell)
                if value > best:
                    best, ties = value, np.int64(0)
                if value == best:
                    ties += 1
                    if ties == 1 or draw_below(streams, stream, ties) == 0:
                        chosen = encode_move(PLACE, place, turns, cell)
    return chosen, best


@jit
def drawing_value(v: State, b: Board, r: Rules, t: Thoughts) -> float:
    """The average value of the best placement of an unseen tile, after `weigh_cells`."""
    lying = np.int64(0)  # bits of the kinds, as they lie, that unseen tiles may be
    for kind in range(KINDS):
        if t.unseen[ix(kind)] > 0:
            for turns in range(b.ways[ix(kind)]):
                lying |= np.int64(1) << np.int64(b.turned[ix(4 * kind + turns)])
    for kind in range(KINDS):
        if lying >> kind & 1 != 0:
            t.best[ix(kind)] = _best_in(v, b, r, t, kind, cells_without_short_line(v, b, kind))
    total, tiles = 0.0, np.int64(0)
    for kind in range(KINDS):
        unseen = t.unseen[ix(kind)]
        if unseen > 0:
            best = NEVER
            for turns in range(b.ways[ix(kind)]):
                best = max(best, t.best[ix(b.turned[ix(4 * kind + turns)])])
            if best > NEVER:  # otherwise it can be placed only by the exception of X10
                total += unseen * best
                tiles += unseen
    return total / tiles if tiles > 0 else NEVER


@inlined
def _best_in(v: State, b: Board, r: Rules, t: Thoughts, kind: Any, cells: Any) -> float:
    """The value of a kind of tile, as it lies, in the best of some cells."""
    best = NEVER
    while cells != _ZERO:
        cell = lowest_bit(cells)
        cells &= cells - _ONE
        best = max(best, weighed_value(v, b, r, t, kind, cell))
    return best


@jit
def best_wagon(v: State, b: Board, r: Rules, t: Thoughts, weight: Any) -> tuple[np.int64, float]:
    """X16: the centre edge with the highest expectation, for the share that gains most by it."""
    best, chosen = NEVER, np.int64(-1)
    for i in range(SHARES):
        if v.wagon_shares >> np.uint64(i) & _ONE == _ZERO:
            continue
        owner = np.int64(v.share[ix(SHARES * v.seat + i)]) if r.companies else v.seat
        edges = v.edges
        while edges != _ZERO:
            edge = lowest_bit(edges)
            edges &= edges - _ONE
            line = STATIONS + edge
            points = expected_points(t, line, np.int64(b.departure[ix(line)]), np.int64(0))
            value = weight * t.stake[ix(owner)] * points
            if value > best:
                best, chosen = value, encode_move(WAGON, i, 0, edge)
    return chosen, best


@jit
def expect_company_values(v: State, b: Board, t: Thoughts) -> None:
    """X15: the expected final profits of the companies, and the values these would give them."""
    for company in range(COMPANIES):
        t.profit[ix(company)] = np.float64(v.points[ix(company)])
    for line in range(STOPS):
        owner = v.owner[ix(line)]
        if owner != NOBODY and v.arrived >> np.uint64(line) & _ONE == _ZERO:
            t.profit[ix(owner)] += open_points(v, b, t, line)
    for company in range(COMPANIES):
        t.value[ix(company)] = np.float64(company_value(t.profit, company))


@jit
def _share_value(v: State, t: Thoughts, company: Any) -> float:
    """X15: the value of a share of a company; more if the player holds some of it, for the majority."""
    return t.value[ix(company)] + _MAJORITY * np.float64(tenths_held(v, v.seat, company))


@jit
def _pile_value(v: State, t: Thoughts, i: Any) -> float:
    """X15: the value of the top share of a pile; if it is unknown, the average over all unknown ones."""
    top = np.int64(v.pile[ix(COMPANIES * i)])
    if top != UNKNOWN:
        return _share_value(v, t, top)
    total, unknown = 0.0, 0.0
    for company in range(COMPANIES):
        if v.knows[ix(COMPANIES * i + company)] == 0:
            total += t.value[ix(company)]
            unknown += 1.0
    return total / unknown


@jit
def best_exchange(v: State, b: Board, t: Thoughts, weight: Any) -> tuple[np.int64, float]:
    """X15: the exchange that gains most by the expected values of the companies."""
    expect_company_values(v, b, t)
    best, chosen = NEVER, np.int64(-1)
    shares = v.exchange_shares
    while shares != _ZERO:
        i = lowest_bit(shares)
        shares &= shares - _ONE
        loss = t.value[ix(v.share[ix(SHARES * v.seat + i)])]
        gains = (_share_value(v, t, np.int64(v.open_share[ix(i)])), _pile_value(v, t, i))
        for take in range(2):
            value = weight * (i + 1.0) * (gains[take] - loss)
            if value > best:
                best, chosen = value, encode_move(EXCHANGE, i, take, 0)
    return chosen, best
