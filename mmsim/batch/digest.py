"""Digests: of rows, whatever bytes a Parquet writer makes of them, and of what runs write about themselves."""

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmsim.tables.column_values import Columns, Values

SHORT = 16  # hex digits of a checksum that stands inside what it is of


def short_checksum(data: bytes) -> str:
    """Enough of a sha256 to notice a damage."""
    return hashlib.sha256(data).hexdigest()[:SHORT]


def row_digest(columns: "Columns") -> str:
    """The sha256 of the rows of a table, column by column: little-endian numbers, names with the numbers of theirs.

    It is made of values alone, so that the same rows have it under any version of Polars and in any file.
    """
    import numpy as np  # takes a moment to import

    digest = hashlib.sha256()
    for name, column in columns.items():
        values, there = column.values, column.there
        words = _words(column)
        digest.update(json.dumps([name, len(column), words]).encode())
        if column.seen and len(words) <= 1:
            continue  # the one word says it all
        if there is not None:
            digest.update(np.packbits(~there).data)
        if values.dtype.kind == "S":
            digest.update(values.data)
            values = np.full(len(values), values.itemsize, np.uint32)
        digest.update(values.dtype.str.encode())
        digest.update(values.data)
    return digest.hexdigest()


def _words(column: "Values") -> list[str | None]:
    """The words that a column may have or, in the order in which they come, has; None where there is first none."""
    words: list[str | None] = [*(column.words or ())]
    if column.seen and column.there is not None:
        before = int(column.there.argmin())
        words.insert(int(column.values[:before].max()) + 1 if before else 0, None)
    return words
