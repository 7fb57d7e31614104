"""Keeping the folder of a run in order: its lock, links it must not have, what killed writers left, and removal."""

import fcntl
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from mmsim.batch.journal import JOURNAL
from mmsim.batch.manifest import INPUTS, MANIFEST, NETS, RECORDS, SIDE_FILES, SOURCES
from mmsim.errors import MmsimError
from mmsim.system.files import failing_with, open_for_appending, open_regular, remove_stale_temporaries
from mmsim.system.safe_text import printable

LOCK = "lock"
LOG_FILE = "run.log"
_MAX_PID_DIGITS = 20
_APPENDED = (JOURNAL, LOG_FILE, LOCK)
_FILES = (*_APPENDED, *SIDE_FILES, MANIFEST)  # the manifest last: without it nobody knows what the others are
_PART = re.compile(r"part-\d{6,}\.parquet")
_RECORD = re.compile(r"[a-z][a-z-]*\.json")
_NETS = re.compile(r"[0-9a-f]{12}\.json")
_SOURCE = re.compile(r".+\.txt")
_INPUT = re.compile(r".+\.toml")
_INPUT_FOLDER = re.compile(r"[0-9a-f]{8}")


def is_locked(folder: Path) -> bool:
    """True while a process writes to the run of a folder."""
    try:
        with open_regular(folder / LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except OSError:
        return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the one writer; the system releases it even if the writer is killed."""
    path = folder / LOCK
    with failing_with(f"cannot write {path}"):
        lock = open_for_appending(path)
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            writer = printable(lock.read(_MAX_PID_DIGITS).decode(errors="replace").strip()) or "unknown"
            raise MmsimError(f"{folder} is being written by process {writer}; wait for it or stop it first") from error
        with suppress(OSError):  # the number only helps a writer that is refused
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n".encode())
            lock.flush()
        yield


def refuse_links(folder: Path, tables: Sequence[str]) -> None:
    """Refuse a run in which a file or folder that a writer opens is a link, a device or a FIFO.

    A hard link is refused where files are appended to: all others are replaced, which the other name does not notice.
    """
    for name in (*_FILES, *tables, RECORDS, INPUTS, SOURCES, NETS):
        path = folder / name
        try:
            status = path.lstat()
        except OSError:
            continue  # it does not exist yet, or opening it will say more
        mode = status.st_mode
        if not (stat.S_ISREG(mode) if name in _FILES else stat.S_ISDIR(mode)):
            problem = "a link" if stat.S_ISLNK(mode) else "not what a run has there"
        elif name in _APPENDED and status.st_nlink > 1:
            problem = "a hard link, so the file has another name too"
        else:
            continue
        raise MmsimError(f"{path} is {problem}; a run is written to in its own folder only")


def remove_leftovers(folder: Path, tables: Sequence[str]) -> None:
    """Remove the temporary files of writers that were killed."""
    remove_stale_temporaries(folder, re.compile("|".join(map(re.escape, _FILES))))
    for inside, names in _folders(folder, tables):
        remove_stale_temporaries(inside, names)
        if inside.parent != folder and not inside.is_symlink():  # of a run that was killed before it began
            with suppress(OSError):
                inside.rmdir()
    for name in (INPUTS, SOURCES, NETS):
        if not (folder / name).is_symlink():
            with suppress(OSError):
                (folder / name).rmdir()


def remove_run(folder: Path, tables: Sequence[str]) -> list[Path]:
    """Delete a run without following links; returns what is left because it does not belong to a run."""
    remove_leftovers(folder, tables)
    with failing_with(f"cannot delete {folder}"):
        for inside, names in _folders(folder, tables):
            for path in _listed(inside):
                if names.fullmatch(path.name) and not path.is_dir():
                    path.unlink(missing_ok=True)
            with suppress(OSError):
                inside.rmdir()
        with suppress(OSError):
            (folder / INPUTS).rmdir()
        for name in _FILES:
            (folder / name).unlink(missing_ok=True)
    left = _listed(folder)
    if not left:
        with suppress(OSError):  # a link to a folder, or the current folder
            folder.rmdir()
    return left


def _folders(folder: Path, tables: Sequence[str]) -> Iterator[tuple[Path, "re.Pattern[str]"]]:
    """The folders inside a run with the names of the files that belong to it; links are left out."""
    folders = [(folder / table, _PART) for table in tables]
    folders += [(folder / RECORDS, _RECORD), (folder / SOURCES, _SOURCE), (folder / NETS, _NETS)]
    if not (folder / INPUTS).is_symlink():
        folders += [(path, _INPUT) for path in _listed(folder / INPUTS) if _INPUT_FOLDER.fullmatch(path.name)]
    return ((path, names) for path, names in folders if not path.is_symlink())


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
