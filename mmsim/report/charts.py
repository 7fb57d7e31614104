"""How charts are drawn, from plain values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import inf, log10
from textwrap import fill
from typing import NamedTuple

import numpy as np

from mmsim.analysis import words
from mmsim.analysis.stats import Array, Estimate
from mmsim.drawing.canvas import POINTS_PER_INCH, Canvas, Shape, Stroke
from mmsim.drawing.letters import CAPITAL, text_width
from mmsim.report import style
from mmsim.report.plot import LINE, TEXT, Axis, Box, Plot, marker, write

_PNG_DPI = 160
_WIDTH = 4.7 * POINTS_PER_INCH  # on a phone a page is not much wider
_MARGIN = 3.0  # points around everything
_RIGHT = 12.0  # points right of a field, where half of its last number stands
_TITLE_WIDTH, _TITLE_SIZE = 51, 11.0  # letters in a line of a title, points
_TITLE_LINE, _TITLE_ROOM = 15.4, 4.0  # points
_LABEL_WIDTH = 20  # letters in a line of a label
_LEGEND_WIDTH, _LEGEND_LINE = 60, 14.4  # letters, points
_SIGN = 14.0  # points that the sign of a series takes in a legend
_FIELDS_A_ROW = 2  # charts of one number beside each other
_BINS = 18  # bars of a distribution, at most
_DASHES = (4.0, 3.0)
FURTHEST = 30.0  # tolerances; differences beyond are drawn at the edge


@dataclass(frozen=True)
class Chart:
    """A chart: its title says the finding, its note the unit and what the marks are."""

    name: str
    title: str
    note: str
    draw: Callable[[], Canvas]  # without the title
    series: int = 1

    def file(self, kind: str) -> bytes:
        """The chart with its title, to be used elsewhere: `svg` or `png`."""
        title = fill(self.title, _TITLE_WIDTH)
        lines = 1 + title.count("\n")
        bare = self.draw()
        titled = replace(bare, above=_TITLE_ROOM + _TITLE_LINE * lines, marks=list(bare.marks))
        for number, line in enumerate(title.split("\n")):
            at = (_MARGIN, _TITLE_LINE * (number + 1 - lines) - _TITLE_ROOM - 3)
            write(titled, at, line, style.INK, size=_TITLE_SIZE, weight="bold")
        return titled.saved(f".{kind}", _PNG_DPI)

    def inline(self) -> str:
        """Its SVG for a page that tells the title itself, in the page's own colours."""
        svg = style.on_page(self.draw().svg())
        return svg.replace("<svg", f'<svg role="img" aria-label="{escape(self.title, quote=True)}"', 1)


class Named(NamedTuple):
    """A series in a legend: its name, its colour and its mark; "" is a bar."""

    name: str
    colour: str
    mark: str


def _chart(plot: Plot, height: float, legend: Sequence[Named] = ()) -> Canvas:
    """A canvas with one field, so many inches high without the legend above it."""
    return _charts([plot], 1, height, legend)


