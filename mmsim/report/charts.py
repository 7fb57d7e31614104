"""The charts of a report: built from estimates and comparisons, drawn from plain values that can be pickled.

Other processes draw them, so this module loads neither Polars nor, before the first chart is drawn, matplotlib.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from mmsim.analysis import wording as fmt
from mmsim.analysis.stats import Array, Estimate
from mmsim.report import chart_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mmsim.analysis.compare import Comparison
    from mmsim.analysis.estimates import Estimates

_LABEL_WIDTH = 20  # characters per line
_SUBPLOTS_PER_ROW = 2
_MAX_BARS = 18  # of a distribution
_MAX_TOLERANCES = 30.0  # larger differences are drawn at the edge
_VERDICTS = {  # colour and marker of a difference
    "EQUAL": (chart_style.MUTED, "o"),
    "UNSURE": (chart_style.colour(4), "v"),
    "BETTER": (chart_style.colour(2), "D"),
    "WORSE": (chart_style.colour(1), "s"),
    "HIGHER": (chart_style.colour(0), ">"),
    "LOWER": (chart_style.colour(0), "<"),
    "REARRANGED": (chart_style.colour(3), "P"),
}


@dataclass(frozen=True)
class Chart:
    """A chart: its title states the finding, its note the unit and what the marks mean."""

    name: str
    title: str
    note: str
    draw: "Callable[[], Figure]"  # can be pickled
    series: int = 1
    draw_narrow: "Callable[[], Figure] | None" = None  # the same for a phone, if it is as wide as the page

    def files(self) -> dict[str, bytes]:
        """The chart as SVG and PNG with its title."""
        return chart_style.images(self.draw, self.title, ("svg", "png"))

    def narrow(self) -> bytes:
        """The chart for a phone as SVG with its title."""
        return chart_style.images(self.draw_narrow or self.draw, self.title, ("svg",))["svg"]

    def inline(self, image: bytes, suffix: str = "") -> str:
        """Its SVG for a page that shows the title itself: in the page's colours, with ids unique to the chart."""
        svg = image.decode()
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        svg = chart_style.in_page_colours(chart_style.without_title(svg))
        for attribute in ('id="', "url(#", 'href="#'):
            svg = svg.replace(attribute, f"{attribute}{self.name}{suffix}-")
        return svg.replace("<svg", f'<svg role="img" aria-label="{escape(self.title, quote=True)}"', 1)


# --- charts of estimates and comparisons -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row of a dot chart: a label, and for every series an estimate or None."""

    label: str
    estimates: Sequence[Estimate | None]
    tolerance: float = 0.0  # a difference that does not matter; 0: unknown


@dataclass(frozen=True)
class Difference:
    """A row of a forest chart; numbers are in tolerances."""

    label: str
    verdict: str
    colour: str
    marker: str
    low: float
    value: float
    high: float
    text: str = ""  # the difference in its own unit


def rows_of(estimates: "Estimates", labels: Mapping[str, str] | None = None) -> list[Row]:
    """One row for every group that is not zero in all variants."""
    rows = []
    for g, group in enumerate(estimates.groups):
        by_variant = estimates.by_variant(g)
        if any(estimate is not None and (estimate.value or estimate.se) for estimate in by_variant):
            label = (labels or {}).get(group, fmt.title(group))
            rows.append(Row(label, by_variant, estimates.measure.tolerance))
    return rows


def dot_chart(
    name: str, title: str, note: str, rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None = None
) -> Chart:
    """Estimates as dots with their intervals; a dashed line at `at`."""
    return Chart(name, title, note, partial(draw_dots, rows, series, unit, at), len(series))


def variant_chart(name: str, title: str, note: str, estimates: "Estimates", series: Sequence[str]) -> Chart:
    """One number per variant, each in its own row and colour."""
    measure = estimates.measure
    draw = partial(draw_by_variant, estimates.by_variant(0), series, measure.unit, measure.tolerance)
    return Chart(name, title, note, draw)


