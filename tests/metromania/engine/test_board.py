"""The tables of a board set say what its lattice says."""

import numpy as np
import pytest

from mmsim.metromania.engine.board import board_record
from mmsim.metromania.engine.state import NEAR_WORDS, VERTEX_WORDS
from mmsim.metromania.rules.board import BoardSet
from mmsim.metromania.rules.lattice import MAX_SIDE, MIN_SIDE


def blank(side: int) -> BoardSet:
    """A board set of blank cells, with a start and an end on every side."""
    piece = tuple("." * (2 * row + 1) for row in range(side))
    return BoardSet("blank", side, (piece,) * 6, ("SE" + "." * (side - 2),) * 6)


@pytest.mark.parametrize("side", range(MIN_SIDE, MAX_SIDE + 1))
def test_the_vertices_around_a_cell_are_its_corners_and_their_neighbours(side: int) -> None:
    board_set = blank(side)
    grid, b = board_set.lattice, board_record(board_set)[0]
    city = len(grid.city_vertices)
    for cell, corners in enumerate(grid.cell_corners[: len(grid.city_cells)]):
        around = {*corners.tolist(), *grid.neighbours[corners].ravel().tolist()}
        expected = sorted(int(b.bit[v]) for v in around if 0 <= v < city)
        words = b.near_bits[NEAR_WORDS * cell : NEAR_WORDS * (cell + 1)]
        first = 64 * int(b.near_word[cell])
        assert [
            first + int(i) for i in np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
        ] == expected
    assert int(b.near_word.max()) + NEAR_WORDS <= VERTEX_WORDS


def test_every_vertex_of_the_city_is_the_own_one_of_one_sector() -> None:
    board_set = blank(6)
    b = board_record(board_set)[0]
    sectors = b.sector_vertex.reshape(6, -1)
    own = [v for k in range(6) for v in sectors[k, : b.sector_own[k]].tolist()]
    assert sorted(own) == list(range(len(board_set.lattice.city_vertices)))


def test_the_side_of_a_frame_cell_is_that_of_the_lattice() -> None:
    board_set = blank(5)
    frame = board_set.lattice.cells[len(board_set.lattice.city_cells) :]
    assert board_record(board_set)[0].frame_side[: len(frame)].tolist() == [side for _, side, _ in frame]
