"""`mmsim runs` and `export`: what has been played, and its use in other programs."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from mmsim.batch.experiment import named_after
from mmsim.batch.export import SUFFIXES
from mmsim.batch.export import export as export_table
from mmsim.batch.manifest import runs_in
from mmsim.batch.run import Run
from mmsim.batch.run_folder import remove_run
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, say, say_error
from mmsim.cli.options import argument, option
from mmsim.cli.progress import show_progress
from mmsim.errors import MmsimError, UsageError


def list_runs(
    folder: Annotated[Path, argument("FOLDER", "Where runs are kept.")] = options.RUNS,
    as_json: options.AsJson = False,
) -> None:
    runs = runs_in(folder)
    rows: list[dict[str, Any]] = []
    damaged = False
    for run_folder in runs:
        try:
            rows.append(Run(run_folder).summary())
        except MmsimError as problem:
            damaged = True
            say_error(str(problem))
    if as_json:
        print_json(rows)
    elif not runs:
        say(f"no runs in {folder}")
    elif rows:
        headings = ("run", "state", "variants", "bots", "games per variant", "parts", "MB")
        print_table(headings, map(_row, rows), numeric=headings[4:])
    if damaged:
        raise typer.Exit(1)


def _row(summary: dict[str, Any]) -> list[str]:
    return [
        str(summary["folder"]),
        summary["state"],
        ", ".join(summary["variants"]),
        summary["bots"],
        f"{summary['games']:,}",
        f"{summary['parts_done']} of {summary['parts']}",
        f"{summary['bytes'] / 1e6:.1f}",
    ]


def show(
    folder: options.RunFolder,
    as_json: Annotated[bool, option("--json", "Print the whole manifest as JSON.")] = False,
) -> None:
    run = Run(folder)
    if as_json:
        print_json(msgspec.to_builtins(run.manifest))
        return
    summary, experiment, manifest = run.summary(), run.experiment, run.manifest
    lines = {
        "run": f"{summary['folder']} ({summary['state']}, {summary['parts_done']} of {summary['parts']} parts)",
        "question": experiment.question or "-",
        "variants": ", ".join(summary["variants"]),
        "bots": summary["bots"],
        "games": f"{summary['games']:,} per variant",
        "design": f"seed {experiment.seed}, {experiment.design}, seats {experiment.seats}",
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
        say(f"{key:<10} {text}")


def remove(
    folders: Annotated[list[Path], argument("RUN...", "Folders of runs.")],
    yes: Annotated[bool, option("--yes", "Do not ask.")] = False,
) -> None:
    for run in [Run(folder) for folder in folders]:
        if run.is_locked:
            raise UsageError(f"{run.folder} is being written; stop its writer first")
        if yes or typer.confirm(f"delete {run.folder} with {run.games_per_variant:,} games per variant?", err=True):
            left = remove_run(run.folder, run.table_names)
            say(f"deleted {run.folder}", err=True)
            if left:
                say(f"{len(left)} files or folders in it are not part of a run and stay, like {left[0]}", err=True)


def export(
    folder: options.RunFolder,
    table: Annotated[str | None, option("--table TEXT", "Which table. Default: all (.xlsx and .duckdb only).")] = None,
    out: Annotated[
        Path | None,
        option("--out FILE", f"The file ({', '.join(SUFFIXES)}), or - for CSV on stdout. Default: RUN-TABLE.csv."),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    run = Run(folder)
    path = out or Path(f"{named_after(run.folder)}-{table or 'tables'}.csv")
    with show_progress(quiet) as progress:
        rows = export_table(run, table, path, progress.step)
    say(f"{rows:,} rows -> {path}", err=True)
