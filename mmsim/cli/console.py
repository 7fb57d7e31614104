"""What commands print: text, tables and JSON on stdout, messages and warnings on stderr."""

import json
import os
import signal
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mmsim.core.shell import Listing
from mmsim.system.files import write_output
from mmsim.system.safe_text import printable

_PIPED_WIDTH = 160  # a pipe has no width; do not cut tables short there


class Screen(Console):
    """A console that shows text as it is: brackets are no markup, and control characters are escaped."""

    def __init__(self, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text, keep="\n\t"), **options)

    def on_broken_pipe(self) -> NoReturn:
        exit_on_broken_pipe()


def console() -> Console:
    """Stdout: coloured on a terminal, plain and wide in a pipe."""
    screen = Screen(soft_wrap=True)
    if not screen.is_terminal:
        screen.width = _PIPED_WIDTH
    return screen


def say(text: str, err: bool = False) -> None:
    """Print text that may contain names from files: control characters are escaped."""
    print(printable(text, keep="\n\t"), file=sys.stderr if err else sys.stdout)


def warn(text: str) -> None:
    """Print a warning on stderr, in red: the reader must see it before any number."""
    Screen(stderr=True, soft_wrap=True).print(f"WARNING: {text}", style="bold red")


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=1))


def make_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], title: str = "", numeric: Collection[str] = ()
) -> Table:
    """A table whose `numeric` columns are aligned to the right."""
    table = Table(title=title or None, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numeric else "left")
    for row in rows:
        table.add_row(*row)
    return table


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], title: str = "", numeric: Collection[str] = ()
) -> None:
    console().print(make_table(headings, rows, title, numeric))


def print_listing(listing: Listing) -> None:
    print_table(listing.headings, listing.rows, listing.title)


def listing_rows(listing: Listing) -> list[dict[str, str]]:
    """A listing as JSON: one object per row."""
    return [dict(zip(listing.headings, row, strict=True)) for row in listing.rows]


def save(what: str, path: Path, content: bytes) -> None:
    """Write a file the user asked for, and say where it is."""
    write_output(path, content)
    say(f"{what} -> {path}", err=True)


def exit_on_broken_pipe() -> NoReturn:
    """The reader of our output has gone (`| head`): end silently by SIGPIPE, as other tools do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered has nowhere to go
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
    raise SystemExit(128 + signal.SIGPIPE)  # where that signal is blocked
