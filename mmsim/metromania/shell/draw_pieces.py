"""The six pieces of a board set side by side, each with its city-centre corner on top (G5)."""

from rich.text import Text

from mmsim.drawing.board_canvas import BoardCanvas, rotate_points
from mmsim.drawing.canvas import Canvas, Point
from mmsim.drawing.style import INK, fitting_size
from mmsim.metromania.rules.board import PIECES, SPOTS, WATER_AND_GREEN, BoardSet
from mmsim.metromania.rules.lattice import Cell, position
from mmsim.metromania.shell.draw_city import (
    BORDER_COLOUR,
    BORDER_WIDTH,
    LATTICE_COLOUR,
    LATTICE_WIDTH,
    ROW,
    draw_landscape,
    draw_spot,
)
from mmsim.metromania.shell.draw_palette import KIND_FILL
from mmsim.system.safe_text import on_one_line

_IN_A_ROW = 3
_UPRIGHT = -120.0  # turns sector 0, which opens at 30 degrees, so that its corner at the centre is on top
_GAP, _LABEL = 0.8, 0.9  # between pieces, and for the name below one, in edges


def canvas_of_pieces(board_set: BoardSet) -> Canvas:
    """All pieces, unturned, with their numbers and names."""
    side = board_set.side
    width, height = side + _GAP, side * ROW + _LABEL + _GAP
    rows = -(-PIECES // _IN_A_ROW)
    sheet = BoardCanvas(0.0, _IN_A_ROW * width + _GAP, -rows * height - _GAP, 0.0)
    for number in range(PIECES):
        row, column = divmod(number, _IN_A_ROW)
        top = (_GAP + side / 2 + column * width, -_GAP - row * height)
        _draw_piece(sheet.inset(top, 1.0), board_set, number)
    return sheet.canvas


def _draw_piece(sheet: BoardCanvas, board_set: BoardSet, number: int) -> None:
    """One piece below the origin of a sheet."""
    kinds = dict(zip(board_set.lattice.districts[0], "".join(board_set.pieces[number]), strict=True))

    def triangle(cell: Cell) -> list[Point]:
        corners = [position(corner) for corner in board_set.lattice.corners[cell]]
        return rotate_points(corners, _UPRIGHT, (0.0, 0.0))

    for cell, kind in kinds.items():
        if kind in SPOTS:
            draw_spot(sheet, triangle(cell), kind)
        elif kind == ".":
            sheet.area([triangle(cell)], KIND_FILL["."])
    for kind in WATER_AND_GREEN:
        if outlines := [triangle(cell) for cell, now in kinds.items() if now == kind]:
            draw_landscape(sheet, outlines, kind)
    for cell, kind in kinds.items():
        if kind not in WATER_AND_GREEN:
            sheet.area([triangle(cell)], "none", edge=LATTICE_COLOUR, width=LATTICE_WIDTH)
    side, height = board_set.side, board_set.side * ROW
    sheet.area(
        [[(0.0, 0.0), (-side / 2, -height), (side / 2, -height)]], "none", edge=BORDER_COLOUR, width=BORDER_WIDTH
    )
    label = f"{number + 1}  {on_one_line(board_set.piece_names[number])}"
    sheet.text((0.0, -height - _LABEL / 2), label, fitting_size(label, 0.42, float(side)), INK)


def pieces_as_text(board_set: BoardSet) -> Text:
    """All pieces for a terminal, as a board file draws them, and the frame."""
    lines = [f"{board_set.name}: {board_set.title}" if board_set.title else board_set.name]
    for number, (name, rows) in enumerate(zip(board_set.piece_names, board_set.pieces, strict=True), 1):
        lines += ["", f"{number}  {name}", *(" " * (board_set.side - row) + cells for row, cells in enumerate(rows))]
    sides = [*dict.fromkeys(board_set.frame)]
    return Text(
        "\n".join([*lines, "", f"frame along {'each side' if len(sides) == 1 else 'the sides'}: {'  '.join(sides)}"])
    )
