"""Checksums: of the rows of a table, and of the lines and files a run writes about itself."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

SHORT_DIGITS = 16  # hex digits of a checksum stored inside the data it protects


def short_checksum(data: bytes) -> str:
    """Enough of a sha256 to notice damage."""
    return hashlib.sha256(data).hexdigest()[:SHORT_DIGITS]


def row_digest(frame: "pl.DataFrame") -> str:
    """The sha256 of the rows of a table, column by column.

    It covers values only, so the same rows have the same digest under any version of Polars and in any file.
    """
    import numpy as np

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


def _words_and_values(column: "pl.Series") -> "tuple[list[str | None], NDArray[Any] | None]":
    """The words of a column, if its values are codes, and its values or codes; 0 where a value is missing.

    Values are left out if there is only one word.
    """
    import numpy as np
    import polars as pl

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
