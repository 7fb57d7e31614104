"""A canvas measured in edges of a board, and the few kinds of marks that drawings of games use."""

from collections.abc import Iterable, Sequence
from copy import copy
from math import cos, radians, sin
from pathlib import Path

from mmsim.drawing.canvas import POINTS_PER_INCH, Align, Canvas, FrameSpan, Point, Shape, Stroke, Text, circle
from mmsim.drawing.style import CAPITAL_HEIGHT, INK, Weight
from mmsim.errors import UsageError

WIDTH_INCHES = 8.0
SUFFIXES = (".svg", ".png")


class BoardCanvas:
    """An area `left..right`, `bottom..top` of the plane; lengths, stroke widths and text sizes are in edges.

    An animated one holds every frame of a game: marks drawn on its `during(...)` are visible in some of them only.
    """

    def __init__(self, left: float, right: float, bottom: float, top: float, animated: bool = False) -> None:
        self._points_per_edge = WIDTH_INCHES * POINTS_PER_INCH / (right - left)
        self._origin = -left * self._points_per_edge, top * self._points_per_edge
        self.canvas = Canvas(WIDTH_INCHES * POINTS_PER_INCH, (top - bottom) * self._points_per_edge)
        self.animated = animated
        self._frames: FrameSpan | None = None  # all

    def _to_canvas(self, at: Point) -> Point:
        """A point in canvas coordinates, which go downwards."""
        return self._origin[0] + self._points_per_edge * at[0], self._origin[1] - self._points_per_edge * at[1]

    def inset(self, at: Point, scale: float) -> "BoardCanvas":
        """The same page with its origin moved and everything scaled."""
        inset = copy(self)
        inset._origin = self._to_canvas(at)
        inset._points_per_edge = scale * self._points_per_edge
        return inset

    def during(self, first: int, end: int | None = None) -> "BoardCanvas":
        """The same page for marks that are visible from frame `first` until before `end`, or until the last."""
        during = copy(self)
        during._frames = FrameSpan(first, end)
        return during

    def shape(
        self,
        strokes: Iterable[Stroke],
        fill: str = "none",
        edge: str = "none",
        width: float = 0.0,
        gid: str | None = None,
        dashes: tuple[float, float] | None = None,
    ) -> None:
        """Areas, or strokes with round ends; `dashes` (on, off) makes dashed ones with flat ends."""
        scale = self._points_per_edge
        self.canvas.marks.append(
            Shape(
                strokes=[
                    stroke._replace(points=[self._to_canvas(point) for point in stroke.points]) for stroke in strokes
                ],
                fill=fill,
                edge=edge,
                width=width * scale,
                dashes=(dashes[0] * scale, dashes[1] * scale) if dashes else None,
                gid=gid,
                frames=self._frames,
            )
        )

    def area(
        self,
        outlines: Iterable[Sequence[Point]],
        fill: str,
        edge: str = "none",
        width: float = 0.0,
        gid: str | None = None,
    ) -> None:
        """One area with closed outlines."""
        self.shape((Stroke(corners, closed=True) for corners in outlines), fill, edge, width, gid)

    def strokes(self, lines: Iterable[Sequence[Point]], colour: str, width: float, gid: str | None = None) -> None:
        self.shape(map(Stroke, lines), "none", colour, width, gid)

    def disc(
        self, at: Point, radius: float, fill: str, edge: str = "none", width: float = 0.0, gid: str | None = None
    ) -> None:
        self.shape([circle(at, radius)], fill, edge, width, gid)

    def text(
        self,
        at: Point,
        text: str,
        size: float,
        colour: str = INK,
        weight: Weight = "normal",
        angle: float = 0.0,
        align: Align = "center",
        gid: str | None = None,
    ) -> None:
        """A line of text, its capitals vertically centred on the point."""
        baseline = rotate_points([(0.0, -size * CAPITAL_HEIGHT / 2)], angle, at)[0]
        self.canvas.marks.append(
            Text(
                at=self._to_canvas(baseline),
                text=text,
                size=size * self._points_per_edge,
                colour=colour,
                weight=weight,
                align=align,
                angle=angle,
                gid=gid,
                frames=self._frames,
            )
        )


def rotate_points(points: Iterable[Point], angle: float, to: Point) -> list[Point]:
    """Points rotated around the origin (degrees, counter-clockwise), then moved."""
    c, s = cos(radians(angle)), sin(radians(angle))
    return [(to[0] + x * c - y * s, to[1] + x * s + y * c) for x, y in points]


def mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def picture_kind(path: Path) -> str:
    """`.svg` or `.png`; any other name is refused."""
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise UsageError(f"cannot draw to '{path}': the name of a picture ends in {' or '.join(SUFFIXES)}")
    return kind
