"""Temporary folders and semaphores that say which process they belong to, so that a killed one leaves nothing for good.

The next process that needs some removes what is this user's, has such a name, and belongs to a process that is gone.
"""

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import process
from pathlib import Path

MEMORY = Path("/dev/shm")  # a file system in memory, where Linux keeps semaphores with names, as `sem.NAME`


@contextmanager
def temporary_folder(base: Path | None = None) -> Iterator[Path]:
    """An empty folder in `base`, else where temporary files go; removed afterwards."""
    remove_leftovers(base)
    with tempfile.TemporaryDirectory(prefix=_prefix(), dir=base, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def is_temporary(folder: Path) -> bool:
    """True for a folder of this process that is removed afterwards."""
    return folder.name.startswith(_prefix())


def name_semaphores() -> None:
    """Have the semaphores that `multiprocessing` creates in this process carry its number."""
    remove_leftovers()
    process.current_process()._config["semprefix"] = f"/{_prefix().removesuffix('-')}"  # type: ignore[attr-defined]


def name_sockets() -> None:
    """Have `multiprocessing` put its sockets into a folder that carries the number of this process."""
    remove_leftovers()
    config = process.current_process()._config  # type: ignore[attr-defined]
    if "tempdir" not in config:
        config["tempdir"] = folder = tempfile.mkdtemp(prefix=_prefix())
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def remove_leftovers(base: Path | None = None) -> None:
    """Remove what processes of this user that were killed have left in memory, in the temporary folder or in `base`."""
    name = re.compile(rf"(sem\.)?mmsim-{_pid_namespace()}-(\d{{1,9}})-\w+")
    for folder in {MEMORY, Path(tempfile.gettempdir()), base or MEMORY}:
        with suppress(OSError), os.scandir(folder) as items:
            for item in items:
                if (found := name.fullmatch(item.name)) and _is_ours(item) and not _is_running(int(found[2])):
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
