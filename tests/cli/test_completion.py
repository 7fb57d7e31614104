"""The Tab key offers names that the rest of the line allows, and imports nothing slow for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.analysis.run_metrics import declared_metrics
from mmsim.cli import completion
from mmsim.games import GAMES, find_statistics
from tests.batch.helpers import ROOT
from tests.cli.runner import run
from tests.runs import write_run


def offered(line: str) -> list[str]:
    """What bash would show for a line whose last word is being written."""
    return run(_MMSIM_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(line.count(" "))).output.split()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("line", "first", "more"),
    [
        ("mmsim play --rules pr", "print", 1),
        ("mmsim play --rules print+lo", "print+loyal", 1),
        ("mmsim play --rules print+loyal,change_m", "print+loyal,change_minutes=", 1),
        ("mmsim play --rules metro+fr", "metro+free", 1),
        ("mmsim rules show ", "en1", 5),
        ("mmsim rules diff print v", "v2", 1),
        ("mmsim play --bots planner,netw", "planner,networker", 1),
        ("mmsim bots show plan", "planner", 1),
        ("mmsim ladder --bots gre", "greedy", 1),
        ("mmsim boards show co", "compact", 1),
        ("mmsim run --board gr", "grand", 1),
        ("mmsim run municipality-4", "municipality-4p", 1),
        ("mmsim experiments show two", "two-players", 1),
        ("mmsim compare --metric seat_im", "seat_imbalance", 1),
        ("mmsim sweep print --vary change_m", "change_minutes=", 1),
        ("mmsim rules list --game metroma", "metromania", 1),
    ],
)
def test_names_are_offered(line: str, first: str, more: int) -> None:
    assert offered(line)[0] == first
    assert len(offered(line)) == more


def test_values_of_a_knob_are_offered(here: Path) -> None:
    (here / "house.toml").write_text('base = "print"\n')
    assert offered("mmsim play --rules ho") == ["house.toml"]
    shells = completion.find_shell("metromania")
    assert completion._settings(shells.knobs, "trigger_turn=") == ["trigger_turn=stop", "trigger_turn=finish"]
    assert completion._settings(shells.knobs, "end_overflow=") == ["end_overflow=true", "end_overflow=false"]


def test_runs_and_their_variants_are_offered(here: Path) -> None:
    write_run(here / "runs" / "mine", ["print", "print+loyal"], games=4, part_games=4)
    assert offered("mmsim report r") == ["runs/mine"]
    assert offered("mmsim record runs/mine --variant print+") == ["print+loyal-4p"]
    assert offered("mmsim compare runs/mine --reference pr") == ["print-4p", "print+loyal-4p"]
    assert offered("mmsim record runs/none --variant p") == []


def test_every_metric_is_offered() -> None:
    for game in GAMES:
        known = [metric.name for metric in find_statistics(game).metrics] + list(completion.DERIVED_METRICS)
        assert known == [measure.name for measure in declared_metrics(game)]


COMPLETED = """
import os, sys
from mmsim.cli.commands import app
for line in ("mmsim play --rules p", "mmsim play --bots p", "mmsim run m", "mmsim compare --metric s"):
    os.environ |= {"_MMSIM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    print(line, flush=True)
    try:
        app([])
    except SystemExit:
        pass
    slow = [name for name in ("numba", "llvmlite", "scipy", "matplotlib") if name in sys.modules]
    assert not slow, (line, slow)
"""


def test_nothing_slow_is_imported_for_it(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", COMPLETED], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    offers = done.stdout.split("mmsim ")[1:]
    assert len(offers) == 4
    assert all(len(offer.splitlines()) > 1 for offer in offers)
