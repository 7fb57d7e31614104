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
from urllib.parse import quote, unquote

import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis.stats import Array, Estimate
from mmsim.report import chart_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PNG_DPI = 160
_TITLE_WIDTH = 51  # letters in a line of a title
_LABEL_WIDTH = 20  # letters in a line of a label
_TITLE = "chart-title"
_TIP = "tip:"
_FIELDS_A_ROW = 2  # charts of one number beside each other
_BINS = 18  # bars of a distribution, at most
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
        with chart_style.settings():
            figure = self.draw()
            engine = figure.get_layout_engine()
            if engine is not None:
                engine.execute(figure)
            figure.set_layout_engine(None)  # found once: with an engine every file is drawn twice
            _put_title_above(figure, fill(self.title, _TITLE_WIDTH))
            drawn = {kind: _saved(figure, kind) for kind in ("svg", "png")}
            return {**drawn, "svg": _with_tips(drawn["svg"].decode()).encode()}

    def inline(self, drawn: bytes) -> str:
        """Its SVG for a page that tells the title itself, in the page's own colours; its ids are its own."""
        svg = drawn.decode()
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        svg = chart_style.on_page(_without_title(svg))
        for attribute in ('id="', "url(#", 'href="#'):
            svg = svg.replace(attribute, f"{attribute}{self.name}-")
        return svg.replace("<svg", f'<svg role="img" aria-label="{escape(self.title, quote=True)}"', 1)


def _put_title_above(figure: "Figure", title: str) -> None:
    """Make a figure higher by the room of a title, and leave all else where it is."""
    before = figure.get_figheight()
    after = before + (_TITLE_ROOM + _TITLE_LINE * (1 + title.count("\n"))) / 72
    for axes in figure.axes:
        box = axes.get_position()
        axes.set_position((box.x0, box.y0 * before / after, box.width, box.height * before / after))
    for legend in figure.legends:
        legend.set_loc("upper left")
        legend.set_bbox_to_anchor((0, before / after), figure.transFigure)
    figure.set_figheight(after)
    top = 1 - 2 / 72 / after
    figure.suptitle(title, x=0.01, y=top, ha="left", va="top", fontsize=11, fontweight="bold", gid=_TITLE)


def _tip(label: str, series: str, value: str) -> str:
    """The id of a mark that says its value when it is pointed at."""
    return _TIP + quote(f"{label}, {series}: {value}" if label and series else f"{label or series}: {value}")


def _with_tips(svg: str) -> str:
    """A drawing in which marks say their values: their ids become titles, which browsers show."""
    return re.sub(rf'<g id="{_TIP}([^"]*)">', lambda found: f"<g><title>{escape(unquote(found[1]))}</title>", svg)


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


