"""What commands print: text, tables and JSON on stdout, messages and warnings on stderr."""

import json
import os
import signal
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mmsim.core.shell import Listing
from mmsim.system.files import write_output
from mmsim.system.safe_text import excerpt, printable

_PIPED_WIDTH = 160  # a pipe has no width; do not cut tables short there


class Screen(Console):
    """A console that shows text as it is: brackets are not markup, and control characters are escaped."""

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


def counted(number: int, noun: str) -> str:
    """`1 part`, `1,200 parts`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def warn(texts: Iterable[str], err: bool = True) -> None:
    """Print warnings in red: the reader must see them before any number."""
    for text in texts:
        Screen(stderr=err, soft_wrap=True).print(f"WARNING: {text}", style="bold red")


def say_error(text: str) -> None:
    """Print an error on stderr as one line, whatever is in it and however long it is."""
    with suppress(OSError):  # the exit code says that something is wrong, too
        print(f"mmsim: error: {excerpt(printable(text))}", file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=1))


def print_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str = "",
    numeric: Collection[str] = (),
    bold: Collection[str] = (),
) -> None:
    """Print a table whose `numeric` columns are aligned to the right; `bold` rows are named by their first cell."""
    table = Table(title=title or None, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numeric else "left")
    for row in rows:
        table.add_row(*row, style="bold" if row[0] in bold else None)
    console().print(table)


def print_listing(listing: Listing) -> None:
    print_table(listing.headings, listing.rows, listing.title)


def listing_rows(listing: Listing) -> list[dict[str, str]]:
    """A listing as JSON: one object per row."""
    return [dict(zip(listing.headings, row, strict=True)) for row in listing.rows]


def save(content_name: str, path: Path, content: bytes) -> None:
    """Write a file the user asked for, and say where it is."""
    write_output(path, content)
    say(f"{content_name} -> {path}", err=True)


def exit_on_broken_pipe() -> NoReturn:
    """The reader of our output has gone (`| head`): end silently by SIGPIPE, as other tools do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered has nowhere to go
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
    raise SystemExit(128 + signal.SIGPIPE)  # where that signal is blocked
