"""Where tiles lie and lines run at the end of games, by seat, and the board to draw that on."""

from collections.abc import Iterator, Mapping
from typing import Any

from mmsim.core.shell import Place
from mmsim.drawing.board_canvas import Sheet
from mmsim.drawing.heat_maps import Ground
from mmsim.drawing.palette import INK
from mmsim.metro.rules.board import CELLS, CENTRE, SIZE, Cell
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import trace
from mmsim.metro.shell.draw import middle, square
from mmsim.metro.shell.draw_palette import BORDER, CELL, GRID
from mmsim.metro.shell.draw_palette import CENTRE as CENTRE_FILL

LYING = (
    "The board always lies alike. A line is where it passes a tile; with companies lines belong to none of the seats."
)
_TILES, _LINES = "tiles", "lines"


def places(game: Game) -> Iterator[Place]:
    """Who laid the tile of every cell, and whose lines pass it."""
    for played in game.history:
        if played.move.cell is not None:
            yield Place(_TILES, played.seat, _name(played.move.cell))
    if not game.rules.companies:
        for stop, seat in game.owner.items():
            for cell in trace(game, stop)[0]:
                yield Place(_LINES, seat, _name(cell))


def ground(about: Mapping[str, Any]) -> Ground:
    """The board, the same for all variants."""
    cells = {_name(cell): square(middle(cell), 0.5) for cell in {*CELLS, *CENTRE}}

    def beneath(sheet: Sheet) -> None:
        sheet.area([square((0.0, 0.0), SIZE / 2 + 0.3)], BORDER, GRID, 0.03)
        sheet.area([square(middle(cell), 0.5) for cell in CELLS], CELL, GRID, 0.03)
        sheet.area([square((0.0, 0.0), 1.0)], CENTRE_FILL)

    def above(sheet: Sheet) -> None:
        sheet.area([square((0.0, 0.0), 1.0)], "none", INK, 0.06)

    half = SIZE / 2 + 0.4
    return Ground((half, half * 1.04), beneath, above, {_TILES: cells, _LINES: cells})


def _name(cell: Cell) -> str:
    return f"{cell[0]}.{cell[1]}"
