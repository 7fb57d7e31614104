"""A table of a run as one file that other programs read."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from mmsim.batch.store import Run
from mmsim.core.errors import unknown
from mmsim.core.files import output

if TYPE_CHECKING:
    import polars as pl

_SINKS: dict[str, Callable[["pl.LazyFrame", BinaryIO], Any]] = {
    "csv": lambda frame, file: _no_formulas(frame).sink_csv(file),
    "json": lambda frame, file: frame.sink_ndjson(file),
    "parquet": lambda frame, file: frame.sink_parquet(file),
}
FORMATS = tuple(_SINKS)


def export(run: Run, table: str, kind: str, path: Path) -> int:
    """Write a table in a stream, however large it is; the number of its rows."""
    import polars as pl

    if kind not in FORMATS:
        raise unknown("format", kind, FORMATS)
    frame = run.table(table)
    with output(path) as file:
        _SINKS[kind](frame, file)
    return int(frame.select(pl.len()).collect().item())


def _no_formulas(frame: "pl.LazyFrame") -> "pl.LazyFrame":
    from mmsim.core.frames import no_formulas

    return no_formulas(frame)
