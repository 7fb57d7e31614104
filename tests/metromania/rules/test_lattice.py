"""Rules G1-G4 and G7 for every size of city, checked against plane geometry."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise
from math import floor, isclose, sqrt

import pytest

from mmsim.metromania.rules.lattice import (
    ABSENT,
    DIRECTIONS,
    Cell,
    Lattice,
    Vertex,
    direction_of,
    far_sides,
    is_frame,
    lattice,
    position,
    step,
)


@pytest.fixture(params=range(3, 13))
def n(request: pytest.FixtureRequest) -> int:
    """Every side a city may have."""
    return int(request.param)


@pytest.fixture
def grid(n: int) -> Lattice:
    return lattice(n)


def plane(vertex: Vertex) -> complex:
    """Where a vertex lies in the plane, written down from G1 once more."""
    q, r = vertex
    return complex(q + r / 2, r * sqrt(3) / 2)


def centroid(grid: Lattice, cell: Cell) -> complex:
    return sum(map(plane, grid.corners[cell])) / 3


def rotated(vertex: Vertex) -> Vertex:
    """Sixty degrees counter-clockwise about the centre: d0 goes to d1, d1 to d2."""
    q, r = vertex
    return -r, q + r


def cross(a: complex, b: complex) -> float:
    return a.real * b.imag - a.imag * b.real


def is_border_edge(u: Vertex, w: Vertex, n: int) -> bool:
    """Whether an edge lies on a side of the city: both ends on the same bounding line."""
    lines: list[Callable[[Vertex], int]] = [lambda v: v[0], lambda v: v[1], lambda v: v[0] + v[1]]
    return any(line(u) == line(w) and abs(line(u)) == n for line in lines)


# --- G1: directions ---------------------------------------------------------------------------------------


@pytest.mark.rule("G1")
def test_directions_are_the_six_unit_steps_counter_clockwise() -> None:
    assert DIRECTIONS == ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
    for d in range(6):
        turn = plane(DIRECTIONS[(d + 1) % 6]) / plane(DIRECTIONS[d])
        assert abs(turn - complex(0.5, sqrt(3) / 2)) < 1e-12
        assert step((2, -1), d, 4) == step((2, -1), d + 6, 4) == step((2, -1), d + 3, -4)


@pytest.mark.rule("G1")
def test_vertices_are_drawn_on_a_triangular_lattice_with_y_up(n: int, grid: Lattice) -> None:
    for vertex in grid.vertices:
        x, y = position(vertex)
        assert abs(complex(x, y) - plane(vertex)) < 1e-9
    assert position((0, n))[1] > 0


@pytest.mark.rule("G1")
def test_direction_of_is_undone_by_step(grid: Lattice) -> None:
    for u in grid.city_vertices:
        assert [direction_of(u, step(u, d)) for d in range(6)] == list(range(6))


@pytest.mark.rule("G1")
@pytest.mark.parametrize("far", [(0, 0), (1, 1), (2, 0)])
def test_only_neighbours_have_a_direction_between_them(far: Vertex) -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        direction_of((0, 0), far)


# --- G2: the city -----------------------------------------------------------------------------------------


@pytest.mark.rule("G2")
def test_city_has_the_vertices_of_a_hexagon(n: int, grid: Lattice) -> None:
    assert len(set(grid.city_vertices)) == len(grid.city_vertices) == 3 * n * (n + 1) + 1
    # A vertex is in the hexagon when it is at most N steps from the centre.
    within = {(0, 0)}
    for _ in range(n):
        within |= {(q + dq, r + dr) for q, r in within for dq, dr in DIRECTIONS}
    assert set(grid.city_vertices) == within


@pytest.mark.rule("G2")
def test_city_has_six_n_squared_cells(n: int, grid: Lattice) -> None:
    assert len(set(grid.city_cells)) == len(grid.city_cells) == 6 * n * n
    # No two of them are the same triangle.
    assert len({frozenset(grid.corners[cell]) for cell in grid.city_cells}) == 6 * n * n


@pytest.mark.rule("G2")
def test_corner_k_is_n_steps_along_direction_k_and_sides_join_the_corners(n: int, grid: Lattice) -> None:
    corners = [(n, 0), (0, n), (-n, n), (-n, 0), (0, -n), (n, -n)]
    for k in range(6):
        assert grid.border_vertex(k, 0) == corners[k]
        assert grid.border_vertex(k, n) == corners[(k + 1) % 6]
        for i in range(n + 1):
            between = plane(corners[k]) + (plane(corners[(k + 1) % 6]) - plane(corners[k])) * i / n
            assert abs(plane(grid.border_vertex(k, i)) - between) < 1e-9


@pytest.mark.rule("G2")
def test_border_vertices_are_the_outer_ring(n: int, grid: Lattice) -> None:
    border = {grid.border_vertex(k, i) for k in range(6) for i in range(n)}
    assert len(border) == 6 * n
    assert border == {v for v in grid.city_vertices if max(abs(v[0]), abs(v[1]), abs(v[0] + v[1])) == n}


# --- G3: cells --------------------------------------------------------------------------------------------


@pytest.mark.rule("G3")
def test_city_cells_have_the_corners_of_their_spelling(grid: Lattice) -> None:
    assert set(grid.corners[0, 0, "U"]) == {(0, 0), (1, 0), (0, 1)}
    assert set(grid.corners[0, 0, "D"]) == {(1, 0), (0, 1), (1, 1)}
    for q, r, way in grid.city_cells:
        corners = grid.corners[q, r, way]
        assert all(isclose(abs(plane(a) - plane(b)), 1) for a, b in combinations(corners, 2))
        heights = sorted(vertex[1] for vertex in corners)
        assert heights == ([r, r, r + 1] if way == "U" else [r, r + 1, r + 1])
        assert min(vertex[0] for vertex in corners) == q


@pytest.mark.rule("G3")
def test_cells_at_a_vertex_are_those_with_a_corner_there(n: int, grid: Lattice) -> None:
    for vertex, cells in grid.cells_at.items():
        assert set(cells) == {cell for cell in grid.city_cells if vertex in grid.corners[cell]}
    sizes = Counter(len(cells) for cells in grid.cells_at.values())
    assert sizes == {6: 3 * n * (n - 1) + 1, 3: 6 * (n - 1), 2: 6, 0: 6 * n}


# --- G4: districts ----------------------------------------------------------------------------------------


@pytest.mark.rule("G4")
def test_districts_share_out_the_city(n: int, grid: Lattice) -> None:
    assert [len(set(cells)) for cells in grid.districts] == [n * n] * 6
    assert set().union(*grid.districts) == set(grid.city_cells)


@pytest.mark.rule("G4")
def test_district_lies_in_the_triangle_of_the_centre_and_two_corners(grid: Lattice) -> None:
    for k, cells in enumerate(grid.districts):
        one, other = plane(DIRECTIONS[k]), plane(DIRECTIONS[(k + 1) % 6])
        for cell in cells:
            middle = centroid(grid, cell)
            assert cross(one, middle) > 0
            assert cross(middle, other) > 0


@pytest.mark.rule("G4")
def test_district_k_is_district_zero_turned(grid: Lattice) -> None:
    expected = [{*grid.corners[cell]} for cell in grid.districts[0]]
    for k in range(6):
        assert [{*grid.corners[cell]} for cell in grid.districts[k]] == expected
        expected = [{rotated(vertex) for vertex in corners} for corners in expected]


@pytest.mark.rule("G4", "G5")
def test_rows_run_from_the_centre_and_columns_from_edge_k_to_edge_k_plus_one(n: int, grid: Lattice) -> None:
    for k, cells in enumerate(grid.districts):
        one, other = plane(DIRECTIONS[k]), plane(DIRECTIONS[(k + 1) % 6])
        area = cross(one, other)

        def coordinates(cell: Cell, one: complex = one, other: complex = other, area: float = area) -> list[int]:
            middle = centroid(grid, cell)
            along, across = cross(middle, other) / area, cross(one, middle) / area
            return [floor(along), floor(across), floor(n - along - across)]

        in_rows = iter(cells)
        for row in range(n):
            drawn = [coordinates(next(in_rows)) for _ in range(2 * row + 1)]
            # Like the sector's own triangle: a + b + c = N - 1; the others between them: N - 2.
            alike = [[row - b, b, n - 1 - row] for b in range(row + 1)]
            between = [[row - 1 - b, b, n - 1 - row] for b in range(row)]
            assert drawn[::2] == alike
            assert drawn[1::2] == between


# --- G7: the frame ----------------------------------------------------------------------------------------


@pytest.mark.rule("G7")
def test_portals_are_never_shared(n: int, grid: Lattice) -> None:
    assert len(grid.portals) == len(set(grid.portals)) == 6 * n
    assert set(grid.portals).isdisjoint(grid.city_vertices)


@pytest.mark.rule("G7")
def test_portals_are_the_ring_around_the_city_without_its_corners(n: int, grid: Lattice) -> None:
    reach = range(-n - 1, n + 2)
    ring = {(q, r) for q in reach for r in reach if max(abs(q), abs(r), abs(q + r)) == n + 1}
    assert set(grid.portals) == ring - {((n + 1) * q, (n + 1) * r) for q, r in DIRECTIONS}


@pytest.mark.rule("G7")
def test_frame_cell_stands_on_its_base_outside_the_city(n: int, grid: Lattice) -> None:
    assert grid.frame_cells == tuple(("F", k, i) for k in range(6) for i in range(n))
    for k in range(6):
        for i in range(n):
            one, other, apex = grid.corners["F", k, i]
            assert (one, other) == (grid.border_vertex(k, i), grid.border_vertex(k, i + 1))
            assert apex == grid.portal(k, i)
            assert isclose(abs(plane(apex) - plane(one)), 1)
            assert isclose(abs(plane(apex) - plane(other)), 1)
            # Walking the side counter-clockwise the city is on the left, the portal on the right.
            assert cross(plane(other) - plane(one), plane(apex) - plane(one)) < 0


@pytest.mark.rule("G7")
def test_far_sides_are_those_that_do_not_touch_the_side(n: int, grid: Lattice) -> None:
    border = [{grid.border_vertex(k, i) for i in range(n + 1)} for k in range(6)]
    for k in range(6):
        assert set(far_sides(k)) == {other for other in range(6) if not border[k] & border[other]}
        assert len(far_sides(k)) == 3


@pytest.mark.rule("G7")
def test_no_way_runs_along_the_base_of_a_frame_cell(n: int, grid: Lattice) -> None:
    portals = set(grid.portals)
    frame_ways = [(u, w, c) for u, ways in grid.ways_out.items() for w, c in ways if is_frame(c)]
    assert len(frame_ways) == 4 * 6 * n  # two slanted edges, there and back
    assert all((u in portals) != (w in portals) for u, w, _ in frame_ways)


# --- ways and tables --------------------------------------------------------------------------------------


@pytest.mark.rule("G3", "G7")
def test_every_way_lies_in_a_cell_with_both_its_ends(n: int, grid: Lattice) -> None:
    ways = [(u, w, cell) for u, out in grid.ways_out.items() for w, cell in out]
    # Every city cell has three edges and every frame cell two, each dug in two directions.
    assert len(ways) == len(set(ways)) == 2 * (3 * 6 * n * n + 2 * 6 * n)
    for u, w, cell in ways:
        assert u != w
        assert {u, w} < set(grid.corners[cell])
        assert (u, cell) in grid.ways_out[w]


def test_ways_go_round_by_direction_with_the_left_cell_first(n: int, grid: Lattice) -> None:
    pairs = 0
    for u, ways in grid.ways_out.items():
        directions = [direction_of(u, w) for w, _ in ways]
        assert directions == sorted(directions)
        for (w, left), (also_w, right) in pairwise(ways):
            if w == also_w:
                pairs += 1
                ahead = plane(w) - plane(u)
                assert cross(ahead, centroid(grid, left) - plane(u)) > 0
                assert cross(ahead, centroid(grid, right) - plane(u)) < 0
    assert pairs == 2 * (9 * n * n - 3 * n)  # every edge inside the city, both ways


@pytest.mark.rule("G2", "G7")
def test_every_edge_has_the_right_number_of_cells(n: int, grid: Lattice) -> None:
    assert grid.edges.shape == (9 * n * n + 3 * n + 12 * n, 2)
    portals = set(grid.portals)
    tally: Counter[str] = Counter()
    for a, b in grid.edges.tolist():
        assert a < b
        u, w = grid.vertices[a], grid.vertices[b]
        along = [cell for end, cell in grid.ways_out[u] if end == w]
        assert len(set(along)) == len(along)
        assert all({u, w} < set(grid.corners[cell]) for cell in along)
        if w in portals:
            assert len(along) == 1
            assert is_frame(along[0])
            tally["slanted"] += 1
        elif is_border_edge(u, w, n):
            assert len(along) == 1
            assert not is_frame(along[0])
            tally["border"] += 1
        else:
            assert len(along) == 2
            assert not any(map(is_frame, along))
            tally["inside"] += 1
    assert tally == {"slanted": 12 * n, "border": 6 * n, "inside": 9 * n * n - 3 * n}


def test_neighbour_table_agrees_with_distances_in_the_plane(grid: Lattice) -> None:
    portals = set(grid.portals)
    number = {v: i for i, v in enumerate(grid.vertices)}
    assert grid.neighbours.shape == grid.edge_id.shape == (len(grid.vertices), 6)
    for u, row in zip(grid.vertices, grid.neighbours.tolist(), strict=True):
        for d, (dq, dr) in enumerate(DIRECTIONS):
            w = (u[0] + dq, u[1] + dr)
            # No tunnel joins two portals; everything else next to each other is joined.
            joined = w in number and not (u in portals and w in portals)
            assert row[d] == (number[w] if joined else ABSENT)


def test_edge_numbers_agree_with_the_neighbour_table(grid: Lattice) -> None:
    ends = grid.edges.tolist()
    for u, (row, numbers) in enumerate(zip(grid.neighbours.tolist(), grid.edge_id.tolist(), strict=True)):
        for w, edge in zip(row, numbers, strict=True):
            assert (edge == ABSENT) == (w == ABSENT)
            if w != ABSENT:
                assert ends[edge] == sorted((u, w))


def test_slot_cells_lie_left_and_right_of_the_way(grid: Lattice) -> None:
    assert grid.slot_cells.shape == (len(grid.vertices), 12)
    filled = 0
    for u, row in zip(grid.vertices, grid.slot_cells.tolist(), strict=True):
        for d in range(6):
            ahead = plane(DIRECTIONS[d])
            for is_right in (0, 1):
                number = row[2 * d + is_right]
                if number == ABSENT:
                    continue
                filled += 1
                cell = grid.cells[number]
                assert (step(u, d), cell) in grid.ways_out[u]
                side = cross(ahead, centroid(grid, cell) - plane(u))
                assert (side < 0) == bool(is_right)
    assert filled == sum(len(ways) for ways in grid.ways_out.values())


def test_the_table_of_corners_agrees_with_the_coordinates(grid: Lattice) -> None:
    for cell, row in zip(grid.cells, grid.cell_corners.tolist(), strict=True):
        assert tuple(grid.vertices[corner] for corner in row) == grid.corners[cell]


def test_numbers_count_the_city_first_then_the_frame(n: int, grid: Lattice) -> None:
    assert grid.vertices[: len(grid.city_vertices)] == grid.city_vertices
    assert grid.cells[: 6 * n * n] == grid.city_cells
    assert [grid.vertex_id[vertex] for vertex in grid.vertices] == list(range(3 * n * n + 9 * n + 1))
    assert [grid.cell_id[cell] for cell in grid.cells] == list(range(6 * n * n + 6 * n))
    # The portal of a frame cell has the same place among the portals as the cell among the frame cells.
    assert [grid.corners[cell][2] for cell in grid.frame_cells] == list(grid.portals)


def test_a_lattice_is_built_once(n: int, grid: Lattice) -> None:
    assert lattice(n) is grid


@pytest.mark.parametrize("wrong", [-3, 0, 2, 13])
def test_sizes_outside_three_to_twelve_are_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match=f"3 to 12, not {wrong}"):
        lattice(wrong)
