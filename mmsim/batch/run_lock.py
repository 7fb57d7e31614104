"""The lock of a run's one writer."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mmsim.errors import MmsimError
from mmsim.system.files import open_regular

LOCK = "lock"
_LONGEST_NUMBER = 20  # of a process, in digits


def is_held(folder: Path) -> bool:
    """Whether a process is writing to the run of a folder."""
    try:
        with open_regular(folder / LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except OSError:
        return True


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the lock; the system gives it back even if the writer is killed."""
    path = folder / LOCK
    try:
        lock = path.open("a+")
    except OSError as error:
        raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            writer = lock.read(_LONGEST_NUMBER).strip() or "unknown"
            raise MmsimError(f"{folder} is being written by process {writer}; wait for it or stop it first") from error
        with suppress(OSError):  # who it is matters to a refused writer only
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
        yield
