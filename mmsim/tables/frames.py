"""From the rows a game writes to Polars frames, and from frames to Parquet and to digests."""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from mmsim.core.game import SimulatedGame
from mmsim.core.seating import Seating
from mmsim.core.variant import PlayableVariant, VariantDescription
from mmsim.tables.columns import Column, describe_columns, row_types

MAX_CACHED_TEXTS = 1 << 14  # distinct codes of a column whose text is remembered between calls
_FORMULA = r"^([=+\-@\t\r])"  # the start of a cell that a spreadsheet would run as a formula

ToText: TypeAlias = Mapping[str, Callable[[NDArray[Any]], pl.Series]]
Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


class TabledGame(SimulatedGame):
    """A game whose tables are derived from declared columns; it writes its rows as NumPy arrays."""

    declared: ClassVar[Mapping[str, Sequence[Column]]]  # table -> its columns
    words: ClassVar[Mapping[str, Sequence[str]]]  # column -> the word of every code that may occur
    texts: ClassVar[ToText] = {}  # column -> its codes as text, for columns with too many values to list

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        return describe_columns(self.declared)

    def frame(self, prepared: PlayableVariant, table: str, rows: NDArray[Any]) -> pl.DataFrame:
        return self._frame(table, rows, prepared.shared_name, prepared.level, prepared.seating)

    @cached_property
    def row_types(self) -> dict[str, np.dtype[Any]]:
        return row_types(self.declared)

    @cached_property
    def tables(self) -> dict[str, pl.Schema]:
        nobody = Seating((), (), False)
        return {
            table: self._frame(table, np.zeros(0, row_type), "", "", nobody).schema
            for table, row_type in self.row_types.items()
        }

    def _frame(self, table: str, rows: NDArray[Any], variant: str, level: str, seating: Seating) -> pl.DataFrame:
        columns = {"variant": _repeat(variant, len(rows)), "level": _repeat(level, len(rows))}
        for column in self.declared[table]:
            columns[column.name] = self._series(column, np.ascontiguousarray(rows[column.name]))
            if (table, column.name) == ("seats", "player"):
                columns["bot"] = _bots(rows, seating)
            if (table, column.name) == ("games", "game"):
                games = np.asarray(rows["game"])
                columns["deal"] = pl.Series(games // np.uint64(seating.games_per_deal))
                columns["seating"] = pl.Series((games % np.uint64(len(seating.orders))).astype(np.uint16))
        return pl.DataFrame(columns)

    def _series(self, column: Column, codes: NDArray[Any]) -> pl.Series:
        if column.name in self.texts:
            return self.texts[column.name](codes)
        values = pl.Series(codes)
        if column.null:
            values = values.set(values < 0, None)
        if column.name in self.words:
            return pl.Series(self.words[column.name], dtype=pl.Enum(self.words[column.name])).gather(values)
        return values


def with_name(frame: Frame, name: str) -> Frame:
    """A table whose column `variant` has the name of its games, which includes the level if there are several."""
    return frame.with_columns(pl.lit(name, dtype=pl.Categorical()).alias("variant"))


def codes_to_text(codes: NDArray[Any], to_text: Callable[[int], str | None]) -> pl.Series:
    """Codes as text, each distinct code converted once; None stands for a missing value."""
    distinct, index = np.unique(codes, return_inverse=True)
    return pl.Series([to_text(code) for code in distinct.tolist()], dtype=pl.Categorical()).gather(index)


def _repeat(text: str, rows: int) -> pl.Series:
    return pl.Series([text], dtype=pl.Categorical()).new_from_index(0, rows)


def _bots(rows: NDArray[Any], seating: Seating) -> pl.Series:
    """The bot in the seat of every row."""
    bots = [bot.spec for bot in seating.bots]
    if len({*bots}) <= 1:  # none: a table without rows
        return _repeat("".join({*bots}), len(rows))
    orders = np.array(seating.orders)
    return codes_to_text(orders[rows["game"] % np.uint64(len(orders)), rows["seat"]], bots.__getitem__)


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A frame as a Parquet file; the same rows give the same bytes in every process."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", statistics=False)
    return file.getvalue()


def row_digest(frame: pl.DataFrame) -> str:
    """The sha256 of the rows of a table, column by column.

    It covers values only, so the same rows have the same digest under any version of Polars and in any file.
    """
    digest = hashlib.sha256()
    for column in frame:
        words, values = _words_and_values(column)
        digest.update(json.dumps([column.name, len(column), words]).encode())
        if values is None:
            continue
        if column.null_count():
            digest.update(np.packbits(column.is_null().to_numpy()).data)
        if values.dtype.kind == "S":
            digest.update(values.data)
            values = np.full(len(values), values.itemsize, np.uint32)
        digest.update(values.dtype.str.encode())
        digest.update(values.data)
    return digest.hexdigest()


def games_digest(frame: pl.DataFrame, about: VariantDescription) -> str:
    """The digest of a table of games, with their full name and bots in place of what `variant` and `level` say."""
    names = {"variant": _repeat(about.name, len(frame)), "level": _repeat(about.listed_bots, len(frame))}
    return row_digest(frame.with_columns(**names).rename({"level": "member"}))


def _words_and_values(column: pl.Series) -> tuple[list[str | None], NDArray[Any] | None]:
    """The words of a column, if its values are codes, and its values or codes; 0 where a value is missing.

    Values are left out if there is only one word.
    """
    words: list[str | None] = []
    if isinstance(column.dtype, pl.Categorical):  # its own codes depend on what else the process has read
        distinct = column.unique(maintain_order=True).cast(pl.String)
        words = distinct.to_list()
        if len(words) <= 1:
            return words, None
        column = column.cast(pl.Enum(distinct.drop_nulls())).to_physical()
    elif isinstance(column.dtype, pl.Enum):
        words = column.dtype.categories.to_list()
        column = column.to_physical()
    elif column.dtype == pl.String:
        return words, np.array([text.encode() for text in column.fill_null("").to_list()], np.bytes_)
    if column.null_count():
        column = column.fill_null(False if column.dtype == pl.Boolean else 0)
    return words, np.ascontiguousarray(column.to_numpy())


def no_formulas(frame: Frame) -> Frame:
    """A frame for CSV: text that a spreadsheet would run as a formula gets a leading apostrophe."""
    texts = (cs.string() | cs.categorical() | cs.enum()).cast(pl.String)
    return frame.with_columns(texts.str.replace(_FORMULA, "'$1"))
