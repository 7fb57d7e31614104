"""`mmsim play`: one game, its story, its score sheet, its record."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import completion
from mmsim.cli.common import (
    Board,
    GameName,
    Isolate,
    Layout,
    MoveSeconds,
    Players,
    Rules,
    Seed,
    check_number,
    console,
    move_limit,
)
from mmsim.core.game import Variant
from mmsim.core.records import dumps
from mmsim.core.shell import GameStory
from mmsim.games import find_rules
from mmsim.system.files import write_output


def play(
    rules: Rules = None,
    players: Players = None,
    board: Board = None,
    layout: Layout = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.bots,
            help="One bot for every seat, or one a seat, with commas: planner:block=2.0 sets a weight, "
            "./mybot.py:MyBot is one of your own; mmsim bots list names the rest. If not given, a strong one.",
        ),
    ] = None,
    seed: Seed = 1,
    game: GameName = None,
    number: Annotated[int, typer.Option(callback=check_number, help="Which game of the seed, from 0 on.")] = 0,
    seats: Annotated[
        str, typer.Option(metavar="HOW", help="fixed, or rotate: game N of a run with rotated seats.")
    ] = "fixed",
    record_file: Annotated[
        Path | None, typer.Option("--record", dir_okay=False, help="Write the game's record (JSON) here.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Write a picture of the final position (.svg or .png)."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Below every turn the best turns its bot had in mind, with value by feature."),
    ] = False,
    isolate: Isolate = False,
    move_seconds: MoveSeconds = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell only who won.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the game's record (JSON) instead of its story.")
    ] = False,
) -> None:
    """Play one game and tell its story, turn by turn."""
    kind = ""
    if picture is not None:
        from mmsim.drawing.board_canvas import picture_kind  # only pictures pay for what it imports

        kind = picture_kind(picture)
    shell, spec = find_rules(game, rules)
    limit = move_limit(isolate, move_seconds)
    bots = bots or next(iter(shell.panels.values()))[0]
    story = shell.play(Variant(spec, players, board, bots, seed, seats, move_seconds=limit), number, layout, explain)
    if as_json:
        typer.echo(dumps(story.record), nl=False)
    else:
        _print(story, quiet)
    if record_file is not None:
        write_output(record_file, dumps(story.record).encode())
        typer.echo(f"record -> {record_file}", err=True)
    if picture is not None:
        write_output(picture, story.draw(kind))
        typer.echo(f"picture -> {picture}", err=True)


def _print(story: GameStory, quiet: bool) -> None:
    screen = console()
    if not quiet:
        for line in (*story.opening, "", *story.story, ""):
            screen.print(line, markup=False)
        for sheet in story.sheets:
            screen.print(sheet, markup=False)
    screen.print(story.verdict, markup=False)
