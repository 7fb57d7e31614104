"""Tables of values as Polars data frames."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl
import polars.selectors as cs

from mmsim.tables.column_values import Columns, Values, ValuesOfRows

_FORMULA = r"^([=+\-@\t\r])"  # how a cell begins that a spreadsheet would run
Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


def no_formulas(frame: Frame) -> Frame:
    """A frame for CSV: a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    texts = (cs.string() | cs.categorical() | cs.enum()).cast(pl.String)
    return frame.with_columns(texts.str.replace(_FORMULA, "'$1"))


@dataclass(frozen=True)
class Frames:
    """The tables of a game as data frames."""

    rows: ValuesOfRows

    def schema(self, table: str) -> pl.Schema:
        """The columns of a table as Polars sees them."""
        return self._schemas[table]

    @cached_property
    def _schemas(self) -> dict[str, pl.Schema]:
        return {table: self._schema(table) for table in self.rows.kinds}

    def _schema(self, table: str) -> pl.Schema:
        return pl.Schema({name: _kind(values) for name, values in self.rows.none(table).items()})

    def frame(self, table: str, columns: Columns) -> pl.DataFrame:
        """The values of a table as a data frame."""
        kinds = self.schema(table)
        return pl.DataFrame([_series(values, kinds[name]).alias(name) for name, values in columns.items()])


def _kind(values: Values) -> pl.DataType:
    if values.words is not None:
        return pl.Categorical() if values.seen else pl.Enum(values.words)
    return pl.String() if values.values.dtype.kind == "S" else pl.Series(values.values).dtype


def _series(column: Values, kind: pl.DataType) -> pl.Series:
    values, there = column.values, column.there
    if column.words is not None:
        numbers = pl.Series(values.astype(np.uint32))
        if there is not None:
            numbers = pl.select(pl.when(pl.Series(there)).then(numbers)).to_series()
        return pl.Series(column.words, dtype=kind).gather(numbers)
    if kind == pl.String:
        return pl.Series([text.decode() for text in values.tolist()], dtype=kind)
    found = pl.Series(values)
    return found if there is None else pl.select(pl.when(pl.Series(there)).then(found)).to_series()


def values_of(frame: pl.DataFrame) -> Columns:
    """The values of a data frame, as those of rows are."""
    return {column.name: _values(column) for column in frame}


def _values(column: pl.Series) -> Values:
    there = column.is_not_null().to_numpy() if column.null_count() else None
    if isinstance(column.dtype, pl.Categorical):  # its numbers depend on what else a process has seen
        words = column.drop_nulls().unique(maintain_order=True).cast(pl.String).to_list()
        numbers = column.cast(pl.Enum(words)).to_physical().fill_null(0)
        return Values(numbers.to_numpy(), there, words, seen=True)
    if isinstance(column.dtype, pl.Enum):
        return Values(column.to_physical().fill_null(0).to_numpy(), there, column.dtype.categories.to_list())
    if column.dtype == pl.String:
        return Values(np.array([(text or "").encode() for text in column.to_list()], np.bytes_), there)
    return Values(np.ascontiguousarray(column.fill_null(False if column.dtype == pl.Boolean else 0).to_numpy()), there)


def empty_files(tables: Mapping[str, pl.Schema]) -> dict[str, bytes]:
    """Parquet files without rows, of which `tables/parquet` makes files that have some."""
    files = {}
    for table, schema in tables.items():
        file = io.BytesIO()
        pl.DataFrame(schema=schema).write_parquet(file, statistics=False)
        files[table] = file.getvalue()
    return files
