"""A column of a table as a game declares it: what compiled code writes, and what that means."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_FIRST = {
    "variant": "rules and number of players, as the experiment names them",
    "member": "kind of players at the table: one bot, or the bots of all seats as they are listed",
}
_ADDED = {  # by `tables/frames`: compiled code does not know names, nor how many games share a deal
    "games": {
        "deal": "number of the layout and deal; games that share both have the same one",
        "seating": "which way to seat the bots this is; games of one number seat them alike",
    },
    "seats": {"bot": "bot that played the seat"},
}


class Column(NamedTuple):
    """A column: its name, what compiled code writes for it, and a sentence; `null` says when there is nothing."""

    name: str
    kind: Any  # of NumPy
    text: str
    null: str = ""


def row_types(tables: Mapping[str, Sequence[Column]]) -> dict[str, np.dtype[Any]]:
    """The rows of every table as compiled code writes them."""
    return {table: np.dtype([(column.name, column.kind) for column in columns]) for table, columns in tables.items()}


def empty_rows(rows: Mapping[str, np.dtype[Any]], counts: Mapping[str, int], games: int) -> dict[str, NDArray[Any]]:
    """Room for the rows of so many games, of which each has `counts` in every table.

    It is one piece of memory: the C library keeps that for the next games, and gives several back to the system.
    """
    ends = np.cumsum([counts[table] * games * kind.itemsize for table, kind in rows.items()])
    parts = np.split(np.zeros(ends[-1], np.uint8), ends[:-1])
    return {table: part.view(kind).view(np.recarray) for (table, kind), part in zip(rows.items(), parts, strict=True)}


def nullable(tables: Mapping[str, Sequence[Column]]) -> dict[str, tuple[str, ...]]:
    """The columns of every table in which -1 stands for nothing."""
    return {table: tuple(column.name for column in columns if column.null) for table, columns in tables.items()}


def sentences(tables: Mapping[str, Sequence[Column]]) -> dict[str, dict[str, str]]:
    """What every column of every table says."""
    found: dict[str, dict[str, str]] = {}
    for table, columns in tables.items():
        texts = {column.name: column.text + (f"; null: {column.null}" if column.null else "") for column in columns}
        found[table] = {**_FIRST, **_ADDED.get(table, {}), **texts}
    return found
