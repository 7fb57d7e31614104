"""Files: written so that a reader never sees half of one, read so that what is wrong with one is said in a sentence."""

import errno
import os
import stat
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from mmsim.core.errors import MmsimError, UsageError

STDOUT = Path("-")


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a TOML file says; `what` it is is named in errors."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {what} {path}: {getattr(error, 'strerror', None) or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{what} {path} is not valid TOML: {error}") from error


def write_atomically(path: Path, content: bytes, synced: bool = True) -> None:
    """Write to a temporary file beside the target, sync it, then put it in place; `synced=False`: sync it later.

    For files of ours, in folders of ours: a link in the file's place is replaced, never followed.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _beside(path, synced) as file:
            file.write(content)
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
            with _beside(path.resolve(), synced=True) as file:
                yield file
    except BrokenPipeError:
        raise  # whoever read it has seen enough
    except OSError as error:
        raise _unwritten(path, error) from error


@contextmanager
def _beside(path: Path, synced: bool) -> Iterator[BinaryIO]:
    """A temporary file beside a target, put in its place when all is written."""
    if os.path.lexists(path) and not (path.is_file() or path.is_symlink()):
        raise OSError(errno.EINVAL, "it is no regular file")
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


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
