"""Features of Metro openings that are the same in every corner of the board, computed from the column `opening`."""

import polars as pl

from mmsim.core.metrics import OpeningView, nearest_before, of_openings
from mmsim.core.variant import VariantDescription
from mmsim.metro.rules.board import SIZE

_OPENING = pl.col("opening").cast(pl.String)
_ROW = _OPENING.str.extract(r" (\d+)\.").cast(pl.Int64)
_COLUMN = _OPENING.str.extract(r"\.(\d+)$").cast(pl.Int64)
_RINGS = ("at the edge", "one cell in", "beside the centre")


def _place(description: VariantDescription, seats: pl.DataFrame) -> pl.Series:
    """How far from the edge a tile lies: all four sides of the board are alike."""
    row, column = (pl.min_horizontal(line, SIZE - 1 - line) for line in (_ROW, _COLUMN))
    ring = pl.min_horizontal(row, column).replace_strict(dict(enumerate(_RINGS)), default=None, return_dtype=pl.String)
    in_corner = (row == 0) & (column == 0)
    return of_openings(seats, kind=pl.when(in_corner).then(pl.lit("in a corner")).otherwise(ring))["kind"]


def _cells_away(description: VariantDescription, seats: pl.DataFrame) -> pl.Series:
    """How many cells along rows and columns a tile lies from the nearest first tile of an earlier player."""
    row, column, away = pl.col("row"), pl.col("column"), pl.col("away")

    def between(back: int) -> pl.Expr:
        return (row - row.shift(back)).abs() + (column - column.shift(back)).abs()

    kinds = (
        pl.when(row.is_null())
        .then(None)
        .when(away.is_null())
        .then(pl.lit("nobody before"))
        .when(away == 1)
        .then(pl.lit("beside it"))
        .when(away <= SIZE // 2)
        .then(pl.lit(f"2 to {SIZE // 2} cells away"))
        .otherwise(pl.lit("further away"))
    )
    tiles = of_openings(seats, row=_ROW, column=_COLUMN)
    return tiles.with_columns(away=nearest_before(between, description.players)).select(kinds).to_series()


OPENINGS = (
    OpeningView("place", "where on the board the first tile lies", _place),
    OpeningView(
        "distance", "how far the first tile lies from the nearest first tile of an earlier player", _cells_away
    ),
    OpeningView(
        "tile",
        "the first tile as it lies",
        lambda description, seats: of_openings(seats, kind=_OPENING.str.extract(r"^(\w+)"))["kind"],
    ),
    OpeningView("opening", "the first tile as it lies, row and column", lambda description, seats: seats["opening"]),
)