def draw_dots(rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None) -> "Figure":
    """Estimates as dots with their intervals, one line a row; a dashed line where `at` says."""
    step = min(0.24, 0.7 / max(len(series), 1))
    height = 0.8 + len(rows) * (0.26 + 0.14 * len(series))
    figure, axes = chart_style.blank(height)
    scale = 100.0 if unit.startswith("share") else 1.0
    if at is not None:
        axes.axvline(at * scale, color=chart_style.MUTED, linestyle=(0, (4, 3)), linewidth=1)
    for y, row in enumerate(rows):
        first = row.estimates[0]
        if at is not None or (len(series) > 1 and first is not None):
            _band(axes, y, (at if at is not None or first is None else first.value) or 0.0, row.tolerance, unit)
    for s, label in enumerate(series):
        offset = (s - (len(series) - 1) / 2) * step
        for y, row in enumerate(rows):
            if (estimate := row.estimates[s]) is not None:
                _point(
                    axes,
                    y + offset,
                    estimate,
                    unit,
                    s,
                    _tip(row.label, label, fmt.with_interval(estimate, unit)),
                )
        axes.plot([], [], chart_style.marker(s), color=chart_style.colour(s), markersize=5.5, label=label)
    axes.set_yticks(range(len(rows)), [_wrapped(row.label) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(_axis(unit))
    chart_style.legend(axes)
    return figure


def _band(axes: "Axes", y: float, middle: float, tolerance: float, unit: str) -> None:
    """What lies within tolerance of a number, shaded: an axis that shows it makes nothing of nothing."""
    if tolerance:
        never_below = 0.0 if unit in ("share", "share distance") else -np.inf
        scale = 100.0 if unit.startswith("share") else 1.0
        low, high = max(middle - tolerance, never_below) * scale, (middle + tolerance) * scale
        axes.fill_betweenx([y - 0.46, y + 0.46], low, high, color=chart_style.GRID, alpha=0.7, linewidth=0, zorder=1)


def _point(axes: "Axes", y: float, estimate: Estimate, unit: str, series: int, tip: str) -> None:
    scale = 100.0 if unit.startswith("share") else 1.0
    (low,), (high,) = _interval_ends([estimate]) * scale
    colour, mark = chart_style.colour(series), chart_style.marker(series)
    axes.plot([low, high], [y, y], color=colour, linewidth=2, solid_capstyle="butt", zorder=3, gid=tip)
    axes.plot([estimate.value * scale], [y], mark, color=colour, markersize=5.5, zorder=4, gid=tip)


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


def draw_by_variant(
    estimates: Sequence[Estimate | None], series: Sequence[str], unit: str, tolerance: float
) -> "Figure":
    """One number of every variant, each in its own line and colour; shaded what is within tolerance of the first."""
    figure, axes = chart_style.blank(0.8 + 0.36 * len(series))
    for v, (estimate, label) in enumerate(zip(estimates, series, strict=True)):
        if estimate is not None:
            _point(axes, v, estimate, unit, v, _tip("", label, fmt.with_interval(estimate, unit)))
        if len(series) > 1 and (first := estimates[0]) is not None:
            _band(axes, v, first.value, tolerance, unit)
    axes.set_yticks(range(len(series)), [_wrapped(label) for label in series])
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlabel(_axis(unit))
    return figure


def draw_seats_of_players(
    shares: Sequence[Sequence[Sequence[Estimate | None]]],
    seats: Sequence[str],
    kinds: Sequence[str],
    titles: Sequence[str],
) -> "Figure":
    """Win shares by seat, a line for every kind of players and a field for every variant (variants x kinds x seats)."""
    columns = min(len(shares), _FIELDS_A_ROW)
    rows = -(-len(shares) // columns)
    figure, fields = chart_style.fields(rows, columns, 1.75)
    for field, title, of_kinds in zip(fields, titles, shares, strict=False):
        known = sum(any(of_kind[g] is not None for of_kind in of_kinds) for g in range(len(seats)))
        field.axhline(100 / max(known, 1), color=chart_style.MUTED, linestyle=(0, (4, 3)), linewidth=1)
        for k, (kind, of_kind) in enumerate(zip(kinds, of_kinds, strict=True)):
            there = [(g + (k - (len(kinds) - 1) / 2) * 0.09, seats[g], one) for g, one in enumerate(of_kind) if one]
            for x, seat, one in there:
                low, high = (_interval_ends([one]) * 100).flatten()
                tip = _tip(f"{title}, {seat}", kind, fmt.with_interval(one, "share"))
                field.plot(
                    [x, x], [low, high], color=chart_style.colour(k), linewidth=1.4, alpha=0.6, zorder=3, gid=tip
                )
                field.plot(
                    [x],
                    [one.value * 100],
                    chart_style.marker(k),
                    color=chart_style.colour(k),
                    markersize=4,
                    zorder=4,
                    gid=tip,
                )
            places = [x for x, _, _ in there]
            field.plot(
                places, [one.value * 100 for _, _, one in there], color=chart_style.colour(k), linewidth=0.8, alpha=0.5
            )
        field.set_title(_wrapped(title) if len(shares) > 1 else "", fontsize=9, loc="left", color=chart_style.MUTED)
        field.set_xticks(range(len(seats)), seats)
        field.tick_params(labelbottom=True)
    for k, kind in enumerate(kinds):
        fields[0].plot([], [], chart_style.marker(k), color=chart_style.colour(k), markersize=5.5, label=kind)
    for field in fields[::columns]:
        field.set_ylabel("per cent")
    for field in fields[len(shares) :]:
        field.set_visible(False)
    chart_style.legend(fields[0])
    return figure


def draw_stacked_score(
    parts: Array, names: Sequence[str], scores: Sequence[Estimate], series: Sequence[str]
) -> "Figure":
    """The parts of a score (variants x parts) as bars, what is lost to the left of zero, and the score as a dot."""
    figure, axes = chart_style.blank(0.8 + 0.42 * len(series))
    for v, net in enumerate(scores):
        right = left = 0.0
        for g, value in enumerate(map(float, parts[v])):
            start = right if value >= 0 else left
            tip = _tip(series[v], names[g], f"{value:+.2f}".replace("-", "−"))
            for bar in axes.barh(
                v, value, left=start, height=0.55, color=chart_style.colour(g), alpha=0.85, linewidth=0
            ):
                bar.set_gid(tip)
            right, left = (right + value, left) if value >= 0 else (right, left + value)
        axes.hlines(v, *_interval_ends([net]), color=chart_style.INK, linewidth=2.2, zorder=4)
        tip = _tip(series[v], "score", fmt.with_interval(net, ""))
        axes.plot(net.value, v, "D", color=chart_style.INK, markersize=6, zorder=5, gid=tip)
    lost = [g for g in range(len(names)) if parts[0][g] < 0]
    for g in [*reversed(lost), *(g for g in range(len(names)) if g not in lost)]:  # as they lie from left to right
        axes.barh(0, 0, color=chart_style.colour(g), alpha=0.85, label=names[g])
    axes.plot([], [], "D", color=chart_style.INK, label="score")
    axes.axvline(0, color=chart_style.MUTED, linewidth=1)
    axes.set_yticks(range(len(series)), [_wrapped(label) for label in series])
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlabel("points a seat")
    chart_style.legend(axes, last="score")
    return figure


def draw_forest(differences: Sequence[Difference]) -> "Figure":
    """Differences in units of their tolerances: inside the band they do not matter."""
    figure, axes = chart_style.blank(0.9 + 0.21 * len(differences))
    axes.axvspan(-1, 1, color=chart_style.GRID, linewidth=0)
    axes.axvline(0, color=chart_style.MUTED, linewidth=1)
    for verdict in dict.fromkeys(one.verdict for one in differences):
        shown = [(y, one) for y, one in enumerate(differences) if one.verdict == verdict]
        ys, colour = [y for y, _ in shown], shown[0][1].colour
        ends = np.array([(one.low, one.value, one.high) for _, one in shown])
        axes.hlines(ys, ends[:, 0], ends[:, 2], color=colour, linewidth=2, zorder=3)
        for y, one in shown:
            tip = _tip(one.label, verdict, one.text)
            axes.plot([one.value], [y], one.mark, color=colour, markersize=5.5, zorder=4, gid=tip)
        axes.plot([], [], shown[0][1].mark, color=colour, markersize=5.5, label=verdict)
    axes.set_xscale("symlog", linthresh=1, linscale=0.8)
    axes.set_xlim(-FURTHEST * 1.15, FURTHEST * 1.15)
    ticks = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
    axes.set_xticks(ticks, [str(tick).replace("-", "−") for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(differences)), [one.label for one in differences])
    axes.set_ylim(len(differences) - 0.3, -0.7)
    axes.set_xlabel("difference, in tolerances")
    chart_style.legend(axes)
    return figure


def draw_distribution(counts: Sequence[tuple[Array, Array]], series: Sequence[str], unit: str) -> "Figure":
    """The share of games or seats within some ranges of values, as bars: a group a range, a bar a series."""
    figure, axes = chart_style.blank(2.6)
    axes.grid(visible=False)
    axes.grid(axis="y")
    low = min(int(values.min()) for values, _ in counts)
    high = max(int(values.max()) for values, _ in counts)
    wide = -(-(high - low + 1) // _BINS)
    low -= low % wide
    starts = np.arange(low, high + 1, wide)
    thick = 0.8 * wide / len(series)
    for s, ((values, shares), label) in enumerate(zip(counts, series, strict=True)):
        heights = 100 * np.bincount((values.astype(int) - low) // wide, weights=shares, minlength=len(starts))
        lefts = starts - 0.5 + 0.1 * wide + s * thick
        bars = axes.bar(lefts, heights, thick, align="edge", color=chart_style.colour(s), linewidth=0, label=label)
        for bar, start, height in zip(bars, starts, heights, strict=True):
            ends = f"{start}" if wide == 1 else f"{start} to {start + wide - 1}"
            bar.set_gid(_tip(f"{ends} {unit}".replace("-", "−"), label, f"{height:.1f} %"))
    axes.set_ylim(bottom=0)
    axes.set_xlabel(unit)
    axes.set_ylabel("per cent")
    chart_style.legend(axes)
    return figure


def draw_response(
    along: Sequence[str], lines: Mapping[str, Sequence[Estimate | None]], knob: str, unit: str, tolerance: float
) -> "Figure":
    """A metric along the values of a knob, with intervals; one line for every setting of the other knobs.

    Shaded is what lies within tolerance of the first dot.
    """
    figure, axes = chart_style.blank(2.7)
    axes.grid(axis="y")
    scale = 100.0 if unit.startswith("share") else 1.0
    first = next((one for one in next(iter(lines.values())) if one is not None), None)
    if first is not None and tolerance:
        low, high = (first.value - tolerance) * scale, (first.value + tolerance) * scale
        axes.axhspan(low, high, color=chart_style.GRID, alpha=0.7, linewidth=0, zorder=1)
    for s, (label, estimates) in enumerate(lines.items()):
        offset = (s - (len(lines) - 1) / 2) * 0.06
        known = [(x + offset, e) for x, e in enumerate(estimates) if e is not None]
        xs, values = [x for x, _ in known], [e.value * scale for _, e in known]
        colour = chart_style.colour(s)
        axes.vlines(xs, *(_interval_ends([e for _, e in known]) * scale), color=colour, lw=2)
        axes.plot(xs, values, marker=chart_style.marker(s), color=colour, markersize=5.5, linewidth=1.2, label=label)
        for value, (x, estimate) in zip(values, known, strict=True):
            tip = _tip(f"{knob} {along[round(x - offset)]}", label, fmt.with_interval(estimate, unit))
            axes.plot([x], [value], chart_style.marker(s), color=colour, markersize=5.5, gid=tip)
    axes.set_xticks(range(len(along)), list(along))
    axes.set_xlim(-0.4, len(along) - 0.6)
    axes.set_xlabel(knob)
    axes.set_ylabel(_axis(unit))
    chart_style.legend(axes)
    return figure
