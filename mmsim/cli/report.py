"""`mmsim report`: the findings of a run as one page that needs no other file."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from mmsim.analysis.tables import open_run
from mmsim.batch.experiment import Experiment
from mmsim.cli import options
from mmsim.cli.answers import print_answer
from mmsim.cli.console import warn
from mmsim.cli.options import option
from mmsim.cli.progress import show_progress
from mmsim.errors import UsageError
from mmsim.report.answer import Answer
from mmsim.report.page import may_replace, preload_workers, write_report


def report(
    run: options.RunFolder,
    out: Annotated[Path | None, option("--out FOLDER", "Where to write. Default: reports/NAME.")] = None,
    open_in_browser: options.OpenInBrowser = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """A report is a page, its charts and its tables."""
    preload_workers()
    tables = open_run(run)
    folder = out or Path("reports") / tables.name
    if not force:
        confirm_replacing(folder, tables.experiment)
    with show_progress(quiet) as progress:
        page, answer = write_report(tables, folder, on_progress=progress.step)
    warn(tables.warnings)
    print_report(page, answer, open_in_browser)


def print_report(page: Path, answer: Answer, open_in_browser: bool) -> None:
    """The line that answers the question, and where the report is."""
    steps = [("report", str(page)), ("memo", str(page.parent / "memo.md"))]
    print_answer(Answer(answer.question, answer.setting, answer.verdict, steps=steps))
    if open_in_browser:
        typer.launch(page.resolve().as_uri())


def confirm_replacing(folder: Path, experiment: Experiment) -> None:
    """Ask before the report of another experiment is replaced; refuse where nobody can answer."""
    if may_replace(folder, experiment):
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{folder} holds another report; --force replaces it, --out FOLDER writes elsewhere")
    if not typer.confirm(f"{folder} holds another report; replace it?", err=True):
        raise typer.Abort
