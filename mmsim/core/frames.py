"""Rows that compiled code has written as Polars data frames: names for codes, nulls for what there is not."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
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
        columns: dict[str, Any] = {"variant": pl.Categorical()}
        kinds = self.rows[table]
        for name in kinds.names or ():
            is_word = name in self.words
            columns[name] = pl.Enum(self.words[name]) if is_word else pl.Series(np.zeros(0, kinds[name])).dtype
            if table == "seats" and name == "player":
                columns["bot"] = pl.Categorical()
        return pl.Schema(columns)

    def frame(self, table: str, rows: NDArray[Any], variant: str, bots: NDArray[Any]) -> pl.DataFrame:
        """The rows of a table as a data frame; `bots` names the bot of every row of `seats`."""
        columns = []
        for name, dtype in self.schema(table).items():
            if name == "variant":
                column = pl.repeat(variant, len(rows), dtype=pl.String, eager=True).alias(name).cast(dtype)
            elif name == "bot":
                column = pl.Series(name, bots, pl.String).cast(dtype)
            else:
                column = pl.Series(name, np.ascontiguousarray(rows[name]))
            if name in self.nullable.get(table, ()):
                column = column.to_frame().select(pl.when(pl.col(name) >= 0).then(pl.col(name)))[name]
            if name in self.words:
                column = column.cast(pl.UInt8).cat.to(dtype)
            columns.append(column)
        return pl.DataFrame(columns)
