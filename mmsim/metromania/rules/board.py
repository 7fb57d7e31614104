"""Rules G5-G7 and G10: board sets, layouts and cities."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import factorial, gcd

from mmsim.core.rng import Purpose, Stream
from mmsim.errors import UsageError
from mmsim.metromania.rules.lattice import Cell, Lattice, lattice

PIECES = 6
TURNS = 3
TURN_COMBINATIONS: int = TURNS**PIECES
LAYOUTS: int = factorial(PIECES) * TURN_COMBINATIONS  # G6: 524,880
_ORDERS = tuple(permutations(range(1, PIECES + 1)))  # in the order of layout numbers
_TURN_COMBINATIONS = tuple(product(range(TURNS), repeat=PIECES))
_GOLDEN_SECTION = (5**0.5 - 1) / 2

SPOTS = "RCE"
WATER_AND_GREEN = "LP"  # no tunnel runs here (D1)
CELL_KINDS = {".": "blank", "R": "residential", "C": "commercial", "E": "entertainment", "L": "lake", "P": "park"}
FRAME_KINDS = {"S": "start", "E": "end", ".": "nothing"}

Rows = tuple[str, ...]


@dataclass(frozen=True, order=True)
class Layout:
    """Which piece (1-6) lies in each sector, and how often it is turned by 120 degrees (G6)."""

    pieces: tuple[int, ...]
    turns: tuple[int, ...]

    @property
    def code(self) -> str:
        return "-".join(f"{piece}{'abc'[turn]}" for piece, turn in zip(self.pieces, self.turns, strict=True))

    @classmethod
    def from_code(cls, code: str) -> "Layout":
        """Parse `1a-4c-2b-6a-3a-5b`; an error names the wrong part."""
        parts = code.strip().split("-")
        if len(parts) != PIECES:
            raise _bad_code(code, f"it has {len(parts)} part{'s' * (len(parts) != 1)} but needs six")
        for number, part in enumerate(parts, 1):
            if len(part) != 2 or part[0] not in "123456" or part[1] not in "abc":
                raise _bad_code(code, f"part {number} is '{part}', not a piece 1-6 with a turn a, b or c")
        pieces = tuple(int(part[0]) for part in parts)
        for piece in range(1, PIECES + 1):
            if piece not in pieces:
                twice = next(p for p in pieces if pieces.count(p) > 1)
                raise _bad_code(code, f"piece {twice} is used twice and piece {piece} never")
        return cls(pieces, tuple("abc".index(part[1]) for part in parts))

    @classmethod
    def from_index(cls, index: int) -> "Layout":
        """The layout with a number from 0 to 524,879, ordered by pieces, then by turns."""
        order, turns = divmod(index, TURN_COMBINATIONS)
        return cls(_ORDERS[order], _TURN_COMBINATIONS[turns])

    @property
    def index(self) -> int:
        return _ORDERS.index(self.pieces) * TURN_COMBINATIONS + _TURN_COMBINATIONS.index(self.turns)

    def turned_city(self, by: int) -> "Layout":
        """The layout after the whole city is turned counter-clockwise by `by` sectors, up to six."""
        return Layout(self.pieces[-by:] + self.pieces[:-by], self.turns[-by:] + self.turns[:-by])


def _bad_code(code: str, why: str) -> UsageError:
    return UsageError(f"'{code}' is not a layout code: {why} (a code looks like 1a-4c-2b-6a-3a-5b)")


@dataclass(frozen=True)
class BoardSet:
    """Six district pieces and a frame (G5)."""

    name: str
    side: int
    pieces: tuple[Rows, ...]
    frame: tuple[str, ...]
    title: str = ""
    piece_names: tuple[str, ...] = ()
    layout: Layout | None = None  # every game is played on this one
    games_per_city: int = 0  # if there are any, games go through all cities, this many on each

    @property
    def lattice(self) -> Lattice:
        return lattice(self.side)

    @cached_property
    def symmetry(self) -> tuple[int, ...]:
        """The turns of the whole city that leave the frame looking the same; 0 is always one of them."""
        return tuple(by for by in range(PIECES) if self.frame[by:] + self.frame[:by] == self.frame)

    @property
    def distinct_cities(self) -> int:
        """The number of distinct cities, not counting rotations."""
        return LAYOUTS // len(self.symmetry)

    def canonical(self, layout: Layout) -> Layout:
        """The first layout among the rotations of this one."""
        return min(layout.turned_city(by) for by in self.symmetry)

    @cached_property
    def _city_orders(self) -> tuple[int, ...]:
        """The orders of pieces that come first among their rotations, as in the number of a layout."""
        return tuple(
            number
            for number, pieces in enumerate(_ORDERS)
            if all(pieces <= pieces[-by:] + pieces[:-by] for by in self.symmetry)
        )

    def numbered_city(self, number: int) -> Layout:
        """The canonical layout of a city, by its number from 0 to `distinct_cities` - 1."""
        order, turns = divmod(number, TURN_COMBINATIONS)
        return Layout(_ORDERS[self._city_orders[order]], _TURN_COMBINATIONS[turns])

    def city_number(self, layout: Layout) -> int:
        """The number of a city, by any of its rotations."""
        order, turns = divmod(self.canonical(layout).index, TURN_COMBINATIONS)
        return self._city_orders.index(order) * TURN_COMBINATIONS + turns

    def city_at(self, place: int) -> int:
        """The number of the city at a place of an order that goes through all of them and begins with an even sample:
        steps of the golden section, made coprime to the number of cities."""
        cities = self.distinct_cities
        step = next(step for step in range(round(cities * _GOLDEN_SECTION), cities + 2) if gcd(step, cities) == 1)
        return place * step % cities

    def layout_at(self, game: int) -> Layout | None:
        """The layout that a game is played on; None: it is drawn (G6)."""
        return self.numbered_city(self.city_at(game // self.games_per_city)) if self.games_per_city else self.layout

    def city(self, layout: Layout) -> "City":
        return City(self, layout)

    def count(self, kind: str) -> int:
        """The number of cells of a kind on all six pieces."""
        return sum(row.count(kind) for piece in self.pieces for row in piece)

    def frame_count(self, kind: str) -> int:
        return sum(side.count(kind) for side in self.frame)


def draw_layout(stream: Stream) -> Layout:
    """A random layout, all 524,880 equally likely."""
    return Layout.from_index(stream.below(LAYOUTS))


def generate(board_set: BoardSet, count: int, seed: int, unique: bool = False) -> Iterator[Layout]:
    """`count` random layouts; `unique`: as canonical forms, no two are rotations of each other."""
    if unique and count > board_set.distinct_cities:
        raise UsageError(
            f"--unique asks for {count} different cities, but '{board_set.name}' makes only {board_set.distinct_cities}"
        )
    seen: set[Layout] = set()
    number = 0
    while count > 0:
        layout = draw_layout(Stream(seed, Purpose.LAYOUT, number))
        number += 1
        if unique:
            layout = board_set.canonical(layout)
            if layout in seen:
                continue
            seen.add(layout)
        count -= 1
        yield layout


@dataclass(frozen=True)
class City:
    """A board set laid out: the kind of every cell."""

    board_set: BoardSet
    layout: Layout

    @property
    def lattice(self) -> Lattice:
        return self.board_set.lattice

    @cached_property
    def kind(self) -> dict[Cell, str]:
        """City cells: `.RCELP`; frame cells: `S`, `E` or `.` (G5, G7)."""
        kinds: dict[Cell, str] = {}
        sectors = zip(self.lattice.districts, self.layout.pieces, self.layout.turns, strict=True)
        for cells, piece, turns in sectors:
            cell_letters = "".join(self.board_set.pieces[piece - 1])
            for place, turned_to in enumerate(turned_places(self.board_set.side, turns)):
                kinds[cells[turned_to]] = cell_letters[place]
        for side, arrows in enumerate(self.board_set.frame):
            kinds.update({("F", side, i): arrow for i, arrow in enumerate(arrows)})
        return kinds

    @cached_property
    def spots(self) -> dict[Cell, str]:
        """The kind of every spot: `R`, `C` or `E` (G5)."""
        return {cell: kind for cell in self.lattice.city_cells if (kind := self.kind[cell]) in SPOTS}

    @cached_property
    def arrows(self) -> dict[str, tuple[Cell, ...]]:
        """The frame cells with a start (`S`) and with an end (`E`)."""
        frame = self.lattice.frame_cells
        return {arrow: tuple(cell for cell in frame if self.kind[cell] == arrow) for arrow in "SE"}


def turned_places(side: int, turns: int) -> list[int]:
    """G4: the new place of each cell of a drawing (row by row) after the piece is turned."""
    places = []
    for row in range(side):
        for column in range(2 * row + 1):
            b, points_down = divmod(column, 2)
            a, c = row - b - points_down, side - 1 - row
            for _ in range(turns):
                a, b, c = c, a, b
            new_row = side - 1 - c
            places.append(new_row**2 + 2 * b + points_down)
    return places


def unreachable_cells(rows: Rows) -> list[tuple[int, int]]:
    """Row and column of the diggable cells of a piece that no line from the piece's edge can reach."""
    grid = lattice(len(rows))
    cells: dict[Cell, str] = dict(zip(grid.districts[0], "".join(rows), strict=True))
    corners = {corner for cell in cells for corner in grid.corners[cell]}
    edge = {v for v in corners if 0 in (v[0], v[1], len(rows) - v[0] - v[1])}
    reached, frontier = set(edge), list(edge)
    while frontier:
        u = frontier.pop()
        for w, cell in grid.ways_out[u]:
            if w not in reached and cells.get(cell, "L") not in WATER_AND_GREEN:
                reached.add(w)
                frontier.append(w)
    places = [(row, column) for row in range(len(rows)) for column in range(2 * row + 1)]
    return [
        place
        for place, (cell, kind) in zip(places, cells.items(), strict=True)
        if kind not in WATER_AND_GREEN and not reached & set(grid.corners[cell])
    ]
