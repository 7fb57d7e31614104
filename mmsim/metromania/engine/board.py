"""The tables of a board set that compiled code reads, built from its lattice and its pieces."""

from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.entry_points import Record, new_record
from mmsim.metromania.engine.state import (
    BOARD,
    CELL_CODES,
    EDGES,
    LAKE,
    NEAR_WORDS,
    ORDERS,
    SECTOR_CELLS,
    SECTOR_VERTICES,
    TURNED_PIECES,
    VERTICES,
    Board,
)
from mmsim.metromania.rules.board import TURN_COMBINATIONS, TURNS, BoardSet, Layout, turned_places
from mmsim.metromania.rules.lattice import ABSENT, Lattice, Vertex, direction_of, far_sides, lattice

_COUNTED = np.array([0, *[1 << 12] * 3, 1 << 28, 1 << 44], np.uint64)  # [kind of cell]: what it adds to `lanes`
_NARROW_ROW, _WIDE_ROW = 16, 32  # bits for the city vertices of a row, with an empty one on either side


@lru_cache(maxsize=16)
def board_record(board_set: BoardSet) -> Record:
    """All tables of a board set; built once and never changed."""
    record = new_record(BOARD)
    b = record[0]
    grid = board_set.lattice
    side, vertices, cells = board_set.side, len(grid.vertices), len(grid.cells)
    b.side, b.vertices, b.edges, b.city_cells = side, vertices, len(grid.edges), len(grid.city_cells)
    b.city_vertices = len(grid.city_vertices)
    b.diggable = sum(map(board_set.count, ".RCE")) + sum(map(board_set.frame_count, "SE"))
    _fill_bits(b, grid)
    _fill_around(b, grid)
    b.frame_side[: 6 * side] = np.repeat(np.arange(6), side)
    b.sector_cells, b.sector_vertices = side**2, (side + 1) * (side + 2) // 2
    neighbours = np.where(grid.neighbours == ABSENT, VERTICES, grid.neighbours)
    b.neighbour[: 6 * vertices] = neighbours.ravel()
    b.ring[: 8 * vertices] = np.hstack((neighbours, neighbours[:, :2])).ravel()
    b.edge[: 6 * vertices] = np.where(grid.edge_id == ABSENT, EDGES, grid.edge_id).ravel()
    b.slot_cell[: 12 * vertices] = grid.slot_cells.astype(np.uint16).ravel()
    b.corner[: 3 * cells] = grid.cell_corners.ravel()
    b.corner_slots[: 3 * cells] = _corner_slots(side).ravel()
    for k, arrows in enumerate(board_set.frame):
        b.starts[k] = sum(1 << i for i, arrow in enumerate(arrows) if arrow == "S")
        b.ends[k] = arrows.count("E")
    for number, vertex in enumerate(grid.vertices):
        for w, cell in grid.ways_out[vertex]:
            if cell[0] == "F" and vertex not in grid.portals and board_set.frame[cell[1]][cell[2]] == "E":
                slot = np.uint64(1) << _slot(grid, vertex, w, number, grid.cell_id[cell])
                b.end_slots[number] |= slot
                for k in range(6):
                    if cell[1] in far_sides(k):
                        b.far_end_slots[6 * number + k] |= slot
    ends = [vertex for vertex in range(vertices) if b.end_slots[vertex]]
    b.end_vertices = len(ends)
    b.end_vertex[: len(ends)] = ends
    for turn in range(6):
        b.turned_vertex[VERTICES * turn : VERTICES * turn + vertices] = grid.turned_vertices(turn)
        b.turned_edge[EDGES * turn : EDGES * turn + len(grid.edges)] = grid.moved_edges(grid.turned_vertices(turn))
    _fill_pieces(b, board_set, grid)
    return record


