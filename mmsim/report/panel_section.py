"""The section on the panel: what every kind of players shows, and the mean over the strong ones."""

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import Comparison
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE
from mmsim.analysis.stats import Estimate
from mmsim.report import figures, sentences
from mmsim.report.charts import Chart, Row, draw_seats_of_players

if TYPE_CHECKING:
    from mmsim.report.report_data import Evidence


def forest_plots(evidence: "Evidence") -> list[Chart]:
    """A chart for the imbalance, whatever it shows, and for every other number that was asked for and is not the same
    for all: a line a player, the mean last."""
    several = [one for one in evidence.comparisons if len(one.members) + len(one.others) > 1]
    shown = [one for one in several if one.measure.name == SEAT_IMBALANCE.name or (one.asked and one.apart)]
    return [_forest_plot(evidence, one) for one in shown]


def seats_chart(evidence: "Evidence") -> Chart | None:
    """Which seat wins, for every kind of players; None where there is only one kind."""
    shares = evidence.estimates.get(SOURCE)
    if shares is None or len(shares.members) < 2:
        return None
    values = [
        [[_known(own, v, shares.groups, g) for g in range(len(shares.groups))] for _, own in shares.members]
        for v in range(len(shares.variants))
    ]
    kinds = [member.name if member.strong else f"({member.name})" for member, _ in shares.members]
    note = "Share of games won, by playing order and kind of players, with 95 % intervals. Dashed: a fair share."
    draw = partial(draw_seats_of_players, values, shares.groups, kinds, evidence.names)
    return Chart("seats-of-players", sentences.seats_of_panel(evidence, shares), note, draw)


def _known(own: Estimates, variant: int, groups: Sequence[str], group: int) -> Estimate | None:
    g = own.groups.index(groups[group]) if groups[group] in own.groups else -1
    return own.estimate(variant, g) if g >= 0 and own.known(variant, g) else None


def title(evidence: "Evidence") -> str:
    """For how many of the numbers asked for players agree."""
    apart = [one for one in evidence.asked if one.apart]
    if not apart:
        return "No kind of players shows a difference in what was asked"
    everybody = sum(len(one.who(one.verdict)) == len(one.members) for one in apart)
    return f"{everybody} of {len(apart)} differences hold for all {len(evidence.players)} kinds of players"


def _forest_plot(evidence: "Evidence", one: Comparison) -> Chart:
    unit = fmt.difference_unit(one.measure.unit)
    rows = [Row(other.player, [other.difference]) for other in one.members]
    rows += [Row(f"({other.player})", [other.difference]) for other in one.others]
    rows.append(Row("mean", [one.difference]))
    variant, label = evidence.name_of(one.variant), fmt.label(one.measure.name, one.group)
    name = re.sub(r"[^a-z0-9]+", "-", f"players-{variant}-{label}".lower())
    heading = f"{variant} against {evidence.names[0]}, {label}: {one.in_words}"
    note = (
        "Difference by kind of players, with 95 % intervals; that of the mean includes their spread. Those in "
        "brackets are weak, or take no notice of what is different, and do not count."
    )
    return figures.dots(name, heading, note, rows, ["difference"], unit, 0.0)