def forest_row(comparison: "Comparison") -> Difference:
    """A difference in units of its tolerance: between -1 and 1 it does not matter."""
    difference, measure = comparison.difference, comparison.measure
    low, value, high = (
        float(np.clip(end / measure.tolerance, -_MAX_TOLERANCES, _MAX_TOLERANCES))
        for end in (difference.low, difference.value, difference.high)
    )
    text = fmt.with_interval(difference, fmt.difference_unit(measure.unit), signed=True)
    verdict = comparison.verdict
    label = fmt.label(measure.name, comparison.group)
    return Difference(label, str(verdict), *_VERDICTS[verdict.name], low, value, high, text)


# --- drawing ---------------------------------------------------------------------------------------------------------


def draw_dots(rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None) -> "Figure":
    step = min(0.24, 0.7 / max(len(series), 1))
    figure, axes = chart_style.new_figure(0.8 + len(rows) * (0.26 + 0.14 * len(series)))
    if at is not None:
        axes.axvline(at * fmt.scale_of(unit), color=chart_style.MUTED, linestyle=(0, (4, 3)), linewidth=1)
    for y, row in enumerate(rows):
        first = row.estimates[0]
        if at is not None or (len(series) > 1 and first is not None):
            _draw_band(axes, y, (at if at is not None or first is None else first.value) or 0.0, row.tolerance, unit)
    for s, label in enumerate(series):
        offset = (s - (len(series) - 1) / 2) * step
        for y, row in enumerate(rows):
            if (estimate := row.estimates[s]) is not None:
                tooltip = chart_style.value_tooltip(row.label, label, fmt.with_interval(estimate, unit))
                _draw_interval(axes, y + offset, estimate, unit, s, tooltip)
        axes.plot([], [], chart_style.marker(s), color=chart_style.colour(s), markersize=5.5, label=label)
    _label_rows(axes, [row.label for row in rows])
    axes.set_xlabel(_axis_label(unit))
    chart_style.add_legend(axes)
    return figure


def _draw_band(axes: "Axes", y: float, centre: float, tolerance: float, unit: str, half_height: float = 0.46) -> None:
    """Shade what is within tolerance of a number, so that the axis does not magnify differences that do not matter."""
    if tolerance:
        minimum = 0.0 if unit in ("share", "share distance") else -np.inf
        low, high = max(centre - tolerance, minimum) * fmt.scale_of(unit), (centre + tolerance) * fmt.scale_of(unit)
        axes.fill_betweenx(
            [y - half_height, y + half_height], low, high, color=chart_style.GRID, alpha=0.7, linewidth=0, zorder=1
        )


def _draw_interval(axes: "Axes", y: float, estimate: Estimate, unit: str, series: int, tooltip: str) -> None:
    (low,), (high,) = _interval_ends([estimate]) * fmt.scale_of(unit)
    colour, marker = chart_style.colour(series), chart_style.marker(series)
    axes.plot([low, high], [y, y], color=colour, linewidth=2, solid_capstyle="butt", zorder=3, gid=tooltip)
    axes.plot([estimate.value * fmt.scale_of(unit)], [y], marker, color=colour, markersize=5.5, zorder=4, gid=tooltip)


def _interval_ends(estimates: Sequence[Estimate]) -> Array:
    """The low and the high ends of intervals; the estimate itself where it has no interval."""
    values = np.array([estimate.value for estimate in estimates])
    ends = np.array([[estimate.low for estimate in estimates], [estimate.high for estimate in estimates]])
    return np.where(np.isfinite(ends), ends, values)


