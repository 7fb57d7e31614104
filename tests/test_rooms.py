"""The rooms of the house: who may know whom."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.games import GAMES, TITLES

MMSIM = Path(__file__).parent.parent / "mmsim"
ROOMS = ("core", "metromania", "metro", "batch", "analysis", "report", "cli")  # each may import from those before it
NAME = re.compile(rf"\b({'|'.join((*GAMES, *TITLES))})\b")


@pytest.mark.parametrize("room", ["core", "batch", "analysis", "report", "cli"])
def test_no_room_but_its_own_names_a_game(room: str) -> None:
    files = [path for path in (MMSIM / room).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) > 5
    named = [
        f"{path.relative_to(MMSIM)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if NAME.search(line)
    ]
    assert named == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_above_it(room: str) -> None:
    above = set(ROOMS[: ROOMS.index(room) + 1])
    if room in GAMES:
        above -= set(GAMES) - {room}  # the games know nothing of each other
    for path in (MMSIM / room).rglob("*.py"):
        imported = set(re.findall(r"^\s*from mmsim\.(\w+)", path.read_text(encoding="utf-8"), re.M))
        assert imported & set(ROOMS) <= above, path
        assert "games" not in imported or room not in ("core", *GAMES), path


def test_the_command_line_starts_without_games_and_slow_libraries() -> None:
    slow = ("numba", "polars", "matplotlib", "scipy", *(f"mmsim.{game}" for game in GAMES))
    program = f"import sys, mmsim.cli.app; print([name for name in {slow!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
