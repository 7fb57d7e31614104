"""Bots in processes of their own: the same games, only views handed over, and a bot that takes too long is ended."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.metromania.game import Metromania

METROMANIA = Metromania()
BOTS = """
import os, sys, time

class Chance:
    "Any move."
    def __init__(self, turns=99):
        self.turns = turns

    def choose(self, view, moves):
        print("hello from", os.getpid())
        if view.turn > self.turns:
            raise RuntimeError("enough")
        return moves[view.draws.below(len(moves))]

class Spy:
    def choose(self, view, moves):
        import gc
        from mmsim.core.rng import Stream
        keys = [thing._key for thing in gc.get_objects() if isinstance(thing, Stream) and hasattr(thing, "_key")]
        known = [name for name in sys.modules if name.startswith("mmsim.") and "bots.position" in name]
        raise RuntimeError(f"{keys} {known} {view.hands.count(None)} {view.draws.__dict__.keys()}")

class Slow:
    def choose(self, view, moves):
        if view.turn > 4:
            time.sleep(60)
        return moves[0]

class Gone:
    def choose(self, view, moves):
        os._exit(9)

class Liar:
    def choose(self, view, moves):
        from multiprocessing.connection import Connection
        Connection(int(sys.argv[1])).send_bytes(b'{"move": 100000}')
        time.sleep(60)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mybots.py"
    path.write_text(BOTS)
    return str(path)


def play(bots: str, games: int = 2, seconds: float | None = 20.0) -> Any:
    prepared = METROMANIA.prepare(Variant("print+hidden", 4, "compact", bots, 5, move_seconds=seconds))
    return prepared, METROMANIA.play_games(prepared, 0, games)


def test_games_are_the_same_to_the_byte_in_processes_of_their_own(file: str, capfd: pytest.CaptureFixture[str]) -> None:
    bots = f"{file}:Chance,{file}:Chance,uniform,uniform"
    apart, games_apart = play(bots)
    here, games_here = play(bots, seconds=None)
    assert games_apart.errors == games_here.errors == ()
    assert all(games_apart[table].tobytes() == games_here[table].tobytes() for table in games_apart)
    assert apart.bots[0].player is None
    assert [bot.spec for bot in apart.bots] == [bot.spec for bot in here.bots]
    printed = capfd.readouterr()
    assert f"hello from {os.getpid()}" in printed.out
    processes = {line for line in printed.err.splitlines() if line.startswith("hello from ")}
    assert len(processes) == 2  # one per seat, for all games; what they print is not our output


def test_the_memory_of_a_bot_s_process_holds_no_seed_and_no_position(file: str) -> None:
    _, played = play(f"{file}:Spy,uniform,uniform,uniform", 1)
    assert played.errors[0].message == "RuntimeError: [] [] 3 dict_keys(['_pipe']) (mybots.py, line 21)"


@pytest.mark.parametrize(
    ("cls", "says"),
    [
        ("Slow", "took too long for a move, and was ended"),
        ("Gone", "its process ended with code 9"),
        ("Liar", "its process answered 100000, which is not a move"),
        ("Chance:turns=4", "RuntimeError: enough"),
    ],
)
def test_what_goes_wrong_in_a_bot_s_process_ends_its_game_only(file: str, cls: str, says: str) -> None:
    began = time.monotonic()
    _, played = play(f"uniform,uniform,{file}:{cls},uniform", 2, seconds=2.0)
    assert [(error.game, error.seat) for error in played.errors] == [(0, 2), (1, 2)]
    assert all(says in error.message for error in played.errors)
    assert time.monotonic() - began < 50


@pytest.mark.parametrize(
    ("spec", "kind", "says"),
    [
        ("{file}:Chnce", UsageError, "unknown class in {file} 'Chnce'; did you mean 'Chance'?"),
        ("nowhere.py:Bot", UsageError, "there is no file nowhere.py"),
        ("gest", UsageError, "unknown bot 'gest'"),
        ("{broken}:Bot", MmsimError, "cannot be run: SystemExit: 3"),
    ],
)
def test_a_bot_that_is_not_there_is_refused_as_anywhere(
    file: str, tmp_path: Path, spec: str, kind: type[MmsimError], says: str
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(3)")
    with pytest.raises(kind) as refused:
        play(spec.format(file=file, broken=broken))
    assert says.format(file=file) in str(refused.value)
