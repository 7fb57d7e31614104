"""Rows of a game as frames and as Parquet files."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import duckdb
import numpy as np
import polars as pl

from mmsim.core.bots import Bot
from mmsim.core.seating import Seating
from mmsim.tables.columns import Column, row_types
from mmsim.tables.frames import TabledGame, codes_to_text, parquet_bytes

TABLES = {
    "games": (
        Column("game", np.uint64, "number of the game"),
        Column("layout", np.uint32, "a text of many"),
        Column("status", np.uint8, "one of two words"),
        Column("reason", np.int8, "one of three words", "there is none"),
        Column("winner", np.int8, "a number", "the win is shared"),
        Column("coverage", np.float32, "a share"),
        Column("early", np.bool_, "yes or no"),
    ),
    "seats": (
        Column("game", np.uint64, "number of the game"),
        Column("seat", np.uint8, "number of the seat"),
        Column("player", np.uint8, "number of the player"),
    ),
}


class Tabled(TabledGame):
    declared: ClassVar = TABLES
    words: ClassVar = {"status": ("finished", "bot_error"), "reason": ("a", "b", "c")}
    texts: ClassVar = {"layout": lambda codes: codes_to_text(codes, lambda code: f"text {code}" if code else None)}


Tabled.__abstractmethods__ = frozenset()  # only its tables are tested


def prepared(*bots: str, rotate: bool = False) -> Any:
    seating = Seating(tuple(Bot(name, "", {}) for name in bots), range(len(bots)), rotate)
    return SimpleNamespace(shared_name="print-2p", level="one,two", seating=seating)


def games() -> Any:
    rows = np.zeros(4, row_types(TABLES)["games"])
    rows["game"], rows["layout"], rows["status"] = [4, 5, 6, 7], [7, 0, 7, 9], [0, 1, 0, 0]
    rows["reason"], rows["winner"], rows["coverage"] = [2, -1, 0, 1], [-1, 0, 1, -1], [0.5, 0.25, 1, 0]
    rows["early"] = [True, False, False, True]
    return rows


def test_codes_become_words_and_texts_and_negative_ones_are_missing() -> None:
    frame = Tabled().frame(prepared("one", "two", rotate=True), "games", games())
    assert frame.schema == Tabled().tables["games"]
    assert frame.to_dict(as_series=False) == {
        "variant": ["print-2p"] * 4,
        "level": ["one,two"] * 4,
        "game": [4, 5, 6, 7],
        "deal": [2, 2, 3, 3],
        "seating": [0, 1, 0, 1],
        "layout": ["text 7", None, "text 7", "text 9"],
        "status": ["finished", "bot_error", "finished", "finished"],
        "reason": ["c", None, "a", "b"],
        "winner": [None, 0, 1, None],
        "coverage": [0.5, 0.25, 1.0, 0.0],
        "early": [True, False, False, True],
    }


def test_every_seat_has_the_bot_that_played_it() -> None:
    rows = np.zeros(4, row_types(TABLES)["seats"])
    rows["game"], rows["seat"] = [0, 0, 1, 1], [0, 1, 0, 1]
    rotated = Tabled().frame(prepared("one", "two", rotate=True), "seats", rows)
    assert rotated["bot"].to_list() == ["one", "two", "two", "one"]
    alike = Tabled().frame(prepared("one", "one"), "seats", rows)
    assert alike["bot"].to_list() == ["one"] * 4


def test_two_readers_find_the_rows_that_were_written(tmp_path: Path) -> None:
    frame, file = Tabled().frame(prepared("one", "two"), "games", games()), tmp_path / "games.parquet"
    file.write_bytes(parquet_bytes(frame))
    read = pl.read_parquet(file)
    assert read.schema == frame.schema
    assert read.equals(frame)
    assert duckdb.sql(f"SELECT * FROM '{file}'").fetchall() == frame.rows()


def test_a_file_does_not_depend_on_what_else_the_process_has_read() -> None:
    """Polars numbers categories in the order in which a process meets them."""
    program = (
        "import polars as pl; from tests.tables.test_frames import *;"
        "pl.Series([f'L{code}' for code in range(1000)], dtype=pl.Categorical());"
        "print(parquet_bytes(Tabled().frame(prepared('one', 'two'), 'games', games())).hex())"
    )
    elsewhere = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert bytes.fromhex(elsewhere) == parquet_bytes(Tabled().frame(prepared("one", "two"), "games", games()))
