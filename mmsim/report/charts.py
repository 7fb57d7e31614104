"""How charts are drawn, from plain values: whoever draws, a process of its own for one, need not know of tables.

matplotlib takes a moment to import, and is imported when the first chart is drawn.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from mmsim.analysis.stats import Array, Estimate
from mmsim.report import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PNG_DPI = 160
_TITLE_WIDTH = 54  # letters in a line of a title
_LABEL_WIDTH = 20  # letters in a line of a label
_TITLE = "chart-title"
_TITLE_LINE, _TITLE_ROOM = 15.4, 4.0  # points
FURTHEST = 30.0  # tolerances; differences beyond are drawn at the edge


@dataclass(frozen=True)
class Chart:
    """A chart: its title says the finding, its note the unit and what the marks are."""

    name: str
    title: str
    note: str
    draw: "Callable[[], Figure]"  # can be pickled, and draws the same wherever it is called
    series: int = 1

    def files(self) -> dict[str, bytes]:
        """The chart as SVG and PNG with its title, to be used elsewhere."""
        with style.settings():
            figure = self.draw()
            title = fill(self.title, _TITLE_WIDTH)
            room = _TITLE_ROOM + _TITLE_LINE * (1 + title.count("\n"))
            figure.set_figheight(figure.get_figheight() + room / 72)
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold", gid=_TITLE)
            engine = figure.get_layout_engine()
            if engine is not None:
                engine.execute(figure)
            figure.set_layout_engine(None)  # found once: with an engine every file is drawn twice
            return {kind: _saved(figure, kind) for kind in ("svg", "png")}

    def inline(self, drawn: bytes) -> str:
        """Its SVG for a page that tells the title itself, in the page's own colours; its ids are its own."""
        svg = drawn.decode()
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        svg = style.on_page(_without_title(svg))
        for attribute in ('id="', "url(#", 'href="#'):
            svg = svg.replace(attribute, f"{attribute}{self.name}-")
        return svg.replace("<svg", f'<svg role="img" aria-label="{escape(self.title, quote=True)}"', 1)


