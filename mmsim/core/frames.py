"""Rows that compiled code has written as Polars data frames: names for codes, nulls for what there is not."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frames:
    """The tables of a game: their rows, the columns that stand for words, and those where -1 says there is none."""

    rows: Mapping[str, np.dtype[Any]]
    words: Mapping[str, Sequence[str]]
    nullable: Mapping[str, Collection[str]]

    def schema(self, table: str) -> pl.Schema:
        """The columns of a table as Polars sees them: what compiled code writes, and the names it does not know."""
        return self._schemas[table]

    @cached_property
    def _schemas(self) -> dict[str, pl.Schema]:
        return {table: self._schema(table) for table in self.rows}

    def _schema(self, table: str) -> pl.Schema:
        columns: dict[str, Any] = {"variant": pl.Categorical()}
        kinds = self.rows[table]
        for name in kinds.names or ():
            is_word = name in self.words
            columns[name] = pl.Enum(self.words[name]) if is_word else pl.Series(np.zeros(0, kinds[name])).dtype
            if table == "seats" and name == "player":
                columns["bot"] = pl.Categorical()
        return pl.Schema(columns)

    @cached_property
    def _meanings(self) -> dict[str, list[pl.Expr]]:
        """What the numbers of some columns stand for."""
        return {table: self._decoded(table) for table in self.rows}

    def _decoded(self, table: str) -> list[pl.Expr]:
        decoded = []
        for name, dtype in self.schema(table).items():
            column = value = pl.col(name)
            if name in self.nullable.get(table, ()):
                value = pl.when(column >= 0).then(column)
            if name in self.words:
                value = value.cast(pl.UInt8).cat.to(dtype)
            if value is not column:
                decoded.append(value.alias(name))
        return decoded

    def frame(self, table: str, rows: NDArray[Any], variant: str, bots: Sequence[Sequence[str]]) -> pl.DataFrame:
        """The rows of a table as a data frame; `bots` names the bots of every rotation, seat by seat."""
        columns = []
        for name, dtype in self.schema(table).items():
            if name == "variant":
                column = pl.Series(name, [variant], dtype).new_from_index(0, len(rows))
            elif name == "bot":
                known = list(dict.fromkeys(bot for seats in bots for bot in seats))
                codes = np.array([[known.index(bot) for bot in seats] for seats in bots], np.uint32)
                seated = codes[rows["game"] % np.uint64(len(bots)), rows["seat"]]
                column = pl.Series(name, known, dtype).gather(pl.Series(seated))
            else:
                column = pl.Series(name, np.ascontiguousarray(rows[name]))
            columns.append(column)
        return pl.DataFrame(columns).with_columns(self._meanings[table])
