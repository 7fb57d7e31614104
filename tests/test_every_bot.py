"""Every bot of both games thinks without an index out of bounds, and alike however its code is run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.metro.bots import BOTS as METRO_BOTS
from mmsim.metromania.bots import BOTS as METROMANIA_BOTS
from tests import every_bot


def run(**how: str) -> list[str]:
    """What `tests.every_bot` prints when it is run in a certain way."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.every_bot"],
        env={**os.environ, **how},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def compiled() -> list[str]:
    return list(every_bot.lines())


def test_every_bot_has_something_to_choose(compiled: list[str]) -> None:
    lines = [json.loads(line) for line in compiled]
    assert {(game, bot.partition(":")[0]) for game, _, _, bot, _ in lines} == {
        *(("metromania", bot) for bot in METROMANIA_BOTS),
        *(("metro", bot) for bot in METRO_BOTS),
    }
    of_metromania = 5 * len(METROMANIA_BOTS) - 3 * len(every_bot.ALIKE["metromania"])
    assert len(lines) == of_metromania + 4 * len(METRO_BOTS) - 2 * len(every_bot.ALIKE["metro"])
    assert all(chosen for *_, chosen in lines)


def test_every_bot_thinks_alike_in_plain_python_where_no_index_is_out_of_bounds(compiled: list[str]) -> None:
    assert run(MMSIM_JIT="0") == compiled


@pytest.mark.slow
def test_every_bot_thinks_alike_where_compiled_code_checks_its_indices(compiled: list[str]) -> None:
    assert run(MMSIM_BOUNDSCHECK="1") == compiled
