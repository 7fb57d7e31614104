"""Rule G10: the shipped board sets; the default agrees with what is known of the box."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations, product

import pytest

from mmsim.core.rng import Purpose, Stream
from mmsim.metromania.rules.board import SPOTS, BoardSet, City, Layout, draw_layout
from mmsim.metromania.rules.board_file import load, read, shipped_names
from mmsim.metromania.rules.lattice import Cell, Vertex, is_frame
from mmsim.system.files import data_folder

NAMES = ["box", "compact", "grand", "open", "roomy"]
WITH_LAKE_AND_PARK = [name for name in NAMES if name != "open"]

# side, frame, starts, ends, spots of each kind, lake cells, park cells
NUMBERS = {
    "box": (5, "S.ESE", 12, 12, 6, 4, 3),
    "roomy": (6, "S.ES.E", 12, 12, 12, 6, 6),
    "compact": (5, "S.ESE", 12, 12, 12, 3, 3),
    "grand": (7, "S.E.S.E", 12, 12, 18, 8, 8),
    "open": (6, "S.ES.E", 12, 12, 6, 0, 0),
}


def piece_cells(board_set: BoardSet, piece: int) -> dict[Cell, str]:
    """A piece lying unturned in sector 0."""
    drawn = "".join(board_set.pieces[piece - 1])
    return dict(zip(board_set.lattice.districts[0], drawn, strict=True))


def rim(board_set: BoardSet) -> list[set[Vertex]]:
    """The vertices on the three sides of sector 0."""
    n = board_set.side
    return [
        {(q, 0) for q in range(n + 1)},
        {(0, r) for r in range(n + 1)},
        {(q, n - q) for q in range(n + 1)},
    ]


def cities_of_all_neighbours(board_set: BoardSet) -> Iterator[City]:
    """Cities in which every two pieces lie side by side in sectors 0 and 1, turned in all nine ways."""
    for one, other in permutations(range(1, 7), 2):
        rest = [piece for piece in range(1, 7) if piece not in (one, other)]
        for turns in product(range(3), repeat=2):
            yield board_set.city(Layout((one, other, *rest), (*turns, 0, 0, 0, 0)))


def vertices_of(city: City, kind: str) -> set[Vertex]:
    corners = city.lattice.corners
    return {v for cell, k in city.kind.items() if k == kind and not is_frame(cell) for v in corners[cell]}


def tunnels_to_kinds(board_set: BoardSet, cells: dict[Cell, str], start: set[Vertex]) -> dict[str, int]:
    """How many tunnels from these vertices, inside the piece, until one runs in a spot of each kind."""
    needed: dict[str, int] = {}
    reached, wave, tunnels = set(start), set(start), 0
    while wave:
        tunnels += 1
        dug = [
            (w, cells[cell])
            for u in wave
            for w, cell in board_set.lattice.ways_out[u]
            if cells.get(cell, "L") not in "LP"
        ]
        for _, kind in dug:
            needed.setdefault(kind, tunnels)
        wave = {w for w, _ in dug} - reached
        reached |= wave
    return needed


def test_five_sets_are_shipped() -> None:
    assert shipped_names() == NAMES


@pytest.mark.rule("G10")
@pytest.mark.parametrize("name", NAMES)
def test_shipped_set_has_its_numbers(name: str) -> None:
    side, frame, starts, ends, spots, lake, park = NUMBERS[name]
    board_set = load(name)
    assert board_set.name == name
    assert board_set.title
    assert (board_set.side, board_set.frame) == (side, (frame,) * 6)
    assert (board_set.frame_count("S"), board_set.frame_count("E")) == (starts, ends)
    assert [board_set.count(kind) for kind in "RCELP"] == [spots, spots, spots, lake, park]
    assert board_set.count(".") == 6 * side * side - 3 * spots - lake - park


@pytest.mark.rule("G10")
def test_the_default_set_agrees_with_what_is_known_of_the_box() -> None:
    box = load()
    assert box.name == "box"
    pieces = [Counter("".join(rows)) for rows in box.pieces]
    assert [piece.total() for piece in pieces] == [25] * 6
    assert [box.count(kind) for kind in "RCE"] == [6, 6, 6]
    assert len({sum(piece[kind] for kind in "RCE") for piece in pieces}) > 1  # pieces differ, as their names do
    assert [arrows.count("S") for arrows in box.frame] == [arrows.count("E") for arrows in box.frame] == [2] * 6
    assert box.distinct_cities == 87_480
    assert [sum(piece[kind] > 0 for piece in pieces) for kind in "LP"] == [1, 1]
    assert not any(piece["L"] and piece["P"] for piece in pieces)


@pytest.mark.rule("G10")
@pytest.mark.parametrize("name", WITH_LAKE_AND_PARK)
def test_lake_and_park_are_one_stretch_each_and_touch_no_side_of_their_piece(name: str) -> None:
    board_set = load(name)
    corners = board_set.lattice.corners
    outside = set().union(*rim(board_set))
    for kind in "LP":
        inside = [c for piece in range(1, 7) for c, k in piece_cells(board_set, piece).items() if k == kind]
        assert outside.isdisjoint(v for cell in inside for v in corners[cell])
        joined = {inside[0]}
        for _ in inside:
            joined |= {c for c in inside if any(len({*corners[c]} & {*corners[j]}) == 2 for j in joined)}
        assert joined == set(inside)


@pytest.mark.rule("G10")
@pytest.mark.parametrize("name", WITH_LAKE_AND_PARK)
def test_lake_and_park_never_touch_in_any_layout(name: str) -> None:
    board_set = load(name)
    layouts = [draw_layout(Stream(10, Purpose.LAYOUT, game)) for game in range(300)]
    for city in [board_set.city(layout) for layout in layouts] + [*cities_of_all_neighbours(board_set)]:
        lake, park = vertices_of(city, "L"), vertices_of(city, "P")
        assert lake
        assert park
        assert lake.isdisjoint(park)


@pytest.mark.rule("G10")
@pytest.mark.parametrize("name", NAMES)
def test_no_two_spots_share_a_side_in_any_layout(name: str) -> None:
    # Cells share a side within a piece or across the edge of two neighbouring sectors, and every pair of
    # neighbouring sectors is a turn of sectors 0 and 1: all neighbours there are all that can happen.
    board_set = load(name)
    grid = board_set.lattice
    edges = [(grid.vertices[a], grid.vertices[b]) for a, b in grid.edges.tolist()]
    beside = [[cell for end, cell in grid.ways_out[u] if end == w] for u, w in edges]
    neighbours = [cells for cells in beside if len(cells) == 2]
    seen = 0
    for city in cities_of_all_neighbours(board_set):
        seen += 1
        spots = {cell for cell in city.lattice.city_cells if city.kind[cell] in SPOTS}
        assert not any(a in spots and b in spots for a, b in neighbours)
    assert seen == 30 * 9


@pytest.mark.parametrize("name", [name for name in NAMES if name != "box"])  # which has three spots per piece
def test_every_piece_has_a_spot_of_each_kind_near_each_of_its_sides(name: str) -> None:
    board_set = load(name)
    # The teaching set has one spot of a kind in a piece, so it cannot be near all three sides.
    bound = 4 if name == "open" else board_set.side // 2
    for piece in range(1, 7):
        cells = piece_cells(board_set, piece)
        for side in rim(board_set):
            needed = tunnels_to_kinds(board_set, cells, side)
            assert {"R", "C", "E"} <= set(needed)
            assert max(needed[kind] for kind in "RCE") <= bound


@pytest.mark.rule("G5", "G10")
@pytest.mark.parametrize("name", NAMES)
def test_the_six_pieces_differ_however_they_are_turned(name: str) -> None:
    board_set = load(name)
    assert len(board_set.piece_names) == len(set(board_set.piece_names)) == 6
    looks = []
    for piece in range(1, 7):
        rest = [other for other in range(1, 7) if other != piece]
        cities = [board_set.city(Layout((piece, *rest), (turn, 0, 0, 0, 0, 0))) for turn in range(3)]
        looks.append({"".join(city.kind[c] for c in city.lattice.districts[0]) for city in cities})
    assert all(one.isdisjoint(other) for one, other in combinations(looks, 2))


@pytest.mark.parametrize("name", NAMES)
def test_boards_check_has_nothing_to_say_about_a_shipped_set(name: str) -> None:
    board_set, problems = read(data_folder("boards") / f"{name}.toml")
    assert board_set is not None
    assert problems == []
