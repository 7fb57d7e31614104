"""Where compiled code is kept: one folder for every game and every state of its sources, versions and processor.

Numba notices a change of a cached function's own file only, so the folder's name carries a digest of every source
of what a game's compiled code is made of. A list of checksums, written when everything is compiled, tells a whole
cache from a broken one.
"""

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mmsim.core.errors import MmsimError
from mmsim.core.files import write_atomically

_PACKAGE = Path(__file__).resolve().parent.parent
_CHECKSUMS = "checksums.json"
_IMPORT = re.compile(r"^ *from (mmsim[\w.]*) import ([\w, ]*)", re.MULTILINE)
_KEPT = 24  # folders of other versions that stay
CHECKED = os.environ.get("MMSIM_BOUNDSCHECK", "0") != "0"  # whether compiled code looks after its indices


def root() -> Path:
    """`MMSIM_CACHE_DIR`, else `mmsim` in the user's cache folder."""
    if chosen := os.environ.get("MMSIM_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mmsim"


@cache
def folder(game: str) -> Path:
    """The folder for the code of a game as it is now on this machine."""
    digest = hashlib.sha256(f"{_PACKAGE}\n".encode())  # Numba's files know the path of their source
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {version(package)}\n".encode())
    digest.update(f"{platform.python_version()} {platform.machine()} {platform.processor()} {CHECKED}\n".encode())
    for source in sources(game):
        digest.update(str(source.relative_to(_PACKAGE)).encode())
        digest.update(source.read_bytes())
    return root() / f"{game}-{digest.hexdigest()[:16]}"


def sources(game: str) -> list[Path]:
    """The sources of a game's compiled code: its playouts, and whatever of this package those import, and so on."""
    waiting, found = [_PACKAGE / game / "bots" / "entries.py"], set[Path]()
    while waiting:
        source = waiting.pop()
        if source not in found:
            found.add(source)
            for module, names in _IMPORT.findall(source.read_text(encoding="utf-8")):
                path = _PACKAGE.parent / module.replace(".", "/")
                parts = [path / name.strip() for name in names.split(",")]
                waiting += [file for file in (part.with_suffix(".py") for part in (path, *parts)) if file.is_file()]
    return sorted(found)


def is_whole(game: str) -> bool:
    """Whether everything is compiled and every file is as it was when that was noted."""
    noted = _noted(game)
    return bool(noted.get("files")) and noted.get("files") == _checksums(game)


def compile_seconds(game: str) -> float:
    """How long it took to compile what is in the cache."""
    return float(_noted(game).get("seconds", 0.0))


def note_as_whole(game: str, seconds: float) -> None:
    """Write down the checksums of all that has been compiled, and how long that took."""
    noted = {"seconds": round(seconds, 2), "files": _checksums(game)}
    write_atomically(folder(game) / _CHECKSUMS, json.dumps(noted).encode())


def _noted(game: str) -> dict[str, Any]:
    try:
        noted = json.loads((folder(game) / _CHECKSUMS).read_text())
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def wipe(game: str) -> None:
    """Forget what is compiled for the code as it is now, and all but the latest of what was for other states of it."""
    shutil.rmtree(folder(game), ignore_errors=True)
    others = sorted((path for path in root().iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for path in others[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)
    folder(game).mkdir(parents=True, exist_ok=True)


@contextmanager
def one_at_a_time(game: str) -> Iterator[None]:
    """Hold the lock of the cache, so that of several cold processes one compiles and the others wait."""
    try:
        folder(game).mkdir(parents=True, exist_ok=True)
        lock = (root() / f"{game}.lock").open("w")
    except OSError as error:
        raise MmsimError(
            f"cannot keep compiled code in {folder(game)}: {error.strerror or error}; "
            "MMSIM_CACHE_DIR names another folder"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _checksums(game: str) -> dict[str, str]:
    here = folder(game)
    files = sorted(path for path in here.rglob("*.nb*") if path.is_file() and not path.name.endswith(".tmp"))
    return {str(path.relative_to(here)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
