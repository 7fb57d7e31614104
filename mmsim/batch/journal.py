"""The journal of a run, written by a thread of its own: nobody waits for the disk."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from mmsim.batch.plan import Part
from mmsim.batch.worker import Entry
from mmsim.core.errors import MmsimError
from mmsim.core.files import sync

_AT_ONCE = 8  # files synced at the same time: the file system writes down several as quickly as one


def read(path: Path) -> Iterator[Entry]:
    """What is written of the parts that are done, in the order in which they were; a torn last line is none."""
    try:
        with path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield Entry(**json.loads(line))
    except FileNotFoundError:
        return
    except (ValueError, TypeError) as error:
        raise MmsimError(f"{path} is damaged: {error}") from error


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
                try:
                    list(pool.map(sync, (path for entry in entries for path in self._files(entry))))
                    self._write_lines(entries)
                except Exception as error:
                    self._problem, going_on = error, False

    def _files(self, entry: Entry) -> Iterator[Path]:
        file = Part(entry.part, entry.variant, entry.first, entry.games).file
        return (self._path.parent / table / file for table in entry.tables)

    def _write_lines(self, entries: list[Entry]) -> None:
        try:
            self._file.write(b"".join(json.dumps(asdict(entry)).encode() + b"\n" for entry in entries))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise MmsimError(f"cannot write {self._path}: {error.strerror or error}") from error


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
