"""The fast core's turns: set the table, play a move, pass the turn on."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import inlined, ix, jit, rarely
from mmsim.compiled.rng import draw_below
from mmsim.compiled.standings import clear_lead, note_lead
from mmsim.metro.engine.lines import join, score_arrivals
from mmsim.metro.engine.moves import (
    DRAW,
    EXCHANGE,
    PLACE,
    WAGON,
    find_drawn,
    find_turn,
    move_parts,
    tile_left,
    tile_to_place,
)
from mmsim.metro.engine.state import (
    COLOURS,
    EMPTY,
    GRID,
    HAND,
    NO_TILES,
    NODES,
    SEATS,
    SHARES,
    SUPPLY,
    TOO_LONG,
    Board,
    Dice,
    Rules,
    State,
)
from mmsim.metro.rules.board import CENTRE, SIZE, STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES, PER_COLOUR

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_CENTRE = tuple(SIZE * row + column for row, column in CENTRE)


# --- setting the table -----------------------------------------------------------------------------------------


@jit
def clear_table(s: State, b: Board) -> None:
    """An empty board, nobody with anything."""
    s.turn, s.seat, s.over, s.end_reason = 1, 0, 0, -1
    s.next, s.drawn = 0, -1
    s.placed, s.reach = _ZERO, b.edge_cells
    for node in range(NODES):
        s.last[ix(node)] = node
        s.first[ix(node)] = node
        s.length[ix(node)] = 0
    for cell in range(GRID):
        s.tile[ix(cell)] = s.printed[ix(cell)] = EMPTY
    for stop in range(STOPS):
        s.owner[ix(stop)] = b.owner[ix(stop)]
        s.to[ix(stop)] = 0
        s.line_tiles[ix(stop)] = 0
        s.line_turn[ix(stop)] = 0
    s.arrived = s.shown = s.wagon_used = _ZERO
    s.edges = s.wagon_shares = s.exchange_shares = _ZERO
    for at in range(4 * HAND):
        s.where[ix(at)] = _ZERO
    for side in range(4):
        s.wagon_cells[ix(side)] = _ZERO
    for owner in range(COMPANIES):
        s.points[ix(owner)] = s.value[ix(owner)] = 0
    for seat in range(SEATS):
        s.numbers[ix(seat)] = s.cells_of[ix(seat)] = _ZERO
        s.tiles_placed[ix(seat)] = s.draws[ix(seat)] = s.exchanges[ix(seat)] = s.wagons[ix(seat)] = 0
        s.number_points[ix(seat)] = s.share_points[ix(seat)] = s.bonus_points[ix(seat)] = s.scores[ix(seat)] = 0
    s.winners = _ZERO
    s.layout = -1
    clear_lead(s)


@jit
def shuffle_supply(s: State, b: Board, dice: Dice) -> None:
    """As `deal.shuffled`: all orders of the 60 tiles equally likely."""
    for i in range(SUPPLY):
        s.supply[ix(i)] = b.tiles[ix(i)]
    for last in range(SUPPLY - 1, 0, -1):
        other = draw_below(dice, 0, last + 1)
        kept = s.supply[ix(last)]
        s.supply[ix(last)] = s.supply[ix(other)]
        s.supply[ix(other)] = kept


@jit
def shuffle_shares(s: State, dice: Dice) -> None:
    """X15: the four piles."""
    for i in range(SHARES):
        pile = COMPANIES * i
        for company in range(COMPANIES):
            s.pile[ix(pile + company)] = company
        for last in range(COMPANIES - 1, 0, -1):
            other = draw_below(dice, 0, last + 1)
            kept = s.pile[ix(pile + last)]
            s.pile[ix(pile + last)] = s.pile[ix(pile + other)]
            s.pile[ix(pile + other)] = kept


@jit
def _byte(word: Any, i: Any) -> np.int64:
    """One of eight small numbers in a word: compiled code allocates no memory."""
    return np.int64(word >> np.uint64(8 * i) & np.uint64(255))


@jit
def shuffle_numbers(s: State, b: Board, r: Rules, dice: Dice) -> None:
    """X18: so many of each colour to every player."""
    for colour in range(COLOURS):
        order = _ZERO
        for i in range(PER_COLOUR):
            order |= np.uint64(b.numbers[ix(PER_COLOUR * colour + i)]) << np.uint64(8 * i)
        for last in range(PER_COLOUR - 1, 0, -1):
            other = draw_below(dice, 0, last + 1)
            change = np.uint64(_byte(order, last) ^ _byte(order, other))
            order ^= change << np.uint64(8 * last) | change << np.uint64(8 * other)
        for i in range(r.players * r.numbers_per_colour):
            s.numbers[ix(i // r.numbers_per_colour)] |= _ONE << np.uint64(_byte(order, i) - 1)


@jit
def draw_central(s: State, b: Board, dice: Dice) -> None:
    """X17: four of the eight central tiles, each turned at random."""
    left = np.uint64(0x0706050403020100)
    layout = np.int64(0)
    for i in range(4):
        at = draw_below(dice, 0, 8 - i)
        which = _byte(left, at)
        kept = (_ONE << np.uint64(8 * at)) - _ONE
        left = left & kept | left >> np.uint64(8) & ~kept
        turns = draw_below(dice, 0, 4)
        layout |= (4 * which + turns) << (5 * i)
        s.tile[ix(_CENTRE[i])] = b.turned[ix(4 * np.int64(b.central[ix(which)]) + turns)]
    s.layout = layout


@jit
def hand_out(s: State, b: Board, r: Rules) -> None:
    """X8, X14, X15, X17: everybody takes tiles and shares from what is shuffled; the central tiles are laid."""
    for seat in range(r.players):
        for i in range(r.hand):
            s.hand[ix(HAND * seat + i)] = s.supply[ix(r.hand * seat + i)]
        s.held[ix(seat)] = r.hand
    s.next = r.hand * r.players
    if r.companies:
        for i in range(SHARES):
            pile = COMPANIES * i
            for j in range(COMPANIES):
                s.knows[ix(pile + j)] = 0
            for seat in range(r.players):
                company = np.int64(s.pile[ix(pile + seat)])
                s.share[ix(SHARES * seat + i)] = company
                s.knows[ix(pile + company)] = 1 << seat
            face_up = np.int64(s.pile[ix(pile + r.players)])
            s.open_share[ix(i)] = face_up
            s.knows[ix(pile + face_up)] = 255
            size = COMPANIES - 1 - r.players
            for j in range(size):
                s.pile[ix(pile + j)] = s.pile[ix(pile + r.players + 1 + j)]
            s.pile_size[ix(i)] = size
    if r.central:
        for i in range(4):
            join(s, b, np.int64(s.tile[ix(_CENTRE[i])]), _CENTRE[i], r.central_points)


# --- playing a move --------------------------------------------------------------------------------------------


@inlined
def place(s: State, b: Board, r: Rules, what: Any, turns: Any, cell: Any) -> None:
    """X8, X11: put down a tile, score the lines that arrive, and fill up the hand."""
    seat, kind = s.seat, tile_to_place(s, what)
    if s.drawn >= 0:
        s.drawn = -1
    else:
        at, held = HAND * seat, s.held[ix(seat)] - 1
        for i in range(what, held):
            s.hand[ix(at + i)] = s.hand[ix(at + i + 1)]
        if tile_left(s):
            s.hand[ix(at + held)] = s.supply[ix(s.next)]
            s.next += 1
        else:
            s.held[ix(seat)] = held
    s.printed[ix(cell)] = kind
    if rarely(s.tiles_placed[ix(seat)] == 0):
        s.first_cell[ix(seat)] = cell
    s.cells_of[ix(seat)] |= _ONE << np.uint64(cell)
    s.tiles_placed[ix(seat)] += 1
    lay(s, b, r, np.int64(b.turned[ix(4 * kind + turns)]), cell)


@inlined
def lay(s: State, b: Board, r: Rules, kind: Any, cell: Any) -> None:
    """A tile on the board, and what comes of it."""
    s.tile[ix(cell)] = kind
    s.placed |= _ONE << np.uint64(cell)
    s.reach |= b.near[ix(cell)]
    arriving = join(s, b, kind, cell, np.int64(1))
    if arriving != 0 and score_arrivals(s, b, cell, arriving) and not r.companies:
        note_lead(s, s.points, r.players)


@inlined
def share_taken(s: State, i: Any, hidden: Any) -> Any:
    """X15: the company of the share that an exchange brings: the top hidden one of a pile, or the open one."""
    return s.pile[ix(COMPANIES * i)] if hidden else s.open_share[ix(i)]


@jit
def exchange(s: State, i: Any, hidden: Any) -> None:
    """X15: the own share goes under its pile; the open one is taken and replaced, or the top hidden one is taken."""
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
    """X16: a wagon in the centre; with module 1 the share that allows it is shown from now on."""
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


@jit
def play_move(s: State, b: Board, r: Rules, move: Any) -> None:
    """Play a legal move and get the next decision ready."""
    play_move_here(s, b, r, move)


@inlined
def play_move_here(s: State, b: Board, r: Rules, move: Any) -> None:
    """The same as a part of its caller, for one that does little else."""
    kind, what, turns, where = move_parts(move)
    if kind == DRAW:
        s.drawn = np.int64(s.supply[ix(s.next)])
        s.next += 1
        s.draws[ix(s.seat)] += 1
        find_drawn(s, b, r)
        return
    if kind == PLACE:
        place(s, b, r, what, turns, where)
    elif kind == EXCHANGE:
        exchange(s, what, turns)
    elif kind == WAGON:
        put_wagon(s, b, r, what, where)
    end_turn(s, b, r)


@inlined
def end_turn(s: State, b: Board, r: Rules) -> None:
    """X12: the game ends with the last tile; else the next player's turn begins."""
    if s.placed == b.cells:
        s.end_reason = NO_TILES
    elif s.turn == r.turn_limit:
        s.end_reason = TOO_LONG
    else:
        s.turn += 1
        s.seat = s.seat + 1 if s.seat + 1 < r.players else np.int64(0)
        find_turn(s, b, r)
        return
    s.over = 1
    s.choices = 0
