"""`mmsim runs`, `record` and `export`: what has been played, and how to use it elsewhere."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from mmsim.batch.check import record as record_of
from mmsim.batch.experiment import named_after
from mmsim.batch.export import ENDINGS
from mmsim.batch.export import export as export_table
from mmsim.batch.run import Run, runs_in
from mmsim.batch.run_files import remove_run
from mmsim.cli import completion
from mmsim.cli.common import console, say
from mmsim.cli.run import RUNS, BotsFrom, RunFolder
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import write_output

app = typer.Typer(help="Runs on disk.", no_args_is_help=True)


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where runs are kept.")] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List runs: their games, state and size."""
    found = runs_in(folder)
    rows, problems = _summaries(found)
    for problem in problems:
        say(f"mmsim: error: {problem}", err=True)
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
    elif not found:
        say(f"no runs in {folder}")
    elif rows:
        _print_list(rows)
    if problems:
        raise typer.Exit(1)


def _summaries(found: Sequence[Run | MmsimError]) -> tuple[list[dict[str, Any]], list[MmsimError]]:
    """Runs in a line each, and what is wrong with the others."""
    rows: list[dict[str, Any]] = []
    problems: list[MmsimError] = []
    for run in found:
        if isinstance(run, MmsimError):
            problems.append(run)
            continue
        try:
            rows.append(run.summary())
        except MmsimError as problem:
            problems.append(problem)
    return rows, problems


def _print_list(rows: Sequence[dict[str, Any]]) -> None:
    table = Table("run", "state", "variants", "bots")
    for heading in ("games a variant", "parts", "MB"):
        table.add_column(heading, justify="right")
    for row in rows:
        numbers = (f"{row['games']:,}", f"{row['parts_done']} of {row['parts']}", f"{row['bytes'] / 1e6:.1f}")
        table.add_row(str(row["folder"]), row["state"], ", ".join(row["variants"]), row["bots"], *numbers)
    console().print(table)


@app.command("show")
def show(
    folder: RunFolder, as_json: Annotated[bool, typer.Option("--json", help="Print the whole manifest.")] = False
) -> None:
    """Show what a run is about and how far it is."""
    run = Run(folder)
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(run.manifest), indent=1).decode())
        return
    about, screen = run.summary(), console()
    asked, manifest = run.experiment, run.manifest
    lines = {
        "run": f"{about['folder']} ({about['state']}, {about['parts_done']} of {about['parts']} parts)",
        "question": asked.question or "-",
        "variants": ", ".join(about["variants"]),
        "bots": about["bots"],
        "games": f"{about['games']:,} of every variant",
        "design": f"seed {asked.seed}, {asked.design}, seats {asked.seats}",
        "tables": ", ".join(run.table_names),
        "created": f"{manifest.created} with mmsim {manifest.machine.versions.get('mmsim', 'unknown')}",
    }
    if manifest.bots:
        lines["sources"] = ", ".join(str(run.folder / source.kept) for source in manifest.bots)
    if finished := manifest.finished:
        lines["rows"] = ", ".join(f"{table} {rows:,}" for table, rows in finished.rows.items())
        lines["bot errors"] = str(finished.bot_errors)
        lines["digest"] = finished.digest
    for key, text in lines.items():
        screen.print(f"{key:<10} {text}", markup=False)


@app.command("rm")
def remove(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", autocompletion=completion.runs, help="Folders of runs.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete runs; what else lies in their folders stays."""
    runs = [Run(folder) for folder in folders]
    for run in runs:
        if run.is_locked:
            raise UsageError(f"{run.folder} is being written; stop its writer first")
        if yes or typer.confirm(f"delete {run.folder} with {run.games_asked:,} games of every variant?", err=True):
            left = remove_run(run.folder, run.table_names)
            say(f"deleted {run.folder}", err=True)
            if left:
                say(f"{len(left)} things in it were no part of a run and stay, like {left[0]}", err=True)


def record(
    folder: RunFolder,
    number: Annotated[int, typer.Option(min=0, help="Which game, from 0 on.")],
    out: Annotated[Path, typer.Option(dir_okay=False, help="Write the record (JSON) here.")],
    variant: Annotated[
        str | None,
        typer.Option(metavar="NAME", autocompletion=completion.variants, help="Which variant, if there are several."),
    ] = None,
    bots_from: BotsFrom = None,
) -> None:
    """Write the record of any game of a run."""
    run = Run(folder, bots_from)
    played_again = record_of(run, run.variant_index(variant), number)
    write_output(out, (json.dumps(played_again, ensure_ascii=False) + "\n").encode())
    say(f"record -> {out}", err=True)


def export(
    folder: RunFolder,
    table: Annotated[
        str | None, typer.Option(help="Which table; if not given, all, in one .xlsx or .duckdb file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help=f"File ({', '.join(ENDINGS)}) or - for CSV; if not given, RUN-TABLE.csv."),
    ] = None,
) -> None:
    """Write tables of a run as one file for other programs."""
    run = Run(folder)
    path = out or Path(f"{named_after(run.folder)}-{table or 'tables'}.csv")
    rows = export_table(run, table, path)
    say(f"{rows:,} rows -> {path}", err=True)
