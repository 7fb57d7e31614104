"""`mmsim openings`: the book as tables, JSON and CSV."""

import json
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from tests.cli.runner import complaint, output
from tests.runs import write_run

USAGE = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("openings") / "small"
    return write_run(path, ("print", "print+loyal"), games=12, part_games=6, bots="planner")


def test_every_seat_has_a_column_and_the_rest_is_summed_up(folder: Path) -> None:
    text = output("openings", folder, "--variant", "print", "--by", "turn", "--top", 1)
    assert "print-4p, planner, by turn" in text
    assert "print+loyal" not in text
    for words in ("seat 1: share, wins", "seat 4: share, wins", " more ", "12 games", "entropy", " bits "):
        assert words in text


def test_json_and_csv_have_the_same_rows(folder: Path) -> None:
    rows = json.loads(output("openings", folder, "--by", "start", "--by", "opening", "--json"))
    assert {row["by"] for row in rows} == {"start", "opening"}
    assert {row["variant"] for row in rows} == {"print-4p", "print+loyal-4p"}
    read = pl.read_csv(StringIO(output("openings", folder, "--by", "start", "--by", "opening", "--csv")))
    assert read.columns == list(rows[0])
    assert read["games"].to_list() == [row["games"] for row in rows]


def test_what_is_not_there_is_named(folder: Path) -> None:
    assert "unknown variant 'nl'" in complaint(USAGE, "openings", folder, "--variant", "nl")
    assert "choose one" in complaint(USAGE, "openings", folder, "--json", "--csv")
