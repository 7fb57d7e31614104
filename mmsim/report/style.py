"""How charts look: colours for colour-blind eyes (Okabe and Ito 2008), and ink that the page turns light or dark."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "h")  # so that no series is told by its colour alone


@dataclass(frozen=True)
class Ink:
    """The colours of everything that is not data."""

    text: str
    muted: str
    grid: str


ON_PAPER = Ink("#1d2430", "#5b6472", "#dde1e7")
STAND_INS = Ink("#0a0b0c", "#0b0c0d", "#0c0d0e")  # for the colours of the page, which may be light or dark


def on_page(svg: str) -> str:
    """A drawing whose ink is that of the page it stands in."""
    for stand_in, real in ((STAND_INS.text, "currentColor"), (STAND_INS.muted, "var(--muted)")):
        svg = svg.replace(stand_in, real)
    return svg.replace(STAND_INS.grid, "var(--line)")


WIDTH = 5.4  # inches; on a phone a page is not much wider
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mmsim",
    "font.size": 9.5,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
}


@contextmanager
def settings(ink: Ink) -> Iterator[None]:
    """The house's settings whatever the user's own are."""
    colours: Any = {
        "text.color": ink.text,
        "axes.edgecolor": ink.grid,
        "axes.labelcolor": ink.muted,
        "xtick.color": ink.muted,
        "ytick.color": ink.text,
        "grid.color": ink.grid,
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        matplotlib.rcParams.update(colours)
        yield


def blank(height: float) -> tuple[Figure, Axes]:
    """A figure with one pair of axes and no box around them."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    return figure, axes


def colour(number: int) -> str:
    return SERIES[number % len(SERIES)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def legend(figure: Figure, axes: Axes) -> None:
    """Names of the series above the chart, as many in a row as fit."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) < 2:
        return
    longest = max(len(label) for label in labels)
    columns = max(1, min(len(labels), 58 // (longest + 5)))
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, handletextpad=0.4, columnspacing=1.2)
