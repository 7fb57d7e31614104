"""`mmsim play`: one game, its story, its score sheet, its record."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli.common import Board, Layout, Players, Rules, Seed, console
from mmsim.core.errors import UsageError
from mmsim.core.files import write_atomically
from mmsim.core.game import Variant
from mmsim.core.records import dumps
from mmsim.games import GAMES, find_rules


def play(
    rules: Rules = None,
    players: Players = None,
    board: Board = None,
    layout: Layout = None,
    bots: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="One bot for every seat, or one a seat, with commas: planner:block=2.0 sets a weight, "
            "./mybot.py:MyBot is one of your own; mmsim bots list names the rest.",
        ),
    ] = "uniform",
    seed: Seed = 1,
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER|NAME",
            help="Which game of the seed, from 0 on; or the name of the game, "
            f"{' or '.join(GAMES)}, if no ruleset tells it. May be given twice.",
        ),
    ] = None,
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
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell only who won.")] = False,
) -> None:
    """Play one game and tell its story, turn by turn."""
    kind = ""
    if picture is not None:
        from mmsim.drawing.sheet import picture_kind  # matplotlib is slow to import; only pictures pay for it

        kind = picture_kind(picture)
    name, number = _which(game or [])
    shell, spec = find_rules(name, rules)
    told = shell.play(Variant(spec, players, board, bots, seed, seats), number, layout, explain)
    screen = console()
    if not quiet:
        for line in (*told.opening, "", *told.story, ""):
            screen.print(line, markup=False)
        for sheet in told.sheets:
            screen.print(sheet, markup=False)
    screen.print(told.verdict, markup=False)
    if record_file is not None:
        write_atomically(record_file, dumps(told.record).encode())
        typer.echo(f"record -> {record_file}", err=True)
    if picture is not None:
        write_atomically(picture, told.draw(kind))
        typer.echo(f"picture -> {picture}", err=True)


def _which(given: list[str]) -> tuple[str | None, int]:
    """The name of a game and the number of one, of which either, both or none may be given."""
    names = [word for word in given if word in GAMES]
    numbers = [word for word in given if word.isdecimal() and int(word) < 2**63]
    if len(names) > 1 or len(numbers) > 1 or len(names) + len(numbers) < len(given):
        takes = f"a number from 0 to {2**63 - 1}, or {' or '.join(GAMES)}, each once"
        raise UsageError(f"Invalid value for '--game': it takes {takes}; not {' '.join(given)}")
    return (names[0] if names else None), int(numbers[0] if numbers else 0)
