"""Where compiled code is kept: a folder for every program and every state of its sources.

A program is the compiled code of one game. The name of its folder carries a digest of all its sources. A list of
checksums, written when everything is there, tells a whole folder from a broken one. The wheel has such folders too.
"""

import fcntl
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from mmsim.compiled import way
from mmsim.core.errors import MmsimError
from mmsim.core.files import write_atomically

_PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = Path("compiled") / "shipped"  # in the package
_CHECKSUMS = "checksums.json"
_BORDER = Path("bots") / "border.py"
_PARTS = ("rules", "engine", "bots")  # of a game: what is compiled, and what that takes constants from
_KEPT = 24  # folders of other versions that stay


def programs() -> list[str]:
    """The games with compiled code."""
    return sorted(path.name for path in _PACKAGE.iterdir() if (path / _BORDER).is_file())


def sources(program: str) -> list[Path]:
    """All that a program is made of."""
    folders = [_PACKAGE / "compiled", *(_PACKAGE / program / part for part in _PARTS)]
    constants = [_PACKAGE / "core" / name for name in ("rng.py", "nets.py")]
    return sorted([*constants, *(path for folder in folders for path in folder.rglob("*.py"))])


def root() -> Path:
    """`MMSIM_CACHE_DIR`, else `mmsim` in the user's cache folder."""
    if chosen := os.environ.get("MMSIM_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mmsim"


@cache
def name(program: str) -> str:
    """What the folder of a program is called, as it is now; a library is the same whatever else is installed."""
    digest = hashlib.sha256(f"{way.PROCESSOR} {way.CHECKED}\n".encode())
    for source in sources(program):
        digest.update(str(source.relative_to(_PACKAGE)).encode())
        digest.update(source.read_bytes())
    return f"{program}-{digest.hexdigest()[:16]}"


@cache
def folder(program: str) -> Path:
    """Where this process keeps the code of a program."""
    if way.current() == way.LIBRARY:
        return root() / name(program)
    from importlib.metadata import version

    digest = hashlib.sha256(f"{_PACKAGE}\n".encode())  # Numba's files know the path of their source
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {version(package)}\n".encode())
    digest.update(f"{platform.python_version()} {platform.machine()} {platform.processor()}\n".encode())
    return root() / f"{name(program)}-numba-{digest.hexdigest()[:8]}"


def find(program: str) -> Path | None:
    """The folder with the whole library of a program: the one that came with the package, or the one in the cache."""
    for base in (_PACKAGE / SHIPPED, root()):
        if is_whole(base / name(program)):
            return base / name(program)
    return None


def is_whole(kept: Path) -> bool:
    """Whether everything is there and every file is as it was when that was noted."""
    noted = _noted(kept).get("files")
    return bool(noted) and noted == _checksums(kept)


def compile_seconds(program: str) -> float:
    """How long it took to compile what is used."""
    kept = (find(program) if way.current() == way.LIBRARY else None) or folder(program)
    return float(_noted(kept).get("seconds", 0.0))


def note_as_whole(kept: Path, seconds: float) -> None:
    """Write down the checksums of all that has been compiled, and how long that took."""
    noted = {"seconds": round(seconds, 2), "files": _checksums(kept)}
    write_atomically(kept / _CHECKSUMS, json.dumps(noted).encode())


def _noted(kept: Path) -> dict[str, Any]:
    try:
        noted = json.loads((kept / _CHECKSUMS).read_text())
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def wipe(program: str) -> None:
    """Forget what is compiled for the code as it is now, and all but the latest of what was for other states of it."""
    shutil.rmtree(folder(program), ignore_errors=True)
    others = {}
    for path in root().iterdir():
        with suppress(OSError):  # another process may be wiping too
            if path.is_dir():
                others[path] = path.stat().st_mtime
    for path in sorted(others, key=others.__getitem__)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)
    folder(program).mkdir(parents=True, exist_ok=True)


@contextmanager
def one_at_a_time(program: str) -> Iterator[None]:
    """Hold the lock of a program, so that of several cold processes one compiles and the others wait."""
    try:
        folder(program).mkdir(parents=True, exist_ok=True)
        lock = (root() / f"{program}.lock").open("w")
    except OSError as error:
        raise MmsimError(
            f"cannot keep compiled code in {folder(program)}: {error.strerror or error}; "
            "MMSIM_CACHE_DIR names another folder"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _checksums(kept: Path) -> dict[str, str]:
    files = sorted(path for path in kept.rglob("*") if path.is_file() and path.suffix in (".so", ".nbi", ".nbc"))
    return {str(path.relative_to(kept)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
