"""Features of Metromania openings that do not depend on the layout, computed from the column `opening`."""

import polars as pl

from mmsim.core.metrics import OpeningView, nearest_before, of_openings
from mmsim.core.variant import VariantDescription

_OPENING = pl.col("opening").cast(pl.String)
_SIDE = _OPENING.str.extract(r"^(\d+)\.").cast(pl.Int64)
_CELL = _OPENING.str.extract(r"\.(\d+)").cast(pl.Int64)


def _starts_away(description: VariantDescription, seats: pl.DataFrame) -> pl.Series:
    """Distance along the frame, in starts, to the nearest start of an earlier company."""
    frame = "".join(description.board["frame"])
    numbers = {place: frame[:place].count("S") for place, kind in enumerate(frame) if kind == "S"}
    place = _SIDE * description.board["side"] + _CELL
    at = pl.col("at")

    def along(back: int) -> pl.Expr:
        apart = (at - at.shift(back)).abs()
        return pl.min_horizontal(apart, len(numbers) - apart)

    starts = of_openings(seats, at=place.replace_strict(numbers, default=None, return_dtype=pl.Int16))
    away = nearest_before(along, len(description.seat_player)).fill_null(0)
    names = ["nobody before", "next start", *(f"{far} starts away" for far in range(2, len(numbers)))]
    return starts.select(pl.when(at.is_not_null()).then(away).cast(pl.UInt8).cat.to(pl.Enum(names))).to_series()


OPENINGS = (
    OpeningView(
        "start",
        "distance of the first line's start from the nearest start already taken, counted in starts",
        _starts_away,
    ),
    OpeningView(
        "turn",
        "cell in which the first line starts, whatever its side, and its first tunnels",
        lambda _, seats: of_openings(seats, kind=_OPENING.str.extract(r"\.(.*)$").cast(pl.Categorical))["kind"],
    ),
    OpeningView(
        "opening",
        "side and cell in which the first line starts, and its first tunnels",
        lambda description, seats: seats["opening"],
    ),
)
