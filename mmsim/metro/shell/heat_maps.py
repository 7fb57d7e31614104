"""Where tiles lie and lines run at the end of games, by seat, and the board to draw that on."""

from collections.abc import Iterator

from mmsim.core.shell import EndPosition
from mmsim.core.variant import VariantDescription
from mmsim.drawing.board_canvas import BoardCanvas
from mmsim.drawing.heat_maps import HeatMapBoard
from mmsim.drawing.style import INK
from mmsim.metro.rules.board import CELLS, CENTRE, SIZE, Cell
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import trace
from mmsim.metro.shell.draw import BORDER, CELL, CENTRE_FILL, GRID, middle, square

HEAT_MAP_NOTE = (
    "The board always has the same orientation. A line is counted on every tile it passes; with companies, lines "
    "do not belong to seats."
)
_TILES, _LINES = "tiles", "lines"


def end_positions(game: Game) -> Iterator[EndPosition]:
    """Who laid the tile of every cell, and whose lines pass it."""
    for played in game.history:
        if played.move.cell is not None:
            yield EndPosition(_TILES, played.seat, _name(played.move.cell))
    if not game.rules.companies:
        for stop, seat in game.owner.items():
            for cell in trace(game, stop)[0]:
                yield EndPosition(_LINES, seat, _name(cell))


def heat_map_board(description: VariantDescription) -> HeatMapBoard:
    """The board, the same for all variants."""
    cells = {_name(cell): square(middle(cell), 0.5) for cell in {*CELLS, *CENTRE}}

    def beneath(sheet: BoardCanvas) -> None:
        sheet.area([square((0.0, 0.0), SIZE / 2 + 0.3)], BORDER, GRID, 0.03)
        sheet.area([square(middle(cell), 0.5) for cell in CELLS], CELL, GRID, 0.03)
        sheet.area([square((0.0, 0.0), 1.0)], CENTRE_FILL)

    def above(sheet: BoardCanvas) -> None:
        sheet.area([square((0.0, 0.0), 1.0)], "none", INK, 0.06)

    half = SIZE / 2 + 0.4
    return HeatMapBoard((half, half * 1.04), beneath, above, {_TILES: cells, _LINES: cells})


def _name(cell: Cell) -> str:
    return f"{cell[0]}.{cell[1]}"
