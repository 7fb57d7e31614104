"""The board as sparse features of a value net: what lies where, with the company's first start turned to side 0.

A feature is a number; only those that hold are listed. They are in blocks, in this order: a company along an edge; the
terminus of a line; a station; a company at a station; a marker laid; the free spots, lake and park; a vertex from which
a line may still end. Companies are counted in playing order from the one that looks; those of the same player count as
its own. How many features there are depends on the side of the city, so a net with them is for cities of one side.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.metromania.bots.thinking.memory import MOST_FEATURES, Thoughts
from mmsim.metromania.engine.state import EDGES, LINES, MARKERS, NOWHERE, PARK, SEATS, VERTICES, Board, Rules, State
from mmsim.metromania.rules.lattice import SIDES, lattice

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_OF_CELL = PARK  # kinds of cells that are not blank


def feature_count(side: int) -> int:
    """The number of features of a city with this side."""
    grid = lattice(side)
    vertices, city_vertices, cells = len(grid.vertices), len(grid.city_vertices), len(grid.city_cells)
    edges = len(grid.edges)
    return SEATS * edges + LINES * vertices + (2 + SEATS) * city_vertices + (2 * SEATS + _OF_CELL) * cells


@cache
def mirrored_features(side: int) -> NDArray[np.int64]:
    """[feature]: the same feature of the mirror image of the city."""
    grid = lattice(side)
    vertices = grid.mirrored_vertices
    city_vertices = vertices[: len(grid.city_vertices)]
    edges, cells = grid.moved_edges(vertices), grid.moved_cells(vertices)
    blocks = (edges, SEATS), (vertices, LINES), (city_vertices, 1 + SEATS), (cells, 2 * SEATS + _OF_CELL)
    mirrored, first = [], 0
    for places, times in (*blocks, (city_vertices, 1)):
        for _ in range(times):
            mirrored.append(first + places.astype(np.int64))
            first += len(places)
    return np.concatenate(mirrored)


@inlined
def _list(t: Thoughts, feature: Any) -> None:
    if t.features < MOST_FEATURES:
        t.feature[ix(t.features)] = feature
        t.features += 1


@jit
def list_features(v: State, b: Board, r: Rules, t: Thoughts, seat: Any) -> None:
    """Write the features of a view from a company's side into `t.feature`.

    In one piece, because all blocks need the same turn of the city and the same places of the companies.
    """
    t.features = 0
    turn = np.int64(0)
    for line in (2 * seat + 1, 2 * seat):
        if v.started >> np.uint64(line) & _ONE != _ZERO:
            turn = (SIDES - v.start_side[ix(line)]) % SIDES
    for place in range(r.companies):
        company = (seat + place) % r.companies
        t.in_order[ix(place)] = company
        t.place_of[ix(company)] = 0 if r.seat_player[ix(company)] == r.seat_player[ix(seat)] else place
    first = _list_tunnels(v, b, r, t, turn)
    first = _list_stations(v, b, r, t, turn, first)
    for marker in range(MARKERS):
        if v.marker_cell[ix(marker)] != NOWHERE:
            holder = v.marker_holder[ix(marker)]
            shared = np.int64(holder == seat or v.marker_holder[ix(marker ^ 1)] == seat)
            block = 2 * t.place_of[ix(holder)] + shared
            _list(t, first + block * b.city_cells + _turned_cell(b, turn, v.marker_cell[ix(marker)]))
    first += 2 * SEATS * b.city_cells
    for cell in range(b.city_cells):
        kind = np.int64(v.kind[ix(cell)])
        if kind != 0 and _is_there(v, b, np.int64(cell), kind):
            _list(t, first + (kind - 1) * b.city_cells + _turned_cell(b, turn, cell))
    first += _OF_CELL * b.city_cells
    for i in range(b.end_vertices):
        u = np.int64(b.end_vertex[ix(i)])
        if v.end_free[ix(u)] != 0:
            _list(t, first + b.turned_vertex[ix(VERTICES * turn + u)])


@jit
def _list_tunnels(v: State, b: Board, r: Rules, t: Thoughts, turn: Any) -> np.int64:
    """List who runs along which edge, and the termini of lines that go on; returns the first feature after them."""
    for edge in range(b.edges):
        lines = np.int64(v.lines_along[ix(edge)])
        if lines != 0:
            for place in range(r.companies):
                company = t.in_order[ix(place)]
                if lines >> (2 * company) & 3:
                    _list(t, t.place_of[ix(company)] * b.edges + b.turned_edge[ix(EDGES * turn + edge)])
    first = SEATS * b.edges
    going_on = v.started & ~v.ended
    for i in range(2 * r.companies):
        company = t.in_order[ix(i >> 1)]
        line = 2 * company + (i & 1)
        if going_on >> np.uint64(line) & _ONE != _ZERO:
            block = (2 * t.place_of[ix(company)] + (i & 1)) * b.vertices
            _list(t, first + block + b.turned_vertex[ix(VERTICES * turn + v.terminus[ix(line)])])
    return first + LINES * b.vertices


@jit
def _list_stations(v: State, b: Board, r: Rules, t: Thoughts, turn: Any, first: Any) -> np.int64:
    """List the stations and who has one; returns the first feature after them."""
    for u in range(b.city_vertices):
        if v.station[ix(u)] != 0:
            at = first + b.turned_vertex[ix(VERTICES * turn + u)]
            _list(t, at)
            lines = np.int64(v.lines_at[ix(u)])
            for place in range(r.companies):
                company = t.in_order[ix(place)]
                if lines >> (2 * company) & 3:
                    _list(t, at + (1 + t.place_of[ix(company)]) * b.city_vertices)
    return first + (1 + SEATS) * b.city_vertices


@inlined
def _turned_cell(b: Board, turn: Any, cell: Any) -> np.int64:
    """Where a city cell comes to lie if the city is turned: cells are numbered sector by sector."""
    turned = cell + turn * b.sector_cells
    return turned - b.city_cells if turned >= b.city_cells else turned


@inlined
def _is_there(v: State, b: Board, cell: Any, kind: Any) -> bool:
    """Whether a cell is a lake, a park or a spot that is still free."""
    if kind > 3:
        return True
    corner = b.corner[ix(3 * cell)]
    return v.lanes[ix(corner)] >> np.uint64(16 * kind) & np.uint64(b.corner_slots[ix(3 * cell)]) != _ZERO
