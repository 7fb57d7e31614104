"""Parquet files that may be damaged or forged: what their footers say is compared before anything else is read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import polars as pl

from mmsim.errors import MmsimError

Types = Mapping[str, str]  # columns in their order, with the names of their types


def type_names(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    return {name: str(dtype) for name, dtype in schema.items()}


def check_footer(source: Path | bytes, columns: Types, rows: range) -> None:
    """MmsimError unless the footer of a file has just these columns, and a number of rows within a range.

    Polars does not report the sizes of row groups, so a footer that is right about the rows may lie about them.
    """
    with _parquet_errors():
        found = type_names(pl.read_parquet_schema(_readable(source)))
        count = pl.scan_parquet(_readable(source), glob=False).select(pl.len()).collect().item()
    if list(found) != list(columns):
        raise MmsimError(f"it has the columns {_shown(found)} instead of {_shown(columns)}")
    for name, dtype in columns.items():
        if found[name] != dtype:
            raise MmsimError(f"its column {name} is of the type {found[name][:80]} instead of {dtype[:80]}")
    if count not in rows:
        wanted = f"{rows[0]:,}" if len(rows) == 1 else f"at most {rows[-1]:,}"
        raise MmsimError(f"it has {count:,} rows instead of {wanted}")


def read_checked(source: Path | bytes, columns: Types, rows: range) -> pl.DataFrame:
    """The rows of a file with the right footer."""
    check_footer(source, columns, rows)
    with _parquet_errors():
        return pl.read_parquet(_readable(source), glob=False)


def _readable(source: Path | bytes) -> Path | BytesIO:
    return BytesIO(source) if isinstance(source, bytes) else source


def _shown(columns: Types) -> str:
    names = ", ".join(columns)
    return names if len(names) < 200 else f"{names[:200]}..."


@contextmanager
def _parquet_errors() -> Iterator[None]:
    """Turn what Polars raises about a damaged file, a panic too, into an error of one sentence."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, pl.exceptions.PolarsError) and type(error).__module__ != "pyo3_runtime":
            raise
        raise MmsimError(f"it cannot be read as Parquet: {str(error).partition(chr(10))[0][:200]}") from error
