"""`mmsim runs`, `record` and `export`: what has been played, and how to use it elsewhere."""

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mmsim.batch.check import record as record_of
from mmsim.batch.export import FORMATS
from mmsim.batch.export import export as export_table
from mmsim.batch.store import Run, runs_in
from mmsim.cli.common import console
from mmsim.cli.run import RUNS, RunFolder
from mmsim.core.errors import UsageError
from mmsim.core.files import write_atomically

app = typer.Typer(help="Runs on disk.", no_args_is_help=True)


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where runs are kept.")] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List runs: their games, state and size."""
    rows = [run.summary() for run in runs_in(folder)]
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return
    if not rows:
        typer.echo(f"no runs in {folder}")
        return
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
        typer.echo(json.dumps(run.manifest, indent=1, ensure_ascii=False))
        return
    about, screen = run.summary(), console()
    asked = run.manifest["experiment"]
    lines = {
        "run": f"{about['folder']} ({about['state']}, {about['parts_done']} of {about['parts']} parts)",
        "question": asked["question"] or "-",
        "variants": ", ".join(about["variants"]),
        "bots": about["bots"],
        "games": f"{about['games']:,} of every variant",
        "design": f"seed {asked['seed']}, {asked['design']}, seats {asked['seats']}",
        "tables": ", ".join(run.table_names),
        "created": f"{run.manifest['created']} with mmsim {run.manifest['machine']['versions']['mmsim']}",
    }
    if finished := run.manifest["finished"]:
        lines["rows"] = ", ".join(f"{table} {rows:,}" for table, rows in finished["rows"].items())
        lines["bot errors"] = str(finished["bot_errors"])
        lines["sha256"] = finished["sha256"]
    for key, text in lines.items():
        screen.print(f"{key:<10} {text}", markup=False)


@app.command("rm")
def remove(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete runs."""
    runs = [Run(folder) for folder in folders]
    for run in runs:
        if run.is_locked:
            raise UsageError(f"{run.folder} is being written; stop its writer first")
        if yes or typer.confirm(f"delete {run.folder} with {run.games_asked:,} games of every variant?", err=True):
            shutil.rmtree(run.folder)
            typer.echo(f"deleted {run.folder}", err=True)


def record(
    folder: RunFolder,
    number: Annotated[int, typer.Option(min=0, help="Which game, from 0 on.")],
    out: Annotated[Path, typer.Option(dir_okay=False, help="Write the record (JSON) here.")],
    variant: Annotated[str | None, typer.Option(help="Which variant, if there are several.")] = None,
) -> None:
    """Write the record of any game of a run."""
    run = Run(folder)
    played_again = record_of(run, run.variant_index(variant), number)
    write_atomically(out, (json.dumps(played_again, ensure_ascii=False) + "\n").encode())
    typer.echo(f"record -> {out}", err=True)


def export(
    folder: RunFolder,
    table: Annotated[str, typer.Option(help="Which table.")],
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="File; if not given, RUN-TABLE.FORMAT here.")] = None,
    kind: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}; json is one object a line.")
    ] = "csv",
) -> None:
    """Write a table of a run as one file for other programs."""
    run = Run(folder)
    path = out or Path(f"{run.folder.resolve().name}-{table}.{kind}")
    rows = export_table(run, table, kind, path)
    typer.echo(f"{rows:,} rows -> {path}", err=True)
