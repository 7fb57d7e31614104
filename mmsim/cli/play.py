"""`mmsim play`: play one game; its story, score sheet, record and picture."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import completion, options
from mmsim.cli.console import console, save, say
from mmsim.core.records import dumps
from mmsim.core.shell import GameStory
from mmsim.core.variant import Variant
from mmsim.drawing.board_canvas import picture_kind
from mmsim.games import find_rules


def play(
    rules: options.Rules = None,
    players: options.Players = None,
    board: options.Board = None,
    layout: options.Layout = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.bots,
            help="One bot for all seats, or one per seat separated by commas. planner:block=2.0 sets a weight, "
            "./mybot.py:MyBot is a bot of your own; mmsim bots list names the rest. Default: a strong bot.",
        ),
    ] = None,
    seed: options.Seed = 1,
    game: options.GameName = None,
    number: Annotated[
        int, typer.Option(callback=options.check_number, help="Which game of this seed, counted from 0.")
    ] = 0,
    seats: options.Seats = "fixed",
    record_file: Annotated[
        Path | None, typer.Option("--record", dir_okay=False, help="Write the record of the game (JSON) here.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write a picture of the final position (.svg or .png) here.")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="After every turn show the best moves its bot considered, feature by feature."),
    ] = False,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only who won.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record of the game (JSON) instead of its story.")
    ] = False,
) -> None:
    """Play one game and print its story, turn by turn."""
    kind = picture_kind(picture) if picture else ""
    shell, spec = find_rules(game, rules)
    shell.check_board(board)
    bots = bots or shell.default_bot
    limit = options.move_limit(isolate, move_seconds)
    story = shell.play(Variant(spec, players, board, bots, seed, seats, move_seconds=limit), number, layout, explain)
    if as_json:
        typer.echo(dumps(story.record), nl=False)
    else:
        _print_story(story, quiet)
    if record_file is not None:
        save("record", record_file, dumps(story.record).encode())
    if picture is not None:
        save("picture", picture, story.draw(kind))


def _print_story(story: GameStory, quiet: bool) -> None:
    if not quiet:
        for line in (*story.opening, "", *story.story, ""):
            say(line)
        for sheet in story.sheets:
            console().print(sheet)
    say(story.verdict)
