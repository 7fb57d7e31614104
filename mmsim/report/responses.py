"""The section of a sweep: how metrics respond to a knob."""

from collections.abc import Sequence

from mmsim.analysis import words
from mmsim.analysis.compare import ALPHA, difference
from mmsim.analysis.panel import Panel
from mmsim.analysis.stats import two_sided_p
from mmsim.analysis.sweep import Sweep
from mmsim.report import figures
from mmsim.report.figures import Chart
from mmsim.report.sections import Section

SHOWN = ("seat_imbalance", "score", "margin", "lead_changes", "decided_at_scoring", "turns", "trips_possible", "spread")


def responses(sweep: Sweep, panels: Sequence[Panel]) -> Section:
    """A chart for every metric and knob."""
    single = [panel for panel in panels if panel.groups == ("",)]
    charts = [_chart(sweep, along, panel) for along in range(len(sweep.varied)) for panel in single]
    knobs = " and ".join(f"{vary.knob} ({', '.join(vary.values)})" for vary in sweep.varied)
    text = [f"{sweep.cells} variants of {sweep.base}: every combination of {knobs}."]
    moved = [panel for panel in single if any(_moves(sweep, along, panel) for along in range(len(sweep.varied)))]
    names = ", ".join(words.title(panel.measure.name) for panel in moved) or "nothing"
    title = f"Measurably moved by {' or '.join(vary.knob for vary in sweep.varied)}: {names}"
    return Section("responses", "Responses", title, text, charts)


def _moves(sweep: Sweep, along: int, panel: Panel) -> bool:
    """Whether the ends of a knob's range differ by more than chance, in the first line of the chart."""
    first, last = _ends(sweep, along)
    apart, df = difference(panel, first, last, 0)
    return two_sided_p(apart.value, apart.se, df) < ALPHA / len(SHOWN)


def _ends(sweep: Sweep, along: int) -> tuple[int, int]:
    line = next(iter(sweep.lines(along).values()))
    return line[0], line[-1]


def _chart(sweep: Sweep, along: int, panel: Panel) -> Chart:
    vary, measure = sweep.varied[along], panel.measure
    lines = {
        label: [panel.estimate(v, 0) if panel.known(v, 0) else None for v in numbers]
        for label, numbers in sweep.lines(along).items()
    }
    name = f"response-{vary.knob}-{measure.name}".replace("_", "-")
    label = words.title(measure.name).capitalize()
    if _moves(sweep, along, panel):
        first, last = (words.value(panel.estimate(v, 0), measure.unit) for v in _ends(sweep, along))
        title = f"{label} goes from {first} to {last} as {vary.knob} goes from {vary.values[0]} to {vary.values[-1]}"
    else:
        title = f"{label} does not measurably depend on {vary.knob}"
    note = f"{measure.question} Dots are means, lines 95 % intervals; the title speaks of {next(iter(lines))}."
    return figures.response(name, title, note, vary.values, lines, vary.knob, measure.unit)
