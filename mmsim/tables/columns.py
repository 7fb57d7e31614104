"""The columns of a game's tables as the game declares them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_FIRST_COLUMNS = {
    "variant": "rules and number of players, as the experiment names them",
    "level": "level of play, or the bots of the table if the run names bots",
}
_ADDED_COLUMNS = {  # by `tables/frames.py`: compiled code knows neither names nor how many games share a deal
    "games": {
        "deal": "number of the layout and deal; games that share both have the same one",
        "seating": "which way to seat the bots this is; games of one number seat them alike",
    },
    "seats": {"bot": "bot that played the seat"},
}


class Column(NamedTuple):
    """A column: its name, the NumPy dtype that compiled code writes, and a sentence about it.

    A column with a text for `null` is nullable: -1 stands for a missing value, and the text says when that is.
    """

    name: str
    kind: Any
    text: str
    null: str = ""


def row_types(tables: Mapping[str, Sequence[Column]]) -> dict[str, np.dtype[Any]]:
    """The dtype of the rows of every table."""
    return {table: np.dtype([(column.name, column.kind) for column in columns]) for table, columns in tables.items()}


def empty_rows(rows: Mapping[str, np.dtype[Any]], counts: Mapping[str, int], games: int) -> dict[str, NDArray[Any]]:
    """Arrays for the rows of some games, with `counts` rows per game in every table.

    They share one allocation: the C library keeps that for the next games, but returns several to the system.
    """
    ends = np.cumsum([counts[table] * games * dtype.itemsize for table, dtype in rows.items()])
    parts = np.split(np.zeros(ends[-1], np.uint8), ends[:-1])
    return {table: part.view(dtype).view(np.recarray) for (table, dtype), part in zip(rows.items(), parts, strict=True)}


def nullable(tables: Mapping[str, Sequence[Column]]) -> dict[str, tuple[str, ...]]:
    return {table: tuple(column.name for column in columns if column.null) for table, columns in tables.items()}


def describe_columns(tables: Mapping[str, Sequence[Column]]) -> dict[str, dict[str, str]]:
    """A sentence about every column of every table."""
    descriptions: dict[str, dict[str, str]] = {}
    for table, columns in tables.items():
        texts = {column.name: column.text + (f"; null: {column.null}" if column.null else "") for column in columns}
        descriptions[table] = {**_FIRST_COLUMNS, **_ADDED_COLUMNS.get(table, {}), **texts}
    return descriptions
