"""Tables of a run for other programs, and the page that tells how to read them."""

import re
import shlex
import zipfile
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from mmsim.batch import export as exporting
from mmsim.batch.export import SUFFIXES, export
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.core.levels import Level
from mmsim.errors import UsageError
from mmsim.games import find_game
from tests.batch.helpers import ROOT, toy
from tests.cli.runner import run as command_line

PAGE = (ROOT / "docs" / "how-to" / "export.md").read_text(encoding="utf-8")


@pytest.fixture
def run(toy_game: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    made = Run.create(Path("runs/loyal"), toy())
    Session(made, 1).carry_out()
    return made


def test_what_the_page_shows_can_be_done(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for line in re.findall(r"^mmsim (.*?)\s*(?:#.*)?$", PAGE, re.M):
        done = command_line(*shlex.split(line))
        assert done.exit_code == 0, done.output
    printed = []
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.S):
        exec(block, {})
        printed.append(capsys.readouterr().out)
    means = run.seats.group_by("seat").agg(pl.col("win_share").mean()).sort("seat").collect()["win_share"]
    for text in printed:
        assert [float(share) for share in re.findall(r"\b0\.\d{4,}", text)] == pytest.approx([*means], abs=1e-4)


def test_a_workbook_has_a_sheet_for_every_table(run: Run) -> None:
    rows = export(run, None, Path("all.xlsx"))
    assert rows == sum(run.table(name).collect().height for name in run.table_names)
    with zipfile.ZipFile("all.xlsx") as book:
        listed = book.read("xl/workbook.xml").decode()
        strings = book.read("xl/sharedStrings.xml").decode()
    assert re.findall(r'<sheet name="(\w+)"', listed) == run.table_names
    columns = {*run.seats.collect_schema()}
    assert {f"<t>{name}</t>" for name in columns} <= set(re.findall(r"<t>\w+</t>", strings))


@pytest.mark.parametrize("levels", [("bold", "uniform"), ("bold",)])
def test_variant_and_level_have_columns_of_their_own(
    toy_game: None, tmp_path: Path, levels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    experiment = replace(toy(), bots="", levels=tuple(Level(name, name, name) for name in levels))
    played = Run.create(Path("run"), experiment)
    Session(played, 1).carry_out()
    steps: list[str] = []
    for name in ("seats.csv", "seats.parquet"):
        export(played, "seats", Path(name), steps.append)
    assert re.fullmatch(r"writing [\d,]+ rows of seats", steps[-1])
    export(played, None, Path("all.duckdb"))
    import duckdb

    with duckdb.connect("all.duckdb", read_only=True) as database:
        rows = database.sql("SELECT * FROM seats")
        tables = [pl.DataFrame(rows.fetchall(), rows.columns, orient="row")]
    tables += [pl.read_csv("seats.csv"), pl.read_parquet("seats.parquet"), pl.read_parquet("run/seats/*.parquet")]
    tables += [played.seats.collect()]
    for table in tables:
        assert table.columns[:2] == ["variant", "level"]
        assert set(table["level"]) == {*levels}
        assert not any("~" in name for name in table["variant"])
    assert tables[1].height == played.seats.collect().height


def test_the_formula_of_the_page_names_the_columns_it_means() -> None:
    letters = {name: chr(ord("A") + place) for place, name in enumerate(find_game("metromania").tables["seats"])}
    wanted = [letters[name] for name in ("win_share", "variant", "level", "seat")]
    (formula,) = re.findall(r"=AVERAGEIFS\(.*\)", PAGE)
    assert re.findall(r"seats!(\w):", formula) == wanted


def test_a_table_longer_than_a_sheet_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "_MAX_SHEET_ROWS", 10)
    with pytest.raises(UsageError, match=r"rows and a sheet holds at most 10; export \.csv, \.parquet or \.duckdb"):
        export(run, "seats", Path("seats.xlsx"))
    assert not Path("seats.xlsx").exists()


def test_an_ending_that_says_nothing_is_refused(run: Run) -> None:
    for name in ("seats", "seats.cvs", "seats.xls"):
        with pytest.raises(UsageError, match=rf"cannot export to '{name}': its name must end in {SUFFIXES[0]}"):
            export(run, "seats", Path(name))


def test_a_file_of_one_table_must_be_told_which(run: Run) -> None:
    with pytest.raises(UsageError, match=r"holds one table; say which with --table: games, seats"):
        export(run, None, Path("all.csv"))
