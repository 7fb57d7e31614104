"""The city on a sheet: cells, pieces, lake, park and the frame with its arrows (rules G1-G7)."""

from collections.abc import Iterator, Mapping
from math import hypot, pi, sin
from types import MappingProxyType

from mmsim.drawing.board_canvas import BoardCanvas, mean, rotate_points
from mmsim.drawing.canvas import Point
from mmsim.drawing.style import FAINT, INK, PAPER, fitting_size
from mmsim.metromania.rules.board import SPOTS, WATER_AND_GREEN, City
from mmsim.metromania.rules.lattice import Cell, Vertex, position, step
from mmsim.metromania.shell.draw_palette import FRAME, FRAME_CELL, KIND_FILL, KIND_INK
from mmsim.system.safe_text import on_one_line

ROW = 3**0.5 / 2  # height of a cell
LETTER = 0.34  # size of the letter in a spot

LATTICE_COLOUR, LATTICE_WIDTH = "#CFC8B8", 0.018
BORDER_COLOUR, BORDER_WIDTH = "#57524A", 0.055
_RIM = 0.3  # rounds the corners of the frame
_COORDINATES = 0.56  # how far outside a vertex of the border its name stands
_LABEL_LINE, _LABEL_STRIP = 1.15, 2.1  # where piece labels stand outside the portals, in ems


def em(side: int) -> float:
    """The unit of labels, captions and margins."""
    return 0.046 * (side + 1)


def frame_corners(side: int) -> list[Point]:
    """The outer corners of the frame."""
    apothem = (side + 1) * ROW + _LABEL_STRIP * em(side)
    return [(x * apothem / ROW, y * apothem / ROW) for x, y in (position(step((0, 0), k)) for k in range(6))]


def draw_city(sheet: BoardCanvas, city: City, covered: Mapping[Cell, int] = MappingProxyType({})) -> None:
    """The city; a covered spot has a marker in place of its letter (in an animation, from the move in `covered` on)."""
    _draw_frame(sheet, city)
    _draw_cells(sheet, city, covered)
    _draw_lattice(sheet, city)
    _draw_borders(sheet, city)
    _draw_coordinates(sheet, city)
    _draw_labels(sheet, city)


def triangle(city: City, cell: Cell) -> list[Point]:
    return [position(corner) for corner in city.lattice.corners[cell]]


def cell_name(cell: Cell) -> str:
    """A cell as part of the id of a shape."""
    return "_".join(str(part) for part in cell)


# --- the marks, also shown in the legend -----------------------------------------------------------------


def draw_spot(
    sheet: BoardCanvas, corners: list[Point], kind: str, lettered: bool = True, gid: str | None = None
) -> None:
    """A spot: its colour and its letter."""
    sheet.area([corners], KIND_FILL[kind], gid=gid)
    if lettered:
        draw_spot_letter(sheet, corners, kind)


def draw_spot_letter(sheet: BoardCanvas, corners: list[Point], kind: str) -> None:
    sheet.text(mean(corners), kind, LETTER, KIND_INK[kind], "bold")


def draw_arrow(sheet: BoardCanvas, at: Point, angle: float, kind: str, gid: str | None = None) -> None:
    """G7: a white arrow for a start, a black one for an end, pointing along the angle."""
    shape = [(-0.16, -0.045), (0.0, -0.045), (0.0, -0.12), (0.17, 0.0), (0.0, 0.12), (0.0, 0.045), (-0.16, 0.045)]
    sheet.area([rotate_points(shape, angle, at)], PAPER if kind == "S" else INK, edge=INK, width=0.03, gid=gid)


def draw_waves(sheet: BoardCanvas, at: Point) -> None:
    xs = [-0.18 + 0.36 * i / 24 for i in range(25)]
    waves = [[(at[0] + x, at[1] + y + 0.03 * sin(2 * pi * x / 0.18)) for x in xs] for y in (0.05, -0.07)]
    sheet.strokes(waves, KIND_INK["L"], 0.026)


def draw_tree(sheet: BoardCanvas, at: Point) -> None:
    x, y = at
    sheet.strokes([[(x, y - 0.2), (x, y)]], KIND_INK["P"], 0.05)
    sheet.disc((x, y + 0.04), 0.125, "#5FA884", KIND_INK["P"], 0.022)


def draw_landscape(sheet: BoardCanvas, outlines: list[list[Point]], kind: str, gid: str | None = None) -> None:
    """A lake or a park: one area of many cells, its letter in the cell nearest the middle, marks in the others."""
    fill = KIND_FILL[kind]
    sheet.area(outlines, fill, edge=fill, width=0.02, gid=gid)  # the edge closes the seams between the cells
    centre = mean([mean(outline) for outline in outlines])
    middles = sorted((mean(outline) for outline in outlines), key=lambda m: _distance(m, centre))
    sheet.text(middles[0], kind, LETTER, KIND_INK[kind], "bold")
    for middle in middles[1:]:
        (draw_waves if kind == "L" else draw_tree)(sheet, middle)


def _distance(a: Point, b: Point) -> float:
    return round(hypot(a[0] - b[0], a[1] - b[1]), 6)  # rounded: cells equally far keep their order


# --- the city --------------------------------------------------------------------------------------------


