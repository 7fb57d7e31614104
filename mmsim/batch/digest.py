"""Digests: of rows, whatever bytes a Parquet writer makes of them, and of what runs write about themselves."""

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

SHORT = 16  # hex digits of a checksum that stands inside what it is of


def short_checksum(data: bytes) -> str:
    """Enough of a sha256 to notice a damage."""
    return hashlib.sha256(data).hexdigest()[:SHORT]


def row_digest(frame: "pl.DataFrame") -> str:
    """The sha256 of the rows of a table, column by column: little-endian numbers, names with the numbers of theirs.

    It is made of values alone, so that the same rows have it under any version of Polars and in any file.
    """
    import numpy as np
    import polars as pl

    digest = hashlib.sha256()
    for column in frame:
        rows, words = len(column), []
        if isinstance(column.dtype, pl.Categorical):  # its numbers depend on what else a process has seen
            words = column.unique(maintain_order=True).cast(pl.String).to_list()
            if len(words) > 1:
                column = column.cast(pl.Enum([word for word in words if word is not None])).to_physical()
        elif isinstance(column.dtype, pl.Enum):
            words, column = column.dtype.categories.to_list(), column.to_physical()
        digest.update(json.dumps([column.name, rows, words]).encode())
        if isinstance(column.dtype, pl.Categorical):
            continue  # the one word says it all
        if column.null_count():
            digest.update(np.packbits(column.is_null().to_numpy()).tobytes())
            column = column.fill_null({pl.Boolean: False, pl.String: ""}.get(column.dtype.base_type(), 0))
        if column.dtype == pl.String:
            digest.update(column.str.join("").item().encode())
            column = column.str.len_bytes()
        values = column.to_numpy()
        digest.update(values.dtype.str.encode())
        digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()
