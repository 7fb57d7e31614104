"""`mmsim openings`: the openings of every seat, how often they are played and how well they do."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from mmsim.analysis.number_format import percent, with_interval
from mmsim.analysis.openings import SeatBook, kinds_by_frequency, opening_books, select_views
from mmsim.analysis.tables import open_run
from mmsim.cli import completion, options
from mmsim.cli.console import console, print_json, warn
from mmsim.tables.frames import no_formulas


def openings(
    run: options.RunFolder,
    variant: Annotated[
        str | None,
        typer.Option(metavar="NAME", autocompletion=completion.variants, help="Only this variant. Default: all."),
    ] = None,
    member: Annotated[
        str | None, typer.Option(metavar="BOT", help="Only this kind of player of a panel. Default: all.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VIEW", help="How openings are grouped, such as opening: as played. Default: in every way."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Show this many openings, the most frequent first.")] = 8,
    as_json: options.AsJson = False,
    as_csv: options.AsCsv = False,
) -> None:
    """List the openings of every seat: how often, and how well they do."""
    options.check_one_format(as_json, as_csv)
    tables = open_run(run)
    for warning in tables.warnings:
        warn(warning)
    books = opening_books(tables, select_views(tables, by or ()), variant, member)
    rows = [row for book in books for row in book.rows()]
    if as_json:
        print_json(rows)
    elif as_csv:
        typer.echo(no_formulas(pl.DataFrame(rows)).write_csv(), nl=False)
    else:
        for _, group in groupby(books, key=lambda book: (book.variant, book.by, book.member)):
            console().print(_table(list(group), top))


def _table(seats: Sequence[SeatBook], top: int) -> Table:
    """One row per kind of opening, one column per seat; the kinds that are most frequent over all seats."""
    first = seats[0]
    title = f"{first.variant}, {first.member}, by {first.by}: {first.text}"
    headings = [f"seat {book.seat + 1}: share, wins" for book in seats]
    table = Table(first.by, *headings, title=title, title_justify="left", show_footer=True)
    kinds = kinds_by_frequency(seats)
    rest = [1.0] * len(seats)
    for kind in kinds[:top]:
        cells = []
        for number, book in enumerate(seats):
            opening = book.find(kind)
            cells.append(f"{percent(opening.share.value)}, {with_interval(opening.wins, 'share')}" if opening else "-")
            rest[number] -= opening.share.value if opening else 0
        table.add_row(kind, *cells)
    if len(kinds) > top:
        table.add_row(f"{len(kinds) - top:,} more", *map(percent, rest))
    table.add_row("all", *(f"{book.games:,} games, {percent(book.wins)}" for book in seats))
    table.columns[0].footer = "entropy"
    for column, book in zip(table.columns[1:], seats, strict=True):
        column.footer = f"{book.entropy:.2f} bits"
    return table
