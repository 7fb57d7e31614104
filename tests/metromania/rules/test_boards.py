"""Rules G4-G7: layouts, their codes and numbers, and the cities they make."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from mmsim.core.rng import Purpose, Stream
from mmsim.errors import UsageError
from mmsim.metromania.rules.board import (
    LAYOUTS,
    SPOTS,
    BoardSet,
    City,
    Layout,
    draw_layout,
    generate,
    turned_places,
)
from mmsim.metromania.rules.board_file import load
from mmsim.metromania.rules.lattice import Cell, Lattice, Vertex, lattice

LAYOUT = st.builds(
    Layout,
    st.permutations(range(1, 7)).map(tuple),
    st.lists(st.integers(0, 2), min_size=6, max_size=6).map(tuple),
)
IDENTITY = Layout((1, 2, 3, 4, 5, 6), (0,) * 6)
# A side-3 piece in which no two turns look alike.
LOPSIDED = ("R", "C.E", "L..P.")


def board(frame: tuple[str, ...] = ("S.E",) * 6) -> BoardSet:
    """A small set whose six pieces are all lopsided, each in its own way."""
    pieces = tuple((LOPSIDED[0], LOPSIDED[1], "L..P."[:k] + "C" + "L..P."[k + 1 :]) for k in range(5))
    return BoardSet("lopsided", 3, (*pieces, LOPSIDED), frame)


def all_layouts() -> Iterator[Layout]:
    """Every layout, ordered by pieces, then by turns."""
    orders, turnings = permutations(range(1, 7)), list(product(range(3), repeat=6))
    return (Layout(pieces, turns) for pieces in orders for turns in turnings)


def sample(count: int, seed: int = 6) -> list[Layout]:
    return [draw_layout(Stream(seed, Purpose.LAYOUT, game)) for game in range(count)]


def plane(vertex: Vertex) -> complex:
    return complex(vertex[0] + vertex[1] / 2, vertex[1] * sqrt(3) / 2)


def centroid(grid: Lattice, cell: Cell) -> complex:
    return sum(map(plane, grid.corners[cell])) / 3


def picture(city: City, turned_by: complex = 1, frame: bool = True) -> dict[tuple[float, float], str]:
    """What is where in the plane, after turning the whole picture."""
    places = {}
    for cell, kind in city.kind.items():
        if frame or cell[0] != "F":
            where = centroid(city.lattice, cell) * turned_by
            places[round(where.real, 6) + 0.0, round(where.imag, 6) + 0.0] = kind
    return places


# --- codes and numbers ------------------------------------------------------------------------------------


@pytest.mark.rule("G6")
def test_code_names_piece_and_turn_of_every_sector() -> None:
    layout = Layout((1, 4, 2, 6, 3, 5), (0, 2, 1, 0, 0, 1))
    assert layout.code == "1a-4c-2b-6a-3a-5b"
    assert Layout.from_code(" 1a-4c-2b-6a-3a-5b\n") == layout


@pytest.mark.rule("G6")
@settings(derandomize=True, deadline=None)
@given(layout=LAYOUT)
def test_code_and_number_name_one_layout(layout: Layout) -> None:
    assert Layout.from_code(layout.code) == layout
    assert Layout.from_index(layout.index) == layout
    assert 0 <= layout.index < 524_880


@pytest.mark.rule("G6")
@settings(derandomize=True, deadline=None)
@given(index=st.integers(0, 524_879))
def test_every_number_is_the_number_of_its_layout(index: int) -> None:
    layout = Layout.from_index(index)
    assert layout.index == index
    assert sorted(layout.pieces) == [1, 2, 3, 4, 5, 6]
    assert set(layout.turns) <= {0, 1, 2}


@pytest.mark.rule("G6")
def test_numbers_follow_the_order_of_the_layouts() -> None:
    assert Layout.from_index(0) == IDENTITY
    assert Layout.from_index(1).code == "1a-2a-3a-4a-5a-6b"
    assert Layout.from_index(729).code == "1a-2a-3a-4a-6a-5a"
    assert Layout.from_index(524_879).code == "6c-5c-4c-3c-2c-1c"
    assert [layout.index for layout in islice(all_layouts(), 3000)] == list(range(3000))


@pytest.mark.rule("G6")
def test_there_are_524880_layouts_all_different() -> None:
    orders = [Layout.from_index(729 * k).pieces for k in range(720)]
    turnings = [Layout.from_index(k).turns for k in range(729)]
    assert LAYOUTS == len(set(orders)) * len(set(turnings)) == 524_880
    assert all(len(pieces) == len(set(pieces)) == 6 for pieces in orders)
    for index in range(0, LAYOUTS, 101):
        assert Layout.from_index(index) == Layout(orders[index // 729], turnings[index % 729])


@pytest.mark.rule("G6")
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("1a-2a-3a-4a-5a", "it has 5 parts but needs six"),
        ("1a-2a-3a-4a-5a-6a-1b", "it has 7 parts but needs six"),
        ("", "it has 1 part but needs six"),
        ("1a-2a-3d-4a-5a-6a", "part 3 is '3d', not a piece 1-6 with a turn a, b or c"),
        ("1a-2a-3a-4a-5a-7a", "part 6 is '7a'"),
        ("1a-22a-3a-4a-5a-6a", "part 2 is '22a'"),
        ("1A-2a-3a-4a-5a-6a", "part 1 is '1A'"),
        ("1a-2a-3a-4a-5a-2b", "piece 2 is used twice and piece 6 never"),
    ],
)
def test_wrong_code_is_refused_with_the_part_that_is_wrong(code: str, why: str) -> None:
    with pytest.raises(UsageError) as refusal:
        Layout.from_code(code)
    assert str(refusal.value).startswith(f"'{code}' is not a layout code: {why}")
    assert str(refusal.value).endswith("(a code looks like 1a-4c-2b-6a-3a-5b)")


# --- turning a piece --------------------------------------------------------------------------------------


@pytest.mark.rule("G4")
@pytest.mark.parametrize("side", range(3, 13))
def test_turning_a_piece_three_times_is_no_turn(side: int) -> None:
    once = turned_places(side, 1)
    assert sorted(once) == list(range(side * side))
    assert turned_places(side, 0) == list(range(side * side))
    assert [once[place] for place in once] == turned_places(side, 2)
    assert [once[once[place]] for place in once] == turned_places(side, 0) == turned_places(side, 3)


@pytest.mark.rule("G4", "G6")
@pytest.mark.parametrize("sector", range(6))
def test_a_turn_moves_the_centre_corner_to_corner_k_and_on_to_corner_k_plus_one(sector: int) -> None:
    marked = BoardSet("marked", 4, (("R", "...", ".....", "......."),) * 6, ("SE..",) * 6)
    for turns in range(3):
        city = marked.city(Layout((1, 2, 3, 4, 5, 6), (turns,) * 6))
        grid = city.lattice
        goal = [(0, 0), grid.border_vertex(sector, 0), grid.border_vertex(sector, 4)][turns]
        spot = next(cell for cell in grid.districts[sector] if city.kind[cell] == "R")
        assert goal in grid.corners[spot]


@pytest.mark.rule("G4")
@pytest.mark.parametrize("side", [3, 4, 6])
def test_a_turn_is_120_degrees_about_the_middle_of_the_piece(side: int) -> None:
    grid = lattice(side)
    third = complex(-0.5, sqrt(3) / 2)
    for k, cells in enumerate(grid.districts):
        middle = (plane(grid.border_vertex(k, 0)) + plane(grid.border_vertex(k, side))) / 3
        for place, turned_to in enumerate(turned_places(side, 1)):
            before, after = centroid(grid, cells[place]), centroid(grid, cells[turned_to])
            assert abs((before - middle) * third + middle - after) < 1e-9


@pytest.mark.rule("G5")
def test_an_unturned_piece_lies_as_it_is_drawn() -> None:
    city = board().city(Layout((6, 1, 2, 3, 4, 5), (0,) * 6))
    kinds = [city.kind[cell] for cell in city.lattice.districts[0]]
    assert "".join(kinds) == "R" + "C.E" + "L..P."
    # Row 0 at the centre, row 1 from the d0 edge to the d1 edge, row 2 likewise.
    assert city.kind[0, 0, "U"] == "R"
    assert city.kind[1, 0, "U"] == "C"
    assert city.kind[0, 0, "D"] == "."
    assert city.kind[0, 1, "U"] == "E"
    assert city.kind[2, 0, "U"] == "L"
    assert city.kind[0, 1, "D"] == "P"


@pytest.mark.rule("G5", "G6")
def test_a_layout_moves_cells_and_neither_adds_nor_loses_any() -> None:
    small = board()
    for layout in sample(30):
        kinds = small.city(layout).kind
        for sector, piece in enumerate(layout.pieces):
            cells = small.lattice.districts[sector]
            assert Counter(kinds[cell] for cell in cells) == Counter("".join(small.pieces[piece - 1]))


@pytest.mark.rule("G7")
def test_frame_keeps_its_place_whatever_the_layout() -> None:
    frame = ("SE.", ".SE", "E.S", "SSE", "EE.", "...")
    for layout in (IDENTITY, IDENTITY.turned_city(2)):
        city = board(frame).city(layout)
        assert ["".join(city.kind["F", k, i] for i in range(3)) for k in range(6)] == list(frame)
        assert city.arrows["S"] == (("F", 0, 0), ("F", 1, 1), ("F", 2, 2), ("F", 3, 0), ("F", 3, 1))
        assert city.arrows["E"] == (
            ("F", 0, 1),
            ("F", 1, 2),
            ("F", 2, 0),
            ("F", 3, 2),
            ("F", 4, 0),
            ("F", 4, 1),
        )


@pytest.mark.rule("G5", "G7")
def test_an_end_on_the_frame_is_not_an_entertainment_spot() -> None:
    city = board().city(IDENTITY)
    assert city.kind["F", 0, 2] == "E"
    spots = Counter(city.kind[cell] for cell in city.lattice.city_cells if city.kind[cell] in SPOTS)
    # Every piece has R, C and E; in five of them another C covers one cell of the last row.
    assert spots == {"R": 6, "C": 11, "E": 6}


# --- turning the city -------------------------------------------------------------------------------------


@pytest.mark.rule("G6")
@settings(derandomize=True, deadline=None)
@given(layout=LAYOUT)
def test_turning_the_city_all_the_way_round_changes_nothing(layout: Layout) -> None:
    turned = layout
    for by in range(6):
        assert layout.turned_city(by) == turned
        turned = turned.turned_city(1)
    assert turned == layout
    assert layout.turned_city(1).pieces[1] == layout.pieces[0]


@pytest.mark.rule("G6")
@settings(derandomize=True, deadline=None)
@given(layout=LAYOUT, by=st.integers(0, 5))
def test_turned_city_is_the_same_picture_turned(layout: Layout, by: int) -> None:
    small = board()
    turn = complex(0.5, sqrt(3) / 2) ** by
    assert picture(small.city(layout.turned_city(by))) == picture(small.city(layout), turn)


@pytest.mark.rule("G6", "G7")
def test_a_lopsided_frame_does_not_turn_with_the_city() -> None:
    lopsided = board(("SE.", "S.E", "SE.", "SE.", "SE.", "SE."))
    turn = complex(0.5, sqrt(3) / 2)
    turned, still = lopsided.city(IDENTITY.turned_city(1)), lopsided.city(IDENTITY)
    assert picture(turned, frame=False) == picture(still, turn, frame=False)
    assert picture(turned) != picture(still, turn)


@pytest.mark.rule("G6")
@pytest.mark.parametrize(
    ("frame", "symmetry", "classes"),
    [
        (("S.E",) * 6, (0, 1, 2, 3, 4, 5), 87_480),
        (("S.E", "SE.") * 3, (0, 2, 4), 174_960),
        (("S.E", "SE.", "ES.") * 2, (0, 3), 262_440),
        (("S.E", "SE.", "SE.", "SE.", "SE.", "SE."), (0,), 524_880),
        (("S.E", "SE.", "S.E", "SE.", "S.E", "ES."), (0,), 524_880),
    ],
)
def test_classes_depend_on_how_often_the_frame_looks_the_same(
    frame: tuple[str, ...], symmetry: tuple[int, ...], classes: int
) -> None:
    framed = board(frame)
    assert framed.symmetry == symmetry
    assert framed.distinct_cities == classes
    # Orbits counted on their own: number all layouts, turn them, keep the smallest number of each.
    assert count_orbits(symmetry) == classes


def count_orbits(turns_of_the_city: tuple[int, ...]) -> int:
    """How many layouts are left when those that are turns of each other count once."""
    orders = np.array(np.meshgrid(*[np.arange(6)] * 6, indexing="ij")).reshape(6, -1)
    orders = orders[:, (np.sort(orders, axis=0) == np.arange(6)[:, None]).all(axis=0)]
    turns = np.array(np.meshgrid(*[np.arange(3)] * 6, indexing="ij")).reshape(6, -1)
    digits = (orders[:, :, None] * 3 + turns[:, None, :]).reshape(6, -1)  # one digit of base 18 per sector
    weights = 18 ** np.arange(6)
    numbers = [np.roll(digits, by, axis=0).T @ weights for by in turns_of_the_city]
    return len(np.unique(np.min(numbers, axis=0)))


@pytest.mark.rule("G6")
@pytest.mark.parametrize("frame", [("S.E",) * 6, ("S.E", "SE.") * 3, ("S.E", "SE.", "ES.") * 2])
def test_canonical_layout_does_not_depend_on_where_one_sits(frame: tuple[str, ...]) -> None:
    framed = board(frame)
    for layout in sample(200):
        seen_from = {layout.turned_city(by) for by in framed.symmetry}
        assert len(seen_from) == len(framed.symmetry)
        assert len({framed.canonical(other) for other in seen_from}) == 1
        assert framed.canonical(layout) in seen_from


@pytest.mark.rule("G6")
def test_canonical_layout_of_a_regular_frame_has_piece_one_in_sector_zero() -> None:
    for layout in sample(200):
        canonical = board().canonical(layout)
        assert canonical.pieces[0] == 1
        at = layout.pieces.index(1)
        assert canonical.turns == layout.turns[at:] + layout.turns[:at]


@pytest.mark.rule("G6")
def test_canonical_layouts_differ_when_the_frame_tells_the_sides_apart() -> None:
    lopsided = board(("S.E", "SE.", "SE.", "SE.", "SE.", "SE."))
    assert all(lopsided.canonical(layout) == layout for layout in sample(50))


@pytest.mark.slow
@pytest.mark.rule("G6")
def test_87480_layouts_of_roomy_are_canonical() -> None:
    roomy = load("roomy")
    assert sum(roomy.canonical(layout) == layout for layout in all_layouts()) == roomy.distinct_cities == 87_480


@pytest.mark.rule("G6")
def test_the_first_layouts_have_piece_one_first_and_are_canonical() -> None:
    assert all(board().canonical(layout) == layout for layout in islice(all_layouts(), 1000))


# --- drawing layouts --------------------------------------------------------------------------------------


def uniformity(layouts: list[Layout]) -> list[float]:
    """p-values: which piece lies where, and how each sector's piece is turned."""
    where = Counter((sector, x.pieces[sector]) for x in layouts for sector in range(6))
    turns = Counter((sector, x.turns[sector]) for x in layouts for sector in range(6))
    by_sector = [[where[sector, piece] for piece in range(1, 7)] for sector in range(6)]
    turned = [[turns[sector, turn] for turn in range(3)] for sector in range(6)]
    return [chisquare(row).pvalue for row in by_sector + turned]


