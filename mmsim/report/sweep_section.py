"""The section on how metrics respond to knobs, after `mmsim sweep`."""

from collections.abc import Collection, Sequence
from functools import partial

from mmsim.analysis import wording as fmt
from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.knob_grid import KnobGrid
from mmsim.report import charts
from mmsim.report.charts import Chart
from mmsim.report.report_data import ReportData
from mmsim.report.sections import DOTS_NOTE, Section, slug
from mmsim.report.sentences import capitalise, varies


def responses(
    grid: KnobGrid, data: ReportData, metrics: Collection[str], base: int, published: Sequence[str]
) -> Section:
    """One chart per metric that varies, group and knob.

    `base` is the setting that others are compared with, `published` are the values of the rule book.
    """
    shown = [
        (estimates, group)
        for name, estimates in data.estimates.items()
        if name in metrics and varies(estimates)
        for group in range(len(estimates.groups))
    ]
    chart_list = [
        _response_chart(grid, data, along, estimates, group, base, published[along])
        for along in range(len(grid.varied))
        for estimates, group in shown
    ]
    varied = " and ".join(f"{vary.knob} ({', '.join(vary.values)})" for vary in grid.varied)
    text = [
        f"{grid.cells} variants of {grid.base}: every combination of {varied}, compared with {data.names[0]}. "
        f"Charts show games{data.level_clause}; the table of variants gives the verdicts."
    ]
    moved = dict.fromkeys(
        fmt.label(comparison.measure.name, comparison.group)
        for comparison in data.comparisons
        if comparison.measure.name in metrics and comparison.is_different
    )
    knobs = " or ".join(vary.knob for vary in grid.varied)
    title = f"Metrics that {knobs} changes significantly: {', '.join(moved) or 'none'}"
    return Section("responses", "Responses", title, text, chart_list)


def _response_chart(
    grid: KnobGrid, data: ReportData, along: int, estimates: Estimates, group: int, base: int, published: str
) -> Chart:
    vary, measure = grid.varied[along], estimates.measure
    number_of = {variant.rules: number for number, variant in enumerate(data.run.variants)}
    numbers = [number_of[spec] for spec in grid.specs()]
    by_cell = [estimates.get(v, group) for v in numbers]
    lines = {label: [by_cell[n] for n in cells] for label, cells in grid.lines(along).items()}
    metric = fmt.label(measure.name, estimates.groups[group])
    base_line = next(cells for cells in grid.lines(along).values() if base in cells)
    base_value = vary.values[base_line.index(base)]
    alternative_values = {
        data.run.variants[numbers[n]].name: value
        for n, value in zip(base_line, vary.values, strict=True)
        if value != base_value
    }
    moved = [
        comparison
        for comparison in data.comparisons
        if (comparison.measure.name, comparison.group) == (measure.name, estimates.groups[group])
        and comparison.variant in alternative_values
        and comparison.is_different
    ]
    title = _response_title(moved, alternative_values, metric, vary.knob, base_value)
    values = [_marked(value, base_value, published) for value in vary.values]
    note = f"{measure.question} {DOTS_NOTE} Shaded: within tolerance of the first dot."
    draw = partial(charts.draw_response, values, lines, vary.knob, measure.unit, measure.tolerance)
    return Chart(slug(f"response-{vary.knob}-{metric}"), title, note, draw)


def _marked(value: str, base_value: str, published: str) -> str:
    """A value of a knob, marked if it is that of the rule book or the reference."""
    if value == published:
        return f"{value} (published)"
    return f"{value} (reference)" if value == base_value else value


def _response_title(
    moved: Sequence[ComparisonOverLevels], values: dict[str, str], metric: str, knob: str, base_value: str
) -> str:
    """The largest of the significant differences, and at which levels it holds."""
    if not moved:
        return f"No significant effect of {knob} on {metric}"
    largest = max(moved, key=lambda comparison: abs(comparison.largest.difference.value))
    shown = largest.largest
    change = fmt.value(shown.difference, fmt.difference_unit(largest.measure.unit), signed=True)
    where = f" at {shown.level.name} level; {largest.holds}" if len(largest.levels) > 1 else ""
    value = values[largest.variant]
    return f"{capitalise(metric)}: {change} with {knob} = {value} instead of {base_value}{where}"
