"""How charts look: colours for colour-blind eyes (Okabe and Ito 2008), and ink that a page replaces by its own."""

SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "h")  # so that no series is told by its colour alone

INK, MUTED, GRID = "#1d2430", "#5b6472", "#dde1e7"  # of everything that is not data


def on_page(svg: str) -> str:
    """A drawing whose colours are those of the page it stands in."""
    for number, series in enumerate(SERIES):
        svg = svg.replace(series, f"var(--s{number})")
    for ours, of_page in ((INK, "currentColor"), (MUTED, "var(--muted)"), (GRID, "var(--line)")):
        svg = svg.replace(ours, of_page)
    return svg


def colour(number: int) -> str:
    return SERIES[number % len(SERIES)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]
