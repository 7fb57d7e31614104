"""Writing files so that a reader never sees half of one."""

import os
from pathlib import Path

from mmsim.core.errors import MmsimError


def write_atomically(path: Path, content: bytes) -> None:
    """Write to a temporary file beside the target, sync it, then put it in place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error
