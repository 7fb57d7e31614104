"""Bots in processes of their own: the same games, only views handed over, and a bot that takes too long is ended."""

import os
import re
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from mmsim.core.bot_process import MEMORY_BYTES
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.metromania.game import Metromania

METROMANIA = Metromania()
BOTS = """
import os, struct, sys, time

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

def send(text, length=None):
    os.set_blocking(int(sys.argv[1]), True)
    os.write(int(sys.argv[1]), struct.pack("!I", len(text) if length is None else length) + text)

class Liar:
    def choose(self, view, moves):
        send(b'{"move": 100000}')
        time.sleep(60)

class Boaster:
    def choose(self, view, moves):
        send(b'{"move": "' + 60_000 * b"x" + b'"}')
        time.sleep(60)

class Nester:
    def choose(self, view, moves):
        send(60_000 * b"[")
        time.sleep(60)

class Flooder:
    def choose(self, view, moves):
        while True:
            send(b'{"draw": 1}')  # and never reads

class Starter:
    def choose(self, view, moves):
        send(b'{"mo', 14)  # and never goes on
        time.sleep(60)

class Longer:
    def choose(self, view, moves):
        while True:
            send(65536 * b"x", 1 << 31)

class Deaf:
    def choose(self, view, moves):
        send(b'{"move": 0}')
        time.sleep(60)  # and does not read the next view

class Drawer:
    def choose(self, view, moves):
        while True:
            view.draws.word()

class Hungry:
    def choose(self, view, moves):
        import mmap
        return mmap.mmap(-1, 5 << 30)

class Noisy:
    def choose(self, view, moves):
        print("\\x1b[2J\\x1b]0;title\\x07", "\u202e", flush=True)
        os.write(2, 5_000_000 * b"noise ")
        return moves[0]

class Parent:
    def choose(self, view, moves):
        import subprocess
        print("started", subprocess.Popen(["sleep", "600"]).pid, flush=True)
        if view.turn > 3:
            time.sleep(60)
        return moves[0]

class Limits:
    def choose(self, view, moves):
        import resource
        names = ("RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_CORE")
        raise RuntimeError(" ".join(str(resource.getrlimit(getattr(resource, name))) for name in names))
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
    assert played.errors[0].message == "RuntimeError: [] [] 3 dict_keys(['_messages']) (mybots.py, line 21)"


@pytest.mark.parametrize(
    ("cls", "says"),
    [
        ("Slow", "took too long for a move, and was ended"),
        ("Gone", "its process ended with code 9"),
        ("Liar", "its process answered 100000, which is not a move"),
        ("Boaster", "its process answered 'xxx"),
        ("Nester", "its process sent an invalid answer"),
        ("Flooder", "took too long for a move, and was ended"),
        ("Starter", "took too long for a move, and was ended"),
        ("Longer", "its process sent an invalid answer"),
        ("Deaf", "took too long for a move, and was ended"),
        ("Drawer", "took too long for a move, and was ended"),
        ("Hungry", "Cannot allocate memory"),
        ("Chance:turns=4", "RuntimeError: enough"),
    ],
)
def test_what_goes_wrong_in_a_bot_s_process_ends_its_game_only(file: str, cls: str, says: str) -> None:
    began = time.monotonic()
    _, played = play(f"uniform,uniform,{file}:{cls},uniform", 2, seconds=2.0)
    assert [(error.game, error.seat) for error in played.errors] == [(0, 2), (1, 2)]
    assert all(says in error.message for error in played.errors)
    assert all(len(error.message) < 1000 for error in played.errors)
    assert time.monotonic() - began < 50


def test_what_a_bot_s_process_prints_is_filtered_and_bounded(file: str, capfd: pytest.CaptureFixture[str]) -> None:
    _, played = play(f"{file}:Noisy,uniform,uniform,uniform", 1)
    assert played.errors == ()
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(r"\x1b[2J\x1b]0;title\x07 \u202e")
    assert len(printed.err) < 100_000
    assert f"bot {file}:Noisy prints more than" in printed.err
    assert printed.err.count("prints more than") == 1


def test_what_a_bot_s_process_has_started_ends_with_it(file: str, capfd: pytest.CaptureFixture[str]) -> None:
    _, played = play(f"{file}:Parent,uniform,uniform,uniform", 1, seconds=2.0)
    assert "took too long for a move" in played.errors[0].message
    children = [int(line.split()[1]) for line in capfd.readouterr().err.splitlines() if line.startswith("started")]
    assert children
    deadline = time.monotonic() + 10
    while any(_is_running(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)  # they have been sent the signal
    assert not [pid for pid in children if _is_running(pid)]


def _is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_bot_s_process_has_limits_of_memory_and_processes_and_leaves_no_core(file: str) -> None:
    _, played = play(f"{file}:Limits,uniform,uniform,uniform", 1)
    limits = [int(number) for number in re.findall(r"-?\d+", played.errors[0].message)[:6]]
    assert limits[0] == limits[1] == MEMORY_BYTES
    assert 0 < limits[2] == limits[3] < resource.getrlimit(resource.RLIMIT_NPROC)[1]
    assert limits[4:] == [0, 0]


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
