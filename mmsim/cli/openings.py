"""`mmsim openings`: what seats open with, how often, and how often they win then."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from mmsim.cli import completion
from mmsim.cli.common import AsJson, console, warn
from mmsim.errors import UsageError

if TYPE_CHECKING:
    from mmsim.analysis.openings import SeatBook

_TOP = 8


def openings(
    run: Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")],
    variant: Annotated[
        str | None,
        typer.Option(metavar="NAME", autocompletion=completion.variants, help="Only this variant; if not given, all."),
    ] = None,
    member: Annotated[
        str | None, typer.Option(metavar="BOT", help="Only this kind of players of a panel; if not given, all.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOW", help="How openings are sorted, like opening: as they are; if not given, every way."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Show so many openings, the most usual first.")] = _TOP,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all openings as CSV.")] = False,
) -> None:
    """List what every seat opens with: how often, how often it wins then, and how varied that is."""
    from mmsim.analysis.openings import opening_books, views_named  # Polars and scipy take a moment to import
    from mmsim.analysis.tables import open_run
    from mmsim.tables.frames import no_formulas

    if as_json and as_csv:
        raise UsageError("--json and --csv are two ways to print; choose one")
    tables = open_run(run)
    for warning in tables.warnings:
        warn(warning)
    books = opening_books(tables, views_named(tables, by or ()), variant, member)
    if as_json:
        typer.echo(json.dumps([row for book in books for row in book.rows()], indent=1))
    elif as_csv:
        import polars as pl

        rows = pl.DataFrame([row for book in books for row in book.rows()])
        typer.echo(no_formulas(rows).write_csv(), nl=False)
    else:
        screen = console()
        for _, group in groupby(books, key=lambda book: (book.variant, book.by, book.member)):
            screen.print(_table(list(group), top))


def _table(seats: Sequence["SeatBook"], top: int) -> Table:
    """A row a kind of opening, a column a seat; the kinds that are most usual over all seats."""
    from mmsim.analysis.number_format import percent, with_interval
    from mmsim.analysis.openings import kinds_by_use

    first = seats[0]
    title = f"{first.variant}, {first.member}, by {first.by}: {first.text}"
    headings = [f"seat {book.seat + 1}: share, wins" for book in seats]
    table = Table(first.by, *headings, title=title, title_justify="left", show_footer=True)
    kinds = kinds_by_use(seats)
    shown = [[one for kind in kinds[:top] if (one := book.find(kind))] for book in seats]
    for kind in kinds[:top]:
        found = [book.find(kind) for book in seats]
        cells = [f"{percent(one.share.value)}, {with_interval(one.wins, 'share')}" if one else "-" for one in found]
        table.add_row(kind, *cells)
    if len(kinds) > top:
        rest = [1 - sum(one.share.value for one in of_seat) for of_seat in shown]
        table.add_row(f"{len(kinds) - top:,} more", *map(percent, rest))
    table.add_row("all", *(f"{book.games:,} games, {percent(book.wins)}" for book in seats))
    table.columns[0].footer = "entropy"
    for column, book in zip(table.columns[1:], seats, strict=True):
        column.footer = f"{book.entropy:.2f} bits"
    return table
