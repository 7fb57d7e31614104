"""What a move changes on the table: tiles, shares, wagons."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import unlikely
from mmsim.compiled.standings import update_lead
from mmsim.metro.engine.lines import join_stretches, score_arrivals
from mmsim.metro.engine.moves import tile_left, tile_to_place
from mmsim.metro.engine.state import HAND, SHARES, Board, Rules, State
from mmsim.metro.rules.board import STATIONS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE = np.uint64(1)


@inlined
def place(s: State, b: Board, r: Rules, item: Any, turns: Any, cell: Any) -> None:
    """X8, X11: put down a tile, score the lines that arrive, and fill up the hand."""
    seat, kind = s.seat, tile_to_place(s, item)
    if s.drawn >= 0:
        s.drawn = -1
    else:
        at, held = HAND * seat, s.held[ix(seat)] - 1
        for i in range(item, held):
            s.hand[ix(at + i)] = s.hand[ix(at + i + 1)]
        if tile_left(s):
            s.hand[ix(at + held)] = s.supply[ix(s.next)]
            s.next += 1
        else:
            s.held[ix(seat)] = held
    s.printed[ix(cell)] = kind
    if unlikely(s.tiles_placed[ix(seat)] == 0):
        s.first_cell[ix(seat)] = cell
    s.tiles_placed[ix(seat)] += 1
    lay(s, b, r, np.int64(b.turned[ix(4 * kind + turns)]), cell)


@inlined
def lay(s: State, b: Board, r: Rules, kind: Any, cell: Any) -> None:
    """X2, X9, X11: a tile on the board, and the lines it completes."""
    s.tile[ix(cell)] = kind
    s.placed |= _ONE << np.uint64(cell)
    s.reach |= b.near[ix(cell)]
    arriving = join_stretches(s, b, kind, cell, np.int64(1))
    if arriving != 0 and score_arrivals(s, b, cell, arriving) and not r.companies:
        update_lead(s, s.points, r.players)


@inlined
def share_taken(s: State, i: Any, hidden: Any) -> Any:
    """X15: the company of the share that an exchange brings: the top hidden one of a pile, or the open one."""
    return s.pile[ix(COMPANIES * i)] if hidden else s.open_share[ix(i)]


@jit
def exchange(s: State, i: Any, hidden: Any) -> None:
    """X15: a share goes under its pile; the open one is taken and replaced, or the top hidden one is taken."""
    at, pile, size = SHARES * s.seat + i, COMPANIES * i, s.pile_size[ix(i)]
    taken = share_taken(s, i, hidden)
    s.pile[ix(pile + size)] = s.share[ix(at)]
    top = s.pile[ix(pile)]
    for j in range(size):
        s.pile[ix(pile + j)] = s.pile[ix(pile + j + 1)]
    s.share[ix(at)] = taken
    if hidden:
        s.knows[ix(pile + np.int64(top))] |= 1 << s.seat
    else:
        s.open_share[ix(i)] = top
        s.knows[ix(pile + np.int64(top))] = 255
    s.exchanges[ix(s.seat)] += 1


@jit
def put_wagon(s: State, b: Board, r: Rules, i: Any, edge: Any) -> None:
    """X16: a wagon in the centre; with module 1 the share that allows it stays shown."""
    owner = s.seat
    if r.companies:
        owner = np.int64(s.share[ix(SHARES * s.seat + i)])
        s.shown |= _ONE << np.uint64(SHARES * s.seat + i)
        s.knows[ix(COMPANIES * i + owner)] = 255
    s.owner[ix(STATIONS + edge)] = owner
    s.wagon_used |= _ONE << np.uint64(owner)
    node = np.int64(b.departure[ix(STATIONS + edge)])
    s.wagon_cells[ix(node & 3)] |= _ONE << np.uint64(node >> 2)
    s.wagons[ix(s.seat)] += 1
