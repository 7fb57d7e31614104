"""`mmsim report`: the findings of a run as one page that needs nothing else."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from mmsim.batch.experiment import Experiment
from mmsim.cli import completion
from mmsim.cli.common import Screen, say, warn
from mmsim.cli.run_control import Quiet
from mmsim.errors import UsageError

Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the report of another run without asking.")]


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where to write; if not given, reports/NAME.")
    ] = None,
    show: Open = False,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write the report of a run: a page, its charts and its tables; print the answer."""
    from mmsim.report.chart_workers import load_ahead

    load_ahead()
    from mmsim.analysis.tables import open_run  # Polars, scipy and matplotlib take a moment to import
    from mmsim.report.page import write_report

    tables = open_run(run)
    folder = out or Path("reports") / tables.name
    if not force:
        ask_before_replacing(folder, tables.experiment)
    for warning in tables.warnings:
        warn(warning)
    with progress(quiet) as tell:
        page, answer = write_report(tables, folder, tell=tell)
    present(page, answer, show)


def present(page: Path, answer: Sequence[str], show: bool) -> None:
    """Print the answer of a report and where it is; open it if that is asked for."""
    for sentence in answer:
        say(sentence)
    say(f"report -> {page}")
    if show:
        typer.launch(page.resolve().as_uri())


def ask_before_replacing(folder: Path, experiment: Experiment) -> None:
    """Whether the report of another experiment is to be replaced; where nobody can be asked it is not."""
    from mmsim.report.page import may_replace

    if may_replace(folder, experiment):
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{folder} holds another report; --force replaces it, --out FOLDER writes elsewhere")
    if not typer.confirm(f"{folder} holds another report; replace it?", err=True):
        raise typer.Abort


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """What tells how far a report is: a line that changes on a terminal, lines in a log."""
    screen = Screen(stderr=True)
    if quiet:
        yield lambda text: None
    elif screen.is_terminal:
        with screen.status("reading") as status:
            yield lambda text: status.update(text)
    else:
        yield lambda text: say(text, err=True)
