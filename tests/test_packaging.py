"""What travels with mmsim: the wheel holds its data and its compiled code, and works from an empty folder.

A wheel takes the libraries from the cache where they have been built before; `make test` sees to that.
"""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from mmsim import __version__
from mmsim.compiled import execution_mode
from mmsim.metromania.rules import boardfile

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def from_the_wheel(unpacked: Path, cwd: Path, *words: str) -> str:
    """Run Python in an empty folder with nothing but the unpacked wheel beside the installed dependencies."""
    env = {**os.environ, "PYTHONPATH": str(unpacked), "MMSIM_CACHE_DIR": str(cwd / "cache")}
    done = subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_the_package_its_data_and_the_command(wheel: Path) -> None:
    assert (
        wheel.name
        == f"mmsim-{__version__}-py3-none-{'manylinux_2_17_x86_64' if execution_mode.can_build() else 'any'}.whl"
    )
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        scripts = archive.read(f"mmsim-{__version__}.dist-info/entry_points.txt").decode()
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mmsim").rglob("*.py")}
    kinds = ("boards", "experiments", "docs/rules")
    data = {f"mmsim/data/{kind}/{file.name}" for kind in kinds for file in (ROOT / kind).iterdir()}
    assert {"mmsim/data/boards/classic.toml", "mmsim/data/experiments/municipality-4p.toml"} <= data
    assert "mmsim/data/docs/rules/metromania.md" in data
    assert modules | data | {"mmsim/py.typed"} <= names
    assert scripts.split() == ["[console_scripts]", "mmsim", "=", "mmsim.cli.app:main"]
    assert not [name for name in names if name.startswith(("tests/", "docs/")) or "__pycache__" in name]


_TELL = """
import sys
from mmsim.cli.commands import app
from mmsim.system.package_data import data_folder
from mmsim.core.game import Variant
from mmsim.games import GAMES, find_game, find_shell
print(data_folder("boards"))
for words in ("boards list", "rules explain TT6", "bots show expert"):
    try:
        app(words.split())
    except SystemExit as end:
        assert not end.code, words
for name in GAMES:
    game = find_game(name)
    game.play_games(game.prepare(Variant(find_shell(name).usual_rules, bots="planner")), 0, 1)
print([module for module in ("numba", "llvmlite") if module in sys.modules])
"""


@pytest.fixture(scope="session")
def told(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a process prints that finds data and plays both games, and leaves nothing where it is."""
    folder = tmp_path_factory.mktemp("empty")
    printed = from_the_wheel(unpacked, folder, "-c", _TELL).splitlines()
    assert list(folder.iterdir()) == []
    return printed


def test_the_unpacked_wheel_finds_boards_rules_and_nets_from_an_empty_folder(unpacked: Path, told: list[str]) -> None:
    assert Path(told[0]) == unpacked / "mmsim" / "data" / "boards"
    printed = "\n".join(told)
    assert all(name in printed for name in boardfile.shipped_names())
    assert "TT6  metromania" in printed
    assert "made by: mmsim bots train expert " in printed  # its net


def test_the_unpacked_wheel_plays_and_verifies_a_game(unpacked: Path, tmp_path: Path) -> None:
    assert " wins with " in from_the_wheel(unpacked, tmp_path, "-m", "mmsim", "play", "--quiet", "--record", "a.json")
    assert from_the_wheel(unpacked, tmp_path, "-m", "mmsim", "verify", "a.json").startswith("a.json:1: ok, ")


@pytest.mark.skipif(not execution_mode.can_build(), reason="no library can be made here")
def test_the_unpacked_wheel_plays_both_games_without_compiling_anything(told: list[str]) -> None:
    assert told[-1] == "[]"


def test_the_version_is_told_once(unpacked: Path) -> None:
    metadata = (unpacked / f"mmsim-{__version__}.dist-info" / "METADATA").read_text(encoding="utf-8")
    assert f"\nVersion: {__version__}\n" in metadata
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"]
