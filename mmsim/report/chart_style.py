"""How charts look: colours for colour-blind eyes (Okabe and Ito 2008), and ink that a page replaces by its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "h")  # so that no series is told by its colour alone

INK, MUTED, GRID = "#1d2430", "#5b6472", "#dde1e7"  # of everything that is not data


def on_page(svg: str) -> str:
    """A drawing whose colours are those of the page it stands in."""
    for number, series in enumerate(SERIES):
        svg = svg.replace(series.lower(), f"var(--s{number})")
    for ours, of_page in ((INK, "currentColor"), (MUTED, "var(--muted)"), (GRID, "var(--line)")):
        svg = svg.replace(ours, of_page)
    return svg


WIDTH = 4.7  # inches; on a phone a page is not much wider
_LEGEND_WIDTH, _LEGEND_LINE = 60, 0.2  # letters, inches
_NUMBERS = 8  # along an axis, at most
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mmsim",
    "text.parse_math": False,  # a dollar in a name is a dollar
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "grid.color": GRID,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
}


@contextmanager
def settings() -> Iterator[None]:
    """The house's settings whatever the user's own are."""
    import matplotlib  # slow to import

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def blank(height: float) -> "tuple[Figure, Axes]":
    """A figure with one pair of axes and no box around them."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.xaxis.set_major_locator(MaxNLocator(_NUMBERS, steps=(1, 2, 2.5, 5, 10)))  # however wide it will be
    return figure, axes


def fields(rows: int, columns: int, height: float) -> "tuple[Figure, list[Axes]]":
    """A figure with several charts that share their axes, row by row; each so high."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 0.3 + height * rows), layout="constrained")
    charts = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for axes in charts:
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.tick_params(length=0)
        axes.grid(axis="y")
        axes.grid(visible=False, axis="x")
    return figure, charts


def colour(number: int) -> str:
    return SERIES[number % len(SERIES)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def legend(axes: "Axes", last: str = "") -> None:
    """Names of the series above the chart and as wide as all of it, row by row in the order they are drawn in."""
    named = sorted(zip(*axes.get_legend_handles_labels(), strict=True), key=lambda one: one[1] == last)
    if len(named) < 2:
        return
    names = [fill(label, _LEGEND_WIDTH, break_long_words=False) for _, label in named]
    columns = max(1, min(len(names), _LEGEND_WIDTH // (max(len(name) for name in names) + 6)))
    order = [i for column in range(columns) for i in range(column, len(names), columns)]  # it is filled by columns
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.set_figheight(figure.get_figheight() + _LEGEND_LINE * -(-len(names) // columns))
    figure.legend(
        [named[i][0] for i in order],
        [names[i] for i in order],
        loc="outside upper left",
        ncols=columns,
        handletextpad=0.3,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
