"""What commands print: text, tables and JSON on stdout, messages and warnings on stderr."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import wrap
from typing import Any, NoReturn

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mmsim.core.shell import Listing
from mmsim.system.files import write_output
from mmsim.system.safe_text import excerpt, printable

_TEXT_WIDTH, _MAX_TEXT_WIDTH = 80, 100
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


def text_console() -> Console:
    """Stdout for text and plain tables: as wide as the terminal but no wider than is easy to read, 80 in a pipe."""
    screen = Screen(soft_wrap=True)
    screen.width = min(screen.width, _MAX_TEXT_WIDTH) if screen.is_terminal or "COLUMNS" in os.environ else _TEXT_WIDTH
    return screen


def say(text: str, err: bool = False) -> None:
    """Print text that may contain names from files: control characters are escaped."""
    print(printable(text, keep="\n\t"), file=sys.stderr if err else sys.stdout)


def say_paragraph(text: str) -> None:
    """Print text on stdout, wrapped between words."""
    lines = wrap(printable(text), text_console().width, break_long_words=False, break_on_hyphens=False)
    print("\n".join(lines))


_remarks: list[str] = []


def remark(text: str) -> None:
    """Say something on stderr once the command is under way; if it fails before that, its error stands alone."""
    _remarks.append(text)


def show_remarks() -> None:
    while _remarks:
        say(_remarks.pop(0), err=True)


def counted(number: int, noun: str) -> str:
    """`1 part`, `1,200 parts`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def warn(texts: Iterable[str], err: bool = True) -> None:
    """Print warnings in red: the reader must see them before any number."""
    for text in texts:
        Screen(stderr=err, soft_wrap=True).print(f"WARNING: {text}", style="bold red")


def say_error(text: str) -> None:
    """Print an error on stderr as one line, whatever is in it and however long it is."""
    _remarks.clear()
    with suppress(OSError):  # the exit code says that something is wrong, too
        print(f"mmsim: error: {excerpt(printable(text))}", file=sys.stderr, flush=True)


def this_command(*more: str) -> str:
    """The command as it was typed, with more words, to be typed again."""
    return shlex.join(["mmsim", *sys.argv[1:], *more])


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=1))


def print_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str = "",
    numeric: Collection[str] = (),
    bold: Collection[str] = (),
    plain: bool = False,
) -> None:
    """Print a table whose `numeric` columns are aligned to the right; `bold` rows are named by their first cell.

    Cells are wrapped between words, never inside one and never cut: a table whose words do not fit is wider than the
    screen. A `plain` table has a line under its headings only.
    """
    rows = [[printable(cell, keep="\n\t") for cell in row] for row in rows]
    screen = text_console() if plain else console()
    columns = [[heading, *(row[place] for row in rows)] for place, heading in enumerate(headings)]
    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD if plain else box.HEAVY_HEAD)
    frame = 3 * len(columns) + 1
    widths = _fitting_widths(columns, screen.width - frame)
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(heading, justify="right" if heading in numeric else "left", width=width)
    for row in rows:
        table.add_row(*row, style="bold" if row[0] in bold else None)
    screen.width = max(screen.width, sum(widths) + frame)
    screen.print(table)


def _fitting_widths(columns: Sequence[Sequence[str]], available: int) -> list[int]:
    """Widths of columns: as wide as their cells if there is room, and never narrower than their longest word."""
    widths = [max(cell_len(line) for cell in column for line in (cell.splitlines() or [""])) for column in columns]
    words = [max((cell_len(word) for cell in column for word in cell.split()), default=1) for column in columns]
    while sum(widths) > available and any(width > word for width, word in zip(widths, words, strict=True)):
        widest = max(range(len(widths)), key=lambda place: (widths[place] > words[place], widths[place]))
        widths[widest] -= 1
    return widths


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
