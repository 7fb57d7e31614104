"""The cache of compiled code: one folder per program and state of its sources.

A program is the compiled code of one game. The name of its folder carries a digest of all its sources. A list of
checksums, written last, distinguishes an intact folder from a damaged one. The wheel ships such folders too. Where the
user's cache cannot be written, code is kept in memory until the machine restarts.
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
_MEMORY_DISK = Path("/dev/shm")
_CHECKSUMS = "checksums.json"
_ENTRY_POINTS = Path("bots") / "entry_points.py"
_COMPILED_PACKAGES = ("rules", "engine", "bots")  # of a game: the compiled code and the constants it uses
_NOT_COMPILED = (
    "cache.py",
    "startup.py",
    "stepwise.py",
    "game.py",
)  # modules of this package that do not affect machine code
_CORE_CONSTANTS = ("rng.py", "neural_net.py")
_COMPILER_SPACE_BYTES = 32 << 20
_SCRATCH_PREFIX = "mmsim-building-"
_STALE_AFTER_S = 3600  # the process that created a scratch folder has been killed
_MAX_FOLDERS = 24  # of other versions


def programs() -> list[str]:
    """The games with compiled code."""
    return sorted(path.name for path in _PACKAGE.iterdir() if (path / _ENTRY_POINTS).is_file())


def sources(program: str) -> list[Path]:
    """Every source file that can change the machine code of a program."""
    compiled = _PACKAGE / "compiled"
    folders = [compiled, *(_PACKAGE / program / name for name in _COMPILED_PACKAGES)]
    files = {path for folder in folders for path in folder.rglob("*.py")} - {compiled / name for name in _NOT_COMPILED}
    return sorted(files | {_PACKAGE / "core" / name for name in _CORE_CONSTANTS})


def root() -> Path:
    """`MMSIM_CACHE_DIR`, else `mmsim` in the user's cache folder."""
    if chosen := os.environ.get("MMSIM_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "mmsim"
    except RuntimeError:  # the user has no home folder
        return memory_root()


def memory_root() -> Path:
    """This user's folder in memory, or in the temporary folder where memory has no file system."""
    base = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else Path(tempfile.gettempdir())
    return base / f"mmsim-{os.getuid()}"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder with space for a compiler's files, in memory if possible; removed afterwards."""
    in_memory = os.access(_MEMORY_DISK, os.W_OK) and shutil.disk_usage(_MEMORY_DISK).free >= _COMPILER_SPACE_BYTES
    base = _MEMORY_DISK if in_memory else Path(tempfile.gettempdir())
    for leftover in base.glob(f"{_SCRATCH_PREFIX}*"):
        if _is_private(leftover) and time.time() - leftover.stat().st_mtime > _STALE_AFTER_S:
            shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=base, prefix=_SCRATCH_PREFIX) as folder:
        yield Path(folder)


@cache
def writable_root() -> tuple[Path, OSError | None]:
    """Where this process may keep code: the user's cache or, with the reason against that, memory."""
    try:
        root().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root()):
            pass
        for program in programs():
            _lock_file(root(), program).open("a").close()
        return root(), None
    except OSError as error:
        return memory_root(), error


def unwritable_message(problem: OSError) -> str:
    return (
        f"cannot keep compiled code in {root()}: {problem.strerror or problem}; it is kept in memory until the machine "
        "restarts (MMSIM_CACHE_DIR names another folder)"
    )


def _create_memory_root() -> None:
    """Create the folder in memory, and make sure that nobody else can put code into it."""
    with suppress(FileExistsError):
        memory_root().mkdir(0o700)
    if not _is_private(memory_root()):
        raise PermissionError(errno.EPERM, "it belongs to somebody else", str(memory_root()))


