"""A third game, installed as a package, goes through every command without an edit to mmsim."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.sharing import made_once
from tests.toy.commands import COMMANDS

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a process with the toy installed has run all commands."""
    return made_once(tmp_path_factory, "toy", carry_out)


def carry_out(folder: Path) -> None:
    folder.mkdir()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "installed")])}
    subprocess.run([sys.executable, "-m", "tests.toy.commands", folder], env=env, cwd=ROOT, check=True)


@pytest.fixture(scope="module")
def printed(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "printed.json").read_text())
    return found


def out(printed: dict[str, Any], start: str) -> str:
    return next(str(answer["out"]) for command, answer in printed.items() if command.startswith(start))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_plays_the_third_game(printed: dict[str, Any], command: str) -> None:
    assert printed[command]["code"] == 0, printed[command]


def test_its_games_are_played_recorded_and_verified(printed: dict[str, Any], folder: Path) -> None:
    assert "Score sheet" in out(printed, "play")
    assert "game.json:1: ok" in out(printed, "verify")
    assert out(printed, "check").startswith("run: ok, 10 parts, 20 games replayed")
    assert len((folder / "seats.csv").read_text().splitlines()) == 1 + 2 * 300 * 3


def test_its_own_metrics_are_compared(printed: dict[str, Any]) -> None:
    compared = pl.read_csv(out(printed, "compare run").encode())
    assert {"rolls", "score", "win_share"} <= set(compared["metric"])
    answer = json.loads(out(printed, "compare dice"))
    rolls = [one for one in answer["comparisons"] if one["metric"] == "rolls"]
    assert [(one["level"], one["verdict"]) for one in rolls] == [("uniform", "lower"), ("bold", "lower")]


def test_its_report_has_its_own_section_gap_and_pictures(printed: dict[str, Any], folder: Path) -> None:
    page = (folder / "report" / "report.html").read_text(encoding="utf-8")
    sections = re.findall(r'<section id="([a-z-]+)"', page)
    assert {"seats", "scores", "lead", "rolls", "variants", "remarkable-games", "gaps"} <= set(sections)
    assert "Nobody rolls a die." in page
    assert page.count("data:image/svg+xml;base64,") == 3
    assert "With hold 4, scores are higher (by" in out(printed, "report")
    assert "<dt>boards</dt>" not in page
    charts = {path.stem for path in (folder / "report" / "charts").glob("*.svg")}
    assert "rolls" in charts
    assert "ends" not in charts  # all games end alike: no chart of a number that never varies


def test_its_bots_are_rated(printed: dict[str, Any]) -> None:
    ratings = json.loads(out(printed, "ladder"))["ratings"]
    assert [one["bot"] for one in ratings] == ["bold", "uniform"]
