"""Heat maps on a board: small boards in rows, one for every kind of thing and seat, coloured by shares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from matplotlib.colors import LinearSegmentedColormap, to_hex

from mmsim.core.shell import HeatMaps
from mmsim.drawing.board_canvas import Sheet
from mmsim.drawing.canvas import Canvas, Point
from mmsim.drawing.palette import FAINT, INK, plain
from mmsim.drawing.text_width import fitting

_STEPS = 24  # colours of a scale
_MORE = LinearSegmentedColormap.from_list("more", ["#FBF6EC", "#F6C667", "#D8470A", "#5B0F1A"])
_APART = LinearSegmentedColormap.from_list("apart", ["#0B3C7A", "#6BA3D6", "#F4F1EA", "#EE8A66", "#8E1414"])
_TEXT, _HEADING = 0.021, 0.03  # sizes of letters, in widths of the sheet
_ROW_LABEL = 0.1  # width of the words and the scale at the left, in widths of the sheet


@dataclass(frozen=True)
class Ground:
    """A board to draw maps on: its half width and height, what is drawn beneath and above, and where places lie."""

    half: Point
    beneath: Callable[[Sheet], None]
    above: Callable[[Sheet], None]
    shapes: Mapping[str, Mapping[str, Sequence[Point]]]  # what -> place -> outline


def heat_canvas(ground: Ground, maps: HeatMaps) -> Canvas:
    """All maps on one sheet; those of a row share a scale."""
    shown = [what for what in ground.shapes if what in maps.shares]
    columns, rows = len(maps.columns), len(shown)
    cell = (1 - _ROW_LABEL) / columns  # the sheet is 1 wide
    scale = 0.46 * cell / ground.half[0]
    height = cell * ground.half[1] / ground.half[0]
    head, foot = 0.11, 0.02 + 0.034 * len(maps.notes)
    total = head + rows * height + foot
    sheet = Sheet(0.0, 1.0, -total, 0.0)
    title = plain(maps.title)
    sheet.letters((0.5, -0.035), title, fitting(title, _HEADING, 0.96, "bold"), INK, "bold", gid="title")
    for number, column in enumerate(maps.columns):
        sheet.letters((_ROW_LABEL + (number + 0.5) * cell, -head + 0.02), column, _TEXT, INK, gid=f"column-{number}")
    for row, what in enumerate(shown):
        by_column = maps.shares[what]
        y = -head - (row + 0.5) * height
        furthest = max((abs(share) for places in by_column for share in places.values()), default=0.0)
        _draw_scale(sheet, what, (0.0, y), height, furthest, maps.signed)
        for number, places in enumerate(by_column):
            board = sheet.inset((_ROW_LABEL + (number + 0.5) * cell, y), scale)
            ground.beneath(board)
            _draw_places(board, ground.shapes[what], places, furthest, maps.signed, f"{what}-{number}")
            ground.above(board)
    size = min((fitting(note, _TEXT, 0.96) for note in maps.notes), default=_TEXT)
    for number, note in enumerate(maps.notes):
        at = (0.5, -total + 0.025 + 0.034 * (len(maps.notes) - 1 - number))
        sheet.letters(at, note, size, FAINT, gid=f"note-{number}")
    return sheet.canvas


def _draw_places(
    board: Sheet,
    shapes: Mapping[str, Sequence[Point]],
    places: Mapping[str, float],
    furthest: float,
    signed: bool,
    name: str,
) -> None:
    """Places in their colours, those of one colour as one area; where nothing ever lies stays as the board is."""
    by_step: dict[int, list[Sequence[Point]]] = {}
    for at, share in places.items():
        if share and furthest:
            by_step.setdefault(round(_part(share / furthest, signed) * _STEPS), []).append(shapes[at])
    for step, outlines in sorted(by_step.items()):
        board.area(outlines, _colour(step / _STEPS, signed), "#FFFFFF", 0.02, f"{name}-{step}")


def _part(of_furthest: float, signed: bool) -> float:
    """How far along the scale a value lies: differences evenly, shares by their roots, or rare things were not seen."""
    return of_furthest if signed else sqrt(of_furthest)


def _colour(part: float, signed: bool) -> str:
    """The colour of a part of the furthest value, -1 to 1 where there are signs."""
    return to_hex(_APART((1 + part) / 2) if signed else _MORE(part))


def _draw_scale(sheet: Sheet, what: str, at: Point, height: float, furthest: float, signed: bool) -> None:
    """What a row shows, and which colour is how much."""
    x, y = at
    sheet.letters((x + 0.01, y + 0.36 * height), what, _TEXT, INK, "bold", align="left", gid=f"row-{what}")
    steps = range(-_STEPS if signed else 0, _STEPS + 1)
    size = 0.5 * height / len(steps)
    for number, step in enumerate(steps):
        low = y - 0.28 * height + number * size
        box = [(x + 0.012, low), (x + 0.03, low), (x + 0.03, low + 1.02 * size), (x + 0.012, low + 1.02 * size)]
        sheet.area([box], _colour(step / _STEPS, signed))
    named = (-1.0, 0.0, 1.0) if signed else (0.0, 0.25, 1.0)
    for of_furthest in named if furthest else (0.0,):
        value = f"{100 * of_furthest * furthest:{'+' if signed and of_furthest else ''}.0f}".replace("-", "\u2212")
        up = y - 0.28 * height + (round(_part(of_furthest, signed) * _STEPS) - steps[0] + 0.5) * size
        sheet.letters((x + 0.036, up), value if signed else f"{value} %", 0.9 * _TEXT, FAINT, align="left")
