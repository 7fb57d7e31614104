"""Setting up a game from its seed: an empty table, the shuffled deal (X4, X15, X17, X18), the hands (X8, X14)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import Streams, draw_below, open_stream, set_seed
from mmsim.compiled.standings import clear_lead
from mmsim.core.rng import Purpose
from mmsim.metro.engine.lines import join_stretches
from mmsim.metro.engine.moves import find_turn_choices
from mmsim.metro.engine.state import COLOURS, EMPTY, GRID, HAND, NODES, SEATS, SHARES, SUPPLY, Board, Rules, State
from mmsim.metro.rules.board import CENTRE, SIZE, STOPS
from mmsim.metro.rules.rulesets import COMPANIES, PER_COLOUR

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_CENTRE = tuple(SIZE * row + column for row, column in CENTRE)
_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)


@jit
def clear_table(s: State, b: Board) -> None:
    """An empty board and empty hands."""
    s.turn, s.seat, s.over, s.end_reason = 1, 0, 0, -1
    s.next, s.drawn = 0, -1
    s.placed, s.reach = _ZERO, b.edge_cells
    for node in range(NODES):
        s.stretch_end[ix(node)] = node
        s.stretch_start[ix(node)] = node
        s.length[ix(node)] = 0
    for cell in range(GRID):
        s.tile[ix(cell)] = s.printed[ix(cell)] = EMPTY
    for stop in range(STOPS):
        s.owner[ix(stop)] = b.owner[ix(stop)]
        s.end_stop[ix(stop)] = 0
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
        s.numbers[ix(seat)] = _ZERO
        s.tiles_placed[ix(seat)] = s.draws[ix(seat)] = s.exchanges[ix(seat)] = s.wagons[ix(seat)] = 0
        s.number_points[ix(seat)] = s.share_points[ix(seat)] = s.bonus_points[ix(seat)] = s.scores[ix(seat)] = 0
    s.winners = _ZERO
    s.layout = -1
    clear_lead(s)


@jit
def shuffle_supply(s: State, b: Board, streams: Streams) -> None:
    """X4: the 60 tiles in random order, as `rng.shuffled`."""
    for i in range(SUPPLY):
        s.supply[ix(i)] = b.tiles[ix(i)]
    for last in range(SUPPLY - 1, 0, -1):
        swapped = draw_below(streams, 0, last + 1)
        kept = s.supply[ix(last)]
        s.supply[ix(last)] = s.supply[ix(swapped)]
        s.supply[ix(swapped)] = kept


@jit
def shuffle_shares(s: State, streams: Streams) -> None:
    """X15: the four piles."""
    for i in range(SHARES):
        pile = COMPANIES * i
        for company in range(COMPANIES):
            s.pile[ix(pile + company)] = company
        for last in range(COMPANIES - 1, 0, -1):
            swapped = draw_below(streams, 0, last + 1)
            kept = s.pile[ix(pile + last)]
            s.pile[ix(pile + last)] = s.pile[ix(pile + swapped)]
            s.pile[ix(pile + swapped)] = kept


@jit
def _byte(word: Any, i: Any) -> np.int64:
    """The i-th byte of a word, used as an array of eight: compiled code allocates no memory."""
    return np.int64(word >> np.uint64(8 * i) & np.uint64(255))


@jit
def shuffle_numbers(s: State, b: Board, r: Rules, streams: Streams) -> None:
    """X18: `numbers_per_colour` of each colour for every player."""
    for colour in range(COLOURS):
        order = _ZERO
        for i in range(PER_COLOUR):
            order |= np.uint64(b.numbers[ix(PER_COLOUR * colour + i)]) << np.uint64(8 * i)
        for last in range(PER_COLOUR - 1, 0, -1):
            swapped = draw_below(streams, 0, last + 1)
            change = np.uint64(_byte(order, last) ^ _byte(order, swapped))
            order ^= change << np.uint64(8 * last) | change << np.uint64(8 * swapped)
        for i in range(r.players * r.numbers_per_colour):
            s.numbers[ix(i // r.numbers_per_colour)] |= _ONE << np.uint64(_byte(order, i) - 1)


@jit
def draw_central(s: State, b: Board, streams: Streams) -> None:
    """X17: four of the eight central tiles, each turned at random."""
    left = np.uint64(0x0706050403020100)
    layout = np.int64(0)
    for i in range(4):
        at = draw_below(streams, 0, 8 - i)
        tile = _byte(left, at)
        kept = (_ONE << np.uint64(8 * at)) - _ONE
        left = left & kept | left >> np.uint64(8) & ~kept
        turns = draw_below(streams, 0, 4)
        layout |= (4 * tile + turns) << (5 * i)
        s.tile[ix(_CENTRE[i])] = b.turned[ix(4 * np.int64(b.central[ix(tile)]) + turns)]
    s.layout = layout


@jit
def hand_out(s: State, b: Board, r: Rules) -> None:
    """X8, X14, X15, X17: hand out tiles and shares of the shuffled deal, and lay the central tiles."""
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
            join_stretches(s, b, np.int64(s.tile[ix(_CENTRE[i])]), _CENTRE[i], r.central_points)


@jit
def shuffle(s: State, b: Board, r: Rules, streams: Streams) -> None:
    """Shuffle everything that the rules need, as `deal.deal`."""
    if r.central:
        open_stream(streams, 0, _LAYOUT)
        draw_central(s, b, streams)
    open_stream(streams, 0, _DEAL)
    shuffle_supply(s, b, streams)
    if r.companies:
        shuffle_shares(s, streams)
    if r.numbers:
        shuffle_numbers(s, b, r, streams)


@jit
def set_up(s: State, b: Board, r: Rules, streams: Streams, master: Any, game: Any, games_per_deal: Any) -> None:
    """Set up a game for its first decision; `games_per_deal` consecutive games share a deal."""
    clear_table(s, b)
    set_seed(streams, master, game // games_per_deal)
    shuffle(s, b, r, streams)
    set_seed(streams, master, game)
    for seat in range(r.players):
        open_stream(streams, 1 + seat, _BOT + seat)
    hand_out(s, b, r)
    find_turn_choices(s, b, r)
