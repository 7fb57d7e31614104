"""`mmsim play`: play one game; its story, score sheet, record and picture."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import options
from mmsim.cli.console import console, counted, save, say
from mmsim.cli.options import option
from mmsim.core.records import dumps
from mmsim.core.shell import GameStory
from mmsim.core.variant import Variant
from mmsim.drawing.board_canvas import picture_kind
from mmsim.games import find_shell_and_rules


def play(
    rules: options.Rules = None,
    players: options.Players = None,
    board: options.Board = None,
    layout: options.Layout = None,
    bots: Annotated[
        str | None,
        option(
            "--bots LIST",
            "One bot for all seats, or one per seat separated by commas. planner:block=2.0 sets a weight, "
            "./mybot.py:MyBot is a bot of your own; mmsim bots list names the rest. Default: a strong bot.",
        ),
    ] = None,
    seed: options.Seed = 1,
    game: options.GameName = None,
    number: Annotated[
        int, option("--number N", "Which game of this seed, counted from 0.", callback=options.check_bits(63))
    ] = 0,
    seats: options.Seats = "fixed",
    record_file: Annotated[Path | None, option("--record FILE", "Write the record of the game (JSON) here.")] = None,
    picture: Annotated[Path | None, option("--picture FILE", "Draw the final position here (.svg or .png).")] = None,
    explain: Annotated[
        bool, option("--explain", "After every turn show the best moves its bot considered, feature by feature.")
    ] = False,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    last: Annotated[
        int | None, option("--last N", "Tell only the last lines of the story, about one per turn.", min=1)
    ] = None,
    quiet: Annotated[bool, option("--quiet", "Print only who won.")] = False,
    as_json: Annotated[bool, option("--json", "Print the record of the game (JSON) instead of its story.")] = False,
) -> None:
    kind = picture_kind(picture) if picture else ""
    shell, spec = find_shell_and_rules(game, rules)
    shell.check_board(board)
    bots = bots or shell.default_bot
    limit = options.move_limit(isolate, move_seconds)
    board = shell.lay_out(board or None, layout) if layout else board
    story = shell.play(Variant(spec, players, board, bots, seed, seats, move_seconds=limit), number, explain)
    if as_json:
        typer.echo(dumps(story.record), nl=False)
    else:
        _print_story(story, quiet, last)
    if record_file is not None:
        save("record", record_file, dumps(story.record).encode())
    if picture is not None:
        save("picture", picture, story.draw(kind))


def _print_story(story: GameStory, quiet: bool, last: int | None) -> None:
    if not quiet:
        lines = [*story.story]
        left_out = [f"(the first {counted(len(lines) - last, 'line')} of the story left out)"] if last else []
        for line in (*story.opening, "", *left_out, *lines[-last if last else 0 :], ""):
            say(line)
        for sheet in story.sheets:
            console().print(sheet)
    say(story.verdict)
