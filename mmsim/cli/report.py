"""`mmsim report`: the findings of a run as one page that needs nothing else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import completion
from mmsim.cli.common import Screen, say, warn
from mmsim.core.errors import UsageError


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where to write; if not given, reports/NAME.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the report of another run without asking.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Write the report of a run: a page, its charts and its tables; print the answer."""
    from mmsim.analysis.tables import open_run  # Polars, scipy and matplotlib take a moment to import
    from mmsim.report.page import may_replace, write_report

    tables = open_run(run)
    folder = out or Path("reports") / tables.name
    if not force and not may_replace(folder, tables.experiment):
        _ask(folder)
    for warning in tables.warnings:
        warn(warning)
    with _progress(quiet) as tell:
        page, answer = write_report(tables, folder, tell=tell)
    for sentence in answer:
        say(sentence)
    say(f"report -> {page}")
    if show:
        typer.launch(page.resolve().as_uri())


def _ask(folder: Path) -> None:
    """Whether the report of another run is to be replaced; where nobody can be asked it is not."""
    if not sys.stdin.isatty():
        raise UsageError(f"{folder} holds another report; --force replaces it, --out FOLDER writes elsewhere")
    if not typer.confirm(f"{folder} holds another report; replace it?", err=True):
        raise typer.Abort


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """What tells how far a report is: a line that changes on a terminal, lines in a log."""
    screen = Screen(stderr=True)
    if quiet:
        yield lambda text: None
    elif screen.is_terminal:
        with screen.status("reading") as status:
            yield lambda text: status.update(text)
    else:
        yield lambda text: say(text, err=True)
