"""Files that would unpack to more than their rows need are refused before anything of them is unpacked."""

import random
from pathlib import Path

import duckdb
import polars as pl
import pytest

from mmsim.errors import MmsimError
from mmsim.tables.frames import parquet_bytes
from mmsim.tables.parquet_files import check_footer
from tests.runs import write_run

ROWS = 300_000  # more than Polars puts into one row group


def check(frame: pl.DataFrame, columns: list[str] | None = None) -> None:
    rows = range(frame.height, frame.height + 1)
    check_footer(parquet_bytes(frame), dict.fromkeys(columns or frame.columns), rows)


def test_tables_of_every_type_and_of_several_row_groups_pass() -> None:
    numbers = pl.DataFrame({"number": range(ROWS)})
    check(
        numbers.with_columns(
            text=pl.col("number").cast(pl.String),
            code=(pl.col("number") % 9).cast(pl.String).cast(pl.Categorical()),
            half=pl.col("number") / 2,
            small=(pl.col("number") % 100).cast(pl.Int8),
            missing=pl.when(pl.col("number") % 2 == 0).then("number"),
            even=pl.col("number") % 2 == 0,
        )
    )
    check(numbers.head(0))


@pytest.mark.parametrize("game", ["metro", "metromania"])
def test_tables_of_the_games_pass(tmp_path: Path, game: str) -> None:
    rules = {"metro": "metro", "metromania": "print"}[game]
    write_run(tmp_path / "run", [rules], games=40, part_games=40, players=4, game=game, bots="greedy")
    for path in (tmp_path / "run").glob("*/*.parquet"):
        frame = pl.read_parquet(path)
        check_footer(path, dict.fromkeys(frame.columns), range(frame.height, frame.height + 1))


BOMBS = {
    "a long text": (pl.Series(["x" * 10_000_000, "y"]), "unpacks to 100000[0-9]+ bytes, too many for 2 rows"),
    "a long text in a dictionary": (
        pl.Series(["x" * 10_000_000, "y"], dtype=pl.Categorical()),
        "unpacks to 100000[0-9]+ bytes, too many for 2 rows",
    ),
    "a list": (pl.Series([[0] * 1_000_000, [1]]), "has the columns column, list, element instead of column"),
    "long values": (
        pl.Series([[0] * 100_000, [1] * 100_000], dtype=pl.Array(pl.UInt8, 100_000)),
        "has the columns column, list, element instead of column",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused(name: str) -> None:
    values, says = BOMBS[name]
    assert len(parquet_bytes(values.to_frame("column"))) < 100_000
    with pytest.raises(MmsimError, match=says):
        check(values.to_frame("column"))


def test_more_columns_than_declared_are_refused() -> None:
    with pytest.raises(MmsimError, match="has the columns a, b instead of a"):
        check(pl.DataFrame({"a": [1], "b": [2]}), ["a"])


def test_an_encoding_that_makes_much_of_few_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deltas.parquet"
    duckdb.sql(f"copy (select range as a from range(100000)) to '{path}' (format parquet, parquet_version v2)")
    with pytest.raises(MmsimError, match="has a column a in an encoding that mmsim does not write"):
        check_footer(path, {"a": None}, range(100_000, 100_001))


def test_a_header_that_promises_more_values_than_there_are_rows_is_refused() -> None:
    data = parquet_bytes(pl.DataFrame({"a": pl.Series([7] * 60, dtype=pl.Int64)}))
    forged = data.replace(bytes([0x15, 120]), bytes([0x15, 122]), 1)  # the number of values, as Thrift writes 60 and 61
    assert forged != data
    with pytest.raises(MmsimError, match="of 61 values instead of 60|damaged"):
        check_footer(forged, {"a": None}, range(60, 61))


def test_whatever_is_damaged_the_answer_is_a_sentence() -> None:
    whole = parquet_bytes(pl.DataFrame({"a": range(50), "b": [str(number) for number in range(50)]}))
    chance, refused = random.Random(1), 0
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.1:
            del data[chance.randrange(len(data)) :]
        try:
            check_footer(bytes(data), {"a": None, "b": None}, range(50, 51))
        except MmsimError:
            refused += 1
    assert 1000 < refused < 3000
