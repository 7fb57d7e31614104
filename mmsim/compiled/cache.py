"""Where compiled code is kept: a folder for every program and every state of its sources.

A program is the compiled code of one game. The name of its folder carries a digest of all its sources. A list of
checksums, written when everything is there, tells a whole folder from a broken one. The wheel has such folders too.
Where the user's cache cannot be written, code is kept in memory until the machine restarts.
"""

import errno
import fcntl
import hashlib
import json
import os
import platform
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from mmsim.compiled import execution_mode
from mmsim.errors import MmsimError
from mmsim.system.files import write_atomically

_PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = Path("compiled") / "shipped"  # in the package
_IN_MEMORY = Path("/dev/shm")  # what lies there lies in memory, under Linux
_CHECKSUMS = "checksums.json"
_ENTRY_POINTS = Path("bots") / "entry_points.py"
_PARTS = ("rules", "engine", "bots")  # of a game: what is compiled, and what that takes constants from
_ROOM = 32 << 20  # bytes that compiling may take
_MAKING_S = 3600  # after so long nobody is making anything any more
_KEPT = 24  # folders of other versions that stay


def programs() -> list[str]:
    """The games with compiled code."""
    return sorted(path.name for path in _PACKAGE.iterdir() if (path / _ENTRY_POINTS).is_file())


def sources(program: str) -> list[Path]:
    """All that a program is made of."""
    folders = [_PACKAGE / "compiled", *(_PACKAGE / program / part for part in _PARTS)]
    constants = [_PACKAGE / "core" / name for name in ("rng.py", "neural_net.py", "training_examples.py")]
    keepers = {_PACKAGE / "compiled" / name for name in ("cache.py", "startup.py", "game.py")}  # they change no code
    return sorted({*constants, *(path for folder in folders for path in folder.rglob("*.py"))} - keepers)


def root() -> Path:
    """`MMSIM_CACHE_DIR`, else `mmsim` in the user's cache folder."""
    if chosen := os.environ.get("MMSIM_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "mmsim"
    except RuntimeError:  # a user without a home
        return memory()


def memory() -> Path:
    """A folder of this user in memory; where none can be, among the temporary files."""
    return (_IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else Path(tempfile.gettempdir())) / f"mmsim-{os.getuid()}"


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder with room for a compiler's files, whatever the disks are like; gone afterwards."""
    roomy = os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= _ROOM
    base, prefix = _IN_MEMORY if roomy else Path(tempfile.gettempdir()), "mmsim-making-"
    for left in base.glob(f"{prefix}*"):  # by somebody who was killed
        if _is_private(left) and time.time() - left.stat().st_mtime > _MAKING_S:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=base, prefix=prefix) as folder:
        yield Path(folder)


@cache
def place() -> tuple[Path, OSError | None]:
    """Where this process may keep code: the user's cache or, with what is wrong with that, memory."""
    try:
        root().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root()):
            pass
        for program in programs():
            _lock(root(), program).open("a").close()
        return root(), None
    except OSError as error:
        return memory(), error


def complaint(problem: OSError) -> str:
    """What to say of a cache that cannot be written."""
    return (
        f"cannot keep compiled code in {root()}: {problem.strerror or problem}; it is kept in memory until the machine "
        "restarts (MMSIM_CACHE_DIR names another folder)"
    )


def _make_memory() -> None:
    """Have the folder in memory, and be sure that nobody else can put code into it."""
    with suppress(FileExistsError):
        memory().mkdir(0o700)
    if not _is_private(memory()):
        raise PermissionError(errno.EPERM, "it belongs to somebody else", str(memory()))


def _is_private(path: Path) -> bool:
    try:
        about = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o077


@cache
def name(program: str) -> str:
    """What the folder of a program is called, as it is now; a library is the same whatever else is installed."""
    digest = hashlib.sha256(f"{execution_mode.PROCESSOR} {execution_mode.CHECKED}\n".encode())
    for source in sources(program):
        digest.update(str(source.relative_to(_PACKAGE)).encode())
        digest.update(source.read_bytes())
    return f"{program}-{digest.hexdigest()[:16]}"


@cache
def folder(program: str) -> Path:
    """Where this process keeps the code of a program."""
    if execution_mode.current() == execution_mode.LIBRARY:
        return place()[0] / name(program)
    from importlib.metadata import version

    digest = hashlib.sha256(f"{_PACKAGE}\n".encode())  # Numba's files know the path of their source
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {version(package)}\n".encode())
    digest.update(f"{platform.python_version()} {platform.machine()} {platform.processor()}\n".encode())
    kept = place()[0] / f"{name(program)}-numba-{digest.hexdigest()[:8]}"
    whole = root() / kept.name
    if place()[1] and is_whole(whole) and not (_is_private(memory()) and is_whole(kept)):
        _make_memory()
        copy(whole, kept)  # Numba loads nothing from a folder that it cannot write
    return kept


def find(program: str) -> Path | None:
    """The folder with the whole library of a program: the one that came with the package, or one that was kept."""
    for base in (_PACKAGE / SHIPPED, root(), *([memory()] if _is_private(memory()) else [])):
        if is_whole(base / name(program)):
            return base / name(program)
    return None


def is_whole(kept: Path) -> bool:
    """Whether everything is there and every file is as it was when that was noted."""
    noted = _noted(kept).get("files")
    try:
        return bool(noted) and noted == _checksums(kept)
    except OSError:
        return False


def compile_seconds(program: str) -> float:
    """How long it took to compile what is used."""
    kept = (find(program) if execution_mode.current() == execution_mode.LIBRARY else None) or folder(program)
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


def keep(program: str, made: Path) -> tuple[Path, OSError | None]:
    """Copy what has been made to where it is kept: where it is then, and what was wrong with a better place."""
    kept = folder(program)
    try:
        wipe(kept)
        copy(made, kept)
        return kept, None
    except OSError as error:
        if kept.parent == memory():
            raise
        _make_memory()
        copy(made, memory() / kept.name)
        return memory() / kept.name, error


def wipe(kept: Path) -> None:
    """Remove a folder of compiled code, and all but the latest of those beside it."""
    _remove(kept)
    others = {}
    for path in kept.parent.iterdir():
        with suppress(OSError):  # another process may be wiping too
            if path.is_dir():
                others[path] = path.stat().st_mtime
    for path in sorted(others, key=others.__getitem__)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


def copy(made: Path, kept: Path) -> None:
    """Put a copy of a folder in place, all of it at once."""
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".") as beside:
        for path in (made, *sorted(made.rglob("*"))):  # `copytree` would go on when the disk is full
            to = Path(beside) / "copy" / path.relative_to(made)
            to.mkdir() if path.is_dir() else shutil.copyfile(path, to)
        _remove(kept)
        try:
            os.replace(Path(beside) / "copy", kept)
        except OSError:
            if not is_whole(kept):  # it is if another process was faster
                raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def one_at_a_time(program: str) -> Iterator[None]:
    """Hold the lock of a program, so that of several cold processes one compiles and the others wait."""
    base, problem = place()
    try:
        if problem:
            _make_memory()
        lock = _lock(base, program).open("a")
    except OSError as error:
        raise MmsimError(
            f"cannot keep compiled code in {root()}: {(problem or error).strerror or error}; "
            "MMSIM_CACHE_DIR names another folder"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock(base: Path, program: str) -> Path:
    return base / f"{program}.lock"


def _checksums(kept: Path) -> dict[str, str]:
    files = sorted(path for path in kept.rglob("*") if path.is_file() and path.suffix in (".so", ".nbi", ".nbc"))
    return {str(path.relative_to(kept)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
