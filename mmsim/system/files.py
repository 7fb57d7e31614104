"""Files: written so that a reader never sees half of one, read so that what is wrong with one is said in a sentence.

What a file says is never a path: `file_name` is the one place where a name from a file becomes that of a file.
"""

import errno
import fcntl
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

from mmsim.errors import MmsimError, UsageError
from mmsim.system.safe_text import printable

STDOUT = Path("-")
LARGEST_TEXT = 64 << 20  # bytes of a file that is read whole
_LONGEST_NAME = 200  # bytes; the file system allows 255, and a suffix must fit in
_LEFT_BEHIND = re.compile(r"\.(.+)\.\d+\.tmp")


def file_name(name: str, what: str) -> str:
    """A name that may be that of a file or folder, and of nothing outside the folder it is put in; else refused."""
    problem = None
    if name in ("", ".", ".."):
        problem = "it is none"
    elif "/" in name or "\\" in name:
        problem = "it would be a path"
    elif printable(name) != name:
        problem = "it has control characters"
    elif len(name.encode(errors="replace")) > _LONGEST_NAME:
        problem = f"it is longer than {_LONGEST_NAME} bytes"
    if problem:
        raise UsageError(f"{what} '{printable(name[:80])}' cannot be the name of a file: {problem}")
    return name


def open_regular(path: Path) -> BufferedReader:
    """A regular file, open for reading; OSError for a device or a FIFO, which might never end."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def read_bytes(path: Path, most: int = LARGEST_TEXT) -> bytes:
    """All of a regular file that is not larger than `most`; OSError for any other."""
    with open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return content


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a TOML file says; `what` it is is named in errors."""
    try:
        return parse_toml(read_bytes(path).decode())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {what} {path}: {getattr(error, 'strerror', None) or error}") from error
    except ValueError as error:
        raise UsageError(f"{what} {path} is not valid TOML: {error}") from error


def parse_toml(text: str) -> dict[str, Any]:
    """What a text in TOML says; ValueError, and nothing else, if it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def write_atomically(path: Path, content: bytes, synced: bool = True) -> None:
    """Write to a temporary file beside the target, sync it, then put it in place; `synced=False`: sync it later.

    For files of ours, in folders of ours: a link in the file's place is replaced, never followed.
    """
    with replacing(path, synced) as file:
        file.write(content)


@contextmanager
def replacing(path: Path, synced: bool = True) -> Iterator[BinaryIO]:
    """As `write_atomically`, for what is written bit by bit."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _beside(path, synced) as file:
            yield file
    except OSError as error:
        raise _unwritten(path, error) from error


def write_output(path: Path, content: bytes) -> None:
    """Write what somebody asked for to the place they named."""
    with output(path) as file:
        file.write(content)


@contextmanager
def output(path: Path) -> Iterator[BinaryIO]:
    """The place somebody named for output, open: `-` is stdout; a device or a FIFO is written to; a file is replaced.

    A link stays a link: the file it points to is the one that is replaced.
    """
    try:
        if path == STDOUT or _is_stdout(path):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            target = path.resolve()
            remove_left_behind(target.parent, re.compile(re.escape(target.name)))
            with _beside(target, synced=True) as file:
                yield file
    except BrokenPipeError:
        raise  # whoever read it has seen enough
    except OSError as error:
        raise _unwritten(path, error) from error


@contextmanager
def _beside(path: Path, synced: bool) -> Iterator[BinaryIO]:
    """A temporary file beside a target, put in its place when all is written; locked, so that others see it in use."""
    if os.path.lexists(path) and not (path.is_file() or path.is_symlink()):
        raise OSError(errno.EINVAL, "it is no regular file")
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
            os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def remove_left_behind(folder: Path, names: "re.Pattern[str]") -> None:
    """Remove temporary files of killed writers of files with such names; those that are being written stay."""
    if folder.is_symlink():
        return  # what is elsewhere is not ours
    with suppress(OSError), os.scandir(folder) as found:
        for item in found:
            of = _LEFT_BEHIND.fullmatch(item.name)
            if of and names.fullmatch(of[1]) and item.is_file(follow_symlinks=False):
                with suppress(OSError), open(item.path, "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(item.path)


def _is_stdout(path: Path) -> bool:
    """Whether a path like /dev/stdout is the regular file to which stdout goes."""
    try:
        there, here = path.stat(), os.fstat(1)
    except OSError:
        return False
    return stat.S_ISREG(there.st_mode) and os.path.samestat(there, here)


def _unwritten(path: Path, error: OSError) -> MmsimError:
    return MmsimError(f"cannot write {path}: {error.strerror or error}")


def sync(path: Path) -> None:
    """Have a file on the disk that has been written before."""
    try:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritten(path, error) from error
