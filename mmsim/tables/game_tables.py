"""A game's tables as values and as data frames: the same for all games that write their rows with NumPy."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from numpy.typing import NDArray

from mmsim.core.seating import Seating
from mmsim.tables.column_values import Columns, Texts, ValuesOfRows
from mmsim.tables.columns import Column, nullable, row_types, sentences

if TYPE_CHECKING:
    import polars as pl

    from mmsim.tables.frames import Frames


class Seated(Protocol):
    """A variant that says who sits where."""

    @property
    def name(self) -> str: ...
    @property
    def seating(self) -> Seating: ...


class TabledGame:
    """The part of the seam that is about tables: what a game declares of them, see `ValuesOfRows`."""

    declared: ClassVar[Mapping[str, Sequence[Column]]]  # of every table
    words: ClassVar[Mapping[str, Sequence[str]]]
    texts: ClassVar[Texts] = {}  # columns of so many words that they are made when they are needed

    @property
    def tables(self) -> "dict[str, pl.Schema]":
        return {table: self._frames.schema(table) for table in self.declared}

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        return sentences(self.declared)

    def values(self, prepared: Seated, table: str, rows: NDArray[Any]) -> Columns:
        return self._rows.columns(table, rows, prepared.name, prepared.seating)

    def frame(self, prepared: Seated, table: str, rows: NDArray[Any]) -> "pl.DataFrame":
        return self._frames.frame(table, self.values(prepared, table, rows))

    @cached_property
    def _rows(self) -> ValuesOfRows:
        return ValuesOfRows(row_types(self.declared), self.words, nullable(self.declared), self.texts)

    @cached_property
    def _frames(self) -> "Frames":
        from mmsim.tables.frames import Frames  # Polars takes a moment to import; workers do without it

        return Frames(self._rows)
