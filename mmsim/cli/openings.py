"""`mmsim openings`: the openings of every seat, how often they are played and how well they do."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import polars as pl

from mmsim.analysis.openings import SeatBook, kinds_by_frequency, opening_books, select_views
from mmsim.analysis.tables import open_run
from mmsim.analysis.wording import percent, with_interval
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, warn
from mmsim.cli.options import option
from mmsim.tables.frames import no_formulas


def openings(
    run: options.RunFolder,
    variant: Annotated[str | None, option("--variant VARIANT", "Only this variant. Default: all.")] = None,
    level: Annotated[str | None, option("--level LEVEL", "Only this level of play. Default: all.")] = None,
    by: Annotated[
        list[str] | None,
        option("--by VIEW", "How to group openings, such as opening (as played). Default: in every way."),
    ] = None,
    top: Annotated[int, option("--top N", "Show this many openings, the most frequent first.", min=1)] = 8,
    as_json: options.AsJson = False,
    as_csv: options.AsCsv = False,
) -> None:
    options.check_one_format(as_json, as_csv)
    tables = open_run(run)
    books = opening_books(tables, select_views(tables, by or ()), variant, level)
    warn(tables.warnings)
    rows = [row for book in books for row in book.rows()]
    if as_json:
        print_json(rows)
    elif as_csv:
        print(no_formulas(pl.DataFrame(rows)).write_csv(), end="")
    else:
        for _, group in groupby(books, key=lambda book: (book.variant, book.by, book.level)):
            _print_openings(list(group), top)


def _print_openings(seats: Sequence[SeatBook], top: int) -> None:
    """One row per kind of opening, one column per seat; the kinds that are most frequent over all seats."""
    first = seats[0]
    kinds = kinds_by_frequency(seats)
    rest = [1.0] * len(seats)
    rows = []
    for kind in kinds[:top]:
        cells = []
        for number, book in enumerate(seats):
            opening = book.find(kind)
            cells.append(f"{percent(opening.share.value)}, {with_interval(opening.wins, 'share')}" if opening else "-")
            rest[number] -= opening.share.value if opening else 0
        rows.append([kind, *cells])
    if len(kinds) > top:
        rows.append([f"{len(kinds) - top:,} more", *map(percent, rest)])
    rows.append(["all", *(f"{book.games:,} games, {percent(book.wins)}" for book in seats)])
    rows.append(["entropy", *(f"{book.entropy:.2f} bits" for book in seats)])
    headings = [first.by, *(f"seat {book.seat + 1}: share, wins" for book in seats)]
    print_table(headings, rows, f"{first.variant}, {first.level}, by {first.by}: {first.text}")
