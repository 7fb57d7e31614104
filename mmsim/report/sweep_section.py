"""The section of a sweep: how metrics respond to a knob."""

import re
from collections.abc import Collection, Sequence

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import Comparison
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.sweep import Sweep
from mmsim.report import figures
from mmsim.report.charts import Chart
from mmsim.report.page_model import Section
from mmsim.report.report_data import Evidence
from mmsim.report.sentence_templates import varies
from mmsim.report.sentences import for_whom


def responses(
    sweep: Sweep, evidence: Evidence, metrics: Collection[str], base: int, published: Sequence[str]
) -> Section:
    """A chart for every metric that is not always the same, group and knob; `base` is the setting compared with,
    `published` are the values of the rule book."""
    shown = [
        (estimates, group)
        for name, estimates in evidence.estimates.items()
        if name in metrics and varies(estimates)
        for group in range(len(estimates.groups))
    ]
    knobs = range(len(sweep.varied))
    charts = [
        _chart(sweep, evidence, along, estimates, group, base, published[along])
        for along in knobs
        for estimates, group in shown
    ]
    varied = " and ".join(f"{vary.knob} ({', '.join(vary.values)})" for vary in sweep.varied)
    text = [
        f"{sweep.cells} variants of {sweep.base}: every combination of {varied}, compared with {evidence.names[0]}. "
        "A number is moved if the table of variants says so."
    ]
    moved = dict.fromkeys(
        fmt.label(one.measure.name, one.group)
        for one in evidence.comparisons
        if one.measure.name in metrics and one.apart
    )
    title = f"Measurably moved by {' or '.join(vary.knob for vary in sweep.varied)}: {', '.join(moved) or 'nothing'}"
    return Section("responses", "Responses", title, text, charts)


def _chart(
    sweep: Sweep, evidence: Evidence, along: int, estimates: Estimates, group: int, base: int, published: str
) -> Chart:
    vary, measure = sweep.varied[along], estimates.measure
    at = {variant.rules: number for number, variant in enumerate(evidence.run.variants)}
    places = [at[spec] for spec in sweep.specs()]
    found = [estimates.estimate(v, group) if estimates.known(v, group) else None for v in places]
    lines = {label: [found[n] for n in cells] for label, cells in sweep.lines(along).items()}
    measured = fmt.label(measure.name, estimates.groups[group])
    name = re.sub(r"[^a-z0-9]+", "-", f"response-{vary.knob}-{measured}".lower())
    own = next(cells for cells in sweep.lines(along).values() if base in cells)  # that of the usual other knobs
    names = [evidence.run.variants[places[n]].name for n in own]
    usual = vary.values[own.index(base)]
    others = {name: value for name, value in zip(names, vary.values, strict=True) if value != usual}
    moved = [
        one
        for one in evidence.comparisons
        if (one.measure.name, one.group) == (measure.name, estimates.groups[group])
        and one.variant in others
        and one.apart
    ]
    title = _title(moved, others, measured, vary.knob, usual)
    values = [_marked(value, usual, published) for value in vary.values]
    note = f"{measure.question} Dots are means, lines 95 % intervals. Shaded: near enough to the first dot."
    return figures.response(name, title, note, values, lines, vary.knob, measure)


def _marked(value: str, usual: str, published: str) -> str:
    """A value of a knob with what it is: that of the rule book, and where that is another one, that compared with."""
    if value == published:
        return f"{value} (published)"
    return f"{value} (compared with)" if value == usual else value


def _title(moved: list[Comparison], values: dict[str, str], measured: str, knob: str, usual: str) -> str:
    """What the largest of the differences that no chance makes says."""
    if not moved:
        return f"No measurable effect of {knob} on {measured}"
    most = max(moved, key=lambda one: abs(one.difference.value))
    unit = fmt.difference_unit(most.measure.unit)
    change = fmt.value(most.difference, unit, signed=True)
    return (
        f"{measured[:1].upper()}{measured[1:]}: {change} with {knob} = {values[most.variant]} instead of {usual}"
        f"{for_whom(most)}"
    )