def _fill_bits(b: Any, grid: Lattice) -> None:
    """The bit of every city vertex, see `bit` in BOARD."""
    side = grid.side
    b.row_bits = _NARROW_ROW if 2 * side + 2 <= _NARROW_ROW else _WIDE_ROW
    rows_per_word = 64 // int(b.row_bits)
    for vertex, (q, r) in enumerate(grid.city_vertices):
        row = r + side
        word = 1 + row // rows_per_word
        b.bit[vertex] = 64 * word + int(b.row_bits) * (row % rows_per_word) + q + side + 1
        if vertex == 0 or grid.city_vertices[vertex - 1][1] != r:
            b.row_bit[row], b.row_first[row] = b.bit[vertex], vertex
            if row % rows_per_word == 0:
                b.word_first[word] = vertex
    b.words = 1 + 2 * side // rows_per_word + 1
    b.row_first[2 * side + 1] = b.word_first[b.words] = len(grid.city_vertices)


def _fill_around(b: Any, grid: Lattice) -> None:
    """The bits of the city vertices around every cell."""
    corners = grid.cell_corners[: b.city_cells]
    around = np.hstack((corners, grid.neighbours[corners].reshape(len(corners), -1)))
    in_city = (around >= 0) & (around < len(grid.city_vertices))
    bits = b.bit[np.where(in_city, around, corners[:, :1])]
    words = bits >> 6
    first = words.min(axis=1, keepdims=True)
    b.near_word[: len(corners)] = first.ravel()
    places = NEAR_WORDS * np.arange(len(corners))[:, None] + words - first
    np.bitwise_or.at(b.near_bits, places, np.uint64(1) << (bits & 63).astype(np.uint64))


def _slot(grid: Lattice, u: Vertex, w: Vertex, u_id: int, cell_id: int) -> np.uint64:
    d = direction_of(u, w)
    return np.uint64(2 * d + (grid.slot_cells[u_id, 2 * d] != cell_id))


@cache
def _corner_slots(side: int) -> NDArray[np.uint16]:
    """[cell, corner]: the slots at the corner that are in the cell."""
    grid = lattice(side)
    table = np.zeros((len(grid.cells), 3), np.uint16)
    for c, corners in enumerate(grid.cell_corners):
        for j, vertex in enumerate(corners):
            table[c, j] = sum(1 << int(slot) for slot in np.flatnonzero(grid.slot_cells[vertex] == c))
    return table


def _fill_pieces(b: Board, board_set: BoardSet, grid: Lattice) -> None:
    """For every sector and every turned piece in it: the kinds of its cells and the lanes of its vertices."""
    b.piece_at[:] = [
        piece - 1 for order in range(ORDERS) for piece in Layout.from_index(order * TURN_COMBINATIONS).pieces
    ]
    b.turn_at[:] = [turn for turning in range(TURN_COMBINATIONS) for turn in Layout.from_index(turning).turns]
    n_cells, all_slots = int(b.sector_cells), _corner_slots(grid.side).astype(np.uint64)
    drawn_kinds = np.array([[CELL_CODES[letter] for letter in "".join(rows)] for rows in board_set.pieces], np.uint8)
    for k in range(6):
        inside = slice(k * n_cells, (k + 1) * n_cells)
        corners, number = np.unique(grid.cell_corners[inside], return_inverse=True)
        known = np.isin(corners, grid.cell_corners[: k * n_cells])
        order = np.argsort(known, kind="stable")
        corners, number = corners[order], np.argsort(order)[number]
        b.sector_own[k] = np.count_nonzero(~known)
        b.sector_vertex[SECTOR_VERTICES * k : SECTOR_VERTICES * k + corners.size] = corners
        for turned in range(TURNED_PIECES):
            kinds = np.zeros(n_cells, np.uint8)
            kinds[turned_places(board_set.side, turned % TURNS)] = drawn_kinds[turned // TURNS]
            b.piece_kinds[SECTOR_CELLS * turned : SECTOR_CELLS * turned + n_cells] = kinds
            slots = np.where(kinds[:, None] < LAKE, all_slots[inside] << (np.uint64(16) * (kinds[:, None] & 3)), 0)
            lanes = np.zeros(corners.size, np.uint64)
            np.add.at(lanes, number.ravel(), (slots + _COUNTED[kinds][:, None]).ravel())
            at = SECTOR_VERTICES * (TURNED_PIECES * k + turned)
            b.sector_lanes[at : at + corners.size] = lanes
