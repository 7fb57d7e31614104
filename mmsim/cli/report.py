"""`mmsim report`: the findings of a run as one page that needs nothing else."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import completion
from mmsim.cli.common import say, warn


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where to write; if not given, reports/NAME.")
    ] = None,
) -> None:
    """Write the report of a run: a page, its charts and its tables; print the answer."""
    from mmsim.analysis.tables import open_run  # Polars, scipy and matplotlib take a moment to import
    from mmsim.report.page import write_report

    tables = open_run(run)
    for warning in tables.warnings:
        warn(warning)
    page, answer = write_report(tables, out or Path("reports") / tables.name)
    for sentence in answer:
        say(sentence)
    say(f"report -> {page}")
