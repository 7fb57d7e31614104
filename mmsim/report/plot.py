"""A field of a chart: marks in the units of two axes, put on a canvas when it is known how far the axes reach."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, inf, isfinite, log10
from typing import NamedTuple

from mmsim.drawing.canvas import Align, Canvas, Letters, Point, Shape, Stroke, Weight, circle
from mmsim.drawing.letters import CAPITAL, text_width
from mmsim.report import style

TEXT = 9.5  # size of letters
LINE = 1.2 * TEXT  # from one line of a label to the next
_GAP = 4.0  # between a chart, its numbers and its labels
_ROUND = (1.0, 2.0, 5.0, 10.0)  # steps between numbers on an axis, times powers of ten
_ROOM = 0.05  # between marks and the ends of an axis, as a part of it
_PLUS = [(1, 3), (2, 3), (2, 2), (3, 2), (3, 1), (2, 1), (2, 0), (1, 0), (1, 1), (0, 1), (0, 2), (1, 2)]
_CROSS = [(1, 0), (2, 1), (3, 0), (4, 1), (3, 2), (4, 3), (3, 4), (2, 3), (1, 4), (0, 3), (1, 2), (0, 1)]
_MARKS: Mapping[str, Sequence[Point]] = {  # corners within a square of 1, measured downwards from its middle
    "s": [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)],
    "D": [(0, -0.65), (0.65, 0), (0, 0.65), (-0.65, 0)],
    "^": [(0, -0.5), (0.5, 0.5), (-0.5, 0.5)],
    "v": [(0, 0.5), (-0.5, -0.5), (0.5, -0.5)],
    ">": [(0.5, 0), (-0.5, 0.5), (-0.5, -0.5)],
    "<": [(-0.5, 0), (0.5, -0.5), (0.5, 0.5)],
    "h": [(0, -0.5), (0.43, -0.25), (0.43, 0.25), (0, 0.5), (-0.43, 0.25), (-0.43, -0.25)],
    "P": [(x / 3 - 0.5, y / 3 - 0.5) for x, y in _PLUS],
    "X": [(x / 4 - 0.5, y / 4 - 0.5) for x, y in _CROSS],
}


class Box(NamedTuple):
    """A part of a canvas, measured downwards."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass
