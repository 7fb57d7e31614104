"""Heat maps on a board: one row of small boards per kind of thing, one column per seat, coloured by shares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from matplotlib.colors import LinearSegmentedColormap, to_hex

from mmsim.core.shell import HeatMaps
from mmsim.drawing.board_canvas import BoardCanvas
from mmsim.drawing.canvas import Canvas, Point
from mmsim.drawing.style import FAINT, INK, fitting_size
from mmsim.system.safe_text import on_one_line

_STEPS = 24  # colours of a scale
_SEQUENTIAL = LinearSegmentedColormap.from_list("sequential", ["#FBF6EC", "#F6C667", "#D8470A", "#5B0F1A"])
_DIVERGING = LinearSegmentedColormap.from_list("diverging", ["#0B3C7A", "#6BA3D6", "#F4F1EA", "#EE8A66", "#8E1414"])
_TEXT_SIZE, _HEADING_SIZE = 0.021, 0.03  # in widths of the page
_ROW_LABEL_WIDTH = 0.1  # of the text and the scale on the left, in widths of the page


@dataclass(frozen=True)
class HeatMapBoard:
    """A board to draw heat maps on: its half width and height, drawings below and above the colours, and areas."""

    half: Point
    beneath: Callable[[BoardCanvas], None]
    above: Callable[[BoardCanvas], None]
    shapes: Mapping[str, Mapping[str, Sequence[Point]]]  # kind of thing -> area -> outline


def heat_canvas(board: HeatMapBoard, maps: HeatMaps) -> Canvas:
    """All maps on one page; those of a row share a scale."""
    kinds = [kind for kind in board.shapes if kind in maps.shares]
    cell = (1 - _ROW_LABEL_WIDTH) / len(maps.columns)  # the page is 1 wide
    scale = 0.46 * cell / board.half[0]
    height = cell * board.half[1] / board.half[0]
    header, footer = 0.11, 0.02 + 0.034 * len(maps.notes)
    total = header + len(kinds) * height + footer
    page = BoardCanvas(0.0, 1.0, -total, 0.0)
    title = on_one_line(maps.title)
    page.text((0.5, -0.035), title, fitting_size(title, _HEADING_SIZE, 0.96, "bold"), INK, "bold", gid="title")
    centers = [_ROW_LABEL_WIDTH + (number + 0.5) * cell for number in range(len(maps.columns))]
    for number, column in enumerate(maps.columns):
        page.text((centers[number], -header + 0.02), column, _TEXT_SIZE, INK, gid=f"column-{number}")
    for row, kind in enumerate(kinds):
        y = -header - (row + 0.5) * height
        largest = max((abs(share) for shares in maps.shares[kind] for share in shares.values()), default=0.0)
        _draw_scale(page, kind, (0.0, y), height, largest, maps.signed)
        for number, shares in enumerate(maps.shares[kind]):
            inset = page.inset((centers[number], y), scale)
            board.beneath(inset)
            relative = {area: share / largest for area, share in shares.items() if share}
            _draw_areas(inset, board.shapes[kind], relative, maps.signed, f"{kind}-{number}")
            board.above(inset)
    size = min((fitting_size(note, _TEXT_SIZE, 0.96) for note in maps.notes), default=_TEXT_SIZE)
    for number, note in enumerate(maps.notes):
        at = (0.5, -total + 0.025 + 0.034 * (len(maps.notes) - 1 - number))
        page.text(at, note, size, FAINT, gid=f"note-{number}")
    return page.canvas


def _draw_areas(
    canvas: BoardCanvas, outlines: Mapping[str, Sequence[Point]], shares: Mapping[str, float], signed: bool, gid: str
) -> None:
    """Colour areas by their shares of the largest; those of one colour are one shape, and empty ones stay bare."""
    by_step: dict[int, list[Sequence[Point]]] = {}
    for area, share in shares.items():
        by_step.setdefault(round(_scale_position(share, signed) * _STEPS), []).append(outlines[area])
    for step, same_colour in sorted(by_step.items()):
        canvas.area(same_colour, _colour(step / _STEPS, signed), "#FFFFFF", 0.02, f"{gid}-{step}")


def _scale_position(share: float, signed: bool) -> float:
    """Where a share of the largest is on the scale: differences linearly, shares by their roots, to show rare ones."""
    return share if signed else sqrt(share)


def _colour(position: float, signed: bool) -> str:
    """The colour at a position of the scale, which goes from 0 to 1, or from -1 if there are signs."""
    return to_hex(_DIVERGING((1 + position) / 2) if signed else _SEQUENTIAL(position))


def _draw_scale(page: BoardCanvas, kind: str, at: Point, height: float, largest: float, signed: bool) -> None:
    """The label of a row, and its scale of colours with some values."""
    x, y = at
    page.text((x + 0.01, y + 0.36 * height), kind, _TEXT_SIZE, INK, "bold", align="left", gid=f"row-{kind}")
    steps = range(-_STEPS if signed else 0, _STEPS + 1)
    size = 0.5 * height / len(steps)
    for number, step in enumerate(steps):
        low = y - 0.28 * height + number * size
        box = [(x + 0.012, low), (x + 0.03, low), (x + 0.03, low + 1.02 * size), (x + 0.012, low + 1.02 * size)]
        page.area([box], _colour(step / _STEPS, signed))
    labelled = (-1.0, 0.0, 1.0) if signed else (0.0, 0.25, 1.0)
    for share in labelled if largest else (0.0,):
        value = f"{100 * share * largest:{'+' if signed and share else ''}.0f}".replace("-", "\u2212")
        up = y - 0.28 * height + (round(_scale_position(share, signed) * _STEPS) - steps[0] + 0.5) * size
        page.text((x + 0.036, up), value if signed else f"{value} %", 0.9 * _TEXT_SIZE, FAINT, align="left")
