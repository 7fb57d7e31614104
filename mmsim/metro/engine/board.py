"""The tables of the board and the tiles that compiled code reads."""

from functools import cache
from typing import Any

from mmsim.compiled.entry_points import Record, new_record
from mmsim.metro.engine.state import BOARD, ENTRIES, NOBODY, cell_number
from mmsim.metro.rules.board import (
    CELLS,
    CENTRE,
    DEPARTURE,
    EDGE_CELLS,
    NEIGHBOURS,
    STATIONS,
    STOP_AT,
    Cell,
    beyond,
    opposite,
    outer_sides,
    wagon_table,
)
from mmsim.metro.rules.deal import central_tiles, number_colours
from mmsim.metro.rules.rulesets import Ruleset
from mmsim.metro.rules.tiles import CODES, NUMBER, SIDES, TILES, exit_side, turned, ways_to_lie


def _word(cells: Any) -> int:
    return sum(1 << cell_number(cell) for cell in cells)


def _node(cell: Cell, side: int) -> int:
    return 4 * cell_number(cell) + side


def board_record(rules: Ruleset) -> Record:
    """All tables of the board and the tiles under a ruleset; only read."""
    return _board_tables(rules.central, rules.orientation, wagon_table(rules))


@cache
def _board_tables(central: bool, orientation: str, wagons: tuple[tuple[int, ...], ...]) -> Record:
    record = new_record(BOARD)
    b = record[0]
    b.cells, b.edge_cells = _word(CELLS), _word(EDGE_CELLS)
    for cell in (*CELLS, *CENTRE):
        b.near[cell_number(cell)] = _word(NEIGHBOURS.get(cell, ()))
        for side in SIDES:
            stop = STOP_AT.get((cell, side), 0)
            if stop > STATIONS and central:
                stop = 0
            b.stop[_node(cell, side)] = stop
            ahead = beyond(cell, side)
            b.exit[_node(cell, side)] = ENTRIES + stop - 1 if stop else _node(ahead, opposite(side))
    for stop, (cell, side) in DEPARTURE.items():
        b.departure[stop - 1] = _node(cell, side)
    b.owner[:] = NOBODY
    for owner, stations in enumerate(wagons):
        for stop in stations:
            b.owner[stop - 1] = owner
    for kind, code in enumerate(CODES):
        for side in SIDES:
            b.out[4 * kind + side] = exit_side(code, side)
            b.turned[4 * kind + side] = NUMBER[turned(code, side)]
        b.ways[kind] = len(ways_to_lie(code, orientation))
        b.short_line_cells[kind] = _word(
            cell for cell in CELLS if any(exit_side(code, side) in outer_sides(cell) for side in outer_sides(cell))
        )
    b.tiles[:] = [NUMBER[code] for code in TILES]
    b.central[:] = [NUMBER[code] for code in central_tiles()]
    b.numbers[:] = [station for stations in number_colours().values() for station in stations]
    return record
