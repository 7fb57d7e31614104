"""A city in the terminal; readable without colours too."""

from collections.abc import Iterator
from itertools import pairwise

from rich.text import Text

from mmsim.drawing.style import INK
from mmsim.metromania.rules.board import CELL_KINDS, SPOTS, WATER_AND_GREEN, City
from mmsim.metromania.rules.lattice import Cell, Vertex, is_frame, step
from mmsim.metromania.shell.draw_palette import KIND_FILL
from mmsim.system.safe_text import on_one_line

# A cell is a triangle two lines high, four columns wide on one line and two on the other; neighbours share the
# columns of the edge between them. The two inner columns of the wide line say what the cell holds. Edges are drawn
# only around the city and its pieces; here all of them:
#
#      /\R /\
#     /. \/C \
_WIDE, _TIP = 4, 2
_ABOVE = 2  # lines above the city: a label, the frame
_BESIDE = 4  # columns left and right of the frame, for labels

# G7: white arrows (starts) point into the city, black ones (ends) out of it; side 0 is at the upper right.
_ARROWS = {"S": "◁▽▷▷△◁", "E": "▶▲◀◀▼▶"}
_BORDER, _BLANK, _LABEL = "bold", "dim", "italic"


def terminal(city: City) -> Text:
    """The city, its name and code, and a legend.

    Print it with `no_wrap=True, overflow="crop"`: in a narrow terminal a broken line would break the picture.
    """
    lines = [*_Picture(city).lines(), Text()]
    lines.append(Text.assemble((on_one_line(city.board_set.name), "bold"), "  ", city.layout.code))
    kinds = [kind for kind in SPOTS + WATER_AND_GREEN if city.board_set.count(kind)]
    signs = [((f" {kind} ", _on_fill(kind)), f" {CELL_KINDS[kind]}  ") for kind in kinds]
    lines.append(Text.assemble(*(part for sign in signs for part in sign)))
    lines.append(Text("▽ start  ▲ end"))
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _on_fill(kind: str) -> str:
    return f"{INK} on {KIND_FILL[kind]}"


class _Picture:
    """The drawing itself: characters with styles, by line and column from the top left."""

    def __init__(self, city: City) -> None:
        self._city = city
        self._side = city.lattice.side
        self._middle = _WIDE * self._side + _TIP + _BESIDE
        height = 2 * _ABOVE + 2 * 2 * self._side
        self._characters = [[" "] * (2 * self._middle) for _ in range(height)]
        self._styles = [[""] * (2 * self._middle) for _ in range(height)]
        self._fill_cells()
        self._write_cells()
        self._draw_borders()
        self._write_labels()

    def lines(self) -> Iterator[Text]:
        for characters, styles in zip(self._characters, self._styles, strict=True):
            yield Text.assemble(*zip(characters, styles, strict=True))

    # --- positions ----------------------------------------------------------------------------------

    def _column(self, vertex: Vertex) -> int:
        """The column right of a vertex."""
        q, r = vertex
        return self._middle + _WIDE * q + _TIP * r

    def _line_over(self, vertex: Vertex) -> int:
        """The line whose lower edge a vertex lies on."""
        return _ABOVE - 1 + 2 * (self._side - vertex[1])

    def _places(self, cell: Cell) -> tuple[tuple[int, int], tuple[int, int]]:
        """Line and first column of the wide and of the narrow part of a cell."""
        corners = self._city.lattice.corners[cell]
        rows = [r for _, r in corners]
        flat = [corner for corner in corners if rows.count(corner[1]) == 2]
        points_up = max(rows) > flat[0][1]
        column = min(self._column(corner) for corner in flat)
        line = self._line_over(flat[0]) + (0 if points_up else 1)
        return (line, column), (line - 1 if points_up else line + 1, column + 1)

    # --- drawing ------------------------------------------------------------------------------

    def _write(self, line: int, column: int, text: str, style: str) -> None:
        for place, character in enumerate(text, column):
            self._characters[line][place] = character
            self._styles[line][place] = f"{self._styles[line][place]} {style}".strip()

    def _fill_cells(self) -> None:
        """The background of everything but blank cells."""
        for cell in self._city.lattice.city_cells:
            kind = self._city.kind[cell]
            if kind != ".":
                (line, column), (tip_line, tip_column) = self._places(cell)
                self._styles[line][column : column + _WIDE] = [_on_fill(kind)] * _WIDE
                self._styles[tip_line][tip_column : tip_column + _TIP] = [_on_fill(kind)] * _TIP

    def _write_cells(self) -> None:
        for cell in self._city.lattice.cells:
            kind = self._city.kind[cell]
            if is_frame(cell):
                sign = _ARROWS[kind][int(cell[1])] if kind in _ARROWS else ""
            else:
                sign = "·" if kind == "." else kind
            style = _BLANK if sign == "·" else "bold"
            line, column = self._places(cell)[0]
            self._write(line, column + 1, sign, style)

    def _draw_borders(self) -> None:
        """G4: around each of the six sectors; level edges last, they fill what the slanted ones leave."""
        edges = []
        for k in range(6):
            spoke = [step((0, 0), k, i) for i in range(self._side + 1)]
            rim = [self._city.lattice.border_vertex(k, i) for i in range(self._side + 1)]
            edges += [*pairwise(spoke), *pairwise(rim)]
        for u, w in sorted(edges, key=lambda edge: edge[0][1] == edge[1][1]):
            self._draw_edge(*sorted((u, w), key=lambda vertex: (vertex[1], vertex[0])))

    def _draw_edge(self, low: Vertex, high: Vertex) -> None:
        line, column = self._line_over(low), self._column(low)
        if low[1] == high[1]:
            places = [(line, column + i, "_") for i in range(_WIDE)]
        elif self._column(high) > column:
            places = [(line, column, "/"), (line - 1, column + 1, "/")]
        else:
            places = [(line, column - 1, "\\"), (line - 1, column - 2, "\\")]
        for at_line, at_column, stroke in places:
            if self._characters[at_line][at_column] == " ":
                self._write(at_line, at_column, stroke, _BORDER)

    def _write_labels(self) -> None:
        """Which piece lies behind each side and how it is turned, outside the middle of the side."""
        for k, label in enumerate(self._city.layout.code.split("-")):
            line, column = self._places(("F", k, self._side // 2))[0]
            if k in (1, 4):
                line, column = (0 if k == 1 else len(self._characters) - 1), self._middle - 1
            else:
                column += _WIDE + 1 if k in (0, 5) else -3
            self._write(line, column, label, _LABEL)
