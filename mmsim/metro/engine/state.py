"""The records of compiled code: BOARD (board and tiles), RULES (a ruleset), STATE (a position), STREAMS (random draws).

Cells are numbered 8 * row + column and sets of cells are 64-bit words. A node is where a line enters a cell
(4 * cell + side) or arrives (256 + stop - 1). A stretch of track is stored by its first and last node:
`stretch_end[first]`, `stretch_start[last]` and `length[first]`, so a tile joins four pairs of stretches and no line is
traced.

In compiled code a letter means one thing: `s` a position, `v` a position as a player sees it, `p` an imagined one, `b`
the board, `r` the rules, `t` what a bot thinks.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.entry_points import Record, new_record
from mmsim.compiled.rng import streams_dtype
from mmsim.metro.rules.board import CENTRE, SIZE, STOPS, Cell
from mmsim.metro.rules.deal import PERCENTS, Deal
from mmsim.metro.rules.rulesets import COMPANIES, KNOBS, PER_COLOUR, Ruleset
from mmsim.metro.rules.tiles import CODES, NUMBER, TILES

# Elements of record arrays; a type checker cannot know their fields.
State: TypeAlias = Any  # of dtype STATE: a position
Board: TypeAlias = Any  # of dtype BOARD: the tables of the board and the tiles, only read
Rules: TypeAlias = Any  # of dtype RULES: a ruleset as numbers, only read

SEATS = 6
HAND = 3
SHARES = len(PERCENTS)
COLOURS = 4
KINDS = len(CODES)  # of tiles
SUPPLY = len(TILES)
GRID = SIZE * SIZE
ENTRIES = 4 * GRID  # nodes below this are ways into a cell, the others arrivals
NODES = ENTRIES + STOPS
NOBODY = 255  # in a table of owners
UNKNOWN = 255  # in a view: a tile or company that is hidden
EMPTY = 255  # in a table of cells: no tile

END_REASONS = ("tiles", "turn_limit")
NO_TILES, TOO_LONG = range(2)

BOARD = np.dtype(
    [
        ("cells", np.uint64),
        ("edge_cells", np.uint64),
        ("near", np.uint64, GRID),  # [cell]: its neighbours
        ("exit", np.uint16, ENTRIES),  # [cell, side]: the node reached by leaving a cell by a side
        ("stop", np.uint8, ENTRIES),  # [node]: the stop whose departure it is, from 1; 0: none
        ("departure", np.uint16, STOPS),  # [stop - 1]: the node into which a wagon departs
        ("owner", np.uint8, STOPS),  # [stop - 1]: whose wagon stands there at the beginning
        ("out", np.uint8, 4 * KINDS),  # [kind, side in]: side out
        ("turned", np.uint8, 4 * KINDS),  # [kind, turns]: the kind that it becomes
        ("ways", np.int64, KINDS),  # [kind]: in how many turns it may be placed
        ("short_line_cells", np.uint64, KINDS),  # [kind]: cells where it would make a line of one tile (X10)
        ("tiles", np.uint8, SUPPLY),
        ("central", np.uint8, 8),
        ("numbers", np.uint8, COLOURS * PER_COLOUR),  # [colour, i]: a station
    ],
    align=True,
)

RULES = np.dtype([("players", np.int64), ("owners", np.int64), *((name, np.int64) for name in KNOBS)])

STATE = np.dtype(
    [
        ("turn", np.int64),
        ("seat", np.int64),
        ("over", np.int64),
        ("end_reason", np.int64),
        # tiles
        ("next", np.int64),  # number of tiles drawn from the supply
        ("drawn", np.int64),  # the kind drawn, which must be placed; -1: none
        ("held", np.int64, SEATS),  # tiles in each hand
        ("supply", np.uint8, SUPPLY),  # kinds in the order they are drawn
        ("hand", np.uint8, SEATS * HAND),  # [seat, i]
        ("tile", np.uint8, GRID),  # the kind that lies in a cell, as it lies
        ("printed", np.uint8, GRID),  # the kind that lies in a cell, as it was in the hand
        ("first_cell", np.uint8, SEATS),  # [seat]: the cell of the first tile it placed, if any
        ("placed", np.uint64),
        ("reach", np.uint64),  # cells at the edge or beside a placed tile (X9)
        # lines
        ("stretch_end", np.uint16, NODES),  # [first node of a stretch]
        ("stretch_start", np.uint16, NODES),  # [last node of a stretch]
        ("length", np.uint8, NODES),  # [first node of a stretch]: tiles passed
        ("owner", np.uint8, STOPS),
        ("arrived", np.uint64),  # bits of stops whose line has arrived
        ("end_stop", np.uint8, STOPS),  # [stop - 1]: the stop its line reached
        ("line_tiles", np.uint8, STOPS),
        ("line_turn", np.uint16, STOPS),  # when it arrived
        ("points", np.int64, COMPANIES),  # of the owners of wagons
        # modules
        ("share", np.uint8, SEATS * SHARES),  # [seat, percentage]: a company
        ("pile", np.uint8, SHARES * COMPANIES),  # [percentage, i]: companies from the top
        ("pile_size", np.int64, SHARES),
        ("open_share", np.uint8, SHARES),
        ("shown", np.uint64),  # bits of 4 * seat + percentage: shares that lie open for a centre wagon
        ("knows", np.uint8, SHARES * COMPANIES),  # [percentage, company]: bits of seats who know where that share is
        ("wagon_used", np.uint64),  # bits of owners whose centre wagon is placed
        ("wagon_cells", np.uint64, 4),  # [side]: cells beside a centre wagon, by the side where it stands (X16)
        ("numbers", np.uint64, SEATS),  # bits of stations, station 1 being bit 0
        ("layout", np.int64),  # of the central tiles; -1: none
        # the next decision
        ("choices", np.int64),
        ("place_choices", np.int64),
        ("where", np.uint64, 4 * HAND),  # [slot in the hand, turns]: cells; a drawn tile uses the first slot
        ("edges", np.uint64),  # bits of centre edges for a wagon
        ("wagon_shares", np.uint64),  # bits of percentages; without module 1 bit 0
        ("exchange_shares", np.uint64),  # bits of percentages
        # counts and results for the tables
        ("tiles_placed", np.int64, SEATS),
        ("draws", np.int64, SEATS),
        ("exchanges", np.int64, SEATS),
        ("wagons", np.int64, SEATS),
        ("leader", np.int64),
        ("leader_since", np.int64),
        ("lead_changes", np.int64),
        ("value", np.int64, COMPANIES),
        ("number_points", np.int64, SEATS),
        ("share_points", np.int64, SEATS),
        ("bonus_points", np.int64, SEATS),
        ("scores", np.int64, SEATS),
        ("winners", np.uint64),  # bits of seats
    ],
    align=True,  # no number straddles two cache lines
)

STREAMS = streams_dtype(SEATS)


def cell_number(cell: Cell) -> int:
    return SIZE * cell[0] + cell[1]


def cell_of(number: int) -> Cell:
    return divmod(number, SIZE)


def rules_record(rules: Ruleset) -> Record:
    """A ruleset as numbers: a choice is its index in the knob's choices."""
    record = new_record(RULES)
    r = record[0]
    r.players, r.owners = rules.players, rules.owners
    for name, value in rules.knobs().items():
        choices = KNOBS[name].choices
        setattr(r, name, choices.index(str(value)) if choices else int(value))
    return record


def lay_deal(s: State, deal: Deal) -> None:
    """Put a given deal into a position: the supply, the central tiles, the piles and the numbers."""
    s.supply[:] = [NUMBER[code] for code in deal.supply]
    for cell, code in zip(CENTRE, deal.central, strict=False):
        s.tile[cell_number(cell)] = NUMBER[code]
    for i, pile in enumerate(deal.piles):
        s.pile[COMPANIES * i : COMPANIES * (i + 1)] = pile
    for seat, numbers in enumerate(deal.numbers):
        s.numbers[seat] = sum(1 << (station - 1) for station in numbers)
