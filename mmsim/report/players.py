"""The section on the panel: what every kind of players shows, and the mean over the strong ones."""

import re
from typing import TYPE_CHECKING

from mmsim.analysis import words
from mmsim.analysis.compare import Comparison
from mmsim.report import figures
from mmsim.report.charts import Chart, Row

if TYPE_CHECKING:
    from mmsim.report.evidence import Evidence


def forest_plots(evidence: "Evidence") -> list[Chart]:
    """A chart for every number that was asked for and is not the same for all: a line a player, the mean last."""
    several = [one for one in evidence.asked if len(one.members) + len(one.others) > 1]
    shown = [one for one in several if one.apart]
    return [_forest_plot(evidence, one) for one in shown]


def title(evidence: "Evidence") -> str:
    """For how many of the numbers asked for players agree."""
    apart = [one for one in evidence.asked if one.apart]
    everybody = sum(len(one.who(one.verdict)) == len(one.members) for one in apart)
    return f"{everybody} of {len(apart)} differences hold for all {len(evidence.players)} kinds of players"


def _forest_plot(evidence: "Evidence", one: Comparison) -> Chart:
    unit = words.difference_unit(one.measure.unit)
    rows = [Row(other.player, [other.difference]) for other in one.members]
    rows += [Row(f"({other.player})", [other.difference]) for other in one.others]
    rows.append(Row("mean", [one.difference]))
    variant, label = evidence.name_of(one.variant), words.label(one.measure.name, one.group)
    name = re.sub(r"[^a-z0-9]+", "-", f"players-{variant}-{label}".lower())
    heading = f"{variant} against {evidence.names[0]}, {label}: {one.in_words}"
    note = (
        "Difference by kind of players, with 95 % intervals; that of the mean includes their spread. Those in "
        "brackets are weak, or take no notice of what is different, and do not count."
    )
    return figures.dots(name, heading, note, rows, ["difference"], unit, 0.0)
