"""The fast core's decisions: count the legal choices, and turn the k-th choice into a move.

A move is a number, `kind | item << 3 | turns << 5 | where << 7`; see the constants. Choices are in the order of
`reference.legal_moves`, so a choice by number is the same move in both engines.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, kth_bit
from mmsim.metro.engine.state import HAND, NOBODY, SHARES, SUPPLY, Board, Rules, State
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import KNOBS

PLACE, DRAW, EXCHANGE, WAGON, PASS = range(5)
MOVE_KINDS = ("place", "draw", "exchange", "wagon", "pass")
# item: PLACE: slot in the hand (0 for a drawn tile); EXCHANGE, WAGON: slot of the share
# turns: PLACE: quarter turns; EXCHANGE: 0 for the open share, 1 for the hidden one
# where: PLACE: cell; WAGON: edge of the centre, from 0

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_EDGES = STOPS - STATIONS
_FIXED = KNOBS["orientation"].choices.index("fixed")


@inlined
def encode_move(kind: Any, item: Any, turns: Any, where: Any) -> np.int64:
    return np.int64(kind) | np.int64(item) << 3 | np.int64(turns) << 5 | np.int64(where) << 7


def decode_move(code: Any) -> tuple[Any, Any, Any, Any]:
    """Kind, item, turns and where of a move; `decode_move_compiled` does the same in compiled code."""
    return code & 7, code >> 3 & 3, code >> 5 & 3, code >> 7


decode_move_compiled = inlined(decode_move)


@inlined
def short_line_cells(s: State, b: Board, kind: Any) -> np.uint64:
    """X10, X16: the cells in which a kind of tile would make a line of one tile."""
    cells = b.short_line_cells[ix(kind)]
    if s.wagon_used != _ZERO:
        for side in range(4):
            if b.out[ix(4 * kind + side)] == side:
                cells |= s.wagon_cells[ix(side)]
    return cells


@inlined
def cells_without_short_line(s: State, b: Board, kind: Any) -> np.uint64:
    """X9, X10: the open cells in which a kind of tile would not make a line of one tile."""
    return s.reach & ~s.placed & ~short_line_cells(s, b, kind)


@inlined
def find_placements(s: State, b: Board, r: Rules, kind: Any, at: Any) -> np.int64:
    """X9, X10, X13: note in `where` the cells for a tile, for each turn of it; returns the number of ways."""
    if r.orientation == _FIXED:  # only turn 0 of `where` is used
        cells = cells_without_short_line(s, b, kind)
        if cells == _ZERO:
            cells = s.reach & ~s.placed
        s.where[ix(4 * at)] = cells
        return count_bits(cells)
    count, ways = np.int64(0), b.ways[ix(kind)]
    for turns in range(4):
        cells = cells_without_short_line(s, b, np.int64(b.turned[ix(4 * kind + turns)])) if turns < ways else _ZERO
        s.where[ix(4 * at + turns)] = cells
        count += count_bits(cells)
    if count == 0:
        free = s.reach & ~s.placed
        for turns in range(ways):
            s.where[ix(4 * at + turns)] = free
        count = ways * count_bits(free)
    return count


@inlined
def _forget_placements(s: State, at: Any) -> None:
    for turns in range(4):
        s.where[ix(4 * at + turns)] = _ZERO


@jit
def _find_exchanges(s: State, r: Rules) -> np.int64:
    """X15: the shares that may be exchanged."""
    s.exchange_shares = _ZERO
    for owner in range(r.owners):
        if s.points[ix(owner)] >= r.exchange_until:
            return np.int64(0)
    s.exchange_shares = ~(s.shown >> np.uint64(SHARES * s.seat)) & np.uint64(15)
    return 2 * count_bits(s.exchange_shares)


@jit
def _find_wagons(s: State, b: Board, r: Rules) -> np.int64:
    """X16: the free edges of the centre, and the shares that allow a wagon there."""
    s.edges = _ZERO
    for edge in range(_EDGES):
        cell = b.departure[ix(STATIONS + edge)] >> 2
        if s.owner[ix(STATIONS + edge)] == NOBODY and s.placed >> np.uint64(cell) & _ONE == _ZERO:
            s.edges |= _ONE << np.uint64(edge)
    s.wagon_shares = _ZERO
    if not r.companies:
        if s.wagon_used >> np.uint64(s.seat) & _ONE == _ZERO:
            s.wagon_shares = _ONE
    else:
        for i in range(SHARES):
            if s.wagon_used >> np.uint64(s.share[ix(SHARES * s.seat + i)]) & _ONE == _ZERO:
                s.wagon_shares |= _ONE << np.uint64(i)
    return count_bits(s.edges) * count_bits(s.wagon_shares)


@inlined
def tile_left(s: State) -> bool:
    """X8: whether the supply has a tile left."""
    return s.next < SUPPLY


@inlined
def may_draw(s: State) -> bool:
    """X8: whether the turn has just begun and a tile is left to draw."""
    return s.drawn < 0 and tile_left(s)


@inlined
def tile_to_place(s: State, slot: Any) -> np.int64:
    """X8: the kind of the tile to be placed: the drawn one, else that in a slot of the hand."""
    return s.drawn if s.drawn >= 0 else np.int64(s.hand[ix(HAND * s.seat + slot)])


@inlined
def find_turn_choices(s: State, b: Board, r: Rules) -> None:
    """X8: find everything a player may do at the beginning of a turn."""
    hand, held = HAND * s.seat, s.held[ix(s.seat)]
    choices = np.int64(0)
    for i in range(r.hand):
        first_of_its_kind = i < held
        for before in range(i):
            if s.hand[ix(hand + before)] == s.hand[ix(hand + i)]:
                first_of_its_kind = False
        if first_of_its_kind:
            choices += find_placements(s, b, r, np.int64(s.hand[ix(hand + i)]), i)
        else:
            _forget_placements(s, i)
    s.place_choices = choices
    if tile_left(s):
        choices += 1
    if r.companies:
        choices += _find_exchanges(s, r)
    if r.stations:
        choices += _find_wagons(s, b, r)
    if held == 0:
        choices += 1  # pass
    s.choices = choices


@inlined
def find_drawn_tile_choices(s: State, b: Board, r: Rules) -> None:
    """X8: find the cells in which the drawn tile may be placed."""
    s.place_choices = find_placements(s, b, r, s.drawn, np.int64(0))
    for i in range(1, r.hand):
        _forget_placements(s, i)
    s.choices = s.place_choices


@inlined
def kth_move(s: State, r: Rules, k: Any) -> np.int64:
    """The k-th of the `choices` of the next decision."""
    if k < s.place_choices:
        for at in range(4 * r.hand):
            here = count_bits(s.where[ix(at)])
            if k < here:
                return encode_move(PLACE, at >> 2, at & 3, kth_bit(s.where[ix(at)], k))
            k -= here
    return _kth_other(s, k - s.place_choices)


@jit
def _kth_other(s: State, k: Any) -> np.int64:
    """The k-th move that does not place a tile: draw, exchanges, wagons, pass."""
    if tile_left(s):
        if k == 0:
            return np.int64(DRAW)
        k -= 1
    exchanges = 2 * count_bits(s.exchange_shares)
    if k < exchanges:
        return encode_move(EXCHANGE, kth_bit(s.exchange_shares, k >> 1), k & 1, 0)
    k -= exchanges
    edges = count_bits(s.edges)
    if k < edges * count_bits(s.wagon_shares):
        return encode_move(WAGON, kth_bit(s.wagon_shares, k // edges), 0, kth_bit(s.edges, k % edges))
    return np.int64(PASS)
