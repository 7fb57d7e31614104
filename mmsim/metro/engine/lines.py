"""The fast core's lines: how a tile joins them, where they arrive, and what they score (X2, X6, X11, X16, X18)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.metro.engine.state import ENTRIES, NOBODY, Board, State
from mmsim.metro.rules.board import STATIONS

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def exit_of(b: Board, kind: Any, cell: Any, side: Any) -> np.uint16:
    """X2: the node that a line reaches by passing a tile in a cell, entered by a side."""
    return b.exit[ix(4 * cell + np.int64(b.out[ix(4 * kind + side)]))]


@inlined
def join_stretches(s: State, b: Board, kind: Any, cell: Any, tiles: Any) -> np.int64:
    """X2: a tile joins each stretch that ends at it with the stretch that begins beyond it; returns the bits of
    the sides at which a line now runs from its departure to a stop."""
    arriving = np.int64(0)
    for side in range(4):
        beyond = exit_of(b, kind, cell, side)
        first = s.stretch_start[ix(4 * cell + side)]
        last = s.stretch_end[ix(beyond)]
        s.stretch_end[ix(first)] = last
        s.stretch_start[ix(last)] = first
        s.length[ix(first)] += tiles + s.length[ix(beyond)]
        arriving |= (np.int64(last >= ENTRIES) & np.int64(b.stop[ix(first)] != 0)) << side
    return arriving


@inlined
def score_arrivals(s: State, b: Board, cell: Any, sides: Any) -> bool:
    """X11: score the lines that a tile in a cell brought to a stop, given the sides at which they entered it last;
    returns whether anybody scored. A centre edge without a wagon has no line."""
    scored = False
    while sides != 0:
        side = lowest_bit(np.uint64(sides))
        sides &= sides - 1
        first = s.stretch_start[ix(4 * cell + side)]  # joining left it valid for this node
        line = np.int64(b.stop[ix(first)]) - 1
        owner = s.owner[ix(line)]
        if line >= STATIONS and owner == NOBODY:
            continue
        s.arrived |= _ONE << np.uint64(line)
        s.end_stop[ix(line)] = np.int64(s.stretch_end[ix(first)]) - ENTRIES + 1
        s.line_tiles[ix(line)] = s.length[ix(first)]
        s.line_turn[ix(line)] = s.turn
        if owner != NOBODY:
            s.points[ix(owner)] += line_points(s, line)
            scored = True
    return scored


@inlined
def centre_factor(line: Any) -> np.int64:
    """X11, X16: how often the tiles of a line that ends in the centre count; a line from the centre is not doubled."""
    return np.int64(2) if line < STATIONS else np.int64(1)


@inlined
def number_factor(line: Any) -> np.int64:
    """X18: how often the points of a line count for the holder of the station number where it ends."""
    return np.int64(2) if line >= STATIONS else np.int64(1)


@inlined
def points_at(line: Any, to: Any, tiles: Any) -> np.int64:
    """X11: the points of a line that arrives at a stop after passing `tiles` tiles."""
    return centre_factor(line) * tiles if to > STATIONS else tiles


@inlined
def line_points(s: State, line: Any) -> np.int64:
    """X11: the points of a line that has arrived."""
    return points_at(line, s.end_stop[ix(line)], np.int64(s.line_tiles[ix(line)]))


@inlined
def holds_number(s: State, seat: Any, stop: Any) -> bool:
    """X18: whether a stop is a station whose number a player holds."""
    return 0 < stop <= STATIONS and s.numbers[ix(seat)] >> np.uint64(stop - 1) & _ONE != _ZERO


@inlined
def line_at(s: State, b: Board, node: Any) -> np.int64:
    """The owned line that waits at a node for a tile, as its stop - 1; -1: none."""
    line = np.int64(b.stop[ix(s.stretch_start[ix(node)])]) - 1
    return line if line >= 0 and s.owner[ix(line)] != NOBODY else np.int64(-1)


@inlined
def follow_line(s: State, b: Board, kind: Any, cell: Any, side: Any) -> tuple[np.int64, np.int64]:
    """X2: where a tile in a cell would lead the line waiting at a side: the node, and how many more tiles it passes.
    Changes nothing; `join_stretches` would lead it there."""
    tiles = np.int64(0)
    while True:
        beyond = exit_of(b, kind, cell, side)
        tiles += 1 + np.int64(s.length[ix(beyond)])
        node = np.int64(s.stretch_end[ix(beyond)])
        if node >> 2 != cell:
            return node, tiles
        side = node & 3