def _label_rows(axes: "Axes", labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), [_wrap(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)


def _wrap(label: str) -> str:
    """A label in short lines; a ruleset is broken between its knobs."""
    return fill(label.replace(",", ", "), _LABEL_WIDTH, break_long_words=False)


def _axis_label(unit: str) -> str:
    if unit == "share":
        return "per cent"
    return "percentage points" if unit in ("share difference", "share distance") else unit


def draw_by_variant(
    estimates: Sequence[Estimate | None], series: Sequence[str], unit: str, tolerance: float
) -> "Figure":
    """One row per variant, with a band within tolerance of the first."""
    figure, axes = chart_style.new_figure(0.8 + 0.36 * len(series))
    for v, (estimate, label) in enumerate(zip(estimates, series, strict=True)):
        if estimate is not None:
            _draw_interval(
                axes, v, estimate, unit, v, chart_style.value_tooltip("", label, fmt.with_interval(estimate, unit))
            )
        if len(series) > 1 and (first := estimates[0]) is not None:
            _draw_band(axes, v, first.value, tolerance, unit)
    _label_rows(axes, series)
    axes.set_xlabel(_axis_label(unit))
    return figure


def draw_seats_by_level(
    shares: Sequence[Sequence[Sequence[Estimate | None]]],
    seats: Sequence[str],
    levels: Sequence[str],
    titles: Sequence[str],
) -> "Figure":
    """Win shares by seat: one line per level and one subplot per variant (variants x levels x seats)."""
    columns = min(len(shares), _SUBPLOTS_PER_ROW)
    figure, subplots = chart_style.new_grid(-(-len(shares) // columns), columns, 1.75 if columns > 1 else 2.7)
    for axes, title, by_level in zip(subplots, titles, shares, strict=False):
        players = sum(any(by_seat[g] is not None for by_seat in by_level) for g in range(len(seats)))
        axes.grid(axis="y")
        axes.grid(visible=False, axis="x")
        axes.axhline(100 / max(players, 1), color=chart_style.MUTED, linestyle=(0, (4, 3)), linewidth=1)
        for k, (level, by_seat) in enumerate(zip(levels, by_level, strict=True)):
            colour, marker, offset = chart_style.colour(k), chart_style.marker(k), (k - (len(levels) - 1) / 2) * 0.09
            known = [(g + offset, seats[g], estimate) for g, estimate in enumerate(by_seat) if estimate]
            for x, seat, estimate in known:
                low, high = (_interval_ends([estimate]) * 100).flatten()
                tooltip = chart_style.value_tooltip(f"{title}, {seat}", level, fmt.with_interval(estimate, "share"))
                axes.plot([x, x], [low, high], color=colour, linewidth=1.4, alpha=0.6, zorder=3, gid=tooltip)
                axes.plot([x], [estimate.value * 100], marker, color=colour, markersize=4, zorder=4, gid=tooltip)
            xs, values = [x for x, _, _ in known], [estimate.value * 100 for _, _, estimate in known]
            axes.plot(xs, values, color=colour, linewidth=0.8, alpha=0.5)
        axes.set_title(_wrap(title) if len(shares) > 1 else "", fontsize=9, loc="left", color=chart_style.MUTED)
        axes.set_xticks(range(len(seats)), seats)
        axes.tick_params(labelbottom=True)
    for k, level in enumerate(levels):
        subplots[0].plot([], [], chart_style.marker(k), color=chart_style.colour(k), markersize=5.5, label=level)
    for axes in subplots[: len(shares) : columns]:
        axes.set_ylabel("per cent of games won")
    chart_style.add_legend(subplots[0], free=subplots[-1] if len(shares) < len(subplots) else None)
    return figure


@dataclass(frozen=True)
class Panel:
    """A subplot with one row per level or variant, each with an estimate or None for every series."""

    title: str
    definition: str  # shown when the title is pointed at
    estimates: Sequence[Sequence[Estimate | None]]  # rows x series
    unit: str
    middle: float | Sequence[float | None] = 0.0  # no difference, or a fair share; of every row, if they differ
    tolerance: float = 0.0


def draw_panels(
    panels: Sequence[Panel], rows: Sequence[str], series: Sequence[str], width: float, most_columns: int
) -> "Figure":
    """Subplots with the same rows: dots with their intervals, and a band of what is within tolerance of the middle."""
    columns = _columns(len(panels), most_columns)
    lines = -(-len(panels) // columns)
    labels = [_wrap(row) for row in rows]
    row_height = max(0.1 + 0.105 * len(series), *(0.07 + 0.16 * (1 + label.count("\n")) for label in labels))
    figure, subplots = chart_style.new_grid(lines, columns, 0.55 + row_height * len(rows), width, share_x=False)
    step = min(0.24, 0.72 / max(len(series), 1))
    for place, (axes, panel) in enumerate(zip(subplots, panels, strict=False)):
        _draw_panel(axes, panel, rows, series, step)
        axes.set_yticks(range(len(rows)), labels)
        axes.tick_params(labelleft=place % columns == 0)
    subplots[0].set_ylim(len(rows) - 0.5, -0.5)
    for s, label in enumerate(series):
        subplots[0].plot([], [], chart_style.marker(s), color=chart_style.colour(s), markersize=5.5, label=label)
    free = subplots[len(panels) :]
    for axes in free:
        axes.axis("off")
    chart_style.add_legend(subplots[0], free=free[0] if free else None)
    return figure


def _columns(panels: int, most: int) -> int:
    """Columns of a grid, as many as fit, that leave at most one place free, which the legend takes."""
    return next(columns for columns in range(min(most, panels), 0, -1) if -panels % columns <= 1)


def _draw_panel(axes: "Axes", panel: Panel, rows: Sequence[str], series: Sequence[str], step: float) -> None:
    from matplotlib.ticker import MaxNLocator

    scale = fmt.scale_of(panel.unit)
    middles = [panel.middle] * len(rows) if isinstance(panel.middle, float) else panel.middle
    for y, middle in enumerate(middles):
        if middle is None:
            continue
        _draw_band(axes, y, middle, panel.tolerance, panel.unit, half_height=0.5)
        axes.plot([middle * scale] * 2, [y - 0.5, y + 0.5], color=chart_style.MUTED, linewidth=1, zorder=2)
    for y, (row, estimates) in enumerate(zip(rows, panel.estimates, strict=True)):
        for s, estimate in enumerate(estimates):
            if estimate is not None:
                text = fmt.with_interval(estimate, panel.unit, signed=panel.middle == 0.0)
                tooltip = chart_style.value_tooltip(f"{panel.title}, {row}", series[s] if len(series) > 1 else "", text)
                _draw_interval(axes, y + (s - (len(series) - 1) / 2) * step, estimate, panel.unit, s, tooltip)
    unit = {"share": "%", "share difference": "points"}.get(panel.unit, panel.unit)
    unit = f" ({unit})" if unit and unit != panel.title else ""
    title = axes.set_title(f"{panel.title}{unit}", fontsize=9, loc="left", color=chart_style.INK)
    if panel.definition:
        title.set_gid(chart_style.tooltip(panel.definition))
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 2.5, 5, 10)))


def draw_stacked_score(
    parts: Array, names: Sequence[str], scores: Sequence[Estimate], series: Sequence[str], unit: str
) -> "Figure":
    """Stacked bars of the parts of a score (variants x parts)."""
    figure, axes = chart_style.new_figure(0.8 + 0.42 * len(series))
    for v, score in enumerate(scores):
        right = left = 0.0
        for g, value in enumerate(map(float, parts[v])):
            start = right if value >= 0 else left
            tooltip = chart_style.value_tooltip(series[v], names[g], f"{value:+.2f}".replace("-", "−"))
            colour = chart_style.colour(g)
            (bar,) = axes.barh(v, value, left=start, height=0.55, color=colour, alpha=0.85, linewidth=0)
            bar.set_gid(tooltip)
            right, left = (right + value, left) if value >= 0 else (right, left + value)
        axes.hlines(v, *_interval_ends([score]), color=chart_style.INK, linewidth=2.2, zorder=4)
        tooltip = chart_style.value_tooltip(series[v], "score", fmt.with_interval(score, ""))
        axes.plot(score.value, v, "D", color=chart_style.INK, markersize=6, zorder=5, gid=tooltip)
    losses = [g for g in range(len(names)) if parts[0][g] < 0]
    for g in [*reversed(losses), *(g for g in range(len(names)) if g not in losses)]:  # from left to right
        axes.barh(0, 0, color=chart_style.colour(g), alpha=0.85, label=names[g])
    axes.plot([], [], "D", color=chart_style.INK, label="score")
    axes.axvline(0, color=chart_style.MUTED, linewidth=1)
    _label_rows(axes, series)
    axes.set_xlabel(f"{unit} per seat")
    chart_style.add_legend(axes, last="score")
    return figure


def draw_forest(differences: Sequence[Difference]) -> "Figure":
    figure, axes = chart_style.new_figure(0.9 + 0.21 * len(differences))
    axes.axvspan(-1, 1, color=chart_style.GRID, linewidth=0)
    axes.axvline(0, color=chart_style.MUTED, linewidth=1)
    for verdict in dict.fromkeys(difference.verdict for difference in differences):
        rows = [(y, difference) for y, difference in enumerate(differences) if difference.verdict == verdict]
        colour, marker = rows[0][1].colour, rows[0][1].marker
        ends = np.array([(difference.low, difference.high) for _, difference in rows])
        axes.hlines([y for y, _ in rows], ends[:, 0], ends[:, 1], color=colour, linewidth=2, zorder=3)
        for y, difference in rows:
            tooltip = chart_style.value_tooltip(difference.label, verdict, difference.text)
            axes.plot([difference.value], [y], marker, color=colour, markersize=5.5, zorder=4, gid=tooltip)
        axes.plot([], [], marker, color=colour, markersize=5.5, label=verdict)
    axes.set_xscale("symlog", linthresh=1, linscale=0.8)
    axes.set_xlim(-_MAX_TOLERANCES * 1.15, _MAX_TOLERANCES * 1.15)
    ticks = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
    axes.set_xticks(ticks, [str(tick).replace("-", "−") for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(differences)), [difference.label for difference in differences])
    axes.set_ylim(len(differences) - 0.3, -0.7)
    axes.set_xlabel("difference, in tolerances")
    chart_style.add_legend(axes)
    return figure


def draw_distribution(counts: Sequence[tuple[Array, Array]], series: Sequence[str], unit: str) -> "Figure":
    """A histogram: one group of bars per range of values, one bar per series."""
    figure, axes = chart_style.new_figure(2.6)
    axes.grid(visible=False)
    axes.grid(axis="y")
    low = min(int(values.min()) for values, _ in counts if len(values))
    high = max(int(values.max()) for values, _ in counts if len(values))
    width = -(-(high - low + 1) // _MAX_BARS)
    low -= low % width
    starts = np.arange(low, high + 1, width)
    bar_width = 0.8 * width / len(series)
    for s, ((values, shares), label) in enumerate(zip(counts, series, strict=True)):
        heights = 100 * np.bincount((values.astype(int) - low) // width, weights=shares, minlength=len(starts))
        lefts = starts - 0.5 + 0.1 * width + s * bar_width
        bars = axes.bar(lefts, heights, bar_width, align="edge", color=chart_style.colour(s), linewidth=0, label=label)
        for bar, start, height in zip(bars, starts, heights, strict=True):
            ends = f"{start}" if width == 1 else f"{start} to {start + width - 1}"
            bar.set_gid(chart_style.value_tooltip(f"{ends} {unit}".replace("-", "−"), label, f"{height:.1f} %"))
    axes.set_ylim(bottom=0)
    axes.set_xlabel(unit)
    axes.set_ylabel("per cent")
    chart_style.add_legend(axes)
    return figure


def draw_response(
    values: Sequence[str], lines: Mapping[str, Sequence[Estimate | None]], knob: str, unit: str, tolerance: float
) -> "Figure":
    """Lines over the values of a knob, with a band within tolerance of the first dot."""
    figure, axes = chart_style.new_figure(2.7)
    axes.grid(axis="y")
    scale = fmt.scale_of(unit)
    first = next((estimate for estimate in next(iter(lines.values())) if estimate is not None), None)
    if first is not None and tolerance:
        low, high = (first.value - tolerance) * scale, (first.value + tolerance) * scale
        axes.axhspan(low, high, color=chart_style.GRID, alpha=0.7, linewidth=0, zorder=1)
    for s, (label, estimates) in enumerate(lines.items()):
        offset, colour, marker = (s - (len(lines) - 1) / 2) * 0.06, chart_style.colour(s), chart_style.marker(s)
        known = [(x, estimate) for x, estimate in enumerate(estimates) if estimate is not None]
        xs, ys = [x + offset for x, _ in known], [estimate.value * scale for _, estimate in known]
        axes.vlines(xs, *(_interval_ends([estimate for _, estimate in known]) * scale), color=colour, lw=2)
        axes.plot(xs, ys, marker=marker, color=colour, markersize=5.5, linewidth=1.2, label=label)
        for (x, estimate), y in zip(known, ys, strict=True):
            tooltip = chart_style.value_tooltip(f"{knob} {values[x]}", label, fmt.with_interval(estimate, unit))
            axes.plot([x + offset], [y], marker, color=colour, markersize=5.5, gid=tooltip)
    axes.set_xticks(range(len(values)), list(values))
    axes.set_xlim(-0.4, len(values) - 0.6)
    axes.set_xlabel(knob)
    axes.set_ylabel(_axis_label(unit))
    chart_style.add_legend(axes)
    return figure
