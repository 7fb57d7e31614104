"""A page of marks, measured in points from its upper left corner, and the files it is saved as.

Most drawings are SVG, which is written directly; only a PNG needs matplotlib, which is slow to import.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from io import BytesIO
from typing import Literal, NamedTuple

from mmsim.drawing.style import FONT, PAPER, Weight

Point = tuple[float, float]
Align = Literal["left", "center", "right"]

POINTS_PER_INCH = 72
_PNG_DPI = 200
_PNG_COMPRESSION = 3  # of 9: quick
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_CIRCLE_HANDLE = 0.5522847498  # length of the handles of a Bezier curve that is a quarter of a unit circle


class Stroke(NamedTuple):
    """A path; `steps` has one letter per point after the first: L a straight line, CCC a curve."""

    points: Sequence[Point]
    steps: str = ""  # all straight
    closed: bool = False


def circle(center: Point, radius: float) -> Stroke:
    x, y = center
    far, near = radius, radius * _CIRCLE_HANDLE
    quarters = [(far, near), (near, far), (0, far), (-near, far), (-far, near), (-far, 0)]
    quarters += [(-far, -near), (-near, -far), (0, -far), (near, -far), (far, -near), (far, 0)]
    return Stroke([(x + far, y), *((x + dx, y + dy) for dx, dy in quarters)], "C" * 12, True)


class FrameSpan(NamedTuple):
    """The frames of an animation in which a mark is visible: from `first` until before `end`, or until the last."""

    first: int
    end: int | None

    def element_id(self, layer: int) -> str:
        """The id of an SVG element, from which the replay page knows when to show it."""
        return f"when-{self.first}-{'' if self.end is None else self.end}-{layer}"

    def __contains__(self, frame: object) -> bool:
        return isinstance(frame, int) and self.first <= frame and (self.end is None or frame < self.end)


@dataclass(frozen=True, kw_only=True)
class Mark:
    gid: str | None = None
    frames: FrameSpan | None = None  # all


@dataclass(frozen=True, kw_only=True)
class Shape(Mark):
    """Areas, or strokes with round ends; dashed ones have flat ends."""

    strokes: Sequence[Stroke]
    fill: str = "none"
    edge: str = "none"
    width: float = 0.0
    dashes: tuple[float, float] | None = None  # on, off


@dataclass(frozen=True, kw_only=True)
class Text(Mark):
    """A line of text; `at` is on its baseline, and the angle counter-clockwise."""

    at: Point
    text: str
    size: float
    colour: str
    weight: Weight = "normal"
    align: Align = "left"
    angle: float = 0.0


@dataclass(frozen=True)
class Canvas:
    """A page; later marks cover earlier ones."""

    width: float
    height: float
    marks: list[Shape | Text] = field(default_factory=list)

    def at_frame(self, frame: int) -> "Canvas":
        """The page with the marks of one frame."""
        return replace(self, marks=[mark for mark in self.marks if mark.frames is None or frame in mark.frames])

    def to_bytes(self, kind: str) -> bytes:
        """The content of an `.svg` or `.png` file; the same drawing always gives the same bytes."""
        if kind == ".svg":
            return self.svg().encode()
        from mmsim.drawing.png import rasterize

        file = BytesIO()
        image = rasterize(self, _PNG_DPI)
        image.save(file, "PNG", dpi=(_PNG_DPI, _PNG_DPI), compress_level=_PNG_COMPRESSION)
        return file.getvalue()

    def svg(self) -> str:
        """The page as SVG; text stays text, and the id of an element says in which frames it is visible."""
        width, height = _short(self.width), _short(self.height)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" '
            f'viewBox="0 0 {width} {height}" '
            f'font-family="{FONT}, sans-serif" stroke-linejoin="round" stroke-linecap="round">',
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        ]
        for layer, mark in enumerate(self.marks, 1):
            gid = mark.gid if mark.frames is None else mark.frames.element_id(layer)
            id_ = f' id="{escape(gid)}"' if gid else ""
            lines.append(_svg_path(mark, id_) if isinstance(mark, Shape) else _svg_text(mark, id_))
        return "\n".join([*lines, "</svg>\n"])


def _svg_path(shape: Shape, id_: str) -> str:
    style = f' fill="{shape.fill}"'
    if shape.edge != "none":
        style += f' stroke="{shape.edge}" stroke-width="{_short(shape.width)}"'
        if shape.dashes:
            style += f' stroke-dasharray="{_short(shape.dashes[0])} {_short(shape.dashes[1])}" stroke-linecap="butt"'
    return f'<path{id_} d="{"".join(_path_data(shape.strokes))}"{style}/>'


def _path_data(strokes: Iterable[Stroke]) -> Iterator[str]:
    for points, steps, closed in strokes:
        last = ""
        for i, (x, y) in enumerate(points):
            step = "M" if i == 0 else steps[i - 1] if steps else "L"
            yield f"{' ' if step == last else step}{_short(x)} {_short(y)}"
            last = step
        if closed:
            yield "Z"


def _svg_text(mark: Text, id_: str) -> str:
    x, y = map(_short, mark.at)
    rotation = f' transform="rotate({_short(-mark.angle)} {x} {y})"' if mark.angle else ""
    anchor = "" if mark.align == "left" else f' text-anchor="{_ANCHORS[mark.align]}"'
    bold = ' font-weight="700"' if mark.weight == "bold" else ""
    space = ' xml:space="preserve"' if "  " in mark.text else ""
    style = f'{anchor}{bold}{rotation}{space} font-size="{_short(mark.size)}" fill="{mark.colour}"'
    return f'<text{id_} x="{x}" y="{y}"{style}>{escape(mark.text, quote=False)}</text>'


def _short(number: float) -> str:
    """A number to a hundredth of a point, which is precise enough."""
    text = f"{number:.2f}"
    return text.rstrip("0").rstrip(".") if text != "-0.00" else "0"
