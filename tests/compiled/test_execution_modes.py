"""The same games in every execution mode: as plain Python, from a library, by Numba alone."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mmsim.core.variant import Variant
from mmsim.games import find_game

ROOT = Path(__file__).parents[2]

VARIANTS: list[tuple[str, dict[str, Any], int]] = [  # game, variant, games
    ("metromania", {"rules": "print", "players": 4}, 2),
    ("metromania", {"rules": "v2", "players": 3, "board": "compact", "seed": 2}, 2),
    ("metromania", {"rules": "nl", "players": 2, "board": "compact", "seed": 3}, 2),
    ("metromania", {"rules": "en1+advanced", "players": 2, "board": "open", "seed": 4}, 2),
    ("metromania", {"rules": "print,stations=2,dig=5,change_minutes=0,markers_per_turn=2", "board": "compact"}, 2),
    ("metromania", {"rules": "v2+no-corruption,ride_minutes=20,tunnels_per_line=40,end_lines=8", "board": "grand"}, 2),
    ("metromania", {"rules": "print+hidden", "board": "compact", "bots": "greedy,uniform,uniform,uniform"}, 1),
    ("metro", {"rules": "metro", "players": 4}, 2),
    ("metro", {"rules": "metro+companies+stations", "players": 3}, 2),
    ("metro", {"rules": "metro+central+numbers", "players": 4, "bots": "greedy,uniform,uniform,uniform"}, 1),
]


_PLAY = """
import json, sys
from mmsim.compiled import execution_mode
from tests.compiled.test_execution_modes import VARIANTS, play
assert execution_mode.current() == execution_mode.PLAIN
for case in VARIANTS:
    print(json.dumps(play(*case)))
assert "numba" not in sys.modules
"""


def play(name: str, variant: dict[str, Any], count: int) -> list[Any]:
    """A digest of the rows of some games, and the record of the first."""
    game = find_game(name)
    prepared = game.prepare(Variant(**variant))
    rows = game.play_games(prepared, 0, count)
    digest = hashlib.sha256(b"".join(rows[table].tobytes() for table in rows)).hexdigest()
    return [digest, game.record(prepared, 0)]


def run(program: list[str], **changed: str) -> str:
    process = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", *program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **changed},
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_plain_python_plays_the_games_of_this_process() -> None:
    plain = run(["-c", _PLAY], MMSIM_JIT="0").splitlines()
    for case, line in zip(VARIANTS, plain, strict=True):
        assert json.loads(line) == json.loads(json.dumps(play(*case))), case


@pytest.mark.slow(minutes=2)
@pytest.mark.parametrize("words", ["metromania print 4p roomy", "metromania v2+regular 2p grand", "metro metro"])
def test_numba_alone_plays_the_committed_games(words: str) -> None:
    answer = run(["-m", "benchmarks.digests", words], MMSIM_LINK="0")
    assert " digests as committed" in answer
    assert not answer.startswith("0 ")
