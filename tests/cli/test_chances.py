"""`mmsim chances`: the first games per variant, the same with any number of workers, and a section of the report."""

import json
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.compare import compare
from mmsim.analysis.run_metrics import estimate_run
from mmsim.analysis.tables import open_run
from mmsim.analysis.win_chances import COLUMNS
from mmsim.batch.run import Run
from tests.cli.runner import complaint, run
from tests.runs import write_run

USAGE = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chances") / "small"
    return write_run(path, ("print", "print+loyal"), games=12, part_games=6, bots="planner")


def sample(folder: Path, games: int, *words: object) -> pl.DataFrame:
    result = run("chances", folder, "--games", games, "--playouts", 4, *words)
    assert result.exit_code == 0, result.stderr
    return pl.read_parquet(folder / "win_chances.parquet")


def test_games_are_the_first_of_every_variant_and_those_known_are_kept(folder: Path) -> None:
    first = sample(folder, 1, "--workers", 1)
    table = sample(folder, 2, "--workers", 2)
    games = [("print-4p", game) for game in range(2)] + [("print+loyal-4p", game) for game in range(2)]
    assert table.select("variant", "game").unique(maintain_order=True).rows() == games
    assert table.filter(game=0).equals(first)
    sums = table.group_by("variant", "game", "turn").agg(pl.col("chance").sum())["chance"]
    assert sums.to_list() == pytest.approx([1] * len(sums))
    (folder / "win_chances.parquet").unlink()
    assert sample(folder, 2, "--workers", 1).equals(table)


def test_a_run_with_chances_has_tension_of_those_games(folder: Path) -> None:
    (folder / "win_chances.parquet").unlink(missing_ok=True)
    sample(folder, 2, "--workers", 1)
    read = open_run(folder)
    assert sorted(read.tables["tension"].collect()["game"]) == [0, 0, 1, 1]
    assert [block["tension"].collect().height for block in read.blocks()] == [4]
    answer = run("compare", folder, *(word for name in COLUMNS for word in ("--metric", name)))
    assert answer.exit_code == 0, answer.stderr
    assert "drama (drama, exploratory)" in answer.stdout


def test_estimating_chances_later_moves_no_verdict(folder: Path) -> None:
    (folder / "win_chances.parquet").unlink(missing_ok=True)
    before = {(one.measure.name, one.group): one for one in compare(estimate_run(open_run(folder)), primary=["margin"])}
    sample(folder, 2, "--workers", 1)
    after = {(one.measure.name, one.group): one for one in compare(estimate_run(open_run(folder)), primary=["margin"])}
    assert {name for name, _ in {*after} - {*before}} == {*COLUMNS}
    assert all(after[key].rows() == before[key].rows() for key in before)
    assert {after[name, ""].levels[0].family for name in COLUMNS} == {len(COLUMNS)}


def test_chances_are_set_against_what_came_of_them(folder: Path) -> None:
    (folder / "win_chances.parquet").unlink(missing_ok=True)
    words = ("chances", folder, "--games", 2, "--playouts", 4, "--workers", 1)
    printed = run(*words, "--calibration")
    assert printed.exit_code == 0, printed.stderr
    assert "Chances before the last turn of 4 games, 4 playouts each" in printed.stdout
    assert "Brier score" in printed.stdout
    (calibration,) = json.loads(run(*words, "--json").stdout).values()
    turns = Run(folder).table("games").filter(pl.col("game") < 2).select(pl.col("turns").sum()).collect().item()
    assert sum(one["forecasts"] for one in calibration["bins"]) == 4 * turns
    assert calibration["fair"]["value"] == pytest.approx(0.1875, abs=0.05)  # a quarter each; less where a win is shared


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    assert "there is no run" in complaint(USAGE, "chances", tmp_path / "nowhere")


def test_tension_of_a_run_without_chances_names_the_command(folder: Path) -> None:
    (folder / "win_chances.parquet").unlink(missing_ok=True)
    assert f"mmsim chances {folder}" in complaint(USAGE, "compare", folder, "--metric", "drama")
