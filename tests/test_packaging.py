"""The wheel contains data and compiled code, and works from an empty folder.

The build takes the libraries from the cache if they are there; `make test` builds them first.
"""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from build_tools import backend
from build_tools.installs import differing_files
from mmsim import __version__
from mmsim.compiled import execution_mode
from mmsim.metromania.rules import board_file

ROOT = Path(__file__).parent.parent
NOT_IN_WHEEL = ("benchmarks", "build_tools", "tests")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    process = subprocess.run(build, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_wheel(unpacked: Path, cwd: Path, *words: str) -> str:
    """The output of Python in an empty folder, with the unpacked wheel and the installed dependencies only."""
    env = {**os.environ, "PYTHONPATH": str(unpacked), "MMSIM_CACHE_DIR": str(cwd / "cache")}
    process = subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_the_wheel_holds_the_package_its_data_and_the_command(wheel: Path) -> None:
    platform = "manylinux_2_17_x86_64" if execution_mode.can_build() else "any"
    assert wheel.name == f"mmsim-{__version__}-py3-none-{platform}.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        scripts = archive.read(f"mmsim-{__version__}.dist-info/entry_points.txt").decode()
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mmsim").rglob("*.py")}
    kinds = ("atlas", "boards", "experiments", "docs/rules")
    data = {f"mmsim/data/{kind}/{file.name}" for kind in kinds for file in (ROOT / kind).iterdir()}
    assert {"mmsim/data/boards/roomy.toml", "mmsim/data/experiments/municipality-4p.toml"} <= data
    assert "mmsim/data/docs/rules/metromania.md" in data
    assert modules | data | {"mmsim/py.typed"} <= names
    assert scripts.split() == ["[console_scripts]", "mmsim", "=", "mmsim.cli.app:main"]
    assert {name.split("/")[0] for name in names} == {"mmsim", f"mmsim-{__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".c", ".h"))]


def test_nothing_in_the_package_imports_what_the_wheel_does_not_contain() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in (ROOT / "mmsim").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.split()[:1] in (["from"], ["import"]) and line.split()[1].split(".")[0] in NOT_IN_WHEEL
    ]
    assert wrong == []


_PROGRAM = """
import sys
from mmsim.cli.commands import app
from mmsim.system.files import data_folder
from mmsim.core.variant import Variant
from mmsim.games import GAMES, find_game, find_shell
print(data_folder("boards"))
for words in ("boards list", "rules explain TT6", "bots show expert"):
    try:
        app(words.split())
    except SystemExit as end:
        assert not end.code, words
for name in GAMES:
    game = find_game(name)
    game.play_games(game.prepare(Variant(find_shell(name).default_rules, bots="planner")), 0, 1)
print([module for module in ("numba", "llvmlite") if module in sys.modules])
"""


@pytest.fixture(scope="session")
def printed(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The output of a process that finds data and plays both games; it must not write to its folder."""
    folder = tmp_path_factory.mktemp("empty")
    lines = run_wheel(unpacked, folder, "-c", _PROGRAM).splitlines()
    assert list(folder.iterdir()) == []
    return lines


def test_the_unpacked_wheel_finds_boards_rules_and_nets_from_an_empty_folder(
    unpacked: Path, printed: list[str]
) -> None:
    assert Path(printed[0]) == unpacked / "mmsim" / "data" / "boards"
    text = "\n".join(printed)
    assert all(name in text for name in board_file.shipped_names())
    assert "TT6  metromania" in text
    assert "made by: mmsim bots train --game " in text  # its net


def test_the_unpacked_wheel_plays_and_verifies_a_game(unpacked: Path, tmp_path: Path) -> None:
    assert " wins with " in run_wheel(unpacked, tmp_path, "-m", "mmsim", "play", "--quiet", "--record", "a.json")
    assert run_wheel(unpacked, tmp_path, "-m", "mmsim", "verify", "a.json").startswith("a.json:1: ok, ")


@pytest.mark.skipif(not execution_mode.can_build(), reason="no library can be built here")
def test_the_unpacked_wheel_plays_both_games_without_compiling_anything(printed: list[str]) -> None:
    assert printed[-1] == "[]"


def test_the_source_archive_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    process = subprocess.run(build, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    assert {path.name for path in tmp_path.iterdir()} == {f"mmsim-{__version__}.tar.gz", wheel.name}
    assert differing_files(wheel, tmp_path / wheel.name) == []


_BUILDING = """
import sys
from importlib import import_module
from importlib.metadata import packages_distributions
from mmsim.compiled import cache as code_cache, execution_mode

allowed = {*sys.argv[1:], "llvmlite", "numpy", "mmsim"}
for module, packages in packages_distributions().items():
    if module.isidentifier() and module not in sys.modules and not allowed & {package.lower() for package in packages}:
        sys.modules[module] = None  # as if it were not installed
execution_mode.choose(execution_mode.BUILDING)
for program in code_cache.programs():
    import_module(f"mmsim.{program}.bots.entry_points")
    print(program)
"""


def test_building_a_wheel_imports_nothing_that_its_backend_does_not_require() -> None:
    required = {Requirement(line).name for line in backend.COMPILER}
    command = [sys.executable, "-c", _BUILDING, *required]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.stdout.split() == ["metro", "metromania"], process.stderr


def test_a_wheel_is_built_by_the_numba_that_links_libraries() -> None:
    lines = [Requirement(line) for line in backend.COMPILER if line.startswith("numba")]
    wanted = next(line for line in lines if line.marker and line.marker.evaluate({"python_version": "3.13"}))
    (linkable,) = execution_mode._LINKABLE_NUMBA
    assert wanted.specifier.contains(f"{linkable}0")
    assert not wanted.specifier.contains("0.69.0")


def test_the_version_is_defined_once(unpacked: Path) -> None:
    metadata = (unpacked / f"mmsim-{__version__}.dist-info" / "METADATA").read_text(encoding="utf-8")
    assert f"\nVersion: {__version__}\n" in metadata
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"]