@pytest.mark.rule("G6")
def test_drawn_layouts_are_uniform_by_piece_and_turn() -> None:
    assert min(uniformity(sample(3000))) > 0.001


@pytest.mark.slow
@pytest.mark.rule("G6")
def test_drawn_layouts_are_uniform_over_all_orders_and_all_turnings() -> None:
    layouts = sample(300_000, seed=2006)
    orders = Counter(layout.pieces for layout in layouts)
    turnings = Counter(layout.turns for layout in layouts)
    assert (len(orders), len(turnings)) == (720, 729)
    assert chisquare(list(orders.values())).pvalue > 0.001
    assert chisquare(list(turnings.values())).pvalue > 0.001
    # Order and the last three turns together.
    blocks = Counter(layout.index // 729 * 27 + layout.index % 27 for layout in layouts)
    assert len(blocks) == 720 * 27
    assert chisquare(list(blocks.values())).pvalue > 0.001
    assert min(uniformity(layouts)) > 0.001


@pytest.mark.rule("G6")
def test_generate_gives_as_many_layouts_as_asked_for_and_the_same_for_a_seed() -> None:
    first = list(generate(board(), 40, seed=5))
    assert first == list(generate(board(), 40, seed=5)) == sample(40, seed=5)
    assert first != list(generate(board(), 40, seed=6))
    assert list(generate(board(), 0, seed=5)) == []


@pytest.mark.rule("G6")
def test_generate_unique_gives_every_city_once_however_it_is_turned() -> None:
    small = board()
    drawn = list(generate(small, 3000, seed=1))
    assert len({small.canonical(layout) for layout in drawn}) < 3000  # some do come up again
    different = list(generate(small, 3000, seed=1, unique=True))
    assert len(different) == 3000
    seen: set[Layout] = set()
    for layout in different:
        turned = {layout.turned_city(by) for by in range(6)}
        assert seen.isdisjoint(turned)
        seen |= turned


@pytest.mark.rule("G6")
def test_generate_unique_refuses_more_cities_than_there_are() -> None:
    with pytest.raises(UsageError) as refusal:
        next(generate(board(), 87_481, seed=1, unique=True))
    assert str(refusal.value) == ("--unique asks for 87481 different cities, but 'lopsided' makes only 87480")
    assert isinstance(next(generate(board(), 87_480, seed=1, unique=True)), Layout)


@pytest.mark.rule("G6")
def test_generate_without_unique_has_no_such_limit() -> None:
    assert isinstance(next(generate(board(), 10**9, seed=1)), Layout)
