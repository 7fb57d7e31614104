"""The cache of compiled code: one folder per program and state of its sources.

A program is the compiled code of one game. The name of its folder carries a digest of all its sources. A list of
checksums, written last, distinguishes an intact folder from a damaged one. The wheel ships such folders too. Where the
user's cache cannot be written, code is kept in memory until the machine restarts or, if there is no room of our own,
until this process ends. Code is loaded only from folders that nobody else can change.
"""

import atexit
import errno
import fcntl
import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from mmsim.compiled import execution_mode
from mmsim.system.files import check_private, check_unchangeable, failing_with, write_atomically
from mmsim.system.temporary import MEMORY, temporary_folder

_PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = Path("compiled") / "shipped"  # in the package
_MEMORY_DISK = MEMORY
_CHECKSUMS = "checksums.json"
_ENTRY_POINTS = Path("bots") / "entry_points.py"
_COMPILED_PACKAGES = ("rules", "engine", "bots")  # of a game: the compiled code and the constants it uses
_NOT_COMPILED = ("cache.py", "startup.py", "stepwise.py", "game.py")  # here, but without effect on machine code
_CORE_CONSTANTS = ("rng.py", "neural_net.py")
_COMPILER_SPACE_BYTES = 32 << 20
_TEMPORARY_CACHE = "MMSIM_TEMPORARY_CACHE"  # tells the processes we start where our temporary cache is
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


def _roots() -> list[Path]:
    """Where code may be kept, in the order in which it is looked for."""
    temporary = os.environ.get(_TEMPORARY_CACHE)
    return [root(), memory_root(), *([Path(temporary)] if temporary else [])]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder with space for a compiler's files, in memory if possible; removed afterwards."""
    in_memory = os.access(_MEMORY_DISK, os.W_OK) and shutil.disk_usage(_MEMORY_DISK).free >= _COMPILER_SPACE_BYTES
    with temporary_folder(_MEMORY_DISK if in_memory else None) as folder:
        yield folder


@cache
def writable_root() -> tuple[Path, OSError | None]:
    """Where this process may keep code: the user's cache or, with the reason against that, another folder."""
    try:
        _create(root())
        return root(), None
    except OSError as error:
        return _fallback_root(), error


@cache
def _fallback_root() -> Path:
    """Where code is kept instead of in the user's cache: in memory, or where only this process looks for it."""
    for folder in _roots()[1:]:
        with suppress(OSError):
            _create(folder)
            return folder
    temporary = ExitStack()
    atexit.register(temporary.close)
    folder = temporary.enter_context(scratch_folder())
    os.environ[_TEMPORARY_CACHE] = str(folder)
    return folder


def _create(folder: Path) -> None:
    """Make sure that there is a folder which we can write to and nobody else can."""
    _check_root(folder)
    for level in reversed((folder, *folder.parents)):
        level.mkdir(0o700, exist_ok=True)
    _check_root(folder)
    with tempfile.TemporaryFile(dir=folder):
        pass
    for program in programs():
        _lock_file(folder, program).open("a").close()


def _check_root(folder: Path) -> None:
    """PermissionError if others could change what is in a folder; where everybody may create one, it is not a link."""
    check_private(folder)
    if folder == memory_root() and folder.is_symlink():
        raise PermissionError(errno.EPERM, f"{folder} is a link")


def unwritable_message(problem: OSError) -> str:
    in_memory = _fallback_root() == memory_root()
    return (
        f"cannot keep compiled code in {root()}: {problem.strerror or problem}; it is kept in memory until "
        f"{'the machine restarts' if in_memory else 'this command ends'} (set MMSIM_CACHE_DIR to use another folder)"
    )


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
    if problem and is_usable(root() / name) and not is_usable(base / name):
        _copy_folder(root() / name, base / name)  # Numba loads nothing from a folder that it cannot write
    return base / name


def find_library(program: str) -> Path | None:
    """The folder with an intact library of a program: shipped with the package, or cached."""
    name = folder_name(program)
    if is_intact(_PACKAGE / SHIPPED / name):
        return _PACKAGE / SHIPPED / name
    return next((base / name for base in _roots() if is_usable(base / name)), None)


def is_usable(folder: Path) -> bool:
    """True if a folder of the cache is intact, and nobody else could have written any of it."""
    try:
        _check_root(folder.parent)
        check_private(folder)
        for path in folder.rglob("*"):
            check_unchangeable(path)
            if path.is_symlink():
                return False
    except OSError:
        return False
    return is_intact(folder)


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
    _make_private(folder)


def _make_private(folder: Path) -> None:
    """Let nobody else write to the files in a folder, or even look at them, whatever the umask is."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


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
        elsewhere = _fallback_root() / target.name
        if target == elsewhere:
            raise
        _copy_folder(built, elsewhere)
        return elsewhere, error


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
    with temporary_folder(target.parent) as temporary:
        copy = temporary / "copy"
        for path in (source, *sorted(source.rglob("*"))):  # `copytree` would go on when the disk is full
            to = copy / path.relative_to(source)
            to.mkdir() if path.is_dir() else shutil.copyfile(path, to)
        _make_private(copy)
        _remove(target)
        try:
            os.replace(copy, target)
        except OSError:
            if not is_usable(target):  # another process may have been faster
                raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def compile_lock(program: str) -> Iterator[None]:
    """Of several processes that need a program compiled, one compiles and the others wait."""
    with failing_with("cannot keep compiled code anywhere"):
        lock = _lock_file(writable_root()[0], program).open("a")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock_file(base: Path, program: str) -> Path:
    return base / f"{program}.lock"
