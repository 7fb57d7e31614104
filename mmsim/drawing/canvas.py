"""A page of marks, measured in points from its upper left corner, and the files it is saved as.

Most of what is drawn is an SVG, written as it stands; only a PNG needs matplotlib, which is slow to import.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from io import BytesIO
from typing import Literal, NamedTuple

from mmsim.drawing.palette import FONT, PAPER

Point = tuple[float, float]
Weight = Literal["normal", "bold"]
Align = Literal["left", "center", "right"]
Kind = Literal[".svg", ".png"]

POINTS_PER_INCH = 72
_PNG_DPI = 200
_QUICKLY = 3  # how hard a PNG is packed, of 9
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_ROUND = 0.5522847498  # how far the ends of a Bezier curve reach that is a quarter of a circle


class Stroke(NamedTuple):
    """Points one after another; `steps` has a letter for each but the first: L straight to it, C three a curve."""

    points: Sequence[Point]
    steps: str = ""  # all straight
    closed: bool = False


def circle(at: Point, radius: float) -> Stroke:
    """A circle as four curves."""
    x, y = at
    far, near = radius, radius * _ROUND
    quarters = [(far, near), (near, far), (0, far), (-near, far), (-far, near), (-far, 0)]
    quarters += [(-far, -near), (-near, -far), (0, -far), (near, -far), (far, -near), (far, 0)]
    return Stroke([(x + far, y), *((x + dx, y + dy) for dx, dy in quarters)], "C" * 12, True)


class Moments(NamedTuple):
    """When something of a film is there: from a moment on, until another if there is one."""

    first: int
    end: int | None

    def name(self, layer: int) -> str:
        """The id of a drawn thing, from which a reader of the film learns when to show it."""
        return f"when-{self.first}-{'' if self.end is None else self.end}-{layer}"

    def __contains__(self, moment: object) -> bool:
        return isinstance(moment, int) and self.first <= moment and (self.end is None or moment < self.end)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Something on a page: its id, what is said of it when it is pointed at, and when it is there."""

    gid: str | None = None
    tip: str = ""
    there: Moments | None = None  # always


@dataclass(frozen=True, kw_only=True)
class Shape(Mark):
    """Areas, or strokes with round ends; dashed ones have flat ends."""

    strokes: Sequence[Stroke]
    fill: str = "none"
    edge: str = "none"
    width: float = 0.0
    dashes: tuple[float, float] | None = None  # on, off
    flat: bool = False  # ends that do not reach beyond the last point
    opacity: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Letters(Mark):
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
    """A page; what is put on it later lies on top."""

    width: float
    height: float
    paper: str = PAPER  # "none": what it lies on shows through
    marks: list[Shape | Letters] = field(default_factory=list)

    def at(self, moment: int) -> "Canvas":
        """A film's page with what is there at a moment."""
        return replace(self, marks=[mark for mark in self.marks if mark.there is None or moment in mark.there])

    def saved(self, kind: str, dpi: int = _PNG_DPI) -> bytes:
        """The bytes of a file, `.svg` or `.png`; the same drawing always gives the same."""
        if kind == ".svg":
            return self.svg().encode()
        from mmsim.drawing.png import pixels

        file = BytesIO()
        pixels(self, dpi).save(file, "PNG", dpi=(dpi, dpi), compress_level=_QUICKLY)
        return file.getvalue()

    def svg(self) -> str:
        """The page as SVG; text stays text."""
        wide, high = _short(self.width), _short(self.height)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}pt" height="{high}pt" viewBox="0 0 {wide} {high}" '
            f'font-family="{FONT}, sans-serif" stroke-linejoin="round" stroke-linecap="round">'
        ]
        if self.paper != "none":
            lines.append(f'<rect width="100%" height="100%" fill="{self.paper}"/>')
        for layer, mark in enumerate(self.marks, 1):
            gid = mark.gid if mark.there is None else mark.there.name(layer)
            name = f' id="{escape(gid)}"' if gid else ""
            lines.append(_shape(mark, name) if isinstance(mark, Shape) else _letters(mark, name))
        return "\n".join([*lines, "</svg>\n"])


def _shape(mark: Shape, name: str) -> str:
    style = f' fill="{mark.fill}"'
    if mark.edge != "none":
        style += f' stroke="{mark.edge}" stroke-width="{_short(mark.width)}"'
        if mark.dashes:
            style += f' stroke-dasharray="{_short(mark.dashes[0])} {_short(mark.dashes[1])}"'
        if mark.dashes or mark.flat:
            style += ' stroke-linecap="butt"'
    if mark.opacity < 1:
        style += f' opacity="{mark.opacity:g}"'
    path = f'<path{name} d="{"".join(_steps(mark.strokes))}"{style}'
    return f"{path}><title>{escape(mark.tip)}</title></path>" if mark.tip else f"{path}/>"


def _steps(strokes: Iterable[Stroke]) -> Iterator[str]:
    for points, steps, closed in strokes:
        last = ""
        for i, (x, y) in enumerate(points):
            step = "M" if i == 0 else steps[i - 1] if steps else "L"
            yield f"{' ' if step == last else step}{_short(x)} {_short(y)}"
            last = step
        if closed:
            yield "Z"


def _letters(mark: Letters, name: str) -> str:
    x, y = map(_short, mark.at)
    turned = f' transform="rotate({_short(-mark.angle)} {x} {y})"' if mark.angle else ""
    anchor = "" if mark.align == "left" else f' text-anchor="{_ANCHORS[mark.align]}"'
    bold = ' font-weight="700"' if mark.weight == "bold" else ""
    space = ' xml:space="preserve"' if "  " in mark.text else ""
    style = f'{anchor}{bold}{turned}{space} font-size="{_short(mark.size)}" fill="{mark.colour}"'
    return f'<text{name} x="{x}" y="{y}"{style}>{escape(mark.text, quote=False)}</text>'


def _short(number: float) -> str:
    """A number to a hundredth of a point, which is fine enough."""
    text = f"{number:.2f}"
    return text.rstrip("0").rstrip(".") if text != "-0.00" else "0"
