"""A game's tables as data frames: the same for all games that write their rows with NumPy."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmsim.core.seating import Seating

if TYPE_CHECKING:
    import polars as pl

    from mmsim.core.frames import Frames

Texts: TypeAlias = Mapping[str, Callable[[NDArray[Any]], "pl.Series"]]


class Seated(Protocol):
    """A variant that says who sits where."""

    @property
    def name(self) -> str: ...
    @property
    def seating(self) -> Seating: ...


class TabledGame:
    """The part of the seam that is about tables; `Frames` says what rows, words, nullable columns and texts are."""

    rows: ClassVar[Mapping[str, np.dtype[Any]]]
    words: ClassVar[Mapping[str, Sequence[str]]]
    nullable: ClassVar[Mapping[str, Collection[str]]]

    def texts(self) -> Texts:
        """Columns of so many words that they are made when they are needed."""
        return {}

    @property
    def tables(self) -> "dict[str, pl.Schema]":
        return {table: self._frames.schema(table) for table in self.rows}

    def frame(self, prepared: Seated, table: str, rows: NDArray[Any]) -> "pl.DataFrame":
        return self._frames.frame(table, rows, prepared.name, prepared.seating)

    @cached_property
    def _frames(self) -> "Frames":
        from mmsim.core.frames import Frames  # Polars takes a moment to import; a worker's first game does not wait

        return Frames(self.rows, self.words, self.nullable, self.texts())
