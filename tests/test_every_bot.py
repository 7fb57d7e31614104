"""Every bot of both games chooses the same moves in every execution mode, with no index out of bounds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.metro.bots import BOTS as METRO_BOTS
from mmsim.metromania.bots import BOTS as METROMANIA_BOTS
from tests import every_bot


def run(**env: str) -> list[str]:
    """The output of `tests.every_bot` with some environment variables set."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.every_bot"],
        env={**os.environ, **env},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


@pytest.fixture(scope="module")
def compiled() -> list[str]:
    return list(every_bot.lines())


def test_every_bot_chooses_moves(compiled: list[str]) -> None:
    lines = [json.loads(line) for line in compiled]
    assert {(game, bot.partition(":")[0]) for game, _, _, bot, _ in lines} == {
        *(("metromania", bot) for bot in METROMANIA_BOTS),
        *(("metro", bot) for bot in METRO_BOTS),
    }
    assert {(rules, players) for _, rules, players, _, _ in lines} == {
        (rules, players) for rules, players, _ in (*every_bot.METROMANIA, *every_bot.METRO)
    }
    assert all(chosen for *_, chosen in lines)


def test_every_bot_chooses_the_same_in_plain_python_where_no_index_is_out_of_bounds(compiled: list[str]) -> None:
    assert run(MMSIM_JIT="0") == compiled


@pytest.mark.slow(minutes=3)
def test_every_bot_chooses_the_same_where_compiled_code_checks_its_indices(compiled: list[str]) -> None:
    assert run(MMSIM_BOUNDSCHECK="1") == compiled
