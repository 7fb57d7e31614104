"""`mmsim heat`: pictures of where things are, from games that are played again once."""

from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.tables import open_run
from mmsim.batch import side_tables
from mmsim.batch.run import Run
from mmsim.report.game_sections import heat_pictures
from tests.cli.runner import complaint, run
from tests.runs import write_run

USAGE = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("heat") / "small"
    return write_run(path, ("print", "print+loyal"), games=6, part_games=6, levels=["planner", "networker"])


def draw(folder: Path, out: Path, *words: object) -> str:
    alone = () if "--workers" in words else ("--workers", 1)
    result = run("heat", folder, *words, *alone, "--out", out)
    assert result.exit_code == 0, result.stderr
    return out.read_text(encoding="utf-8") if out.suffix == ".svg" else ""


def test_what_lies_where_agrees_with_the_tables(folder: Path, tmp_path: Path) -> None:
    picture = draw(folder, tmp_path / "heat.svg", "--variant", "print", "--games", 6)
    for words in ("print-4p, planner", "tunnels", "stations", "markers", "seat 4", "6 games"):
        assert words in picture
    counts = pl.read_parquet(folder / "end_positions.parquet").group_by("what", "seat").agg(pl.col("count").sum())
    counted = {(what, seat): count for what, seat, count in counts.iter_rows()}
    seats = Run(folder).table("seats").filter(variant="print-4p", level="planner").collect()
    for seat in range(4):
        of_seat = seats.filter(pl.col("seat") == seat)
        assert counted["tunnels", seat] == of_seat["tunnels"].sum()
        assert counted["markers", seat] == of_seat["markers_placed"].sum()
        assert counted["stations", seat] == of_seat["stations"].sum()


def test_the_first_line_starts_on_side_0(folder: Path, tmp_path: Path) -> None:
    draw(folder, tmp_path / "heat.png", "--games", 6)
    starts = pl.read_parquet(folder / "end_positions.parquet").filter(
        pl.col("what") == "tunnels", pl.col("seat") == 0, pl.col("place").str.starts_with("F_0_")
    )
    assert starts["count"].sum() >= 6


def test_games_are_played_again_once(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = draw(folder, tmp_path / "one.svg", "--variant", "print", "--games", 3)
    monkeypatch.setattr(side_tables, "replay_record", lambda *arguments: pytest.fail("played again"))
    assert draw(folder, tmp_path / "two.svg", "--variant", "print", "--games", 3) == first


def test_any_number_of_workers_counts_the_same(folder: Path, tmp_path: Path) -> None:
    words = ("--variant", "print+loyal", "--games", 5)
    first = draw(folder, tmp_path / "one.svg", *words, "--workers", 1)
    (folder / "end_positions.parquet").unlink()
    assert draw(folder, tmp_path / "two.svg", *words, "--workers", 2) == first


def test_a_variant_against_itself_has_no_colour(folder: Path, tmp_path: Path) -> None:
    words = ("--variant", "print", "--games", 3, "--level", "planner")
    nothing = draw(folder, tmp_path / "same.svg", *words, "--against", "print")
    something = draw(folder, tmp_path / "heat.svg", *words)
    assert 'id="tunnels-0-' in something
    assert 'id="tunnels-0-' not in nothing


def test_a_report_has_the_maps_that_were_asked_for(folder: Path, tmp_path: Path) -> None:
    draw(folder, tmp_path / "other.svg", "--variant", "print+loyal", "--against", "print", "--games", 4)
    draw(folder, tmp_path / "third.svg", "--level", "networker", "--games", 4)
    titles = [one.title for one in heat_pictures(open_run(folder))]
    assert titles == ["Where things lie: planner", "What lies elsewhere: planner", "Where things lie: networker"]
    (folder / "end_positions.parquet").unlink()
    assert heat_pictures(open_run(folder)) == []


def test_the_other_game_has_tiles_and_lines(tmp_path: Path) -> None:
    metro = write_run(tmp_path / "metro", ("metro",), games=4, part_games=4, game="metro", bots="planner")
    draw(metro, tmp_path / "heat.svg", "--games", 4, "--seat", 2)
    table = pl.read_parquet(metro / "end_positions.parquet")
    tiles = Run(metro).table("seats").group_by("seat").agg(pl.col("tiles").sum()).sort("seat").collect()
    laid = table.filter(pl.col("what") == "tiles").group_by("seat").agg(pl.col("count").sum()).sort("seat")
    assert laid["count"].to_list() == tiles["tiles"].to_list()
    assert set(table["what"]) == {"tiles", "lines"}


def test_what_cannot_be_drawn_is_said(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "heat.svg"
    assert "ends in .svg or .png" in complaint(USAGE, "heat", folder, "--out", tmp_path / "heat.gif")
    assert "seats 1 to 4, not 5" in complaint(USAGE, "heat", folder, "--seat", 5, "--out", out)
    assert "has 6 finished games" in complaint(USAGE, "heat", folder, "--games", 7, "--out", out)
    assert "unknown level 'expert'" in complaint(USAGE, "heat", folder, "--level", "expert", "--out", out)
