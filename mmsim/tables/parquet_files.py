"""Parquet files that may be damaged or forged: what their footers say is compared before anything else is read.

Polars reports the columns and the number of rows of a footer, not the sizes of its row groups: a file is bounded by its
rows, and by its bytes, which the journal of a run knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import polars as pl

from mmsim.errors import MmsimError

Columns = Mapping[str, str | None]  # in their order, with the names of their types if these matter


def type_names(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    return {name: str(dtype) for name, dtype in schema.items()}


def count_rows(files: Sequence[Path]) -> int:
    """The rows of some files by their footers, all of which are read at once."""
    with _parquet_errors():
        return int(pl.scan_parquet([*files], glob=False).select(pl.len()).collect().item()) if files else 0


def check_footer(source: Path | bytes, columns: Columns, rows: range) -> None:
    """MmsimError, with what is wrong, unless a file has just these columns and a number of rows within a range."""
    with _parquet_errors():
        types = type_names(pl.read_parquet_schema(_readable(source)))
        count = pl.scan_parquet(_readable(source), glob=False).select(pl.len()).collect().item()
    if list(types) != list(columns):
        raise MmsimError(f"has the columns {_shown(types)} instead of {_shown(columns)}")
    for name, dtype in columns.items():
        if dtype not in (None, types[name]):
            raise MmsimError(f"has a column {name} of the type {types[name][:80]} instead of {dtype}")
    if count not in rows:
        expected = f"{rows[0]}" if len(rows) == 1 else f"at most {rows[-1]}"
        raise MmsimError(f"has {count} rows instead of {expected}")


def read_checked(source: Path | bytes, columns: Columns, rows: range) -> pl.DataFrame:
    """The rows of a file whose footer is right; MmsimError, with what is wrong, for any other."""
    check_footer(source, columns, rows)
    with _parquet_errors():
        return pl.read_parquet(_readable(source), glob=False)


def _readable(source: Path | bytes) -> Path | BytesIO:
    return BytesIO(source) if isinstance(source, bytes) else source


def _shown(columns: Columns) -> str:
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
        raise MmsimError(f"cannot be read as Parquet: {str(error).partition(chr(10))[0][:200]}") from error
