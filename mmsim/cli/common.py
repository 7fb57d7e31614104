"""What several commands share: the console and options that mean the same everywhere."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from mmsim.core.shell import Listing
from mmsim.games import DEFAULT, GAMES

_PIPED_WIDTH = 160  # a pipe has no width; do not cut tables short there


def console() -> Console:
    """Stdout with colours on a terminal, and plain wide text in a pipe."""
    screen = Console(highlight=False, soft_wrap=True)
    if not screen.is_terminal:
        screen.width = _PIPED_WIDTH
    return screen


def table_of(listing: Listing) -> Table:
    """A listing for the console."""
    table = Table(*listing.headings, title=listing.title, title_justify="left")
    for row in listing.rows:
        table.add_row(*row)
    return table


Seed = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Master seed; the same seed, the same result.")]
Players = Annotated[
    int | None, typer.Option("--players", help="Number of players; if not given, the usual one of the ruleset.")
]
GameName = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="NAME",
        help=f"Which game, {' or '.join(GAMES)}; if not given, the one the rest tells, or {DEFAULT}.",
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="SPEC",
        help="A ruleset like print+loyal,change_minutes=2, or a .toml file; its first word tells the game. "
        "If not given, the usual one of the game.",
    ),
]
Board = Annotated[
    str | None,
    typer.Option(
        "--board", metavar="SET", help="Board set: a shipped one or a .toml file; if not given, the usual one."
    ),
]
Layout = Annotated[str | None, typer.Option("--layout", help="Layout code like 1a-4c-2b-6a-3a-5b.")]
