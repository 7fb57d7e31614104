"""The charts of an atlas: how uneven layouts are, who wins on them, whether levels agree, what makes them so."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mmsim.analysis.atlas import Atlas
from mmsim.analysis.atlas_features import Explained, FeatureEffect
from mmsim.analysis.stats import Array
from mmsim.report import chart_style
from mmsim.report.charts import Chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS = 60
_SHOWN_EFFECTS = 10


def atlas_charts(atlas: Atlas, level: int, explained: Explained, outcome: str) -> list[Chart]:
    """Four charts, and a fifth that compares two levels if there are two; `outcome` is drawn against unevenness."""
    name, uneven = atlas.levels[level], 100 * atlas.unevenness(level)
    means = atlas.outcome(outcome, level).values[:, 0]
    charts = [
        Chart(
            "unevenness",
            f"Half of all layouts are more uneven than {np.median(uneven):.0f} points",
            "Expected root mean square distance of win shares from a fair share, in points; shrunken estimates.",
            partial(_draw_distributions, [100 * atlas.unevenness(at) for at in range(len(atlas.levels))], atlas.levels),
        ),
        Chart(
            "seats",
            f"Who wins depends on the layout: seats at {name}",
            "Shrunken win share of every seat over all layouts, in per cent: 98 % of layouts, half of them, median.",
            partial(_draw_seats, 100 * atlas.seat_shares(level)),
        ),
        Chart(
            "features",
            f"Features explain {100 * explained.r2:.0f} % of how even a layout is",
            "Change of the squared unevenness (points squared) by one standard deviation of a feature, or from no to "
            "yes, all others being equal; 95 % intervals.",
            partial(_draw_effects, explained.effects[:_SHOWN_EFFECTS]),
        ),
        Chart(
            "length",
            f"{outcome} and unevenness of a layout at {name}: correlation {np.corrcoef(means, uneven)[0, 1]:.2f}",
            "Every layout counts once; darker: more layouts.",
            partial(_draw_density, means, uneven, outcome, "unevenness (points)"),
        ),
    ]
    if len(atlas.levels) > 1:
        other = next(at for at in range(len(atlas.levels)) if at != level)
        x, y = (100 * atlas.seat_shares(at)[:, 0] for at in (level, other))
        x_label, y_label = (f"wins of the first seat, {atlas.levels[at]} (%)" for at in (level, other))
        charts.append(
            Chart(
                "levels",
                f"True win shares at {name} and {atlas.levels[other]}: correlation {atlas.agreement(level, other):.2f}",
                "Shrunken together, so that each level learns from the other; darker: more layouts.",
                partial(_draw_density, x, y, x_label, y_label),
            )
        )
    return charts


def _draw_distributions(series: Sequence[Array], names: Sequence[str]) -> "Figure":
    figure, axes = chart_style.new_figure(2.8)
    edges = np.linspace(0, max(float(values.max()) for values in series), _BINS).tolist()
    for number, (values, name) in enumerate(zip(series, names, strict=True)):
        axes.hist(values, edges, histtype="step", color=chart_style.colour(number), label=name, linewidth=1.6)
    axes.set_xlabel("unevenness (points)")
    axes.set_ylabel("layouts")
    chart_style.add_legend(axes)
    return figure


def _draw_seats(shares: Array) -> "Figure":
    figure, axes = chart_style.new_figure(2.4)
    for seat, values in enumerate(shares.T):
        low, first, median, third, high = np.quantile(values, (0.01, 0.25, 0.5, 0.75, 0.99))
        axes.plot([low, high], [-seat, -seat], color=chart_style.colour(0), linewidth=1.2)
        axes.plot([first, third], [-seat, -seat], color=chart_style.colour(0), linewidth=5)
        axes.plot([median], [-seat], "o", color=chart_style.INK)
    axes.axvline(100 / shares.shape[1], color=chart_style.MUTED, linewidth=1, linestyle="--")
    axes.set_yticks([-seat for seat in range(shares.shape[1])], [f"seat {seat + 1}" for seat in range(shares.shape[1])])
    axes.set_xlabel("win share (%)")
    return figure


def _draw_effects(effects: Sequence[FeatureEffect]) -> "Figure":
    figure, axes = chart_style.new_figure(0.6 + 0.27 * len(effects))
    scale = 1e4  # of squared shares: points squared
    for place, effect in enumerate(effects):
        axes.errorbar(
            [scale * effect.value], [-place], xerr=[scale * effect.half_width], fmt="o", color=chart_style.colour(0)
        )
    axes.axvline(0, color=chart_style.MUTED, linewidth=1)
    axes.set_yticks([-place for place in range(len(effects))], [effect.feature for effect in effects])
    axes.set_xlabel("squared unevenness (points squared)")
    return figure


def _draw_density(x: Array, y: Array, x_label: str, y_label: str) -> "Figure":
    figure, axes = chart_style.new_figure(3.4)
    axes.hexbin(x, y, gridsize=45, cmap="Blues", bins="log", mincnt=1, linewidths=0.1)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    return figure
