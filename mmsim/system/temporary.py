"""Temporary folders and semaphores that say which process they belong to, so that a killed one leaves nothing for good.

The next process that needs some removes what is this user's, has such a name, and belongs to a process that is gone.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import process
from pathlib import Path

_SEMAPHORES = Path("/dev/shm")  # where Linux keeps those with names, as `sem.NAME`


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """An empty folder, removed afterwards."""
    remove_leftovers()
    with tempfile.TemporaryDirectory(prefix=_prefix(), ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def name_semaphores() -> None:
    """Have the semaphores that `multiprocessing` creates in this process carry its number."""
    remove_leftovers()
    process.current_process()._config["semprefix"] = f"/{_prefix().removesuffix('-')}"  # type: ignore[attr-defined]


def remove_leftovers() -> None:
    """Remove what processes of this user that were killed have left behind."""
    for folder, kind in ((Path(tempfile.gettempdir()), ""), (_SEMAPHORES, r"sem\.")):
        name = re.compile(rf"{kind}mmsim-{_pid_namespace()}-(\d{{1,9}})-\w+")
        with suppress(OSError), os.scandir(folder) as items:
            for item in items:
                if (found := name.fullmatch(item.name)) and _is_ours(item) and not _is_running(int(found[1])):
                    _remove(item)


def _remove(item: "os.DirEntry[str]") -> None:
    if item.is_dir(follow_symlinks=False):
        shutil.rmtree(item.path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(item.path)


def _is_ours(item: "os.DirEntry[str]") -> bool:
    with suppress(OSError):
        return item.stat(follow_symlinks=False).st_uid == os.getuid()
    return False


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is somebody else's
    return True


def _prefix() -> str:
    return f"mmsim-{_pid_namespace()}-{os.getpid()}-"


@cache
def _pid_namespace() -> int:
    """Containers may share a temporary folder but number their processes apart; 0 where there are no name spaces."""
    with suppress(OSError):
        return os.stat("/proc/self/ns/pid").st_ino
    return 0
