"""The charts of a report: estimates with their intervals, parts of a score, differences, distributions, responses."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from io import BytesIO
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mmsim.analysis import words
from mmsim.analysis.compare import Comparison, Verdict
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import Array, Estimate
from mmsim.report import style

_PNG_DPI = 160
_TITLE_WIDTH = 54  # letters in a line of a title
_LABEL_WIDTH = 20  # letters in a line of a label
_TITLE = "chart-title"
_TITLE_LINE, _TITLE_ROOM = 15.4, 4.0  # points
_FURTHEST = 30.0  # tolerances; differences beyond are drawn at the edge


@dataclass(frozen=True)
class Chart:
    """A chart: its title says the finding, its note the unit and what the marks are."""

    name: str
    title: str
    note: str
    draw: Callable[[], Figure]
    series: int = 1

    @cached_property
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

    def inline(self) -> str:
        """The chart as SVG for a page that tells the title itself, in the page's own colours; its ids are its own."""
        svg = self.files["svg"].decode()
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


def _saved(figure: Figure, kind: str) -> bytes:
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


def rows_of(estimates: Estimates, labels: Mapping[str, str] | None = None) -> list[Row]:
    """A row for every group of a estimates that any variant has."""
    return [
        Row(
            (labels or {}).get(group, words.title(group)),
            [estimates.estimate(v, g) if estimates.known(v, g) else None for v in range(len(estimates.variants))],
        )
        for g, group in enumerate(estimates.groups)
        if any(estimates.known(v, g) for v in range(len(estimates.variants)))
    ]


def dots(
    name: str, title: str, note: str, rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None = None
) -> Chart:
    """Estimates as dots with their intervals, one line a row; a dashed line where `at` says."""

    def draw() -> Figure:
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

    return Chart(name, title, note, draw, len(series))


def _points(axes: Axes, points: Sequence[tuple[float, Estimate]], scale: float, series: int, label: str) -> None:
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


def by_variant(name: str, title: str, note: str, estimates: Estimates, series: Sequence[str]) -> Chart:
    """One number of every variant, each in its own line and colour."""

    def draw() -> Figure:
        figure, axes = style.blank(0.8 + 0.36 * len(series))
        scale = 100.0 if estimates.measure.unit.startswith("share") else 1.0
        for v, label in enumerate(series):
            if estimates.known(v, 0):
                _points(axes, [(v, estimates.estimate(v, 0))], scale, v, label)
        axes.set_yticks(range(len(series)), [_wrapped(label) for label in series])
        axes.set_ylim(len(series) - 0.5, -0.5)
        axes.set_xlabel(_axis(estimates.measure.unit))
        return figure

    return Chart(name, title, note, draw)


def stacked_score(name: str, title: str, note: str, parts: Estimates, score: Estimates, series: Sequence[str]) -> Chart:
    """The parts of a score as bars, what is lost to the left of zero, and the score itself as a dot."""

    def draw() -> Figure:
        figure, axes = style.blank(1.2 + 0.42 * len(series))
        for v in range(len(series)):
            right = left = 0.0
            for g in range(len(parts.groups)):
                value = float(parts.means[v, g])
                start = right if value >= 0 else left
                axes.barh(v, value, left=start, height=0.55, color=style.colour(g), alpha=0.85, linewidth=0)
                right, left = (right + value, left) if value >= 0 else (right, left + value)
            net = score.estimate(v, 0)
            axes.hlines(v, *_interval_ends([net]), color=style.INK, linewidth=2.2, zorder=4)
            axes.plot(net.value, v, "D", color=style.INK, markersize=6, zorder=5)
        for g, group in enumerate(parts.groups):
            axes.barh(0, 0, color=style.colour(g), alpha=0.85, label=words.title(group))
        axes.plot([], [], "D", color=style.INK, label="score")
        axes.axvline(0, color=style.MUTED, linewidth=1)
        axes.set_yticks(range(len(series)), [_wrapped(label) for label in series])
        axes.set_ylim(len(series) - 0.5, -0.5)
        axes.set_xlabel("points a seat")
        style.legend(axes)
        return figure

    return Chart(name, title, note, draw)


def forest(name: str, title: str, note: str, comparisons: Sequence[Comparison]) -> Chart:
    """Differences in units of their tolerances: inside the band they do not matter."""

    def draw() -> Figure:
        figure, axes = style.blank(0.9 + 0.21 * len(comparisons))
        axes.axvspan(-1, 1, color=style.GRID, linewidth=0)
        axes.axvline(0, color=style.MUTED, linewidth=1)
        marks = {
            Verdict.EQUAL: (style.MUTED, "o"),
            Verdict.UNSURE: (style.colour(4), "v"),
            Verdict.BETTER: (style.colour(2), "D"),
            Verdict.WORSE: (style.colour(1), "s"),
            Verdict.HIGHER: (style.colour(0), ">"),
            Verdict.LOWER: (style.colour(0), "<"),
        }
        for verdict in dict.fromkeys(one.verdict for one in comparisons):
            colour, mark = marks[verdict]
            ys = [y for y, one in enumerate(comparisons) if one.verdict is verdict]
            ends = np.array([_in_tolerances(comparisons[y]) for y in ys])
            axes.hlines(ys, ends[:, 0], ends[:, 2], color=colour, linewidth=2, zorder=3)
            axes.plot(ends[:, 1], ys, mark, color=colour, markersize=5.5, zorder=4, label=str(verdict))
        axes.set_xscale("symlog", linthresh=1, linscale=0.8)
        axes.set_xlim(-_FURTHEST * 1.15, _FURTHEST * 1.15)
        ticks = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
        axes.set_xticks(ticks, [str(tick).replace("-", "−") for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set_yticks(range(len(comparisons)), [words.label(one.measure.name, one.group) for one in comparisons])
        axes.set_ylim(len(comparisons) - 0.3, -0.7)
        axes.set_xlabel("difference, in tolerances")
        style.legend(axes)
        return figure

    return Chart(name, title, note, draw)


def _in_tolerances(one: Comparison) -> tuple[float, ...]:
    """The low end, the value and the high end of a difference, in tolerances."""
    ends = (one.difference.low, one.difference.value, one.difference.high)
    return tuple(float(np.clip(end / one.measure.tolerance, -_FURTHEST, _FURTHEST)) for end in ends)


def distribution(
    name: str, title: str, note: str, counts: Sequence[tuple[Array, Array]], series: Sequence[str], unit: str
) -> Chart:
    """The share of games or seats at every value: one line a series."""

    def draw() -> Figure:
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

    return Chart(name, title, note, draw, len(series))


def response(
    name: str,
    title: str,
    note: str,
    along: Sequence[str],
    lines: Mapping[str, Sequence[Estimate | None]],
    knob: str,
    unit: str,
) -> Chart:
    """A metric along the values of a knob, with intervals; one line for every setting of the other knobs."""

    def draw() -> Figure:
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

    return Chart(name, title, note, draw)
