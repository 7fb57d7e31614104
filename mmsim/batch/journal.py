"""The journal of a run: one line per finished part, each with a checksum.

If several lines describe one part, the last undamaged one that matches the plan counts. A thread of its own writes the
journal, so that playing does not wait for the disk. Files beside the tables have lines of their own.
"""

import mmap
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from mmsim.batch.manifest import CHECKSUM_DIGITS, SIDE_FILES, TableName, short_checksum
from mmsim.batch.plan import Part
from mmsim.core.game import BotError
from mmsim.errors import MmsimError
from mmsim.system.files import atomic_writer, failing_with, open_for_appending, open_regular, sync
from mmsim.system.validation import Count, Sha256

JOURNAL = "parts.jsonl"
_SYNC_THREADS = 8  # a file system syncs several files as quickly as one
_MAX_LINE_BYTES = 64 << 20  # a line with a failed bot in every game has some million
_CHECK = b',"check":"'
_END = b'"}\n'
_TAIL = len(_CHECK) + CHECKSUM_DIGITS + len(_END)


class PartFile(Struct, frozen=True, forbid_unknown_fields=True):
    """What a Parquet file of a part must be like."""

    rows: Count
    bytes: Count
    sha256: Sha256  # of its bytes, to notice damage
    digest: Sha256  # of its rows, the same whatever file they are in
    mtime_ns: int = 0  # when it was written; a file of this time and size is assumed to be intact


class JournalEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the journal: the games of a part, its files, and how often every seat won."""

    part: Count
    variant: Count
    first: Count
    games: Annotated[int, Meta(ge=1, le=2**53)]
    tables: dict[TableName, PartFile]
    shares: list[tuple[Count, float, float]]  # count, mean and squares (`Tally`) of every seat's win share
    errors: list[BotError]
    seconds: float

    def matches(self, part: Part) -> bool:
        """True if the entry has exactly the games of a part."""
        return (self.part, self.variant, self.first, self.games) == (part.number, part.variant, part.first, part.count)

    @property
    def file(self) -> str:
        """The name of its file in the folder of every table."""
        return Part(self.part, self.variant, self.first, self.games).file

    @property
    def size(self) -> int:
        return sum(file.bytes for file in self.tables.values())


class SideFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the journal about a file beside the tables: what one of its versions is like."""

    name: Literal[SIDE_FILES]  # type: ignore[valid-type]
    bytes: Count
    sha256: Sha256


JournalLine = JournalEntry | SideFile
_decoder, _side_file_decoder = msgspec.json.Decoder(JournalEntry), msgspec.json.Decoder(SideFile)


def line_of(entry: JournalLine) -> bytes:
    """An entry as a line with a checksum."""
    body = msgspec.json.encode(entry)[:-1]
    return body + _CHECK + short_checksum(body).encode() + _END


def read_journal(path: Path) -> Iterator[tuple[int, JournalLine | str]]:
    """The lines of a journal by number, each as an entry or as what is wrong with it; a torn last line is skipped."""
    try:
        with open_regular(path) as file:
            number = 0
            while line := file.readline(_MAX_LINE_BYTES):
                number += 1
                if line.endswith(b"\n"):
                    yield number, _parsed(line)
                elif len(line) == _MAX_LINE_BYTES:
                    raise MmsimError(f"{path} is damaged: line {number} is longer than {_MAX_LINE_BYTES:,} bytes")
    except FileNotFoundError:
        return
    except OSError as error:
        raise MmsimError(f"cannot read {path}: {error.strerror or error}") from error


def _parsed(line: bytes) -> JournalLine | str:
    body, tail = line[:-_TAIL], line[-_TAIL:]
    if tail != _CHECK + short_checksum(body).encode() + _END:
        return "its checksum is wrong"
    try:
        decoder = _side_file_decoder if body.startswith(b'{"name":') else _decoder
        return decoder.decode(body + b"}")
    except (ValueError, RecursionError) as error:
        return str(error)


def rewrite(path: Path, entries: Iterable[JournalLine]) -> None:
    with atomic_writer(path) as file:
        for entry in entries:
            file.write(line_of(entry))


def append_side_file(path: Path, entry: SideFile) -> None:
    """Add a line about a file beside the tables, on the disk when this returns."""
    with failing_with(f"cannot write {path}"), open_for_appending(path) as file:
        file.truncate(_end_of_last_line(file))
        file.write(line_of(entry))
        file.flush()
        os.fsync(file.fileno())


class JournalWriter:
    """Appends entries in the order in which they come, each after the files of its part are on the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with failing_with(f"cannot write {path}"):
            self._file = open_for_appending(path)
            self._file.truncate(_end_of_last_line(self._file))
        self._queue: SimpleQueue[JournalEntry | None] = SimpleQueue()
        self._error: Exception | None = None
        self._thread = Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    def append(self, entry: JournalEntry) -> None:
        """Queue an entry; raises the error of an earlier one that could not be written."""
        self._queue.put(entry)
        self._raise_error()

    def finish(self) -> None:
        """Wait until every entry is on the disk; nothing can be appended afterwards."""
        self._stop()
        self._raise_error()

    def close(self) -> None:
        self._stop()
        with suppress(OSError):  # an error was raised for what did not reach the disk
            self._file.close()

    def _stop(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def _raise_error(self) -> None:
        if self._error:
            raise self._error

    def _write(self) -> None:
        """The main function of the thread; all entries in the queue are synced and written together."""
        folder, running = self._path.parent, True
        with ThreadPoolExecutor(_SYNC_THREADS) as pool:
            while running:
                queued = [self._queue.get()]
                while not self._queue.empty():
                    queued.append(self._queue.get())
                running = None not in queued
                entries = [entry for entry in queued if entry]
                try:
                    list(pool.map(sync, (folder / table / entry.file for entry in entries for table in entry.tables)))
                    self._write_lines([with_times(folder, entry) for entry in entries])
                except Exception as error:
                    self._error, running = error, False

    def _write_lines(self, entries: list[JournalEntry]) -> None:
        with failing_with(f"cannot write {self._path}"):
            self._file.write(b"".join(map(line_of, entries)))
            self._file.flush()
            os.fsync(self._file.fileno())


def with_times(folder: Path, entry: JournalEntry) -> JournalEntry:
    """An entry with the current modification times of its files."""
    tables = {
        table: replace(file, mtime_ns=(folder / table / entry.file).stat().st_mtime_ns)
        for table, file in entry.tables.items()
    }
    return replace(entry, tables=tables)


def _end_of_last_line(file: IO[bytes]) -> int:
    """Where the last complete line of a file ends; its beginning is not read."""
    if not os.fstat(file.fileno()).st_size:
        return 0
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.rfind(b"\n") + 1
