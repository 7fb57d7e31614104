"""What the bots that think have in common: whose points count, what a tile does to the lines, the best placement."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, lowest_bit
from mmsim.compiled.streams import draw_below
from mmsim.metro.engine.moves import PLACE, move_code, short_cells
from mmsim.metro.engine.state import ENTRIES, HAND, KINDS, NOBODY, SHARES, UNKNOWN
from mmsim.metro.engine.turns import line_points
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_RANK = 0.25  # X15: ranks that a company gains by a point of profit, roughly


@jit
def weigh_owners(v: Any, r: Any, mind: Any, seat: Any, own: Any, others: Any) -> None:
    """What a point of every owner of wagons is worth to a player: the own, less what the rivals get on average."""
    for owner in range(r.owners):
        mind.stake[ix(owner)] = -others / (r.players - 1)
        if r.companies:
            rivals = held_by_rivals(v, r, seat, owner)
            mind.stake[ix(owner)] = _RANK * (own * held_by(v, seat, owner) - others * rivals)
    if not r.companies:
        mind.stake[ix(seat)] = own


@jit
def held_by(v: Any, seat: Any, company: Any) -> float:
    """How many tenths of a company a player is known to hold."""
    held = 0.0
    for i in range(SHARES):
        if v.share[ix(SHARES * seat + i)] == company:
            held += i + 1.0
    return held


@jit
def held_by_rivals(v: Any, r: Any, seat: Any, company: Any) -> float:
    """How many tenths of a company a rival of a player holds on average; a hidden share may be of any company."""
    held = 0.0
    for rival in range(r.players):
        if rival != seat:
            held += held_by(v, rival, company)
            for i in range(SHARES):
                if v.share[ix(SHARES * rival + i)] == UNKNOWN:
                    held += (i + 1.0) / COMPANIES
    return held / (r.players - 1)


@inlined
def line_at(v: Any, b: Any, node: Any) -> np.int64:
    """The line of somebody that waits at a node for a tile, as its stop - 1; -1: none."""
    line = np.int64(b.stop[ix(v.first[ix(node)])]) - 1
    return line if line >= 0 and v.owner[ix(line)] != NOBODY else np.int64(-1)


@inlined
def follow(v: Any, b: Any, kind: Any, cell: Any, side: Any) -> tuple[np.int64, np.int64]:
    """Where the line that waits at a side of a cell would get with a tile there, and over how many more tiles."""
    tiles = np.int64(0)
    while True:
        beyond = b.exit[ix(4 * cell + np.int64(b.out[ix(4 * kind + side)]))]
        tiles += 1 + np.int64(v.length[ix(beyond)])
        node = np.int64(v.last[ix(beyond)])
        if node >= ENTRIES or node >> 2 != cell:
            return node, tiles
        side = node & 3


@inlined
def worth(mind: Any, line: Any, node: Any, tiles: Any) -> float:
    """X11, X16: the points of a line that has passed so many tiles to a node: what it has if it has arrived, or else
    what is expected of it."""
    if mind.open_worth >= 0.0 and node < ENTRIES:
        return mind.open_worth
    if line >= STATIONS:
        return tiles + mind.tiles[ix(node)]
    return tiles + mind.tiles[ix(node)] + tiles * mind.centre[ix(node)] + mind.both[ix(node)]


@inlined
def holds_number(v: Any, seat: Any, stop: Any) -> bool:
    """X18: whether a stop is a station whose number a player holds."""
    return 0 < stop <= STATIONS and v.numbers[ix(seat)] >> np.uint64(stop - 1) & _ONE != _ZERO


@jit
def placement_value(v: Any, b: Any, r: Any, mind: Any, kind: Any, cell: Any) -> float:
    """What a tile in a cell is worth to the player in turn: what it changes in the lines that wait there."""
    value = 0.0
    for side in range(4):
        node = 4 * cell + side
        line = line_at(v, b, node)
        if line < 0:
            continue
        tiles = np.int64(v.length[ix(v.first[ix(node)])])
        to, more = follow(v, b, kind, cell, side)
        after = worth(mind, line, to, tiles + more)
        value += mind.stake[ix(v.owner[ix(line)])] * (after - worth(mind, line, node, tiles))
        if r.numbers and holds_number(v, v.seat, to - ENTRIES + 1):
            value += after * (2.0 if line >= STATIONS else 1.0)
    return value


@jit
def best_placement(v: Any, b: Any, r: Any, mind: Any, dice: Any, stream: Any) -> tuple[np.int64, float]:
    """The placement of an own tile that is worth most, and its value; ties at random; -1 if there is no tile."""
    best, ties, chosen = -1e9, np.int64(0), np.int64(-1)
    for place in range(r.hand):
        kind = v.drawn if v.drawn >= 0 else np.int64(v.hand[ix(HAND * v.seat + place)])
        for turns in range(4):
            cells = v.where[ix(4 * place + turns)]
            while cells != _ZERO:
                cell = lowest_bit(cells)
                cells &= cells - _ONE
                value = placement_value(v, b, r, mind, np.int64(b.turned[ix(4 * kind + turns)]), cell)
                if value > best:
                    best, ties = value, np.int64(0)
                if value == best:
                    ties += 1
                    if ties == 1 or draw_below(dice, stream, ties) == 0:
                        chosen = move_code(PLACE, place, turns, cell)
    return chosen, best


@jit
def drawing_value(v: Any, b: Any, r: Any, mind: Any) -> float:
    """What the best placement of an unseen tile is worth on average."""
    free = v.reach & ~v.placed
    for kind in range(KINDS):
        best = -1e9
        cells = free & ~short_cells(v, b, kind)
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            best = max(best, placement_value(v, b, r, mind, kind, cell))
        mind.best[ix(kind)] = best
    total, tiles = 0.0, np.int64(0)
    for kind in range(KINDS):
        unseen = mind.unseen[ix(kind)]
        best = -1e9
        for turns in range(b.ways[ix(kind)]):
            best = max(best, mind.best[ix(b.turned[ix(4 * kind + turns)])])
        if best > -1e9:  # else only the exception of X10 lets it be placed
            total += unseen * best
            tiles += unseen
    return total / tiles if tiles > 0 else -1e9


@jit
def position_value(v: Any, b: Any, r: Any, mind: Any, seat: Any) -> float:
    """What a whole position is worth to a player: points, and what is expected of the lines that are open."""
    value = 0.0
    for owner in range(r.owners):
        value += mind.stake[ix(owner)] * v.points[ix(owner)]
    for line in range(STOPS):
        owner = v.owner[ix(line)]
        if owner == NOBODY:
            continue
        if v.arrived >> np.uint64(line) & _ONE == _ZERO:
            first = b.departure[ix(line)]
            open_line = worth(mind, line, np.int64(v.last[ix(first)]), np.float64(v.length[ix(first)]))
            value += mind.stake[ix(owner)] * open_line
        elif r.numbers and holds_number(v, seat, np.int64(v.to[ix(line)])):
            value += line_points(v, line) * (2.0 if line >= STATIONS else 1.0)
    return value
