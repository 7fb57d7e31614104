"""Files: written atomically, and read with errors that are one sentence.

Names read from files never become paths unchecked: `checked_file_name` must approve them.
"""

import errno
import fcntl
import grp
import json
import os
import pwd
import re
import stat
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

from mmsim.errors import MmsimError, UsageError
from mmsim.system.safe_text import printable

_PACKAGE = Path(__file__).resolve().parent.parent
DASH = Path("-")  # stdin or stdout instead of a file
MAX_BYTES = 64 << 20  # of a file that is read whole
_MAX_NAME_BYTES = 200  # the file system allows 255, which must include a suffix
_STALE_TEMPORARY = re.compile(r"\.(.+)\.\d+\.tmp")


@contextmanager
def failing_with(problem: str, kind: type[MmsimError] = MmsimError) -> Iterator[None]:
    """Turn an OSError into an error of one sentence: the problem, and the reason the system gives."""
    try:
        yield
    except OSError as error:
        raise kind(f"{problem}: {error.strerror or error}") from error


def data_folder(name: str) -> Path:
    """A folder of data, such as `boards`: inside the wheel, or beside the package in a checkout."""
    shipped = _PACKAGE / "data" / name
    return shipped if shipped.is_dir() else _PACKAGE.parent / name


def checked_file_name(name: str, what: str) -> str:
    """A name that is safe for a file or folder: refused if it could lead out of the folder it is put in."""
    problem = None
    if name in ("", ".", ".."):
        problem = "it is empty or only dots"
    elif "/" in name or "\\" in name:
        problem = "it contains a slash or backslash"
    elif printable(name) != name:
        problem = "it has control characters"
    elif len(name.encode(errors="replace")) > _MAX_NAME_BYTES:
        problem = f"it is longer than {_MAX_NAME_BYTES} bytes"
    if problem:
        raise UsageError(f"{what} '{printable(name[:80])}' cannot be the name of a file: {problem}")
    return name


def check_private(folder: Path) -> None:
    """PermissionError if another user could change what is in a folder, by the owner and mode of every level of it.

    Levels that do not exist yet are left out. Only root, this user and this user's private group are trusted.
    """
    for path in dict.fromkeys((os.path.abspath(folder), os.path.realpath(folder))):  # links, and what they point to
        for level in (path, *map(str, Path(path).parents)):
            with suppress(FileNotFoundError):
                check_unchangeable(level, may_be_sticky=level != path)


def check_unchangeable(path: str | os.PathLike[str], may_be_sticky: bool = False) -> None:
    """PermissionError if a file or folder belongs to another user, or others may write to it.

    `may_be_sticky`: as in `/tmp`, where nobody can replace what belongs to somebody else.
    """
    status = os.lstat(path)
    if status.st_uid not in (os.getuid(), 0):
        raise PermissionError(errno.EPERM, f"{path} belongs to another user")
    if stat.S_ISLNK(status.st_mode) or (may_be_sticky and status.st_mode & stat.S_ISVTX):
        return
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid)):
        raise PermissionError(errno.EPERM, f"others may write to {path}")


def _is_private_group(group_id: int) -> bool:
    """True for the group of root, and for a group of this user's own, as many systems give one to everybody."""
    if group_id == 0:
        return True
    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(group_id)
    except KeyError:
        return False
    return group_id == user.pw_gid and group.gr_name == user.pw_name and {*group.gr_mem} <= {user.pw_name}


def open_regular(path: Path) -> BufferedReader:
    """A regular file, open for reading; OSError for a device or a FIFO, which might never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def open_for_appending(path: Path) -> BufferedRandom:
    """A file in a folder of ours, created if it is missing; OSError for a link, or a file that has another name too.

    Everything else is written by replacing the file (`write_atomically`), which leaves other names of it as they are.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        if status.st_nlink != 1:
            raise OSError(errno.EMLINK, "it is a hard link, so the file has another name too")
        return os.fdopen(descriptor, "ab+")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most `max_bytes` bytes; OSError for any other."""
    with open_regular(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes")
    return content


def read_input(path: Path) -> bytes:
    """The content of a file that a user named, or of stdin for `-`; at most `MAX_BYTES`."""
    if path != DASH:
        return read_bytes(path)
    content: bytes = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES:,} bytes")
    return content


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The content of a TOML file; errors name it, and `what` it is."""
    try:
        return parse_toml(_read_text(path, what))
    except ValueError as error:
        raise UsageError(f"{what} {path} is not valid TOML: {error}") from error


def read_json(path: Path, what: str) -> Any:
    """The content of a JSON file; errors name it, and `what` it is."""
    try:
        return json.loads(_read_text(path, what))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} ({what}) is not valid JSON: {error}") from error


def _read_text(path: Path, what: str) -> str:
    try:
        with failing_with(f"cannot read {what} {path}", UsageError):
            return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {what} {path}: {error}") from error


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a text in TOML; ValueError, and nothing else, if it is not valid."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def write_atomically(path: Path, content: bytes, synced: bool = True) -> None:
    """Write a temporary file beside the target, sync it (`synced=False`: not now), then rename it into place.

    For files of ours in folders of ours: a link with the file's name is replaced, never followed.
    """
    with atomic_writer(path, synced) as file:
        file.write(content)


@contextmanager
def atomic_writer(path: Path, synced: bool = True) -> Iterator[BinaryIO]:
    """Like `write_atomically`, for content that is written piece by piece."""
    with failing_with(f"cannot write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _temporary_beside(path, synced) as file:
            yield file


def write_output(path: Path, content: bytes) -> None:
    """Write output to the path a user named."""
    with open_output(path) as file:
        file.write(content)


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """The path a user named for output, opened: `-` is stdout, a device or FIFO is written to, a file is replaced.

    A link stays a link: the file it points to is replaced.
    """
    try:
        if path == DASH or _is_stdout(path):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            target = path.resolve()
            remove_stale_temporaries(target.parent, re.compile(re.escape(target.name)))
            with _temporary_beside(target, synced=True) as file:
                yield file
    except BrokenPipeError:
        raise  # the reader has seen enough
    except OSError as error:
        raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def _temporary_beside(path: Path, synced: bool) -> Iterator[BinaryIO]:
    """A temporary file, renamed to its target when complete; locked, so that other processes see it is in use."""
    if os.path.lexists(path) and not (path.is_file() or path.is_symlink()):
        raise OSError(errno.EINVAL, "it is not a regular file")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)  # whatever it is, it is not ours to write to
        with temporary.open("xb") as file:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
            os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_stale_temporaries(folder: Path, names: "re.Pattern[str]") -> None:
    """Remove temporary files that killed writers of such files left behind; files still being written stay."""
    if folder.is_symlink():
        return  # other folders are not ours to clean
    with suppress(OSError), os.scandir(folder) as items:
        for item in items:
            target = _STALE_TEMPORARY.fullmatch(item.name)
            if target and names.fullmatch(target[1]) and item.is_file(follow_symlinks=False):
                with suppress(OSError), open(item.path, "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(item.path)


def _is_stdout(path: Path) -> bool:
    """True if a path like /dev/stdout is the regular file that stdout is redirected to."""
    try:
        target, stdout = path.stat(), os.fstat(1)
    except OSError:
        return False
    return stat.S_ISREG(target.st_mode) and os.path.samestat(target, stdout)


def sync(path: Path) -> None:
    """Flush a file that was written before to the disk."""
    with failing_with(f"cannot write {path}"), path.open("rb") as file:
        os.fsync(file.fileno())
