"""The charts of a report: estimates with their intervals, parts of a score, differences, distributions, responses."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import Comparison, Verdict
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import Array, Estimate
from mmsim.core.metrics import Measure
from mmsim.report import chart_style, charts
from mmsim.report.charts import Chart, Difference, Row

_VERDICTS = {  # how differences are marked: colour and mark
    Verdict.EQUAL: (chart_style.MUTED, "o"),
    Verdict.UNSURE: (chart_style.colour(4), "v"),
    Verdict.BETTER: (chart_style.colour(2), "D"),
    Verdict.WORSE: (chart_style.colour(1), "s"),
    Verdict.HIGHER: (chart_style.colour(0), ">"),
    Verdict.LOWER: (chart_style.colour(0), "<"),
    Verdict.DEPENDS: (chart_style.colour(3), "X"),
}


def rows_of(estimates: Estimates, labels: Mapping[str, str] | None = None) -> list[Row]:
    """A row for every group that any variant has; what never happened has none."""
    rows = []
    for g, group in enumerate(estimates.groups):
        by_variant = _by_variant(estimates, g)
        if any(one is not None and (one.value or one.se) for one in by_variant):
            label = (labels or {}).get(group, fmt.title(group))
            rows.append(Row(label, by_variant, estimates.measure.tolerance))
    return rows


def _by_variant(estimates: Estimates, group: int) -> list[Estimate | None]:
    known = (estimates.known(v, group) for v in range(len(estimates.variants)))
    return [estimates.estimate(v, group) if there else None for v, there in enumerate(known)]


def dots(
    name: str, title: str, note: str, rows: Sequence[Row], series: Sequence[str], unit: str, at: float | None = None
) -> Chart:
    """Estimates as dots with their intervals, one line a row; a dashed line where `at` says."""
    return Chart(name, title, note, partial(charts.draw_dots, rows, series, unit, at), len(series))


def by_variant(name: str, title: str, note: str, estimates: Estimates, series: Sequence[str]) -> Chart:
    """One number of every variant, each in its own line and colour."""
    draw = partial(
        charts.draw_by_variant,
        *(_by_variant(estimates, 0), series, estimates.measure.unit, estimates.measure.tolerance),
    )
    return Chart(name, title, note, draw)


def stacked_score(name: str, title: str, note: str, parts: Estimates, score: Estimates, series: Sequence[str]) -> Chart:
    """The parts of a score as bars, what is lost to the left of zero, and the score itself as a dot."""
    names = [fmt.title(group) for group in parts.groups]
    scores = [score.estimate(v, 0) for v in range(len(series))]
    return Chart(name, title, note, partial(charts.draw_stacked_score, parts.means, names, scores, series))


def forest(name: str, title: str, note: str, comparisons: Sequence[Comparison]) -> Chart:
    """Differences in units of their tolerances: inside the band they do not matter."""
    return Chart(name, title, note, partial(charts.draw_forest, [_in_tolerances(one) for one in comparisons]))


def _in_tolerances(one: Comparison) -> Difference:
    apart, furthest = one.difference, charts.FURTHEST
    ends = (np.clip(end / one.measure.tolerance, -furthest, furthest) for end in (apart.low, apart.value, apart.high))
    label = fmt.label(one.measure.name, one.group)
    text = fmt.with_interval(apart, fmt.difference_unit(one.measure.unit), signed=True)
    low, value, high = map(float, ends)
    return Difference(label, str(one.verdict), *_VERDICTS[one.verdict], low, value, high, text)


def distribution(
    name: str, title: str, note: str, counts: Sequence[tuple[Array, Array]], series: Sequence[str], unit: str
) -> Chart:
    """The share of games or seats at every value: one line a series."""
    return Chart(name, title, note, partial(charts.draw_distribution, counts, series, unit), len(series))


def response(
    name: str,
    title: str,
    note: str,
    along: Sequence[str],
    lines: Mapping[str, Sequence[Estimate | None]],
    knob: str,
    measure: Measure,
) -> Chart:
    """A metric along the values of a knob, with intervals; one line for every setting of the other knobs."""
    return Chart(name, title, note, partial(charts.draw_response, along, lines, knob, measure.unit, measure.tolerance))