def _draw_frame(sheet: BoardCanvas, city: City) -> None:
    sheet.area([frame_corners(city.lattice.side)], FRAME, edge=FRAME, width=_RIM)
    for cell in city.lattice.frame_cells:
        corners = triangle(city, cell)
        kind = city.kind[cell]
        fill = FRAME if kind == "." else FRAME_CELL
        sheet.area([corners], fill, LATTICE_COLOUR, LATTICE_WIDTH, f"frame-{cell_name(cell)}")
        if kind != ".":
            outwards = 60 * int(cell[1]) + 30
            # A little towards the base, where a tunnel along a slanted edge leaves the arrow in sight.
            at = rotate_points([(-0.04, 0.0)], outwards, mean(corners))[0]
            way = outwards if kind == "E" else outwards + 180
            draw_arrow(sheet, at, way, kind, f"arrow-{kind}-{cell_name(cell)}")


def _draw_cells(sheet: BoardCanvas, city: City, covered: Mapping[Cell, int]) -> None:
    n = city.lattice.side
    sheet.area([[position(step((0, 0), k, n)) for k in range(6)]], KIND_FILL["."], gid="city")
    for cell in city.lattice.city_cells:
        kind = city.kind[cell]
        if kind in SPOTS:
            gid = f"spot-{kind}-{cell_name(cell)}"
            draw_spot(sheet, triangle(city, cell), kind, cell not in covered, gid)
            if sheet.animated and cell in covered:
                draw_spot_letter(sheet.during(0, covered[cell]), triangle(city, cell), kind)
    for number, cells in enumerate(landscapes(city)):
        kind = city.kind[cells[0]]
        draw_landscape(sheet, [triangle(city, cell) for cell in cells], kind, f"landscape-{kind}-{number}")


def landscapes(city: City) -> Iterator[list[Cell]]:
    """The lakes and parks: cells of one kind that share edges."""
    beside = _cells_by_edge(city)
    neighbours: dict[Cell, set[Cell]] = {cell: set() for cell in city.lattice.city_cells}
    for cells in beside.values():
        for cell in cells:
            neighbours[cell].update(cells)
    left = [cell for cell in city.lattice.city_cells if city.kind[cell] in WATER_AND_GREEN]
    while left:
        landscape: set[Cell] = {left[0]}
        frontier: list[Cell] = [left[0]]
        while frontier:
            cell = frontier.pop()
            new = {other for other in neighbours[cell] - landscape if city.kind[other] == city.kind[cell]}
            landscape |= new
            frontier += new
        yield [cell for cell in left if cell in landscape]
        left = [cell for cell in left if cell not in landscape]


def _cells_by_edge(city: City) -> dict[tuple[Vertex, Vertex], list[Cell]]:
    """The one or two city cells at every edge of the city."""
    beside: dict[tuple[Vertex, Vertex], list[Cell]] = {}
    for cell in city.lattice.city_cells:
        a, b, c = sorted(city.lattice.corners[cell])
        for edge in ((a, b), (b, c), (a, c)):
            beside.setdefault(edge, []).append(cell)
    return beside


def _draw_lattice(sheet: BoardCanvas, city: City) -> None:
    """The thin lines between the cells, but none across water or green."""

    def is_drawn(cells: list[Cell]) -> bool:
        kinds = {city.kind[cell] for cell in cells}
        return len(kinds) > 1 or kinds.isdisjoint(WATER_AND_GREEN)

    edges = [edge for edge, cells in _cells_by_edge(city).items() if is_drawn(cells)]
    lines = [[position(u), position(w)] for u, w in edges]
    sheet.strokes(lines, LATTICE_COLOUR, LATTICE_WIDTH, "lattice")


def _draw_borders(sheet: BoardCanvas, city: City) -> None:
    """The thick lines around the six pieces (G4)."""
    corners = [position(step((0, 0), k, city.lattice.side)) for k in range(6)]
    sheet.strokes([[(0.0, 0.0), corner] for corner in corners], BORDER_COLOUR, BORDER_WIDTH, "borders")
    sheet.area([corners], "none", edge=BORDER_COLOUR, width=1.3 * BORDER_WIDTH, gid="outline")


def _draw_coordinates(sheet: BoardCanvas, city: City) -> None:
    """The coordinates of the border vertices, as stories give them, each between two cells of the frame.

    The second number is constant along a row, the first along lines that rise to the right.
    """
    side = city.lattice.side
    for k in range(6):
        for i in range(side):
            vertex = city.lattice.border_vertex(k, i)
            x, y = position(vertex)
            outwards = 60 * k if i == 0 else 60 * k + 30
            at = rotate_points([(_COORDINATES, 0.0)], outwards, (x, y))[0]
            text = f"{vertex[0]},{vertex[1]}".replace("-", "\u2212")
            sheet.text(at, text, 0.15, FAINT, gid=f"vertex-{vertex[0]}_{vertex[1]}")


def _draw_labels(sheet: BoardCanvas, city: City) -> None:
    """The number of each side as stories give it, which piece lies behind it and how it is turned."""
    side = city.lattice.side
    names = city.board_set.piece_names
    for k, code in enumerate(city.layout.code.split("-")):
        piece = city.layout.pieces[k]
        label = f"side {k}:  {code}" + (f"  {on_one_line(names[piece - 1])}" if len(names) >= piece else "")
        apothem = (side + 1) * ROW + _LABEL_LINE * em(side)
        at = rotate_points([(apothem, 0.0)], 60 * k + 30, (0.0, 0.0))[0]
        size = fitting_size(label, 0.85 * em(side), 0.9 * side)
        sheet.text(at, label, size, FAINT, angle=_along(k), gid=f"piece-{code}")


def _along(side: int) -> float:
    """The angle of a label along a side, never upside down."""
    return (-60.0, 0.0, 60.0)[side % 3]
