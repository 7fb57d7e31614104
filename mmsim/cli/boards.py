"""`mmsim boards`: list, show, generate and check board sets."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mmsim.cli.common import Layout, Seed, console
from mmsim.core.errors import UsageError
from mmsim.metromania import boardfile, boards

app = typer.Typer(help="Board sets and the cities they make.", no_args_is_help=False)

Set = Annotated[str, typer.Argument(metavar="SET", help="A shipped board set, or the path of a .toml file.")]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_sets() -> None:
    """List the board sets that come with mmsim."""
    table = Table(pad_edge=False)
    for heading in ("set", "side", "cells", "spots", "starts", "ends", "cities", "title"):
        table.add_column(heading, justify="left" if heading in ("set", "title") else "right")
    for name in boardfile.shipped_names():
        board_set = boardfile.load(name)
        spots = sum(board_set.count(kind) for kind in boards.SPOTS)
        starts, ends = board_set.frame_count("S"), board_set.frame_count("E")
        numbers = (board_set.side, 6 * board_set.side**2, spots, starts, ends, board_set.classes)
        table.add_row(name, *(f"{number:,}" for number in numbers), board_set.title)
    console().print(table)


@app.command()
def show(
    board: Set,
    layout: Layout = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**64 - 1, help="Draw a random layout with this seed; if not given, the pieces in order."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Write a picture (.svg or .png) instead of drawing here."),
    ] = None,
) -> None:
    """Show a city: in the terminal, or as a picture with --out."""
    if layout is not None and seed is not None:
        raise UsageError("--layout and --seed exclude each other; give one of them")
    board_set = boardfile.load(board)
    chosen = boards.Layout.from_index(0) if layout is None else boards.Layout.from_code(layout)
    if seed is not None:
        chosen = next(boards.generate(board_set, 1, seed))
    city = board_set.city(chosen)
    if out is None:
        from mmsim.metromania.draw_text import terminal

        console().print(terminal(city), no_wrap=True, overflow="crop")
    else:
        from mmsim.metromania.draw import save  # matplotlib is slow to import; only pictures pay for it

        save(out, city)
        typer.echo(f"{board_set.name} {chosen.code} -> {out}", err=True)


@app.command()
def generate(
    board: Set,
    count: Annotated[int, typer.Option(min=1, help="How many layouts.")] = 1,
    seed: Seed = 1,
    unique: Annotated[
        bool, typer.Option("--unique", help="No two the same city up to turning it; codes are canonical.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list instead of a code a line.")] = False,
) -> None:
    """Generate random layouts, all equally likely."""
    board_set = boardfile.load(board)
    layouts = boards.generate(board_set, count, seed, unique)
    if not as_json:
        for layout in layouts:
            typer.echo(layout.code)
        return
    rows = [
        {
            "set": board_set.name,
            "side": board_set.side,
            "layout": layout.code,
            "canonical": board_set.canonical(layout).code,
        }
        for layout in layouts
    ]
    typer.echo(json.dumps(rows, indent=1))


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A board file (.toml).", dir_okay=False)],
) -> None:
    """Check a board file: every error with its line and what to do, and warnings for what looks odd."""
    board_set, problems = boardfile.read(file)
    for problem in problems:
        kind = "error" if problem.is_error else "warning"
        typer.echo(f"{file}:{problem.line}: {kind}: {problem.text}", err=True)
    if board_set is None:
        raise typer.Exit(1)
    warnings = f" with {len(problems)} warning{'s' * (len(problems) > 1)}" if problems else ""
    typer.echo(f"{file}: '{board_set.name}' is a good board set{warnings}: {board_set.classes:,} cities")
