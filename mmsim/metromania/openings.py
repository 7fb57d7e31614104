"""What the openings of Metromania have in common, whatever the layout: how its column `opening` is sorted."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from mmsim.core.metrics import OpeningView, nearest_before

_OPENING = pl.col("opening").cast(pl.String)
_SIDE = _OPENING.str.extract(r"^(\d+)\.").cast(pl.Int64)
_CELL = _OPENING.str.extract(r"\.(\d+)").cast(pl.Int64)


def _starts_away(about: Mapping[str, Any], seats: pl.DataFrame) -> pl.Series:
    """How many starts along the frame lie from here to the nearest one where an earlier company starts."""
    frame = "".join(about["board"]["frame"])
    numbers = {place: frame[:place].count("S") for place, kind in enumerate(frame) if kind == "S"}
    place = _SIDE * about["board"]["side"] + _CELL
    at = pl.col("at")

    def along(back: int) -> pl.Expr:
        there = at.shift(back)
        return pl.min_horizontal((at - there) % len(numbers), (there - at) % len(numbers))

    starts = seats.select("seat", at=place.replace_strict(numbers, default=None, return_dtype=pl.Int64))
    away = pl.col("away")
    kinds = (
        pl.when(at.is_null())
        .then(None)
        .when(away.is_null())
        .then(pl.lit("nobody before"))
        .when(away == 1)
        .then(pl.lit("next start"))
        .otherwise(away.cast(pl.String) + " starts away")
    )
    return starts.with_columns(away=nearest_before(along, about["companies"])).select(kinds).to_series()


OPENINGS = (
    OpeningView(
        "start", "where the first line starts, counted in starts from the nearest one taken before", _starts_away
    ),
    OpeningView(
        "turn",
        "cell of its side in which the first line starts, and its first tunnels, on whichever side",
        lambda about, seats: seats.select(_OPENING.str.extract(r"\.(.*)$")).to_series(),
    ),
    OpeningView(
        "opening",
        "side and cell in which the first line starts, and its first tunnels",
        lambda about, seats: seats.select(_OPENING).to_series(),
    ),
)
