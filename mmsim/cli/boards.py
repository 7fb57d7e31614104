"""`mmsim boards`: list, show, generate and check board sets."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mmsim.cli import completion
from mmsim.cli.common import (
    AsJson,
    GameName,
    Layout,
    NewFile,
    Seed,
    check_seed,
    console,
    json_of,
    plain_name,
    say,
    write_new,
)
from mmsim.games import find_rules
from mmsim.system.files import write_output

app = typer.Typer(help="Board sets and the cities they make.", no_args_is_help=False)

Set = Annotated[
    str,
    typer.Argument(
        metavar="SET", autocompletion=completion.boards, help="A shipped board set, or the path of a .toml file."
    ),
]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_sets(game: GameName = None, as_json: AsJson = False) -> None:
    """List the board sets that come with mmsim."""
    shell, _ = find_rules(game, None)
    listing = shell.boards.listing()
    if as_json:
        typer.echo(json.dumps(json_of(listing), indent=1))
        return
    table = Table(pad_edge=False)
    for heading in listing.headings:
        table.add_column(heading, justify="left" if heading in ("set", "title") else "right")
    for row in listing.rows:
        table.add_row(*row)
    console().print(table)


@app.command()
def show(
    board: Set,
    layout: Layout = None,
    seed: Annotated[
        int | None,
        typer.Option(
            callback=check_seed, help="Draw a random layout with this seed; if not given, the pieces in order."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Write a picture (.svg or .png) instead of drawing here."),
    ] = None,
    game: GameName = None,
) -> None:
    """Show a city: in the terminal, or as a picture with --out."""
    shell, _ = find_rules(game, None)
    shown = shell.boards.show(board, layout, seed)
    if out is None:
        console().print(shown.drawing(), no_wrap=True, overflow="crop")
    else:
        from mmsim.drawing.board_canvas import picture_kind  # only pictures pay for what it imports

        write_output(out, shown.draw(picture_kind(out)))
        say(f"{shown.name} -> {out}", err=True)


@app.command()
def generate(
    board: Set,
    count: Annotated[int, typer.Option(min=1, help="How many layouts.")] = 1,
    seed: Seed = 1,
    unique: Annotated[
        bool, typer.Option("--unique", help="No two the same city up to turning it; codes are canonical.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list instead of a code a line.")] = False,
    game: GameName = None,
) -> None:
    """Generate random layouts, all equally likely."""
    shell, _ = find_rules(game, None)
    layouts = shell.boards.layouts(board, count, seed, unique)
    if as_json:
        typer.echo(json.dumps(shell.boards.describe(board, layouts), indent=1))
        return
    for layout in layouts:
        typer.echo(layout)


@app.command()
def check(board: Set, game: GameName = None) -> None:
    """Check a board set: every error with its line and what to do, and warnings for what looks odd."""
    shell, _ = find_rules(game, None)
    inspected = shell.boards.check(board)
    for problem in inspected.problems:
        say(f"{board}:{problem}", err=True)
    if inspected.verdict is None:
        raise typer.Exit(1)
    say(f"{board}: {inspected.verdict}")


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name; the file is NAME.toml.")],
    begun_from: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SET",
            autocompletion=completion.boards,
            help="The shipped set to begin from; if not given, the usual.",
        ),
    ] = None,
    out: NewFile = None,
    game: GameName = None,
) -> None:
    """Begin a board set of your own: a copy of a shipped one, with how it is written."""
    shell, _ = find_rules(game, None)
    write_new(name, shell.boards.copy(begun_from or shell.usual_board or "", plain_name(name)), out)
