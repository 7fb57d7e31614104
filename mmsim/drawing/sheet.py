"""A sheet of paper measured in edges of a board: the few strokes every drawing is made of, and how it is saved."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from io import BytesIO
from itertools import count
from math import cos, radians, sin
from pathlib import Path
from typing import Literal, NamedTuple

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Transform

from mmsim.core.errors import UsageError
from mmsim.drawing.palette import INK, PAPER

Point = tuple[float, float]
Weight = Literal["normal", "bold"]
Align = Literal["left", "center"]

WIDTH_INCHES = 8.0
POINTS_PER_INCH = 72
FONT = "DejaVu Sans"  # comes with matplotlib, so that a drawing looks the same everywhere
_CAPITAL = 0.73  # height of a capital letter of the font, in font sizes
SUFFIXES = (".svg", ".png")
_PNG_DPI = 200


class Moments(NamedTuple):
    """When something of a film is there: from a moment on, until another if there is one."""

    first: int
    end: int | None

    def name(self, layer: int) -> str:
        """The id of a drawn thing, from which a reader of the film learns when to show it."""
        return f"when-{self.first}-{'' if self.end is None else self.end}-{layer}"

    @classmethod
    def of(cls, gid: str | None) -> "Moments | None":
        """What an id says; None: always there."""
        if gid is None or not gid.startswith("when-"):
            return None
        _, first, end, _ = gid.split("-")
        return cls(int(first), int(end) if end else None)

    def __contains__(self, moment: object) -> bool:
        return isinstance(moment, int) and self.first <= moment and (self.end is None or moment < self.end)


class Sheet:
    """An area `left..right`, `bottom..top` of the plane; lengths, stroke widths and letters are in edges.

    A film holds every moment of a game: what is drawn on `during(...)` of it is there at some of them only.
    """

    def __init__(self, left: float, right: float, bottom: float, top: float, film: bool = False) -> None:
        inches_per_edge = WIDTH_INCHES / (right - left)
        self.figure = Figure(figsize=(WIDTH_INCHES, (top - bottom) * inches_per_edge), facecolor=PAPER)
        self._axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._axes.set_xlim(left, right)
        self._axes.set_ylim(bottom, top)
        self._axes.set_axis_off()
        self._points = POINTS_PER_INCH * inches_per_edge
        self._place: Transform = Affine2D()
        self._layers = count(1)  # what is drawn later lies on top
        self.film = film
        self._there: Moments | None = None  # always

    def inset(self, at: Point, scale: float) -> "Sheet":
        """The same sheet with its origin moved and everything drawn larger or smaller."""
        other = copy(self)
        other._place = Affine2D().scale(scale).translate(*at) + self._place
        other._points = scale * self._points
        return other

    def during(self, first: int, end: int | None = None) -> "Sheet":
        """The same film for what is there from one moment until another, or until the end."""
        other = copy(self)
        other._there = Moments(first, end)
        return other

    def _id(self, gid: str | None, layer: int) -> str | None:
        return gid if self._there is None else self._there.name(layer)

    def shape(
        self,
        outline: Outline,
        fill: str = "none",
        edge: str = "none",
        width: float = 0.0,
        gid: str | None = None,
        dashes: tuple[float, float] | None = None,
    ) -> None:
        """An area or a stroke with round ends; `dashes` (on, off) makes it a dashed one with flat ends."""
        layer = next(self._layers)
        patch = PathPatch(
            self._place.transform_path(outline),
            facecolor=fill,
            edgecolor=edge,
            linewidth=width * self._points,
            # matplotlib counts dashes in stroke widths
            linestyle=(0.0, (dashes[0] / width, dashes[1] / width)) if dashes else "solid",
            joinstyle="round",
            capstyle="butt" if dashes else "round",
            zorder=layer,
            clip_on=False,
            gid=self._id(gid, layer),
        )
        self._axes.add_artist(patch)

    def area(
        self,
        outlines: Iterable[Sequence[Point]],
        fill: str,
        edge: str = "none",
        width: float = 0.0,
        gid: str | None = None,
    ) -> None:
        """One area made of closed outlines."""
        closed = (Outline([*corners, corners[0]], closed=True) for corners in outlines)
        self.shape(Outline.make_compound_path(*closed), fill, edge, width, gid)

    def strokes(self, lines: Iterable[Sequence[Point]], colour: str, width: float, gid: str | None = None) -> None:
        """Many open strokes of one look."""
        self.shape(Outline.make_compound_path(*(Outline(line) for line in lines)), "none", colour, width, gid)

    def disc(
        self,
        at: Point,
        radius: float,
        fill: str,
        edge: str = "none",
        width: float = 0.0,
        gid: str | None = None,
    ) -> None:
        self.shape(Outline.circle(at, radius), fill, edge, width, gid)

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
        # matplotlib would centre the whole box, descenders and all, so that letters dance.
        down = turned([(0.0, -size * _CAPITAL / 2)], angle, at)[0]
        x, y = self._place.transform(down)
        layer = next(self._layers)
        self._axes.text(
            x,
            y,
            text,
            fontsize=size * self._points,
            color=colour,
            fontfamily=FONT,
            fontweight=weight,
            rotation=angle,
            rotation_mode="anchor",
            horizontalalignment=align,
            verticalalignment="baseline",
            zorder=layer,
            parse_math=False,  # a dollar in a name is a dollar
            gid=self._id(gid, layer),
        )


@cache
def text_width(text: str, size: float, weight: Weight = "normal") -> float:
    """How wide a text comes out, in the unit of its size."""
    at_size_100 = FontProperties(family=FONT, weight=weight, size=100)
    width, _, _ = text_to_path.get_text_width_height_descent(text, at_size_100, ismath=False)
    return float(width) * size / 100


def fitting(text: str, size: float, room: float, weight: Weight = "normal") -> float:
    """The size, made smaller if the text would not fit into the room."""
    return min(size, size * room / max(text_width(text, size, weight), 1e-9))


def turned(points: Iterable[Point], angle: float, at: Point) -> list[Point]:
    """Points turned around the origin (degrees, counter-clockwise) and carried to a place."""
    c, s = cos(radians(angle)), sin(radians(angle))
    return [(at[0] + x * c - y * s, at[1] + x * s + y * c) for x, y in points]


def mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


# --- saving ----------------------------------------------------------------------------------------------


def picture_kind(path: Path) -> str:
    """`.svg` or `.png`; any other name is refused."""
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise UsageError(f"cannot draw to '{path}': the name of a picture ends in {' or '.join(SUFFIXES)}")
    return kind


def drawn(kind: str, draw: Callable[[], Figure]) -> bytes:
    """A picture, `.svg` or `.png`; the same drawing always gives the same bytes."""
    with own_settings():
        return saved(kind, draw())


@contextmanager
def own_settings() -> Iterator[None]:
    """A user's own matplotlib settings do not change pictures; text stays text, the ids of an SVG stay the same."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "mmsim"})
        yield


def saved(kind: str, figure: Figure, dpi: int = _PNG_DPI) -> bytes:
    """A figure as the bytes of a file."""
    picture = BytesIO()
    nameless = {"Date": None, "Creator": None} if kind == ".svg" else {"Software": None}
    figure.savefig(picture, format=kind[1:], dpi=dpi, metadata=nameless)
    return picture.getvalue()