def _charts(plots: Sequence[Plot], columns: int, height: float, legend: Sequence[Named]) -> Canvas:
    """A canvas with several fields of the same axes, row by row, so many inches high without the legend above them."""
    names = [fill(one.name, _LEGEND_WIDTH, break_long_words=False) for one in legend]
    rows, top = -(-len(plots) // columns), _legend_height(names)
    canvas = Canvas(_WIDTH, top + height * POINTS_PER_INCH, "none")
    if top:
        _put_legend(canvas, legend, names)
    for plot in plots:
        plot.reach()
    for axis in {id(axis): axis for plot in plots for axis in (plot.x, plot.y)}.values():
        axis.settle()
    high = (canvas.height - top - 2 * _MARGIN) / rows
    left = _MARGIN + plots[0].left_of(high - 3 * LINE)
    wide, over = (_WIDTH - left) / columns, max(plot.over for plot in plots)
    for number, plot in enumerate(plots):
        row, column = divmod(number, columns)
        x, y = left + column * wide, top + _MARGIN + row * high
        box = Box(x, y + over, x + wide - _RIGHT, y + high - plot.below(wide - _RIGHT))
        plot.put_on(canvas, box, y_numbers=column == 0)
    return canvas


def _legend_columns(names: Sequence[str]) -> int:
    return max(1, min(len(names), _LEGEND_WIDTH // (max(len(name) for name in names) + 6)))


def _legend_height(names: Sequence[str]) -> float:
    """What a legend takes above a chart; one series needs none."""
    if len(names) < 2:
        return 0.0
    return sum(_LEGEND_LINE + LINE * row for row in _lines_more(names, _legend_columns(names)))


def _lines_more(names: Sequence[str], columns: int) -> list[int]:
    """Of every row of a legend, how many lines more than one its longest name has."""
    return [max(name.count("\n") for name in names[i : i + columns]) for i in range(0, len(names), columns)]


def _put_legend(canvas: Canvas, legend: Sequence[Named], names: Sequence[str]) -> None:
    """Names of the series above the chart and as wide as all of it, row by row in the order they are drawn in."""
    columns = _legend_columns(names)
    widths = [
        max(text_width(line, TEXT) for name in names[column::columns] for line in name.split("\n"))
        for column in range(columns)
    ]
    y = _MARGIN
    for row, more in enumerate(_lines_more(names, columns)):
        for column, one in enumerate(legend[row * columns : (row + 1) * columns]):
            x = _MARGIN + sum(widths[:column]) + column * (_SIGN + 1.5 * TEXT)
            middle = y + LINE / 2
            if one.mark:
                canvas.marks.append(marker((x + _SIGN / 2 - 1, middle), one.mark, one.colour, 5.5))
            else:
                corners = [(x, middle - 3), (x + _SIGN - 3, middle - 3), (x + _SIGN - 3, middle + 3), (x, middle + 3)]
                canvas.marks.append(Shape(strokes=[Stroke(corners, closed=True)], fill=one.colour, opacity=0.85))
            write(canvas, (x + _SIGN, middle + TEXT * CAPITAL / 2), names[row * columns + column], style.INK)
        y += _LEGEND_LINE + LINE * more


def _series(names: Sequence[str]) -> list[Named]:
    return [Named(name, style.colour(s), style.marker(s)) for s, name in enumerate(names)]


def _rows(names: Sequence[str], wrap: bool = True) -> Axis:
    """Lines of a chart from the top down, and what they are called."""
    return Axis("", [_wrapped(name) if wrap else name for name in names], low=max(len(names), 1) - 0.5, high=-0.5)


def _tip(label: str, series: str, value: str) -> str:
    """What a mark says when it is pointed at."""
    return f"{label}, {series}: {value}" if label and series else f"{label or series}: {value}"


@dataclass(frozen=True)
class Row:
    """A line of a chart of dots: a label, and an estimate for every series, or None."""

    label: str
    estimates: Sequence[Estimate | None]
    tolerance: float = 0.0  # a difference that does not matter; 0: unknown


@dataclass(frozen=True)
class Difference:
    """A line of a chart of differences, in tolerances; what looks the same has the same verdict."""

    label: str
    verdict: str
    colour: str
    mark: str
    low: float
    value: float
    high: float
    text: str = ""  # the difference in its own unit


def draw_dots(rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None) -> Canvas:
    """Estimates as dots with their intervals, one line a row; a dashed line where `at` says."""
    step = min(0.24, 0.7 / max(len(series), 1))
    plot = Plot(Axis(_axis(unit), grid=True), _rows([row.label for row in rows]))
    if at is not None:
        x = at * _scale(unit)
        plot.line([(x, -inf), (x, inf)], style.MUTED, 1, dashes=_DASHES, layer=2)
    for y, row in enumerate(rows):
        first = row.estimates[0]
        if at is not None or (len(series) > 1 and first is not None):
            _band(plot, y, (at if at is not None or first is None else first.value) or 0.0, row.tolerance, unit)
        for s, (label, estimate) in enumerate(zip(series, row.estimates, strict=True)):
            if estimate is not None:
                offset = (s - (len(series) - 1) / 2) * step
                _point(plot, y + offset, estimate, unit, s, _tip(row.label, label, words.with_interval(estimate, unit)))
    return _chart(plot, 0.8 + len(rows) * (0.26 + 0.14 * len(series)), _series(series))


def _scale(unit: str) -> float:
    return 100.0 if unit.startswith("share") else 1.0


def _band(plot: Plot, y: float, middle: float, tolerance: float, unit: str) -> None:
    """What lies within tolerance of a number, shaded: an axis that shows it makes nothing of nothing."""
    if tolerance:
        never_below = 0.0 if unit in ("share", "share distance") else -inf
        low, high = max(middle - tolerance, never_below) * _scale(unit), (middle + tolerance) * _scale(unit)
        plot.box((low, y - 0.46), (high, y + 0.46), style.GRID, layer=1, opacity=0.7)


def _point(plot: Plot, y: float, estimate: Estimate, unit: str, series: int, tip: str) -> None:
    low, high = _ends(estimate, unit)
    plot.line([(low, y), (high, y)], style.colour(series), 2, tip=tip)
    plot.dot((estimate.value * _scale(unit), y), style.marker(series), style.colour(series), tip=tip)


def _ends(estimate: Estimate, unit: str) -> tuple[float, float]:
    """The ends of an interval; where there is none, the number itself."""
    low, high = (end if np.isfinite(end) else estimate.value for end in (estimate.low, estimate.high))
    return low * _scale(unit), high * _scale(unit)


def _wrapped(label: str) -> str:
    """A label in lines short enough to stand left of a chart; a ruleset is broken between its knobs."""
    return fill(" ".join(label.replace(",", ", ").split()), _LABEL_WIDTH, break_long_words=False)


def _axis(unit: str) -> str:
    if unit == "share":
        return "per cent"
    return "percentage points" if unit in ("share difference", "share distance") else unit


def draw_by_variant(estimates: Sequence[Estimate | None], series: Sequence[str], unit: str, tolerance: float) -> Canvas:
    """One number of every variant, each in its own line and colour; shaded what is within tolerance of the first."""
    plot = Plot(Axis(_axis(unit), grid=True), _rows(series))
    for v, (estimate, label) in enumerate(zip(estimates, series, strict=True)):
        if estimate is not None:
            _point(plot, v, estimate, unit, v, _tip("", label, words.with_interval(estimate, unit)))
        if len(series) > 1 and (first := estimates[0]) is not None:
            _band(plot, v, first.value, tolerance, unit)
    return _chart(plot, 0.8 + 0.36 * len(series))


def draw_seats_of_players(
    shares: Sequence[Sequence[Sequence[Estimate | None]]],
    seats: Sequence[str],
    kinds: Sequence[str],
    titles: Sequence[str],
) -> Canvas:
    """Win shares by seat, a line for every kind of players and a field for every variant (variants x kinds x seats)."""
    columns = min(len(shares), _FIELDS_A_ROW)
    x, y = Axis(names=seats, low=-0.3, high=len(seats) - 0.7), Axis("per cent", grid=True)
    plots = []
    for title, of_kinds in zip(titles, shares, strict=True):
        plot = Plot(x, y, _wrapped(title) if len(shares) > 1 else "")
        known = sum(any(of_kind[g] is not None for of_kind in of_kinds) for g in range(len(seats)))
        fair = 100 / max(known, 1)
        plot.line([(-inf, fair), (inf, fair)], style.MUTED, 1, dashes=_DASHES, layer=2)
        for k, (kind, of_kind) in enumerate(zip(kinds, of_kinds, strict=True)):
            colour = style.colour(k)
            there = [(g + (k - (len(kinds) - 1) / 2) * 0.09, seats[g], one) for g, one in enumerate(of_kind) if one]
            for at, seat, one in there:
                low, high = _ends(one, "share")
                tip = _tip(f"{title}, {seat}", kind, words.with_interval(one, "share"))
                plot.line([(at, low), (at, high)], colour, 1.4, opacity=0.6, tip=tip)
                plot.dot((at, one.value * 100), style.marker(k), colour, 4, tip=tip)
            plot.line([(at, one.value * 100) for at, _, one in there], colour, 0.8, opacity=0.5, layer=2)
        plots.append(plot)
    rows = -(-len(shares) // columns)
    return _charts(plots, columns, 0.3 + 1.75 * rows, _series(kinds))


def draw_stacked_score(parts: Array, names: Sequence[str], scores: Sequence[Estimate], series: Sequence[str]) -> Canvas:
    """The parts of a score (variants x parts) as bars, what is lost to the left of zero, and the score as a dot."""
    plot = Plot(Axis("points a seat", grid=True), _rows(series))
    plot.line([(0.0, -inf), (0.0, inf)], style.MUTED, 1)
    for v, net in enumerate(scores):
        right = left = 0.0
        for g, value in enumerate(map(float, parts[v])):
            start = right if value >= 0 else left
            tip = _tip(series[v], names[g], f"{value:+.2f}".replace("-", "−"))
            plot.box((start, v - 0.275), (start + value, v + 0.275), style.colour(g), opacity=0.85, tip=tip)
            right, left = (right + value, left) if value >= 0 else (right, left + value)
        low, high = _ends(net, "")
        plot.line([(low, v), (high, v)], style.INK, 2.2, layer=4)
        plot.dot((net.value, v), "D", style.INK, 6, layer=5, tip=_tip(series[v], "score", words.with_interval(net, "")))
    lost = [g for g in range(len(names)) if parts[0][g] < 0]
    as_they_lie = [*reversed(lost), *(g for g in range(len(names)) if g not in lost)]  # from left to right
    legend = [Named(names[g], style.colour(g), "") for g in as_they_lie] + [Named("score", style.INK, "D")]
    return _chart(plot, 0.8 + 0.42 * len(series), legend)


def draw_forest(differences: Sequence[Difference]) -> Canvas:
    """Differences in units of their tolerances: inside the band they do not matter."""
    ticks, end = (-30, -10, -3, -1, 0, 1, 3, 10, 30), FURTHEST * 1.15
    x = Axis("difference, in tolerances", marked=ticks, low=-end, high=end, grid=True, bend=_like_a_logarithm)
    plot = Plot(x, _rows([one.label for one in differences], wrap=False))
    plot.box((-1, -inf), (1, inf), style.GRID, layer=1)
    plot.line([(0.0, -inf), (0.0, inf)], style.MUTED, 1, layer=2)
    for y, one in enumerate(differences):
        plot.line([(one.low, y), (one.high, y)], one.colour, 2)
        plot.dot((one.value, y), one.mark, one.colour, tip=_tip(one.label, one.verdict, one.text))
    verdicts = {one.verdict: Named(one.verdict, one.colour, one.mark) for one in differences}
    return _chart(plot, 0.9 + 0.21 * len(differences), list(verdicts.values()))


def _like_a_logarithm(number: float) -> float:
    """Where a number lies on an axis that is even within a tolerance and then ever narrower."""
    even = 0.8 / 0.9
    return number * even if abs(number) <= 1 else float(np.sign(number)) * (even + log10(abs(number)))


def draw_distribution(counts: Sequence[tuple[Array, Array]], series: Sequence[str], unit: str) -> Canvas:
    """The share of games or seats within some ranges of values, as bars: a group a range, a bar a series."""
    plot = Plot(Axis(unit), Axis("per cent", grid=True, least=0.0))
    low = min(int(values.min()) for values, _ in counts)
    high = max(int(values.max()) for values, _ in counts)
    wide = -(-(high - low + 1) // _BINS)
    low -= low % wide
    starts = range(low, high + 1, wide)
    thick = 0.8 * wide / len(series)
    for s, ((values, shares), label) in enumerate(zip(counts, series, strict=True)):
        heights = 100 * np.bincount((values.astype(int) - low) // wide, weights=shares, minlength=len(starts))
        for start, height in zip(starts, map(float, heights), strict=True):
            left = start - 0.5 + 0.1 * wide + s * thick
            ends = f"{start}" if wide == 1 else f"{start} to {start + wide - 1}"
            tip = _tip(f"{ends} {unit}".replace("-", "−"), label, f"{height:.1f} %")
            plot.box((left, 0.0), (left + thick, height), style.colour(s), tip=tip)
    return _chart(plot, 2.6, [Named(label, style.colour(s), "") for s, label in enumerate(series)])


def draw_response(
    along: Sequence[str], lines: Mapping[str, Sequence[Estimate | None]], knob: str, unit: str, tolerance: float
) -> Canvas:
    """A metric along the values of a knob, with intervals; one line for every setting of the other knobs.

    Shaded is what lies within tolerance of the first dot.
    """
    plot = Plot(Axis(knob, along, low=-0.4, high=len(along) - 0.6, grid=True), Axis(_axis(unit), grid=True))
    scale = _scale(unit)
    first = next((one for one in next(iter(lines.values())) if one is not None), None)
    if first is not None and tolerance:
        low, high = (first.value - tolerance) * scale, (first.value + tolerance) * scale
        plot.box((-inf, low), (inf, high), style.GRID, layer=1, opacity=0.7)
    for s, (label, estimates) in enumerate(lines.items()):
        offset = (s - (len(lines) - 1) / 2) * 0.06
        known = [(x, e) for x, e in enumerate(estimates) if e is not None]
        plot.line([(x + offset, e.value * scale) for x, e in known], style.colour(s), 1.2)
        for x, estimate in known:
            low, high = _ends(estimate, unit)
            plot.line([(x + offset, low), (x + offset, high)], style.colour(s), 2)
            tip = _tip(f"{knob} {along[x]}", label, words.with_interval(estimate, unit))
            plot.dot((x + offset, estimate.value * scale), style.marker(s), style.colour(s), tip=tip)
    return _chart(plot, 2.7, _series(list(lines)))
