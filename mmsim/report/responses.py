"""The section of a sweep: how metrics respond to a knob."""

import re
from collections.abc import Sequence

from mmsim.analysis import words
from mmsim.analysis.compare import ALPHA, by_chance, difference
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.sweep import Sweep
from mmsim.report import figures
from mmsim.report.charts import Chart
from mmsim.report.sections import Section
from mmsim.report.sentences import varies


def responses(sweep: Sweep, all_estimates: Sequence[Estimates]) -> Section:
    """A chart for every metric that is not always the same, group and knob."""
    shown = [
        (estimates, group) for estimates in all_estimates if varies(estimates) for group in range(len(estimates.groups))
    ]
    knobs = range(len(sweep.varied))
    alpha = ALPHA / max(1, len(shown) * len(knobs))  # Bonferroni, over all charts
    charts = [_chart(sweep, along, estimates, group, alpha) for along in knobs for estimates, group in shown]
    varied = " and ".join(f"{vary.knob} ({', '.join(vary.values)})" for vary in sweep.varied)
    text = [f"{sweep.cells} variants of {sweep.base}: every combination of {varied}."]
    moved = [
        words.label(estimates.measure.name, estimates.groups[group])
        for estimates, group in shown
        if any(_moves(sweep, along, estimates, group, alpha) for along in knobs)
    ]
    title = f"Measurably moved by {' or '.join(vary.knob for vary in sweep.varied)}: {', '.join(moved) or 'nothing'}"
    return Section("responses", "Responses", title, text, charts)


def _moves(sweep: Sweep, along: int, estimates: Estimates, group: int, alpha: float) -> bool:
    """Whether any value of a knob makes more than a chance difference to its first one, whatever the other knobs."""
    pairs = [(line[0], other) for line in sweep.lines(along).values() for other in line[1:]]
    return any(_differ(estimates, one, other, group, alpha / len(pairs)) for one, other in pairs)


def _differ(estimates: Estimates, one: int, other: int, group: int, alpha: float) -> bool:
    known = estimates.known(one, group) and estimates.known(other, group)
    return known and by_chance(*difference(estimates, one, other, group)) < alpha


def _chart(sweep: Sweep, along: int, estimates: Estimates, group: int, alpha: float) -> Chart:
    vary, measure = sweep.varied[along], estimates.measure
    lines = {
        label: [estimates.estimate(v, group) if estimates.known(v, group) else None for v in numbers]
        for label, numbers in sweep.lines(along).items()
    }
    measured = words.label(measure.name, estimates.groups[group])
    name = re.sub(r"[^a-z0-9]+", "-", f"response-{vary.knob}-{measured}".lower())
    label = measured[:1].upper() + measured[1:]
    note = f"{measure.question} Dots are means, lines 95 % intervals"
    first, *_, last = next(iter(sweep.lines(along).values()))
    if not _moves(sweep, along, estimates, group, alpha):
        title = f"No measurable effect of {vary.knob} on {measured}"
    elif _differ(estimates, first, last, group, alpha):
        ends = [words.short(estimates.estimate(v, group), measure.unit) for v in (first, last)]
        title = f"{label}: from {ends[0]} to {ends[1]} as {vary.knob} goes from {vary.values[0]} to {vary.values[-1]}"
        note += f"; the title speaks of {next(iter(lines))}"
    else:
        title = f"A measurable effect of {vary.knob} on {measured}, but not from end to end"
    return figures.response(name, title, f"{note}.", vary.values, lines, vary.knob, measure.unit)
