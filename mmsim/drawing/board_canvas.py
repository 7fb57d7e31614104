"""A sheet of paper measured in edges of a board: the few strokes every drawing is made of."""

from collections.abc import Iterable, Sequence
from copy import copy
from math import cos, radians, sin
from pathlib import Path

from mmsim.drawing.canvas import POINTS_PER_INCH, Align, Canvas, Letters, Moments, Point, Shape, Stroke, Weight, circle
from mmsim.drawing.palette import INK
from mmsim.drawing.text_width import CAPITAL
from mmsim.errors import UsageError

WIDTH_INCHES = 8.0
SUFFIXES = (".svg", ".png")


class Sheet:
    """An area `left..right`, `bottom..top` of the plane; lengths, stroke widths and letters are in edges.

    A film holds every moment of a game: what is drawn on `during(...)` of it is there at some of them only.
    """

    def __init__(self, left: float, right: float, bottom: float, top: float, film: bool = False) -> None:
        self._points = WIDTH_INCHES * POINTS_PER_INCH / (right - left)  # an edge
        self._origin = -left * self._points, top * self._points
        self.canvas = Canvas(WIDTH_INCHES * POINTS_PER_INCH, (top - bottom) * self._points)
        self.film = film
        self._there: Moments | None = None  # always

    def _place(self, at: Point) -> Point:
        """Where a point lies on the canvas, which is measured downwards."""
        return self._origin[0] + self._points * at[0], self._origin[1] - self._points * at[1]

    def inset(self, at: Point, scale: float) -> "Sheet":
        """The same sheet with its origin moved and everything drawn larger or smaller."""
        other = copy(self)
        other._origin = self._place(at)
        other._points = scale * self._points
        return other

    def during(self, first: int, end: int | None = None) -> "Sheet":
        """The same film for what is there from one moment until another, or until the end."""
        other = copy(self)
        other._there = Moments(first, end)
        return other

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
        placed = [stroke._replace(points=[self._place(point) for point in stroke.points]) for stroke in strokes]
        self.canvas.marks.append(
            Shape(
                strokes=placed,
                fill=fill,
                edge=edge,
                width=width * self._points,
                dashes=(dashes[0] * self._points, dashes[1] * self._points) if dashes else None,
                gid=gid,
                there=self._there,
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
        """One area made of closed outlines."""
        self.shape((Stroke(corners, closed=True) for corners in outlines), fill, edge, width, gid)

    def strokes(self, lines: Iterable[Sequence[Point]], colour: str, width: float, gid: str | None = None) -> None:
        """Many open strokes of one look."""
        self.shape(map(Stroke, lines), "none", colour, width, gid)

    def disc(
        self,
        at: Point,
        radius: float,
        fill: str,
        edge: str = "none",
        width: float = 0.0,
        gid: str | None = None,
    ) -> None:
        self.shape([circle(at, radius)], fill, edge, width, gid)

    def letters(
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
        """Text of a size given in edges, its capitals vertically centred on the point."""
        down = turned([(0.0, -size * CAPITAL / 2)], angle, at)[0]
        self.canvas.marks.append(
            Letters(
                at=self._place(down),
                text=text,
                size=size * self._points,
                colour=colour,
                weight=weight,
                align=align,
                angle=angle,
                gid=gid,
                there=self._there,
            )
        )


def turned(points: Iterable[Point], angle: float, at: Point) -> list[Point]:
    """Points turned around the origin (degrees, counter-clockwise) and carried to a place."""
    c, s = cos(radians(angle)), sin(radians(angle))
    return [(at[0] + x * c - y * s, at[1] + x * s + y * c) for x, y in points]


def mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def picture_kind(path: Path) -> str:
    """`.svg` or `.png`; any other name is refused."""
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise UsageError(f"cannot draw to '{path}': the name of a picture ends in {' or '.join(SUFFIXES)}")
    return kind
