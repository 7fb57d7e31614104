"""The tables of a shard as Polars data frames: names for codes, nulls for what there is not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.metromania.state import END_REASONS, FAULTS
from mmsim.metromania.tables import ROWS, STATUSES, TRIP_NAMES

_WORDS = {
    "status": STATUSES,
    "end_reason": END_REASONS,
    "trip": TRIP_NAMES,
    "fault": FAULTS,
}
_NULLABLE = ("end_reason", "winner", "decided_turn", "minutes", "fault", "start_side", "end_side")


def schema(table: str) -> pl.Schema:
    """The columns of a table as Polars sees them: what compiled code writes, and the names it does not know."""
    columns: dict[str, Any] = {"variant": pl.Categorical()}
    for name in ROWS[table].names or ():
        columns[name] = _dtype(name, ROWS[table][name])
        if table == "seats" and name == "player":
            columns["bot"] = pl.Categorical()
    return pl.Schema(columns)


def _dtype(name: str, kind: np.dtype[Any]) -> Any:
    if name in _WORDS:
        return pl.Enum(_WORDS[name])
    return pl.Series(np.zeros(0, kind)).dtype


def frame(table: str, rows: NDArray[Any], variant: str, seatings: Sequence[Sequence[str]]) -> pl.DataFrame:
    """The rows of a table as a data frame; `seatings`: the bots by seat, for every rotation of them."""
    columns = []
    for name, dtype in schema(table).items():
        if name == "variant":
            column = pl.repeat(variant, len(rows), dtype=pl.String, eager=True).alias(name).cast(dtype)
        elif name == "bot":
            bots = pl.Series(name, [bot for seating in seatings for bot in seating], pl.String).cast(dtype)
            column = bots.gather(rows["game"] % len(seatings) * len(seatings[0]) + rows["seat"])
        else:
            column = pl.Series(name, np.ascontiguousarray(rows[name]))
        if name in _NULLABLE:
            column = column.to_frame().select(pl.when(pl.col(name) >= 0).then(pl.col(name)))[name]
        if name in _WORDS:
            column = column.cast(pl.UInt8).cat.to(dtype)
        columns.append(column)
    return pl.DataFrame(columns)
