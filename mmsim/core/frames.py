"""Rows that compiled code has written as Polars data frames: names for codes, nulls for what there is not."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from mmsim.core.seating import Seating

_FORMULA = r"^([=+\-@\t\r])"  # how a cell begins that a spreadsheet would run
Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


def no_formulas(frame: Frame) -> Frame:
    """A frame for CSV: a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    texts = (cs.string() | cs.categorical() | cs.enum()).cast(pl.String)
    return frame.with_columns(texts.str.replace(_FORMULA, "'$1"))


def spelled(codes: NDArray[Any], spell: Callable[[int], str | None]) -> pl.Series:
    """Codes, which are small numbers, as categories, each spelled once; None for what there is not."""
    above = codes.astype(np.int64) + 1  # -1 is a code too
    place = np.zeros(above.max(initial=0) + 1, np.uint32)  # a table is faster than sorting
    place[above] = 1
    known = np.flatnonzero(place)
    place[known] = np.arange(len(known))
    texts = pl.Series([spell(code - 1) for code in known.tolist()], dtype=pl.String).cast(pl.Categorical())
    return texts.gather(pl.Series(place[above]))


@dataclass(frozen=True)
class Frames:
    """The tables of a game: their rows, the columns that stand for words, and those where -1 says there is none.

    `texts` are columns of so many words that they are made when they are needed, from all codes of a column at once.
    """

    rows: Mapping[str, np.dtype[Any]]
    words: Mapping[str, Sequence[str]]
    nullable: Mapping[str, Collection[str]]
    texts: Mapping[str, Callable[[NDArray[Any]], pl.Series]] = field(default_factory=dict)

    def schema(self, table: str) -> pl.Schema:
        """The columns of a table as Polars sees them: what compiled code writes, and the names it does not know."""
        return self._schemas[table]

    @cached_property
    def _schemas(self) -> dict[str, pl.Schema]:
        return {table: self._schema(table) for table in self.rows}

    def _schema(self, table: str) -> pl.Schema:
        columns: dict[str, Any] = {"variant": pl.Categorical(), "member": pl.Categorical()}
        kinds = self.rows[table]
        for name in kinds.names or ():
            if name in self.words:
                columns[name] = pl.Enum(self.words[name])
            else:
                none = np.zeros(0, kinds[name])
                columns[name] = (self.texts[name](none) if name in self.texts else pl.Series(none)).dtype
            if table == "seats" and name == "player":
                columns["bot"] = pl.Categorical()
            if table == "games" and name == "game":
                columns |= {"deal": pl.UInt64(), "seating": pl.UInt16()}
        return pl.Schema(columns)

    @cached_property
    def _meanings(self) -> dict[str, list[pl.Expr]]:
        """What the numbers of some columns stand for."""
        return {table: self._decoded(table) for table in self.rows}

    def _decoded(self, table: str) -> list[pl.Expr]:
        decoded = []
        for name, dtype in self.schema(table).items():
            column = value = pl.col(name)
            if name in self.nullable.get(table, ()) and name not in self.texts:
                value = pl.when(column >= 0).then(column)
            if name in self.words:
                value = value.cast(pl.UInt8).cat.to(dtype)
            if value is not column:
                decoded.append(value.alias(name))
        return decoded

    def frame(self, table: str, rows: NDArray[Any], variant: str, seating: Seating) -> pl.DataFrame:
        """The rows of a table as a data frame."""
        columns, bots = [], [bot.spec for bot in seating.bots]
        for name, dtype in self.schema(table).items():
            if name in ("variant", "member"):
                same = variant if name == "variant" else _member(bots)
                column = pl.Series(name, [same], dtype).new_from_index(0, len(rows))
            elif name == "bot":
                known = list(dict.fromkeys(bots))
                codes = np.array([known.index(bot) for bot in bots], np.uint32)[np.array(seating.orders)]
                seated = codes[rows["game"] % np.uint64(len(codes)), rows["seat"]]
                column = pl.Series(name, known, dtype).gather(pl.Series(seated))
            elif table == "games" and name == "deal":
                column = pl.Series(name, rows["game"] // np.uint64(seating.games_a_deal), dtype)
            elif table == "games" and name == "seating":
                column = pl.Series(name, rows["game"] % np.uint64(len(seating.orders)), dtype)
            elif name in self.texts:
                column = self.texts[name](np.ascontiguousarray(rows[name])).alias(name)
            else:
                column = pl.Series(name, np.ascontiguousarray(rows[name]))
            columns.append(column)
        return pl.DataFrame(columns).with_columns(self._meanings[table])


def _member(seats: Sequence[str]) -> str:
    """Which kind of players sits at a table: one bot for all, or the bots of its seats."""
    return seats[0] if len({*seats}) == 1 else ",".join(seats)
