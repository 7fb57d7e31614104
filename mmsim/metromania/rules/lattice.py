"""Rules G1-G9: the triangular lattice of a city of side N, in coordinates and as integer tables.

A vertex is `(q, r)`. A cell is `(q, r, "U")` or `(q, r, "D")` inside the city and `("F", side, index)` in the
frame, as in game records. City vertices and cells come first in every table, portals and frame cells
after them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

Vertex = tuple[int, int]
Cell = tuple[int, int, str] | tuple[str, int, int]
Ways = tuple[tuple[Vertex, Cell], ...]  # the vertices a tunnel may reach, each with the cell it runs in
Table = NDArray[np.int32]

MIN_SIDE, MAX_SIDE = 3, 12
DIRECTIONS: tuple[Vertex, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # G1
SIDES = len(DIRECTIONS)  # of a city
ABSENT = -1  # in a table: no such neighbour, no such cell


def step(vertex: Vertex, direction: int, times: int = 1) -> Vertex:
    """The vertex reached by going `times` edges in a direction (taken modulo six)."""
    dq, dr = DIRECTIONS[direction % 6]
    return vertex[0] + times * dq, vertex[1] + times * dr


def direction_of(u: Vertex, w: Vertex) -> int:
    """The direction from a vertex to its neighbour."""
    return DIRECTIONS.index((w[0] - u[0], w[1] - u[1]))


def position(vertex: Vertex) -> tuple[float, float]:
    """The coordinates of a vertex in a drawing, y up (G1)."""
    q, r = vertex
    return q + r / 2, r * 3**0.5 / 2


def turned(vertex: Vertex, turns: int) -> Vertex:
    """Where a vertex comes to lie if the city is turned by sixths: side k becomes side k + `turns`."""
    q, r = vertex
    for _ in range(turns % SIDES):
        q, r = -r, q + r
    return q, r


def far_sides(side: int) -> tuple[int, int, int]:
    """The sides of the city that are neither this one nor next to it (B2, D4)."""
    return (side + 2) % 6, (side + 3) % 6, (side + 4) % 6


def is_frame(cell: Cell) -> bool:
    return cell[0] == "F"


@dataclass(frozen=True)
class Lattice:
    """All vertices, edges and cells of the hexagon of side `side` and of the frame around it."""

    side: int

    # --- coordinates -------------------------------------------------------------------------------------

    @cached_property
    def city_vertices(self) -> tuple[Vertex, ...]:
        n = self.side  # G2
        span = range(-n, n + 1)
        return tuple((q, r) for r in span for q in span if abs(q + r) <= n)

    def border_vertex(self, side: int, i: int) -> Vertex:
        """b(k, i) of rule G2."""
        return step(step((0, 0), side, self.side), side + 2, i)

    def portal(self, side: int, i: int) -> Vertex:
        """The apex of frame cell (k, i), rule G7."""
        return step(self.border_vertex(side, i), side + 1)

    @cached_property
    def frame_cells(self) -> tuple[Cell, ...]:
        return tuple(("F", side, i) for side in range(6) for i in range(self.side))

    @cached_property
    def portals(self) -> tuple[Vertex, ...]:
        return tuple(self.portal(side, i) for side in range(6) for i in range(self.side))

    @cached_property
    def vertices(self) -> tuple[Vertex, ...]:
        return self.city_vertices + self.portals

    @cached_property
    def city_cells(self) -> tuple[tuple[int, int, str], ...]:
        """District by district, each row by row as its piece is drawn."""
        return tuple(cell for district in self.districts for cell in district)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return (*self.city_cells, *self.frame_cells)

    @cached_property
    def corners(self) -> dict[Cell, tuple[Vertex, Vertex, Vertex]]:
        """The three corners of every cell; of a frame cell: its two base vertices, then its portal."""
        city: dict[Cell, tuple[Vertex, Vertex, Vertex]] = {cell: _city_corners(*cell) for cell in self.city_cells}
        frame: dict[Cell, tuple[Vertex, Vertex, Vertex]] = {
            ("F", side, i): (
                self.border_vertex(side, i),
                self.border_vertex(side, i + 1),
                self.portal(side, i),
            )
            for side in range(6)
            for i in range(self.side)
        }
        return {**city, **frame}

    @cached_property
    def cell_with_corners(self) -> dict[frozenset[Vertex], Cell]:
        return {frozenset(corners): cell for cell, corners in self.corners.items()}

    @cached_property
    def cells_at(self) -> dict[Vertex, tuple[Cell, ...]]:
        """The city cells with a corner at a vertex."""
        cells_at: dict[Vertex, list[Cell]] = {vertex: [] for vertex in self.vertices}
        for cell in self.city_cells:
            for corner in self.corners[cell]:
                cells_at[corner].append(cell)
        return {vertex: tuple(cells) for vertex, cells in cells_at.items()}

    @cached_property
    def ways_out(self) -> dict[Vertex, Ways]:
        """From a vertex: every (next vertex, cell of the tunnel), by direction, the cell on the left first (G8).

        No way runs along the base of a frame cell.
        """
        portals = set(self.portals)

        def ways(u: Vertex) -> Iterator[tuple[Vertex, Cell]]:
            for d in range(6):
                w = step(u, d)
                for third in (step(u, d + 1), step(u, d - 1)):
                    cell = self.cell_with_corners.get(frozenset((u, w, third)))
                    if cell is not None and not (is_frame(cell) and third in portals):
                        yield w, cell

        return {u: tuple(ways(u)) for u in self.vertices}

    @cached_property
    def ways_on(self) -> dict[tuple[Vertex, Vertex], Ways]:
        """After an edge (from, to): the ways out that go on in its direction or one next to it, no acute angle (D2)."""
        edges = {(before, u): direction_of(before, u) for before, ways in self.ways_out.items() for u, _ in ways}
        return {
            (before, u): tuple((w, cell) for w, cell in self.ways_out[u] if (direction_of(u, w) - d) % 6 in (0, 1, 5))
            for (before, u), d in edges.items()
        }

    def sector_cell(self, sector: int, row: int, column: int) -> tuple[int, int, str]:
        """The city cell at a row and column of an unturned piece's drawing (G4, G5)."""
        b, points_down = divmod(column, 2)
        a = row - b - points_down
        corner = step(step((0, 0), sector, a), sector + 1, b)
        near, far = step(corner, sector), step(corner, sector + 1)
        third = step(near, sector + 1) if points_down else corner
        return _cell_of(near, far, third)

    @cached_property
    def districts(self) -> tuple[tuple[tuple[int, int, str], ...], ...]:
        """For every sector its cells, row by row as a piece is drawn."""
        rows = [(row, column) for row in range(self.side) for column in range(2 * row + 1)]
        return tuple(tuple(self.sector_cell(k, row, column) for row, column in rows) for k in range(6))

    # --- integer tables ----------------------------------------------------------------------------------

    @cached_property
    def vertex_id(self) -> dict[Vertex, int]:
        return {vertex: i for i, vertex in enumerate(self.vertices)}

    @cached_property
    def cell_id(self) -> dict[Cell, int]:
        return {cell: i for i, cell in enumerate(self.cells)}

    @cached_property
    def neighbours(self) -> Table:
        """[vertex, direction] -> vertex, ABSENT where no tunnel can run."""
        table = np.full((len(self.vertices), 6), ABSENT, np.int32)
        for u, ways in self.ways_out.items():
            for w, _ in ways:
                table[self.vertex_id[u], direction_of(u, w)] = self.vertex_id[w]
        return table

    @cached_property
    def slot_cells(self) -> Table:
        """[vertex, 2 * direction + (0 left, 1 right)] -> cell of the tunnel dug that way, or ABSENT."""
        table = np.full((len(self.vertices), 12), ABSENT, np.int32)
        for u, ways in self.ways_out.items():
            for w, cell in ways:
                d = direction_of(u, w)
                on_the_right = step(u, d + 1) not in self.corners[cell]
                table[self.vertex_id[u], 2 * d + on_the_right] = self.cell_id[cell]
        return table

    @cached_property
    def edges(self) -> Table:
        """[edge] -> its two vertices, smaller number first."""
        pairs = {
            tuple(sorted((self.vertex_id[u], self.vertex_id[w]))) for u, ways in self.ways_out.items() for w, _ in ways
        }
        return np.array(sorted(pairs), np.int32)

    @cached_property
    def _edge_number(self) -> dict[tuple[int, int], int]:
        return {(int(a), int(b)): i for i, (a, b) in enumerate(self.edges)}

    @cached_property
    def edge_id(self) -> Table:
        """[vertex, direction] -> edge, or ABSENT."""
        table = np.full_like(self.neighbours, ABSENT)
        for (u, d), w in np.ndenumerate(self.neighbours):
            if w != ABSENT:
                table[u, d] = self._edge_number[min(u, int(w)), max(u, int(w))]
        return table

    @cached_property
    def cell_corners(self) -> Table:
        """[cell] -> its three corners."""
        rows = [[self.vertex_id[corner] for corner in self.corners[cell]] for cell in self.cells]
        return np.array(rows, np.int32)

    # --- symmetries --------------------------------------------------------------------------------------

    def turned_vertices(self, turns: int) -> Table:
        """[vertex] -> the vertex where it comes to lie, as `turned`."""
        return np.array([self.vertex_id[turned(vertex, turns)] for vertex in self.vertices], np.int32)

    @cached_property
    def mirrored_vertices(self) -> Table:
        """[vertex] -> its mirror image; side 0 stays where it is."""
        return np.array([self.vertex_id[r, q] for q, r in self.vertices], np.int32)

    def moved_edges(self, moved_vertices: Table) -> Table:
        """[edge] -> the edge that a symmetry of the vertices moves it to."""
        ends = np.sort(moved_vertices[self.edges], axis=1)
        return np.array([self._edge_number[int(a), int(b)] for a, b in ends], np.int32)

    def moved_cells(self, moved_vertices: Table) -> Table:
        """[city cell] -> the city cell that a symmetry of the vertices moves it to."""
        corners = self.cell_corners[: len(self.city_cells)]
        number = {frozenset(map(int, three)): i for i, three in enumerate(corners)}
        return np.array([number[frozenset(map(int, three))] for three in moved_vertices[corners]], np.int32)


def _city_corners(q: int, r: int, way: str) -> tuple[Vertex, Vertex, Vertex]:
    if way == "U":  # G3
        return (q, r), (q + 1, r), (q, r + 1)
    return (q + 1, r), (q, r + 1), (q + 1, r + 1)


def _cell_of(*corners: Vertex) -> tuple[int, int, str]:
    """The city cell with these three corners."""
    q, r = min(q for q, _ in corners), min(r for _, r in corners)
    return (q, r, "U" if (q, r) in corners else "D")


@cache
def lattice(side: int) -> Lattice:
    """The lattice of a city of side `side`, built once."""
    if not MIN_SIDE <= side <= MAX_SIDE:
        raise ValueError(f"a city's side is {MIN_SIDE} to {MAX_SIDE}, not {side}")
    return Lattice(side)
