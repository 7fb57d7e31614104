"""Parquet files that may be damaged or forged: what their footers say is compared before anything else is read.

A small file can claim to have a billion rows, and a page of a kilobyte can unpack to gigabytes.
"""

import mmap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import polars as pl

from mmsim.errors import MmsimError
from mmsim.system.files import open_regular
from mmsim.tables.parquet_sizes import check_sizes

Columns = Mapping[str, str | None]  # in their order, with the names of their types if these matter


def type_names(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    return {name: str(dtype) for name, dtype in schema.items()}


def check_footer(source: Path | bytes, columns: Columns, rows: range) -> None:
    """MmsimError, with what is wrong, unless a file has just these columns, a number of rows within a range, and no
    more data than they need."""
    with _content(source) as data:
        check_sizes(data, [*columns], rows)
    if any(columns.values()):
        with _parquet_errors():
            types = type_names(pl.read_parquet_schema(_readable(source)))
        for name, dtype in columns.items():
            if dtype not in (None, types[name]):
                raise MmsimError(f"has a column {name} of the type {types[name][:80]} instead of {dtype}")


def read_checked(source: Path | bytes, columns: Columns, rows: range) -> pl.DataFrame:
    """The rows of a file whose footer is right; MmsimError, with what is wrong, for any other."""
    check_footer(source, columns, rows)
    with _parquet_errors():
        return pl.read_parquet(_readable(source), glob=False)


def _readable(source: Path | bytes) -> Path | BytesIO:
    return BytesIO(source) if isinstance(source, bytes) else source


@contextmanager
def _content(source: Path | bytes) -> Iterator[memoryview]:
    if isinstance(source, bytes):
        yield memoryview(source)
        return
    try:
        with (
            open_regular(source) as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
            memoryview(content) as view,
        ):
            yield view
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise MmsimError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def _parquet_errors() -> Iterator[None]:
    """Turn what Polars raises about a damaged file, a panic too, into an error of one sentence."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, pl.exceptions.PolarsError) and type(error).__module__ != "pyo3_runtime":
            raise
        raise MmsimError(f"cannot be read as Parquet: {str(error).partition(chr(10))[0][:200]}") from error
