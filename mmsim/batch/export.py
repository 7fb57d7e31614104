"""A table of a run as one file that other programs read."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mmsim.batch.store import Run
from mmsim.core.errors import MmsimError, unknown

if TYPE_CHECKING:
    import polars as pl

_SINKS: dict[str, Callable[["pl.LazyFrame", Path], object]] = {
    "csv": lambda frame, path: frame.sink_csv(path),
    "json": lambda frame, path: frame.sink_ndjson(path),
    "parquet": lambda frame, path: frame.sink_parquet(path),
}
FORMATS = tuple(_SINKS)


def export(run: Run, table: str, kind: str, path: Path) -> int:
    """Write a table in a stream, however large it is; the number of its rows."""
    import polars as pl

    if kind not in FORMATS:
        raise unknown("format", kind, FORMATS)
    frame = run.table(table)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _SINKS[kind](frame, beside)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error
    return int(frame.select(pl.len()).collect().item())
