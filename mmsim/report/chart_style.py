"""How charts look: a palette for colour-blind readers (Okabe and Ito 2008), ink that a page replaces by its own,
legends, titles and tooltips."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

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
_PNG_DPI = 160
_TITLE_WIDTH = 51  # characters per line
_TITLE_ID = "chart-title"
_TITLE_LINE_PT, _TITLE_MARGIN_PT = 15.4, 4.0
_TOOLTIP = "tooltip:"  # before the text, in the id of a mark
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


# --- titles, tooltips and files --------------------------------------------------------------------------------------


def images(draw: "Callable[[], Figure]", title: str, kinds: Sequence[str]) -> dict[str, bytes]:
    """A drawing with its title as files."""
    with settings():
        figure = draw()
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
        figure.set_layout_engine(None)  # laid out once: with an engine every file is drawn twice
        characters = int(_TITLE_WIDTH * figure.get_figwidth() / WIDTH_IN)
        _add_title(figure, fill(title, characters))
        images = {kind: _save(figure, kind) for kind in kinds}
    return {**images, "svg": _with_tooltips(images["svg"].decode()).encode()}


def _save(figure: "Figure", kind: str) -> bytes:
    file = BytesIO()
    metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    background = "none" if kind == "svg" else "white"
    figure.savefig(file, format=kind, dpi=_PNG_DPI, metadata=metadata, facecolor=background)
    return file.getvalue()


def _add_title(figure: "Figure", title: str) -> None:
    """Extend a figure at the top by a title, leaving everything else where it is."""
    before = figure.get_figheight()
    after = before + (_TITLE_MARGIN_PT + _TITLE_LINE_PT * (1 + title.count("\n"))) / 72
    for axes in figure.axes:
        box = axes.get_position()
        axes.set_position((box.x0, box.y0 * before / after, box.width, box.height * before / after))
    for legend in figure.legends:
        legend.set_loc("upper left")
        legend.set_bbox_to_anchor((0, before / after), figure.transFigure)
    figure.set_figheight(after)
    top = 1 - 2 / 72 / after
    figure.suptitle(title, x=0.01, y=top, ha="left", va="top", fontsize=11, fontweight="bold", gid=_TITLE_ID)


def without_title(svg: str) -> str:
    """An SVG without its title and the space that takes at the top."""
    title = re.search(rf'<g id="{_TITLE_ID}">.*?</g>', svg, re.DOTALL)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt" viewBox="[^"]*"', svg)
    if title is None or size is None:
        raise RuntimeError("the chart has no title")
    width, height = float(size[1]), float(size[2])
    top = _TITLE_LINE_PT * title.group().count("<text") + _TITLE_MARGIN_PT
    box = f'width="{width}" height="{height - top}" viewBox="0 {top} {width} {height - top}"'
    return svg.replace(title.group(), "").replace(size.group(), box)


def tooltip(text: str) -> str:
    """The id of a mark that shows a text when pointed at."""
    return _TOOLTIP + quote(text)


def value_tooltip(label: str, series: str, value: str) -> str:
    """The id of a mark that shows its value when pointed at."""
    return tooltip(f"{label}, {series}: {value}" if label and series else f"{label or series}: {value}")


def _with_tooltips(svg: str) -> str:
    """Turn the ids of marks into SVG titles, which browsers show as tooltips."""
    return re.sub(rf'<g id="{_TOOLTIP}([^"]*)">', lambda match: f"<g><title>{escape(unquote(match[1]))}</title>", svg)