class Axis:
    """Numbers along one side of a field."""

    label: str = ""
    names: Sequence[str] | None = None  # of the numbers 0, 1, 2, ...; None: round numbers are named
    marked: Sequence[float] = ()  # numbers that are named, if not the round ones
    low: float = inf  # its ends; where all marks are that have no end given
    high: float = -inf
    least: float | None = None  # it begins there, whatever the marks
    grid: bool = False
    bend: Callable[[float], float] = lambda number: number  # how far from zero a number lies

    def reach(self, numbers: Iterable[float]) -> None:
        """Make room for numbers, if it is not said how far the axis goes."""
        if self.names is None and not self.marked:
            known = [number for number in numbers if isfinite(number)]
            self.low, self.high = min([self.low, *known]), max([self.high, *known])

    def settle(self) -> None:
        """Leave room beyond the outermost marks."""
        if self.names is not None or self.marked:
            return
        if not isfinite(self.low):
            self.low, self.high = 0.0, 1.0
        room = _ROOM * (self.high - self.low) or _ROOM * abs(self.high) or _ROOM
        self.low, self.high = self.low - room, self.high + room
        if self.least is not None:
            self.low = self.least

    def share(self, number: float) -> float:
        """How far along the axis a number lies, from 0 to 1."""
        if not isfinite(number):
            return float((number > 0) == (self.high > self.low))
        low, high = self.bend(self.low), self.bend(self.high)
        return (self.bend(number) - low) / (high - low)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """The numbers that are named, with their names; so many round ones at most."""
        if self.names is not None:
            return list(enumerate(map(str, self.names)))
        numbers = list(self.marked) or round_numbers(self.low, self.high, most)
        digits = next(digits for digits in range(13) if all(round(one, digits) == round(one, 12) for one in numbers))
        return [(number, f"{number:.{digits}f}".replace("-", "−")) for number in numbers]


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two, evenly apart: as many as can be, but not more than asked for."""
    power = 10.0 ** floor(log10((high - low) / most))
    for step in (power * one for one in (*_ROUND, 20.0)):
        first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
        if last - first < most:
            return [round(step * number, 12) + 0.0 for number in range(first, last + 1)]
    raise ArithmeticError(f"no round numbers between {low} and {high}")


@dataclass
class Plot:
    """Marks of a field, in the units of its axes; infinity is an end of an axis."""

    x: Axis
    y: Axis
    title: str = ""
    _marks: list[tuple[int, Sequence[Point], Callable[[list[Point]], Shape]]] = field(default_factory=list)

    def line(
        self,
        points: Sequence[Point],
        colour: str,
        width: float,
        *,
        layer: int = 3,
        tip: str = "",
        dashes: tuple[float, float] | None = None,
        opacity: float = 1.0,
    ) -> None:
        """A line from point to point."""

        def shape(placed: list[Point]) -> Shape:
            look = {"dashes": dashes, "opacity": opacity, "tip": tip}
            return Shape(strokes=[Stroke(placed)], edge=colour, width=width, flat=True, **look)  # type: ignore[arg-type]

        self._marks.append((layer, points, shape))

    def dot(self, at: Point, mark: str, colour: str, size: float = 5.5, *, layer: int = 4, tip: str = "") -> None:
        """A mark of the kind that `style.MARKERS` names."""
        self._marks.append((layer, [at], lambda placed: marker(placed[0], mark, colour, size, tip)))

    def box(
        self, corner: Point, opposite: Point, colour: str, *, layer: int = 2, tip: str = "", opacity: float = 1.0
    ) -> None:
        """An area between two corners."""

        def shape(placed: list[Point]) -> Shape:
            (ax, ay), (bx, by) = placed
            outline = Stroke([(ax, ay), (bx, ay), (bx, by), (ax, by)], closed=True)
            return Shape(strokes=[outline], fill=colour, opacity=opacity, tip=tip)

        self._marks.append((layer, [corner, opposite], shape))

    def reach(self) -> None:
        """Have the axes reach to all marks."""
        for _, points, _ in self._marks:
            self.x.reach(x for x, _ in points)
            self.y.reach(y for _, y in points)

    def put_on(self, canvas: Canvas, box: Box, y_numbers: bool = True) -> None:
        """Draw everything into a part of a canvas; what the axes are called stands outside."""
        width, height = box.right - box.left, box.bottom - box.top

        def place(at: Point) -> Point:
            return box.left + width * self.x.share(at[0]), box.bottom - height * self.y.share(at[1])

        across, up = self.x.ticks(self._most(width, 2.5)), self.y.ticks(self._most(height, 2))
        lines = [Stroke([place((x, -inf)), place((x, inf))]) for x, _ in across if self.x.grid]
        lines += [Stroke([place((-inf, y)), place((inf, y))]) for y, _ in up if self.y.grid]
        lines.append(Stroke([(box.left, box.bottom), (box.right, box.bottom)]))
        canvas.marks.append(Shape(strokes=lines, edge=style.GRID, width=0.8, flat=True))
        for _, points, shape in sorted(self._marks, key=lambda mark: mark[0]):
            canvas.marks.append(shape([place(point) for point in points]))
        below = box.bottom + _GAP + TEXT * CAPITAL
        for x, name in across:
            write(canvas, (place((x, 0.0))[0], below), name, style.MUTED, align="center")
        middle = (box.left + box.right) / 2
        write(canvas, (middle, below + _GAP + LINE * self._lines_below(across)), self.x.label, align="center")
        colour = style.INK if self.y.names is not None else style.MUTED
        for y, name in up if y_numbers else ():
            at = place((0.0, y))[1]
            first = at + TEXT * CAPITAL / 2 - LINE * name.count("\n") / 2
            write(canvas, (box.left - _GAP, first), name, colour, align="right")
        write(canvas, (box.left, box.top - _GAP - LINE * self.title.count("\n")), self.title, size=9.0)
        if y_numbers and self.y.label:
            aside = box.left - self.left_of(height) + TEXT, (box.top + box.bottom) / 2
            canvas.marks.append(
                Letters(at=aside, text=self.y.label, size=TEXT, colour=style.MUTED, align="center", angle=90.0)
            )

    @staticmethod
    def _most(length: float, letters: float) -> int:
        return max(2, min(9, floor(length / (letters * TEXT))))

    @staticmethod
    def _lines_below(ticks: Sequence[tuple[float, str]]) -> int:
        return 1 + max((name.count("\n") for _, name in ticks), default=0)

    def left_of(self, height: float) -> float:
        """The room that names of numbers and of the axis need left of a field so high."""
        names = [line for _, name in self.y.ticks(self._most(height, 2)) for line in name.split("\n")]
        room = max((text_width(name, TEXT) for name in names), default=0.0) + _GAP
        return room + (LINE + _GAP if self.y.label else 0.0)

    def below(self, width: float) -> float:
        """The room that names of numbers and of the axis need below a field so wide."""
        lines = self._lines_below(self.x.ticks(self._most(width, 2.5))) + bool(self.x.label)
        return _GAP * (1 + bool(self.x.label)) + LINE * lines

    @property
    def over(self) -> float:
        """The room that a title needs over a field."""
        return _GAP + 10.8 * (1 + self.title.count("\n")) if self.title else 0.0


def marker(at: Point, mark: str, colour: str, size: float, tip: str = "") -> Shape:
    """One mark at a place of a canvas."""
    x, y = at
    if mark == "o":
        stroke = circle(at, size / 2)
    else:
        stroke = Stroke([(x + size * dx, y + size * dy) for dx, dy in _MARKS[mark]], closed=True)
    return Shape(strokes=[stroke], fill=colour, edge=colour, width=1.0, tip=tip)


def write(
    canvas: Canvas,
    at: Point,
    text: str,
    colour: str = style.MUTED,
    *,
    size: float = TEXT,
    align: Align = "left",
    weight: Weight = "normal",
) -> None:
    """Text in one line or several, the first on a baseline."""
    for number, line in enumerate(text.split("\n") if text else ()):
        place = at[0], at[1] + 1.2 * size * number
        canvas.marks.append(Letters(at=place, text=line, size=size, colour=colour, align=align, weight=weight))