def _is_private(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


@cache
def folder_name(program: str) -> str:
    """The name of a program's folder for its sources as they are; installed packages do not change a library."""
    digest = hashlib.sha256(f"{execution_mode.PROCESSOR} {execution_mode.BOUNDSCHECK}\n".encode())
    for source in sources(program):
        digest.update(str(source.relative_to(_PACKAGE)).encode())
        digest.update(source.read_bytes())
    return f"{program}-{digest.hexdigest()[:16]}"


@cache
def folder(program: str) -> Path:
    """Where this process keeps the code of a program."""
    base, problem = writable_root()
    if execution_mode.current() == execution_mode.LIBRARY:
        return base / folder_name(program)
    from importlib.metadata import version

    digest = hashlib.sha256(f"{_PACKAGE}\n".encode())  # Numba's files contain the path of their source
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {version(package)}\n".encode())
    digest.update(f"{platform.python_version()} {platform.machine()} {platform.processor()}\n".encode())
    name = f"{folder_name(program)}-numba-{digest.hexdigest()[:8]}"
    if problem and is_intact(root() / name) and not (_is_private(base) and is_intact(base / name)):
        _create_memory_root()
        _copy_folder(root() / name, base / name)  # Numba loads nothing from a folder that it cannot write
    return base / name


def find_library(program: str) -> Path | None:
    """The folder with an intact library of a program: shipped with the package, or cached."""
    for base in (_PACKAGE / SHIPPED, root(), *([memory_root()] if _is_private(memory_root()) else [])):
        if is_intact(base / folder_name(program)):
            return base / folder_name(program)
    return None


def is_intact(folder: Path) -> bool:
    """True if the folder holds exactly the files of its checksums, unchanged."""
    expected = _read_checksums(folder).get("files")
    try:
        return bool(expected) and expected == _checksums(folder)
    except OSError:
        return False


def write_checksums(folder: Path, seconds: float) -> None:
    """Mark a folder as complete, with the time it took to compile."""
    content = {"seconds": round(seconds, 2), "files": _checksums(folder)}
    write_atomically(folder / _CHECKSUMS, json.dumps(content).encode())


def _read_checksums(folder: Path) -> dict[str, Any]:
    try:
        content = json.loads((folder / _CHECKSUMS).read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in (".so", ".nbi", ".nbc"))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def store(program: str, built: Path) -> tuple[Path, OSError | None]:
    """Copy a built library into the cache, or into memory; returns its folder, and why it is not in the cache."""
    target = folder(program)
    try:
        remove_outdated(target)
        _copy_folder(built, target)
        return target, None
    except OSError as error:
        in_memory = memory_root() / target.name
        if target == in_memory:
            raise
        _create_memory_root()
        _copy_folder(built, in_memory)
        return in_memory, error


def remove_outdated(folder: Path) -> None:
    """Remove a folder of compiled code, and all but the latest of those beside it."""
    _remove(folder)
    changed = {}
    for path in folder.parent.iterdir():
        with suppress(OSError):  # another process may be removing it
            if path.is_dir():
                changed[path] = path.stat().st_mtime
    for path in sorted(changed, key=changed.__getitem__)[:-_MAX_FOLDERS]:
        shutil.rmtree(path, ignore_errors=True)


def _copy_folder(source: Path, target: Path) -> None:
    """Copy a folder so that the target appears complete or not at all."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as temporary:
        copy = Path(temporary) / "copy"
        for path in (source, *sorted(source.rglob("*"))):  # `copytree` would go on when the disk is full
            to = copy / path.relative_to(source)
            to.mkdir() if path.is_dir() else shutil.copyfile(path, to)
        _remove(target)
        try:
            os.replace(copy, target)
        except OSError:
            if not is_intact(target):  # another process may have been faster
                raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def compile_lock(program: str) -> Iterator[None]:
    """Of several processes that need a program compiled, one compiles and the others wait."""
    base, problem = writable_root()
    try:
        if problem:
            _create_memory_root()
        lock = _lock_file(base, program).open("a")
    except OSError as error:
        raise MmsimError(
            f"cannot keep compiled code in {root()}: {(problem or error).strerror or error}; "
            "MMSIM_CACHE_DIR names another folder"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock_file(base: Path, program: str) -> Path:
    return base / f"{program}.lock"
