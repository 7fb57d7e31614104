"""Digests of rows: made of values alone, whatever the kind of a column."""

import io

import polars as pl
import pytest

from mmsim.tables.frames import row_digest

COLUMNS = [
    pl.Series("n", [1, None, 3], pl.UInt16),
    pl.Series("n", [True, None, False]),
    pl.Series("n", ["one", None, "three"]),
    pl.Series("n", ["one", None, "three"], pl.Categorical()),
    pl.Series("n", ["one", None, "three"], pl.Enum(["one", "two", "three"])),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.dtype))
def test_rows_that_are_written_and_read_again_have_the_same_digest(column: pl.Series) -> None:
    file = io.BytesIO()
    column.to_frame().write_parquet(file)
    file.seek(0)
    assert row_digest(pl.read_parquet(file)) == row_digest(column.to_frame())


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.dtype))
def test_other_rows_have_another_digest(column: pl.Series) -> None:
    assert row_digest(column.reverse().to_frame()) != row_digest(column.to_frame())


def test_texts_are_told_apart_by_where_they_end() -> None:
    assert row_digest(pl.DataFrame({"n": ["ab", "c"]})) != row_digest(pl.DataFrame({"n": ["a", "bc"]}))


def test_the_digest_of_rows_stays_what_it_was() -> None:
    frame = pl.DataFrame(
        [
            pl.Series("number", [1, None, 3], pl.Int16),
            pl.Series("truth", [True, None, False]),
            pl.Series("text", ["one", "two", "six"]),
            pl.Series("word", [None, "b", "a"], pl.Categorical()),
            pl.Series("same", ["a", "a", "a"], pl.Categorical()),
            pl.Series("nothing", [None, None, None], pl.Categorical()),
            pl.Series("name", ["b", None, "a"], pl.Enum(["a", "b"])),
            pl.Series("share", [0.5, 1.0, 0.0], pl.Float32),
        ]
    )
    assert row_digest(frame) == "586cfe71b560029b587a15efc8a3629c3c7e563b0ed220389874c7dd45704d01"
