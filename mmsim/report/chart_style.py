"""How charts look: a palette for colour-blind readers (Okabe and Ito 2008), and ink that a page replaces by its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "h")  # a series is recognised without its colour too

INK, MUTED, GRID = "#1d2430", "#5b6472", "#dde1e7"  # everything that is not data


def in_page_colours(svg: str) -> str:
    """An SVG with its colours replaced by the CSS variables of the page around it."""
    for number, series in enumerate(SERIES):
        svg = svg.replace(series.lower(), f"var(--s{number})")
    for ink, variable in ((INK, "currentColor"), (MUTED, "var(--muted)"), (GRID, "var(--line)")):
        svg = svg.replace(ink, variable)
    return svg


WIDTH_IN = 4.7  # hardly less than the width of a phone
PAGE_WIDTH_IN = 11.6  # of a chart over the whole width of the page
_LEGEND_CHARACTERS, _LEGEND_LINE_IN = 60, 0.2
_MAX_TICKS = 8
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
    """Our matplotlib settings, whatever the user's are."""
    import matplotlib  # slow to import

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def new_figure(height: float) -> "tuple[Figure, Axes]":
    """A figure with one pair of axes and no box around them."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(WIDTH_IN, height), layout="constrained")
    axes = figure.add_subplot()
    _remove_box(axes)
    axes.xaxis.set_major_locator(MaxNLocator(_MAX_TICKS, steps=(1, 2, 2.5, 5, 10)))
    return figure, axes


def _remove_box(axes: "Axes") -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)


def new_grid(
    rows: int, columns: int, height: float, width: float = WIDTH_IN, share_x: bool = True
) -> "tuple[Figure, list[Axes]]":
    """A figure with subplots that share their axes, row by row; `height` is that of one subplot."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 0.3 + height * rows), layout="constrained")
    subplots = list(figure.subplots(rows, columns, sharex=share_x, sharey=True, squeeze=False).flat)
    for axes in subplots:
        _remove_box(axes)
    return figure, subplots


def colour(number: int) -> str:
    return SERIES[number % len(SERIES)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def add_legend(axes: "Axes", last: str = "", free: "Axes | None" = None) -> None:
    """A legend above the chart over its whole width, row by row in the order the series are drawn in; or in a subplot
    that is free."""
    entries = sorted(zip(*axes.get_legend_handles_labels(), strict=True), key=lambda entry: entry[1] == last)
    if free is not None:
        free.axis("off")
    if len(entries) < 2:
        return
    if free is not None:
        free.legend(*zip(*entries, strict=True), loc="center left", handletextpad=0.3)
        return
    figure = axes.get_figure(root=True)
    assert figure is not None
    characters = int(_LEGEND_CHARACTERS * figure.get_figwidth() / WIDTH_IN)
    names = [fill(label, characters, break_long_words=False) for _, label in entries]
    columns = max(1, min(len(names), characters // (max(len(name) for name in names) + 6)))
    order = [i for column in range(columns) for i in range(column, len(names), columns)]  # matplotlib fills columns
    figure.set_figheight(figure.get_figheight() + _LEGEND_LINE_IN * -(-len(names) // columns))
    figure.legend(
        [entries[i][0] for i in order],
        [names[i] for i in order],
        loc="outside upper left",
        ncols=columns,
        handletextpad=0.3,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
