"""Rules X1 and X5-X7: cells, stops, and whose wagons stand where.

A stop is where a line departs or arrives: 1 to 32 are the stations, 33 to 40 the edges of the centre in the order in
which rule X6 names them.
"""

from functools import cache

from mmsim.errors import UsageError
from mmsim.metro.rules.rulesets import Ruleset
from mmsim.metro.rules.tiles import BOTTOM, LEFT, RIGHT, SIDES, TOP

BOARD = "metro"  # the name of the only board
SIZE = 8
STATIONS = 32
STOPS = 40

Cell = tuple[int, int]  # row from the top, column from the left
Port = tuple[Cell, int]  # a cell and one of its sides

CENTRE: tuple[Cell, ...] = ((3, 3), (3, 4), (4, 3), (4, 4))
CELLS: tuple[Cell, ...] = tuple(
    (row, column) for row in range(SIZE) for column in range(SIZE) if (row, column) not in CENTRE
)

_STEPS = {TOP: (-1, 0), RIGHT: (0, 1), BOTTOM: (1, 0), LEFT: (0, -1)}


def beyond(cell: Cell, side: int) -> Cell:
    """The neighbouring cell across a side; it may lie outside the board."""
    down, right = _STEPS[side]
    return cell[0] + down, cell[1] + right


def opposite(side: int) -> int:
    return (side + 2) % 4


def _departures() -> dict[int, Port]:
    """X5, X6: for every stop the cell into which a wagon departs there, and by which side."""
    departures: dict[int, Port] = {}
    for n in range(1, 9):
        departures[n] = ((0, 8 - n), TOP)
        departures[n + 8] = ((n - 1, 0), LEFT)
        departures[n + 16] = ((7, n - 1), BOTTOM)
        departures[n + 24] = ((8 - n, 7), RIGHT)
    edges: tuple[Port, ...] = (
        *(((2, column), BOTTOM) for column in (3, 4)),
        *(((5, column), TOP) for column in (3, 4)),
        *(((row, 2), RIGHT) for row in (3, 4)),
        *(((row, 5), LEFT) for row in (3, 4)),
    )
    departures.update(enumerate(edges, STATIONS + 1))
    return departures


DEPARTURE: dict[int, Port] = _departures()
STOP_AT: dict[Port, int] = {port: stop for stop, port in DEPARTURE.items()}
CENTRE_STOPS = range(STATIONS + 1, STOPS + 1)
EDGE_CELLS = frozenset(DEPARTURE[stop][0] for stop in range(1, STATIONS + 1))
NEIGHBOURS: dict[Cell, tuple[Cell, ...]] = {
    cell: tuple(near for side in SIDES if (near := beyond(cell, side)) in CELLS) for cell in CELLS
}


@cache
def outer_sides(cell: Cell) -> tuple[int, ...]:
    """The sides of a cell at which there is a station."""
    return tuple(side for side in SIDES if STOP_AT.get((cell, side), STOPS) <= STATIONS)


def _stations(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split())


COLOURS = ("Yellow", "Blue", "Orange", "Green", "Purple", "Black", "Red", "White")

# X7: the stations of every player, in the order of the colours. The book's table for three players gives yellow a
# second 12 (blue has the first): it is 28, the only station of the right side that nobody else has.
WAGONS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: (tuple(range(1, 33, 2)), tuple(range(2, 33, 2))),
    3: (
        _stations("1 4 6 11 15 20 23 25 28 31"),
        _stations("2 7 9 12 14 19 22 27 29 32"),
        _stations("3 5 8 10 13 18 21 24 26 30"),
    ),
    4: (
        _stations("4 7 11 16 20 23 27 32"),
        _stations("3 8 12 15 19 24 28 31"),
        _stations("1 6 10 13 18 21 25 30"),
        _stations("2 5 9 14 17 22 26 29"),
    ),
    5: (
        _stations("1 5 10 14 22 28"),
        _stations("6 12 18 23 27 32"),
        _stations("3 7 15 19 25 29"),
        _stations("2 9 13 21 26 30"),
        _stations("4 8 11 20 24 31"),
    ),
    6: (
        _stations("1 5 10 19 27"),
        _stations("2 11 18 25 29"),
        _stations("4 8 14 21 26"),
        _stations("6 15 20 24 31"),
        _stations("3 9 13 23 30"),
        _stations("7 12 22 28 32"),
    ),
}

# X15: the stations of the eight companies, whatever the number of players.
COMPANY_WAGONS: tuple[tuple[int, ...], ...] = (
    _stations("1 11 18 28"),
    _stations("2 9 20 27"),
    _stations("3 12 17 26"),
    _stations("4 10 19 25"),
    _stations("5 15 22 32"),
    _stations("6 13 24 31"),
    _stations("7 16 21 30"),
    _stations("8 14 23 29"),
)


def wagon_table(rules: Ruleset) -> tuple[tuple[int, ...], ...]:
    """X7, X15, X20: the stations of every owner of wagons."""
    if rules.companies:
        return COMPANY_WAGONS
    table, shift = WAGONS[rules.players], rules.wagon_shift % rules.players
    return (*table[shift:], *table[:shift])


def wagons(rules: Ruleset) -> dict[str, list[int]]:
    """The stations of every colour."""
    return {COLOURS[owner]: list(stations) for owner, stations in enumerate(wagon_table(rules))}


def check_board(board: str | None) -> None:
    """Refuse any board name other than that of the only board; None means the default."""
    if board not in (BOARD, None):
        raise UsageError(f"metro has one board, '{BOARD}', and no '{board}'")
