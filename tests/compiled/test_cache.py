"""The cache of compiled code: compiled once, loaded ever after, never trusted when it is broken.

Compiling takes most of a minute, so the tests that need a cold cache are slow ones (`make verify`); it is compiled once
for all of them, by three processes that start together, and they work on copies of what those leave.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mmsim.compiled import cache
from mmsim.core.game import Variant
from mmsim.metromania.game import Metromania

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mmsim"

_PLAY = """
import hashlib
from mmsim.core.game import Variant
from mmsim.metromania.game import Metromania
game = Metromania()
rows = game.play_shard(game.prepare(Variant("print", 4)), 0, 20)
print("".join(hashlib.sha256(rows[table].tobytes()).hexdigest() for table in rows))
"""
_LOOK = "from mmsim.core import cache\nprint(cache.is_whole('metromania'), cache.folder('metromania'))"
_TRY = """
from mmsim.core.errors import MmsimError
from mmsim.metromania.bots.prepared import start_up
try:
    start_up()
except MmsimError as error:
    print(error)
"""


def start(script: str, cache_dir: Path, package_root: Path = ROOT) -> "subprocess.Popen[str]":
    """A process with a cache folder of its own; its output is a pipe, as in a log."""
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=package_root,
        env={**os.environ, "MMSIM_CACHE_DIR": str(cache_dir), "MMSIM_JIT": "1", "PYTHONPATH": str(package_root)},
    )


def finish(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What a process printed on stdout and stderr; it must end well."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.strip(), err.strip()


def run(script: str, cache_dir: Path, package_root: Path = ROOT) -> tuple[str, str]:
    return finish(start(script, cache_dir, package_root))


@dataclass(frozen=True)
class Cold:
    """What three processes left and said that found nothing compiled."""

    folder: Path
    said: list[tuple[str, str]]

    @property
    def rows(self) -> str:
        return self.said[0][0]

    def copy(self, to: Path) -> Path:
        shutil.copytree(self.folder, to)
        return to


@pytest.fixture(scope="session")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Cold:
    """Three cold processes at once, one time only even if several workers run these tests."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cold-cache"
    shared.mkdir(exist_ok=True)
    told = shared / "said.json"
    with (shared / "test-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            processes = [start(_PLAY, shared / "cache") for _ in range(3)]
            told.write_text(json.dumps([finish(process) for process in processes]))
    return Cold(shared / "cache", [(out, err) for out, err in json.loads(told.read_text())])


def folder_in(cache_dir: Path) -> Path:
    """The one folder of compiled code in a cache."""
    (found,) = [path for path in cache_dir.iterdir() if path.is_dir()]
    return found


# --- compiling once --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_of_several_cold_processes_one_compiles_and_all_play_the_same(cold: Cold) -> None:
    assert sorted(bool(err) for _, err in cold.said) == [False, False, True]
    assert {out for out, _ in cold.said} == {cold.rows}


@pytest.mark.slow
def test_one_game_is_played_without_compiling_the_other(cold: Cold) -> None:
    assert folder_in(cold.folder).name.startswith("metromania-")


@pytest.mark.slow
def test_the_one_that_compiles_says_so_and_where_the_code_is_kept(cold: Cold) -> None:
    (err,) = [err for _, err in cold.said if err]
    first, last = err.splitlines()
    assert first.startswith("mmsim: compiling the fast core")
    assert first.endswith(str(folder_in(cold.folder)))
    assert last.startswith("mmsim: compiled in ")


@pytest.mark.slow
def test_a_later_process_loads_and_says_nothing(cold: Cold, tmp_path: Path) -> None:
    copy = cold.copy(tmp_path / "cache")
    before = sorted(copy.rglob("*"))
    assert run(_PLAY, copy) == (cold.rows, "")
    assert sorted(copy.rglob("*")) == before


@pytest.mark.slow
def test_code_from_any_cache_plays_the_games_of_this_process(cold: Cold) -> None:
    game = Metromania()
    rows = game.play_shard(game.prepare(Variant("print", 4)), 0, 20)
    assert cold.rows == "".join(hashlib.sha256(np.asarray(rows[table]).tobytes()).hexdigest() for table in rows)


@pytest.mark.slow
def test_nothing_is_written_into_the_package(cold: Cold) -> None:
    assert cold.rows
    assert list(PACKAGE.rglob("*.nbi")) == list(PACKAGE.rglob("*.nbc")) == []


# --- a broken cache --------------------------------------------------------------------------------------------


def damage(folder: Path, how: str) -> None:
    if how == "code cut off":
        file = next(folder.rglob("*.nbc"))
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif how == "code changed":
        file = next(folder.rglob("*.nbc"))
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    elif how == "index cut off":
        file = next(folder.rglob("*.nbi"))
        file.write_bytes(file.read_bytes()[:10])
    elif how == "code gone":
        next(folder.rglob("*.nbc")).unlink()
    elif how == "checksums cut off":
        file = folder / "checksums.json"
        file.write_bytes(file.read_bytes()[:20])
    elif how == "checksums of nothing":
        (folder / "checksums.json").write_text("{}")
    else:
        (folder / "checksums.json").unlink()


DAMAGE = (
    "code cut off",
    "code changed",
    "index cut off",
    "code gone",
    "checksums cut off",
    "checksums of nothing",
    "checksums gone",
)


@pytest.mark.slow
def test_an_undamaged_cache_is_whole(cold: Cold, tmp_path: Path) -> None:
    copy = cold.copy(tmp_path / "cache")
    assert run(_LOOK, copy)[0] == f"True {folder_in(copy)}"


@pytest.mark.slow
@pytest.mark.parametrize("how", DAMAGE)
def test_damage_is_noticed(cold: Cold, tmp_path: Path, how: str) -> None:
    copy = cold.copy(tmp_path / "cache")
    damage(folder_in(copy), how)
    assert run(_LOOK, copy)[0].startswith("False")


def test_an_empty_cache_is_not_whole(tmp_path: Path) -> None:
    assert run(_LOOK, tmp_path)[0].startswith("False")


@pytest.mark.slow
def test_a_damaged_cache_is_compiled_anew_and_plays_the_same(cold: Cold, tmp_path: Path) -> None:
    copy = cold.copy(tmp_path / "cache")
    damage(folder_in(copy), "code cut off")
    out, err = run(_PLAY, copy)
    assert out == cold.rows
    assert "compiling the fast core" in err
    assert run(_LOOK, copy)[0].startswith("True")


# --- which folder ----------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package that the cache takes for the package itself."""
    copy = tmp_path / "mmsim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "_PACKAGE", copy)
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    return copy


def name_now() -> Path:
    return cache.folder.__wrapped__("metromania")


def test_every_game_has_a_folder_of_its_own_that_the_other_does_not_change(package: Path) -> None:
    before = name_now()
    other = cache.folder.__wrapped__("metro")
    assert before.name.startswith("metromania-")
    assert other.name.startswith("metro-")
    (package / "metro" / "turns.py").write_text("# changed\n")
    assert name_now() == before
    assert cache.folder.__wrapped__("metro") != other


@pytest.mark.parametrize("source", ["core/streams.py", "core/accel.py", "metromania/trips.py", "metromania/state.py"])
def test_the_folder_changes_with_every_source_of_the_core(package: Path, source: str) -> None:
    before = name_now()
    assert name_now() == before
    text = (package / source).read_text()
    (package / source).write_text(text + "# changed\n")
    assert name_now() != before
    (package / source).write_text(text)
    assert name_now() == before


def test_the_folder_changes_when_compiled_code_comes_to_import_another_source(package: Path) -> None:
    names = {name_now()}
    new, trips = package / "metromania" / "new.py", package / "metromania" / "trips.py"
    new.write_text("")
    assert {name_now()} == names  # nothing compiled is made of it
    trips.write_text("from mmsim.metromania.new import anything\n" + trips.read_text())
    names.add(name_now())
    new.write_text("# changed\n")
    names.add(name_now())
    assert len(names) == 3


def test_code_that_is_never_compiled_leaves_the_folder_as_it_is(package: Path) -> None:
    before = name_now()
    for source in ("metromania/story.py", "metromania/bots/planner.py", "cli/app.py", "batch/pool.py"):
        (package / source).write_text("# changed\n")
    assert name_now() == before


@pytest.mark.parametrize("game", ["metromania", "metro"])
def test_every_module_with_compiled_code_is_among_the_sources(game: str) -> None:
    compiled = {
        path
        for room in ("core", game)
        for path in (PACKAGE / room).rglob("*.py")
        if path.name != "accel.py" and "from mmsim.compiled.accel import" in path.read_text(encoding="utf-8")
    }
    assert compiled <= set(cache.sources(game))


def test_the_folder_lies_where_the_user_says(package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = name_now().name
    assert name_now() == tmp_path / "cache" / name
    monkeypatch.delenv("MMSIM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert name_now() == tmp_path / "xdg" / "mmsim" / name
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert name_now() == tmp_path / "home" / ".cache" / "mmsim" / name


@pytest.mark.slow
def test_two_copies_of_one_version_leave_each_others_code_alone(cold: Cold, tmp_path: Path) -> None:
    copy = cold.copy(tmp_path / "cache")
    elsewhere = tmp_path / "elsewhere"
    for folder in ("mmsim", "boards"):
        shutil.copytree(ROOT / folder, elsewhere / folder, ignore=shutil.ignore_patterns("__pycache__"))
    out, err = run(_PLAY, copy, elsewhere)
    assert out == cold.rows
    assert "compiling the fast core" in err
    assert run(_PLAY, copy) == (cold.rows, "")
    assert run(_PLAY, copy, elsewhere) == (cold.rows, "")


# --- a cache that cannot be kept -------------------------------------------------------------------------------


def check_refusal(told: str, cache_dir: Path) -> None:
    assert told.startswith("cannot keep compiled code in ")
    assert str(cache_dir) in told
    assert told.endswith("MMSIM_CACHE_DIR names another folder")
    assert len(told.splitlines()) == 1


def test_a_folder_that_cannot_be_made_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    out, err = run(_TRY, tmp_path / "file" / "cache")
    check_refusal(out, tmp_path / "file" / "cache")
    assert err == ""
    assert list(PACKAGE.rglob("*.nbi")) == []


def test_a_lock_that_cannot_be_taken_is_told_in_one_sentence(tmp_path: Path) -> None:
    # What a folder of somebody else's comes to, for any user.
    (tmp_path / "cache" / "metromania.lock").mkdir(parents=True)
    out, err = run(_TRY, tmp_path / "cache")
    check_refusal(out, tmp_path / "cache")
    assert err == ""