def _without_title(svg: str) -> str:
    """A drawing without its title and the room that takes at the top."""
    title = re.search(rf'<g id="{_TITLE}">.*?</g>', svg, re.DOTALL)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt" viewBox="[^"]*"', svg)
    if title is None or size is None:
        raise RuntimeError("the drawing has no title")
    lines = title.group().count("<text")
    width, height, room = float(size[1]), float(size[2]), _TITLE_LINE * lines + _TITLE_ROOM
    box = f'width="{width}" height="{height - room}" viewBox="0 {room} {width} {height - room}"'
    return svg.replace(title.group(), "").replace(size.group(), box)


def _saved(figure: "Figure", kind: str) -> bytes:
    drawn = BytesIO()
    nameless = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    paper = "none" if kind == "svg" else "white"
    figure.savefig(drawn, format=kind, dpi=_PNG_DPI, metadata=nameless, facecolor=paper)
    return drawn.getvalue()


@dataclass(frozen=True)
class Row:
    """A line of a chart of dots: a label, and an estimate for every series, or None."""

    label: str
    estimates: Sequence[Estimate | None]


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


def draw_dots(rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None) -> "Figure":
    """Estimates as dots with their intervals, one line a row; a dashed line where `at` says."""
    step = min(0.24, 0.7 / max(len(series), 1))
    height = 0.8 + len(rows) * (0.26 + 0.14 * len(series)) + (0.25 if len(series) > 1 else 0)
    figure, axes = style.blank(height)
    scale = 100.0 if unit.startswith("share") else 1.0
    if at is not None:
        axes.axvline(at * scale, color=style.MUTED, linestyle=(0, (4, 3)), linewidth=1)
    for s, label in enumerate(series):
        offset = (s - (len(series) - 1) / 2) * step
        shown = [(y + offset, row.estimates[s]) for y, row in enumerate(rows) if row.estimates[s] is not None]
        _points(axes, [(y, e) for y, e in shown if e is not None], scale, s, label)
    axes.set_yticks(range(len(rows)), [_wrapped(row.label) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(_axis(unit))
    style.legend(axes)
    return figure


def _points(axes: "Axes", points: Sequence[tuple[float, Estimate]], scale: float, series: int, label: str) -> None:
    colour = style.colour(series)
    ys = [y for y, _ in points]
    values = np.array([e.value for _, e in points]) * scale
    ends = _interval_ends([e for _, e in points]) * scale
    axes.hlines(ys, ends[0], ends[1], color=colour, linewidth=2, zorder=3)
    axes.plot(values, ys, style.marker(series), color=colour, markersize=5.5, label=label, zorder=4)


def _interval_ends(estimates: Sequence[Estimate]) -> Array:
    """The low and the high ends of intervals; where there is none, the number itself."""
    values = np.array([e.value for e in estimates])
    ends = np.array([[e.low for e in estimates], [e.high for e in estimates]])
    return np.where(np.isfinite(ends), ends, values)


def _wrapped(label: str) -> str:
    """A label in lines short enough to stand left of a chart; a ruleset is broken between its knobs."""
    return fill(label.replace(",", ", "), _LABEL_WIDTH, break_long_words=False)


def _axis(unit: str) -> str:
    if unit == "share":
        return "per cent"
    return "percentage points" if unit in ("share difference", "share distance") else unit


def draw_by_variant(estimates: Sequence[Estimate | None], series: Sequence[str], unit: str) -> "Figure":
    """One number of every variant, each in its own line and colour."""
    figure, axes = style.blank(0.8 + 0.36 * len(series))
    scale = 100.0 if unit.startswith("share") else 1.0
    for v, (estimate, label) in enumerate(zip(estimates, series, strict=True)):
        if estimate is not None:
            _points(axes, [(v, estimate)], scale, v, label)
    axes.set_yticks(range(len(series)), [_wrapped(label) for label in series])
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlabel(_axis(unit))
    return figure


def draw_stacked_score(
    parts: Array, names: Sequence[str], scores: Sequence[Estimate], series: Sequence[str]
) -> "Figure":
    """The parts of a score (variants x parts) as bars, what is lost to the left of zero, and the score as a dot."""
    figure, axes = style.blank(1.2 + 0.42 * len(series))
    for v, net in enumerate(scores):
        right = left = 0.0
        for g, value in enumerate(map(float, parts[v])):
            start = right if value >= 0 else left
            axes.barh(v, value, left=start, height=0.55, color=style.colour(g), alpha=0.85, linewidth=0)
            right, left = (right + value, left) if value >= 0 else (right, left + value)
        axes.hlines(v, *_interval_ends([net]), color=style.INK, linewidth=2.2, zorder=4)
        axes.plot(net.value, v, "D", color=style.INK, markersize=6, zorder=5)
    for g, name in enumerate(names):
        axes.barh(0, 0, color=style.colour(g), alpha=0.85, label=name)
    axes.plot([], [], "D", color=style.INK, label="score")
    axes.axvline(0, color=style.MUTED, linewidth=1)
    axes.set_yticks(range(len(series)), [_wrapped(label) for label in series])
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlabel("points a seat")
    style.legend(axes)
    return figure


def draw_forest(differences: Sequence[Difference]) -> "Figure":
    """Differences in units of their tolerances: inside the band they do not matter."""
    figure, axes = style.blank(0.9 + 0.21 * len(differences))
    axes.axvspan(-1, 1, color=style.GRID, linewidth=0)
    axes.axvline(0, color=style.MUTED, linewidth=1)
    for verdict in dict.fromkeys(one.verdict for one in differences):
        shown = [(y, one) for y, one in enumerate(differences) if one.verdict == verdict]
        ys, colour = [y for y, _ in shown], shown[0][1].colour
        ends = np.array([(one.low, one.value, one.high) for _, one in shown])
        axes.hlines(ys, ends[:, 0], ends[:, 2], color=colour, linewidth=2, zorder=3)
        axes.plot(ends[:, 1], ys, shown[0][1].mark, color=colour, markersize=5.5, zorder=4, label=verdict)
    axes.set_xscale("symlog", linthresh=1, linscale=0.8)
    axes.set_xlim(-FURTHEST * 1.15, FURTHEST * 1.15)
    ticks = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
    axes.set_xticks(ticks, [str(tick).replace("-", "−") for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(differences)), [one.label for one in differences])
    axes.set_ylim(len(differences) - 0.3, -0.7)
    axes.set_xlabel("difference, in tolerances")
    style.legend(axes)
    return figure


def draw_distribution(counts: Sequence[tuple[Array, Array]], series: Sequence[str], unit: str) -> "Figure":
    """The share of games or seats at every value: one line a series."""
    figure, axes = style.blank(2.6)
    axes.grid(axis="y")
    lines = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), "dashdot")
    for s, ((values, shares), label) in enumerate(zip(counts, series, strict=True)):
        colour, line = style.colour(s), lines[s % len(lines)]
        axes.plot(values, 100 * shares, color=colour, linewidth=1.8, linestyle=line, label=label)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(unit)
    axes.set_ylabel("per cent")
    style.legend(axes)
    return figure


def draw_response(
    along: Sequence[str], lines: Mapping[str, Sequence[Estimate | None]], knob: str, unit: str
) -> "Figure":
    """A metric along the values of a knob, with intervals; one line for every setting of the other knobs."""
    figure, axes = style.blank(2.7)
    axes.grid(axis="y")
    scale = 100.0 if unit.startswith("share") else 1.0
    for s, (label, estimates) in enumerate(lines.items()):
        offset = (s - (len(lines) - 1) / 2) * 0.06
        known = [(x + offset, e) for x, e in enumerate(estimates) if e is not None]
        xs, values = [x for x, _ in known], [e.value * scale for _, e in known]
        colour = style.colour(s)
        axes.vlines(xs, *(_interval_ends([e for _, e in known]) * scale), color=colour, lw=2)
        axes.plot(xs, values, marker=style.marker(s), color=colour, markersize=5.5, linewidth=1.2, label=label)
    axes.set_xticks(range(len(along)), list(along))
    axes.set_xlim(-0.4, len(along) - 0.6)
    axes.set_xlabel(knob)
    axes.set_ylabel(_axis(unit))
    style.legend(axes)
    return figure
