"""Parquet files of ours: readers find the values that were written, in the types that Polars would have written."""

import io
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmsim.tables.frames import empty_files, values_of
from mmsim.tables.parquet import parquet

_KINDS = (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32, pl.Int64, pl.UInt64)


def written(frame: pl.DataFrame) -> bytes:
    return parquet(empty_files({"t": frame.schema})["t"], values_of(frame))


def assert_reads_back(frame: pl.DataFrame) -> None:
    found = pl.read_parquet(io.BytesIO(written(frame)))
    assert found.schema == frame.schema
    assert found.equals(frame)


def many(rows: int) -> pl.DataFrame:
    """Columns of all kinds that tables have, each with what makes it special."""
    draws = np.random.default_rng(1)
    some = pl.Series(draws.random(rows) < 0.7)
    numbers = np.arange(rows)
    words = [f"word {i}" for i in range(300)]
    frame = pl.DataFrame(
        {
            "game": (numbers // 3 + 2**40).astype(np.uint64),
            "jumps": draws.integers(0, 2**62, rows),
            "falls": -(numbers**2),
            "seat": (numbers % 3).astype(np.uint8),
            "same": np.full(rows, -7, np.int8),
            "widest": draws.integers(-128, 128, rows).astype(np.int8),
            "points": draws.integers(-300, 900, rows).astype(np.int16),
            "fives": 5 * draws.integers(-100, 100, rows).astype(np.int16),
            "large": draws.integers(0, 2**31, rows).astype(np.int32),
            "share": draws.choice(np.array([0, 1, 1 / 2, 1 / 3], np.float32), rows),
            "coverage": (draws.integers(0, 99, rows) / 126).astype(np.float32),
            "ended": draws.random(rows) < 0.5,
            "code": [f"{i:05d}" for i in range(rows)],
            "word": pl.Series(words).gather(draws.integers(0, 300, rows)).cast(pl.Categorical()),
            "name": pl.Series(words).gather(draws.integers(0, 300, rows)).cast(pl.Enum(words)),
            "none": pl.Series([None] * rows, dtype=pl.Int16),
            "no_name": pl.Series([None] * rows, dtype=pl.Enum(words)),
            "no_word": pl.Series([None] * rows, dtype=pl.Categorical()),
        }
    )
    missing = [pl.when(some).then(pl.col(name)).alias(f"maybe_{name}") for name in frame.columns if name != "code"]
    return frame.with_columns(missing)


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 127, 130, 1000, 5003])
def test_columns_of_every_kind_read_back(rows: int) -> None:
    assert_reads_back(many(rows))


def test_many_rows_are_several_groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mmsim.tables.parquet._ROW_GROUP", 1000)
    frame, file = many(2500), tmp_path / "table.parquet"
    assert_reads_back(frame)
    file.write_bytes(written(frame))
    groups = f"SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('{file}') ORDER BY 1"
    assert duckdb.sql(groups).fetchall() == [(0, 1000), (1, 1000), (2, 500)]


@pytest.mark.parametrize("rows", [1, 9, 5003])
def test_another_reader_finds_the_same(rows: int, tmp_path: Path) -> None:
    frame = many(rows)
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    ours.write_bytes(written(frame))
    frame.write_parquet(theirs)
    assert duckdb.sql(f"SELECT * FROM '{ours}'").fetchall() == duckdb.sql(f"SELECT * FROM '{theirs}'").fetchall()


def test_numbers_beyond_those_with_a_sign_read_back() -> None:
    numbers = [2**31 - 1, 2**31, 2**31 + 5, 2**31]
    assert_reads_back(pl.DataFrame({"few": pl.Series(numbers, dtype=pl.UInt32)}))
    assert_reads_back(pl.DataFrame({"far": pl.Series([0, 2**32 - 1], dtype=pl.UInt32)}))


@given(st.sampled_from(_KINDS), st.data())
def test_numbers_of_every_kind_read_back(kind: pl.DataType, data: st.DataObject) -> None:
    low, high = (int(pl.select(bound).item()) for bound in (kind.min(), kind.max()))
    numbers = st.none() | st.integers(low, high) | st.integers(max(low, -3), 9)
    assert_reads_back(pl.DataFrame({"n": pl.Series(data.draw(st.lists(numbers, min_size=1, max_size=40)), dtype=kind)}))


@pytest.mark.parametrize("first", range(14, 28))
def test_a_page_whose_beginning_comes_again_near_its_end_is_not_one_that_repeats(first: int) -> None:
    numbers = np.random.default_rng(1).permutation(256).astype(np.uint8)
    assert_reads_back(pl.DataFrame({"n": np.concatenate([numbers, numbers[first : first + 40]])}))


def test_what_repeats_takes_no_room() -> None:
    rows = 96_000
    frame = pl.DataFrame({"game": np.arange(rows) // 8, "seat": (np.arange(rows) % 8 // 2).astype(np.uint8)})
    assert_reads_back(frame)
    assert len(written(frame)) < 2000
