"""Where tunnels, stations and markers lie at the end of games, and the board to draw that on."""

from collections.abc import Iterator
from math import cos, pi, sin

from mmsim.core.shell import EndPosition
from mmsim.core.variant import VariantDescription
from mmsim.drawing.board_canvas import BoardCanvas
from mmsim.drawing.canvas import Point
from mmsim.drawing.heat_maps import HeatMapBoard
from mmsim.drawing.style import FAINT
from mmsim.metromania.rules.lattice import Cell, Vertex, lattice, position, step, turned
from mmsim.metromania.rules.position import Game
from mmsim.metromania.shell.draw_city import ROW, cell_name
from mmsim.metromania.shell.draw_palette import FRAME, FRAME_CELL, KIND_FILL

HEAT_MAP_NOTE = (
    "Layouts differ: every city is turned so that the first line of the game starts on the upper right side; "
    "pieces and spots are averaged over."
)
_TUNNELS, _STATIONS, _MARKERS = "tunnels", "stations", "markers"


def end_positions(game: Game) -> Iterator[EndPosition]:
    """Where everything of a finished game lies, turned so that its first line starts on side 0."""
    grid, turns = game.city.lattice, -(game.lines[0][0].start_side or 0)

    def turned_name(cell: Cell) -> str:
        return cell_name(grid.cell_with_corners[frozenset(turned(corner, turns) for corner in grid.corners[cell])])

    for cell, (seat, _) in game.tunnels.items():
        yield EndPosition(_TUNNELS, seat, turned_name(cell))
    for played in game.history:
        for vertex in played.stations:
            yield EndPosition(_STATIONS, played.seat, _vertex_name(turned(vertex, turns)))
    for seat, cell in game.placed.values():
        yield EndPosition(_MARKERS, seat, turned_name(cell))


def heat_map_board(description: VariantDescription) -> HeatMapBoard:
    """The board of a variant: its frame, its city and the borders of the six pieces."""
    side = int(description.board["side"])
    city = lattice(side)
    cells = {cell_name(cell): [position(corner) for corner in corners] for cell, corners in city.corners.items()}
    stations = {_vertex_name(vertex): _disc(position(vertex)) for vertex in city.city_vertices}
    corners = [position(step((0, 0), k, side)) for k in range(6)]

    def beneath(sheet: BoardCanvas) -> None:
        sheet.area([[(x * (side + 1) / side, y * (side + 1) / side) for x, y in corners]], FRAME)
        sheet.area(
            [[position(c) for c in city.corners[cell]] for cell in city.frame_cells], FRAME_CELL, "#CFC8B8", 0.02
        )
        sheet.area([corners], KIND_FILL["."])

    def above(sheet: BoardCanvas) -> None:
        sheet.strokes([[(0.0, 0.0), corner] for corner in corners], FAINT, 0.05)
        sheet.area([corners], "none", FAINT, 0.09)

    shapes = {_TUNNELS: cells, _STATIONS: stations, _MARKERS: cells}
    return HeatMapBoard((side + 1.0, (side + 1) * ROW * 1.06), beneath, above, shapes)


def _vertex_name(vertex: Vertex) -> str:
    return f"{vertex[0]}_{vertex[1]}"


def _disc(at: Point) -> list[Point]:
    return [(at[0] + 0.36 * cos(pi * k / 8), at[1] + 0.36 * sin(pi * k / 8)) for k in range(16)]
