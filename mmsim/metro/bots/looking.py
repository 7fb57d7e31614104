"""What the bots that think have in common: what a tile would do to the lines, and going through all moves."""

from typing import Any

import numpy as np

from mmsim.core.accel import inlined, ix, jit
from mmsim.metro.board import STATIONS
from mmsim.metro.state import ENTRIES, HAND, NOBODY


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
def worth(line: Any, node: Any, tiles: Any) -> np.int64:
    """X11, X16: the points of a line that arrives at a node over so many tiles."""
    return 2 * tiles if line < STATIONS and node >= ENTRIES + STATIONS else tiles


@jit
def stake(v: Any, r: Any, owner: Any, others: Any) -> float:
    """What a point of an owner of wagons is worth to the player in turn; `others` weighs what the rivals get."""
    if not r.companies:
        return 1.0 if owner == v.seat else -others / (r.players - 1)
    # X15: a share gains with its company's rank; on average a rival holds as much of a company as anybody.
    held, known, hidden = 0.0, 0.0, 0.0
    for i in range(4):
        for seat in range(r.players):
            company = v.share[ix(4 * seat + i)]
            if seat == v.seat:
                held += (i + 1) * np.float64(company == owner)
            elif company == owner:
                known += i + 1.0
            elif company > 7:
                hidden += (i + 1.0) / 8
    return 0.25 * (held - others * (known + hidden) / (r.players - 1))


@inlined
def kind_in_hand(v: Any, at: Any) -> np.int64:
    """The kind of the tile at a place of `where`."""
    return v.drawn if v.drawn >= 0 else np.int64(v.hand[ix(HAND * v.seat + at)])

