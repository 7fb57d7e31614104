"""What of a run's folder belongs to the run: what killed writers left there, and how it is removed without a trace."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from mmsim.batch.journal import JOURNAL
from mmsim.batch.manifest import CHANCES, INPUTS, MANIFEST, PLACES, RECORDS, SOURCES, WHY
from mmsim.batch.run_lock import LOCK
from mmsim.errors import MmsimError
from mmsim.system.files import remove_left_behind

_TOP = (
    JOURNAL,
    "run.log",
    LOCK,
    CHANCES,
    PLACES,
    WHY,
    MANIFEST,
)  # the manifest last: it tells what the rest is
_PART = re.compile(r"part-\d{6,}\.parquet")
_RECORD = re.compile(r"[a-z][a-z-]*\.json")
_SOURCE = re.compile(r".+\.txt")
_INPUT = re.compile(r".+\.toml")
_INPUT_FOLDER = re.compile(r"[0-9a-f]{8}")


def refuse_links(folder: Path, tables: Sequence[str]) -> None:
    """Whatever a writer of a run may open must lie in its folder: no link, no device, no FIFO."""
    for name in (*_TOP, *tables, RECORDS, INPUTS, SOURCES):
        path = folder / name
        try:
            kind = path.lstat().st_mode
        except OSError:
            continue  # it is not there yet, or opening it will say more
        if not (stat.S_ISREG(kind) if name in _TOP else stat.S_ISDIR(kind)):
            what = "a link" if stat.S_ISLNK(kind) else "not what a run has there"
            raise MmsimError(f"{path} is {what}; a run is written to in its own folder only")


def remove_left_behind_by_writers(folder: Path, tables: Sequence[str]) -> None:
    """Remove the temporary files of writers of a run that were killed."""
    remove_left_behind(folder, re.compile("|".join(map(re.escape, _TOP))))
    for inside, names in _folders(folder, tables):
        remove_left_behind(inside, names)
        if inside.parent != folder and not _is_link(inside):  # of a run that was killed before it began
            with suppress(OSError):
                inside.rmdir()
    for name in (INPUTS, SOURCES):
        if not _is_link(folder / name):
            with suppress(OSError):
                (folder / name).rmdir()


def remove_run(folder: Path, tables: Sequence[str]) -> list[Path]:
    """Delete a run: what is its own, and no link is followed; returns what stays because it is no part of a run."""
    remove_left_behind_by_writers(folder, tables)
    for inside, names in _folders(folder, tables):
        for path in _listed(inside):
            if names.fullmatch(path.name) and not path.is_dir():
                path.unlink(missing_ok=True)
        with suppress(OSError):
            inside.rmdir()
    with suppress(OSError):
        (folder / INPUTS).rmdir()
    for name in _TOP:
        (folder / name).unlink(missing_ok=True)
    left = _listed(folder)
    if not left:
        with suppress(OSError):  # a link to a folder, or the one we are in
            folder.rmdir()
    return left


def _folders(folder: Path, tables: Sequence[str]) -> Iterator[tuple[Path, "re.Pattern[str]"]]:
    """The folders inside a run, and what of their files is its own; links are left out."""
    found = [(folder / table, _PART) for table in tables] + [(folder / RECORDS, _RECORD), (folder / SOURCES, _SOURCE)]
    if not _is_link(folder / INPUTS):
        found += [(path, _INPUT) for path in _listed(folder / INPUTS) if _INPUT_FOLDER.fullmatch(path.name)]
    return ((path, names) for path, names in found if not _is_link(path))


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _is_link(path: Path) -> bool:
    return os.path.islink(path)
