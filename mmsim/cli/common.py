"""What several commands share: the console and options that mean the same everywhere."""

import os
import re
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mmsim.cli import completion
from mmsim.core.shell import Listing
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, GAMES
from mmsim.system.files import STDOUT, write_output
from mmsim.system.safe_text import printable

_MOVE_SECONDS = 60.0
_PIPED_WIDTH = 160  # a pipe has no width; do not cut tables short there


class Screen(Console):
    """A console that shows text as it is: brackets are no markup, and control characters are written out."""

    def __init__(self, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text, keep="\n\t"), **options)

    def on_broken_pipe(self) -> NoReturn:
        end_of_pipe()


def console() -> Console:
    """Stdout with colours on a terminal, and plain wide text in a pipe."""
    screen = Screen(soft_wrap=True)
    if not screen.is_terminal:
        screen.width = _PIPED_WIDTH
    return screen


def say(text: str, err: bool = False) -> None:
    """Print a text that may hold names from files: what would steer a terminal is written out."""
    print(printable(text, keep="\n\t"), file=sys.stderr if err else sys.stdout)


def warn(text: str) -> None:
    """Say on stderr, in red, what a reader must know before any number."""
    Screen(stderr=True, soft_wrap=True).print(f"WARNING: {text}", style="bold red")


def end_of_pipe() -> NoReturn:
    """Whoever read our output has gone (`| head`): end as other tools do, by SIGPIPE and without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered has nowhere to go
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
    raise SystemExit(128 + signal.SIGPIPE)  # where that signal is blocked


def json_of(listing: Listing) -> list[dict[str, str]]:
    """A listing for programs."""
    return [dict(zip(listing.headings, row, strict=True)) for row in listing.rows]


def table_of(listing: Listing) -> Table:
    """A listing for the console."""
    table = Table(*listing.headings, title=listing.title, title_justify="left")
    for row in listing.rows:
        table.add_row(*row)
    return table


Isolate = Annotated[
    bool,
    typer.Option("--isolate", help="Give bots in Python processes of their own, which are handed views only."),
]
MoveSeconds = Annotated[
    float | None,
    typer.Option(
        "--move-seconds",
        min=0.001,
        metavar="SECONDS",
        help=f"How long a bot in Python may take for a move, {_MOVE_SECONDS:g} if not given; implies --isolate.",
    ),
]


def move_limit(isolate: bool, seconds: float | None) -> float | None:
    """How long bots in Python, in processes of their own, may take for a move; None: they play in ours."""
    return seconds or (_MOVE_SECONDS if isolate else None)


def check_seed(seed: int | None) -> int | None:
    """A seed has 64 bits; said here and not as a range, which would be half a line of every help."""
    if seed is not None and not 0 <= seed < 1 << 64:
        raise typer.BadParameter(f"it must be from 0 to {(1 << 64) - 1}")
    return seed


def check_number(number: int) -> int:
    """The number of a game has 63 bits; said here as for seeds."""
    if not 0 <= number < 1 << 63:
        raise typer.BadParameter(f"it must be from 0 to {(1 << 63) - 1}")
    return number


Seed = Annotated[int, typer.Option("--seed", callback=check_seed, help="Master seed; the same seed, the same result.")]
Players = Annotated[
    int | None, typer.Option("--players", help="Number of players; if not given, the usual one of the ruleset.")
]
GameName = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="NAME",
        autocompletion=completion.games,
        help=f"Which game, {' or '.join(GAMES)}; if not given, the one the rest tells, or {DEFAULT}.",
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="SPEC",
        autocompletion=completion.rulesets,
        help="A ruleset like print+loyal,change_minutes=2, or a .toml file; its first word tells the game. "
        "If not given, the usual one of the game.",
    ),
]
Board = Annotated[
    str | None,
    typer.Option(
        "--board",
        metavar="SET",
        autocompletion=completion.boards,
        help="Board set: a shipped one or a .toml file; if not given, the usual one.",
    ),
]
Layout = Annotated[str | None, typer.Option("--layout", metavar="CODE", help="Layout code like 1a-4c-2b-6a-3a-5b.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
NewFile = Annotated[
    Path | None, typer.Option("--out", dir_okay=False, help="Another file, or - for stdout, instead of NAME.toml.")
]


def plain_name(name: str) -> str:
    """The name of something new, without the ending of its file; refused if it is a path or needs quotes."""
    if not re.fullmatch(r"[\w+@.-]+", name) or not name.strip("."):
        raise UsageError(f"'{name}' is not a plain name; say with --out where the file is to go")
    return name.removesuffix(".toml")


def write_new(name: str, text: str, out: Path | None) -> None:
    """Write the file that begins something new; nothing is ever replaced."""
    path = out or Path(f"{plain_name(name)}.toml")
    if path.is_file():
        raise UsageError(f"{path} is there already; choose another name or remove it")
    write_output(path, text.encode())
    if path != STDOUT:
        say(f"{path} is written", err=True)
