"""The journal of a run: a line for every part that is done, each with a checksum of its own.

Of a part the last undamaged line counts that holds the games the plan wants in it; every reader goes by that. It is
written by a thread of its own, so that nobody waits for the disk.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from mmsim.batch.digest import SHORT, short_checksum
from mmsim.batch.manifest import Count, Sha256, TableName, Text
from mmsim.batch.plan import Part
from mmsim.errors import MmsimError
from mmsim.system.files import open_regular, replacing, sync

JOURNAL = "parts.jsonl"
_AT_ONCE = 8  # files synced at the same time: the file system writes down several as quickly as one
_LONGEST_LINE = 64 << 20  # bytes; one that tells of a failed bot in every game has some million
_CHECK = b',"check":"'
_END = b'"}\n'
_TAIL = len(_CHECK) + SHORT + len(_END)


class File(Struct, frozen=True, forbid_unknown_fields=True):
    """A Parquet file of a part as it must look."""

    rows: Count
    bytes: Count
    sha256: Sha256  # of its bytes: tells of damage
    digest: Sha256  # of its rows: the same in any file of them
    mtime_ns: int = 0  # when it was put in place; a file of this time and size is taken for whole


class BotFailure(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that stopped its game."""

    game: Count
    seat: Count
    bot: Text
    message: Text


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """What the journal keeps of a part: where its games are and how its files must look."""

    part: Count
    variant: Count
    first: Count
    games: Annotated[int, Meta(ge=1, le=2**53)]
    tables: dict[TableName, File]
    shares: list[tuple[Count, float, float]]  # for every seat: count, mean and squares of the win share
    errors: list[BotFailure]
    seconds: float

    def is_of(self, part: Part) -> bool:
        """Whether this is about the very games the plan wants in a part."""
        return (self.part, self.variant, self.first, self.games) == (part.number, part.variant, part.first, part.count)

    @property
    def file(self) -> str:
        """The name of its files, in the folder of every table."""
        return Part(self.part, self.variant, self.first, self.games).file

    @property
    def size(self) -> int:
        return sum(file.bytes for file in self.tables.values())


_decoder = msgspec.json.Decoder(Entry)


def line_of(entry: Entry) -> bytes:
    """An entry as a line with its checksum."""
    body = msgspec.json.encode(entry)[:-1]
    return body + _CHECK + short_checksum(body).encode() + _END


def read(path: Path) -> Iterator[tuple[int, Entry | str]]:
    """The lines of a journal by their numbers: what each says, or what is wrong with it; a torn last line is none."""
    try:
        with open_regular(path) as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if line.endswith(b"\n"):
                    yield number, _parsed(line)
                elif len(line) == _LONGEST_LINE:
                    raise MmsimError(f"{path} is damaged: line {number} is longer than {_LONGEST_LINE:,} bytes")
    except FileNotFoundError:
        return
    except OSError as error:
        raise MmsimError(f"cannot read {path}: {error.strerror or error}") from error


def _parsed(line: bytes) -> Entry | str:
    body, tail = line[:-_TAIL], line[-_TAIL:]
    if tail != _CHECK + short_checksum(body).encode() + _END:
        return "its checksum is wrong"
    try:
        return _decoder.decode(body + b"}")
    except (ValueError, RecursionError) as error:
        return str(error)


def rewrite(path: Path, entries: Iterator[Entry]) -> None:
    """Write a journal anew, with these entries and no other line."""
    with replacing(path) as file:
        for entry in entries:
            file.write(line_of(entry))


class JournalWriter:
    """Appends the lines of parts, each after the files of its part are on the disk, and in the order they came in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = path.open("ab")
        except OSError as error:
            raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error
        self._file.truncate(_end_of_last_line(path))
        self._waiting: SimpleQueue[Entry | None] = SimpleQueue()
        self._problem: Exception | None = None
        self._thread = Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    def append(self, entry: Entry) -> None:
        """Have a line written; complains of lines before it that could not be."""
        self._waiting.put(entry)
        self._complain()

    def settle(self) -> None:
        """Wait until every line is on the disk; nothing can be appended afterwards."""
        self._stop()
        self._complain()

    def close(self) -> None:
        self._stop()
        with suppress(OSError):  # what did not reach the disk has been complained about
            self._file.close()

    def _stop(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _complain(self) -> None:
        if self._problem:
            raise self._problem

    def _write(self) -> None:
        """The life of the thread: all that waits at a time is synced together."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            going_on = True
            while going_on:
                found = [self._waiting.get()]
                while not self._waiting.empty():
                    found.append(self._waiting.get())
                going_on = None not in found
                entries = [entry for entry in found if entry]
                folder = self._path.parent
                try:
                    list(pool.map(sync, (folder / table / one.file for one in entries for table in one.tables)))
                    self._write_lines([with_times(folder, entry) for entry in entries])
                except Exception as error:
                    self._problem, going_on = error, False

    def _write_lines(self, entries: list[Entry]) -> None:
        try:
            self._file.write(b"".join(map(line_of, entries)))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise MmsimError(f"cannot write {self._path}: {error.strerror or error}") from error


def with_times(folder: Path, entry: Entry) -> Entry:
    """An entry with the times of its files as they are now."""
    tables = {
        table: replace(file, mtime_ns=(folder / table / entry.file).stat().st_mtime_ns)
        for table, file in entry.tables.items()
    }
    return replace(entry, tables=tables)


def _end_of_last_line(path: Path) -> int:
    """Where the last whole line of a file ends; only the end of the file is read."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - 65536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0
