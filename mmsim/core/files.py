"""Files: written so that a reader never sees half of one, read so that what is wrong with one is said in a sentence."""

import os
import tomllib
from pathlib import Path
from typing import Any

from mmsim.core.errors import MmsimError, UsageError


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a TOML file tells; `what` it is is said in errors."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {what} {path}: {getattr(error, 'strerror', None) or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{what} {path} is not valid TOML: {error}") from error


def write_atomically(path: Path, content: bytes, synced: bool = True) -> None:
    """Write to a temporary file beside the target, sync it, then put it in place; `synced=False`: sync it later."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                if synced:
                    os.fsync(file.fileno())
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error


def sync(path: Path) -> None:
    """Have a file on the disk that has been written before."""
    try:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error
