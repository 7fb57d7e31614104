"""The cache of compiled code: filled once, then loaded, never used when it is damaged.

Compiling takes half a minute, so the tests that need a cold cache are marked slow (`make verify`). Three processes that
start together compile once for all of them, and the tests work on copies of their cache.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from mmsim.compiled import cache, execution_mode
from tests.faults import mounts

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mmsim"

_PLAY = """
import hashlib, sys
from mmsim.core.variant import Variant
from mmsim.games import find_game
game = find_game("metro")
rows = game.play_games(game.prepare(Variant("metro", 4, bots="planner")), 0, 20)
assert "numba" not in sys.modules
print("".join(hashlib.sha256(rows[table].tobytes()).hexdigest() for table in rows))
"""
_TRY = """
from mmsim.compiled.startup import warm_up
from mmsim.errors import MmsimError
try:
    warm_up("metro")
except MmsimError as error:
    print(error)
"""

if not execution_mode.can_build():
    pytest.skip("no library can be built here", allow_module_level=True)


def start(script: str, cache_dir: Path, package_root: Path = ROOT) -> "subprocess.Popen[str]":
    """A process with its own cache folder; its output is a pipe, as in a log."""
    changed = {"MMSIM_CACHE_DIR": str(cache_dir), "PYTHONPATH": str(package_root)}
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=package_root,
        env={**os.environ, **changed, "MMSIM_JIT": "1", "MMSIM_LINK": "1", "MMSIM_BOUNDSCHECK": "0"},
    )


def finish(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Stdout and stderr of a process, which must succeed."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.strip(), err.strip()


def run(script: str, cache_dir: Path, package_root: Path = ROOT) -> tuple[str, str]:
    return finish(start(script, cache_dir, package_root))


@dataclass(frozen=True)
class Cold:
    """The cache and the output of three processes that started with an empty cache."""

    folder: Path
    outputs: list[tuple[str, str]]

    @property
    def rows(self) -> str:
        return self.outputs[0][0]

    def copy(self, to: Path) -> Path:
        shutil.copytree(self.folder, to)
        return to


@pytest.fixture(scope="session")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Cold:
    """Three cold processes at once, started only once even if several workers run these tests."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cold-cache"
    shared.mkdir(exist_ok=True)
    outputs = shared / "outputs.json"
    with (shared / "test-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not outputs.exists():
            processes = [start(_PLAY, shared / "cache") for _ in range(3)]
            outputs.write_text(json.dumps([finish(process) for process in processes]))
    return Cold(shared / "cache", [(out, err) for out, err in json.loads(outputs.read_text())])


def folder_in(cache_dir: Path) -> Path:
    """The only folder of compiled code in a cache."""
    (folder,) = [path for path in cache_dir.iterdir() if path.is_dir()]
    return folder


# --- compiling once --------------------------------------------------------------------------------------------


@pytest.mark.slow(minutes=1)
def test_of_several_cold_processes_one_compiles_and_all_play_the_same(cold: Cold) -> None:
    assert sorted(bool(err) for _, err in cold.outputs) == [False, False, True]
    assert {out for out, _ in cold.outputs} == {cold.rows}


@pytest.mark.slow
def test_one_game_is_played_without_compiling_the_other(cold: Cold) -> None:
    assert folder_in(cold.folder).name.startswith("metro-")


@pytest.mark.slow
def test_the_process_that_compiles_reports_it_and_where_the_code_is_kept(cold: Cold) -> None:
    (err,) = [err for _, err in cold.outputs if err]
    first, last = err.splitlines()
    assert first.startswith("mmsim: compiling the fast core")
    assert first.endswith(str(folder_in(cold.folder)))
    assert last.startswith("mmsim: compiled metro in ")


@pytest.mark.slow
def test_a_later_process_loads_and_prints_nothing(cold: Cold, tmp_path: Path) -> None:
    copy = cold.copy(tmp_path / "cache")
    before = sorted(copy.rglob("*"))
    assert run(_PLAY, copy) == (cold.rows, "")
    assert sorted(copy.rglob("*")) == before


@pytest.mark.slow
def test_a_library_in_the_package_is_found_before_the_cache_and_may_be_read_only(cold: Cold, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(PACKAGE, elsewhere / "mmsim", ignore=shutil.ignore_patterns("__pycache__"))
    shipped = elsewhere / "mmsim" / cache.SHIPPED
    shutil.copytree(folder_in(cold.folder), shipped / folder_in(cold.folder).name)
    for path in (*shipped.rglob("*"), shipped):
        path.chmod(0o555)
    assert run(_PLAY, tmp_path / "cache", elsewhere) == (cold.rows, "")
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow(minutes=1)
def test_a_damaged_library_is_compiled_again_and_plays_the_same(cold: Cold, tmp_path: Path) -> None:
    copy = cold.copy(tmp_path / "cache")
    damage(folder_in(copy), "code cut off")
    out, err = run(_PLAY, copy)
    assert out == cold.rows
    assert "compiling the fast core" in err
    assert cache.is_intact(folder_in(copy))


# --- a damaged cache -------------------------------------------------------------------------------------------


def damage(folder: Path, kind: str) -> None:
    code, checksums = folder / "library.so", folder / "checksums.json"
    content = code.read_bytes()
    if kind == "code cut off":
        code.write_bytes(content[: len(content) // 2])
    elif kind == "code changed":
        code.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif kind == "code gone":
        code.unlink()
    elif kind == "checksums cut off":
        checksums.write_bytes(checksums.read_bytes()[:20])
    elif kind == "checksums of nothing":
        checksums.write_text("{}")
    elif kind == "checksums of another kind":
        checksums.write_text("[]")
    else:
        checksums.unlink()


DAMAGE = (
    "code cut off",
    "code changed",
    "code gone",
    "checksums cut off",
    "checksums of nothing",
    "checksums of another kind",
    "checksums gone",
)


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_detected(tmp_path: Path, kind: str) -> None:
    (tmp_path / "library.so").write_bytes(b"code" * 100)
    cache.write_checksums(tmp_path, 1.0)
    assert cache.is_intact(tmp_path)
    damage(tmp_path, kind)
    assert not cache.is_intact(tmp_path)


def test_an_empty_folder_is_not_intact(tmp_path: Path) -> None:
    assert not cache.is_intact(tmp_path)
    assert not cache.is_intact(tmp_path / "nothing")


# --- which folder ----------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package that the cache uses instead of the package itself."""
    copy = tmp_path / "mmsim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    monkeypatch.setattr(cache, "_PACKAGE", copy)
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    return copy


def name_now(program: str = "metromania") -> str:
    return cache.folder_name.__wrapped__(program)


def test_every_game_has_a_folder_of_its_own_that_the_other_does_not_change(package: Path) -> None:
    metromania, metro = name_now(), name_now("metro")
    assert metromania.startswith("metromania-")
    assert metro.startswith("metro-")
    (package / "metro" / "engine" / "turns.py").write_text("# changed\n")
    assert name_now() == metromania
    assert name_now("metro") != metro


@pytest.mark.parametrize(
    "source",
    [
        *("compiled/rng.py", "compiled/linking.py", "core/rng.py", "metromania/rules/rulesets.py"),
        *(
            "metromania/engine/trips.py",
            "metromania/bots/entry_points.py",
            "metromania/bots/thinking/heuristic_choice.py",
        ),
    ],
)
def test_the_folder_changes_with_every_source_of_the_core(package: Path, source: str) -> None:
    before = name_now()
    assert name_now() == before
    text = (package / source).read_text()
    (package / source).write_text(text + "# changed\n")
    assert name_now() != before
    (package / source).write_text(text)
    assert name_now() == before
    (package / source).with_name("another.py").write_text("")
    assert (name_now() != before) == (not source.startswith("core"))


def test_code_that_is_never_compiled_leaves_the_folder_as_it_is(package: Path) -> None:
    before = name_now()
    for source in (
        "metromania/shell/story.py",
        "metromania/game.py",
        "cli/app.py",
        "batch/pool.py",
        "system/files.py",
        "compiled/startup.py",
        "compiled/game.py",
    ):
        (package / source).write_text("# changed\n")
    assert name_now() == before


def test_the_games_with_compiled_code_are_known() -> None:
    assert cache.programs() == ["metro", "metromania"]


@pytest.mark.parametrize("game", ["metromania", "metro"])
def test_every_module_with_compiled_code_is_among_the_sources(game: str) -> None:
    compiled = {
        path
        for path in (PACKAGE / game).rglob("*.py")
        if "from mmsim.compiled.decorators import" in path.read_text(encoding="utf-8")
    }
    assert compiled
    assert compiled <= set(cache.sources(game))


def test_the_user_chooses_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    assert cache.root() == tmp_path / "cache"
    monkeypatch.delenv("MMSIM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.root() == tmp_path / "xdg" / "mmsim"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.root() == tmp_path / "home" / ".cache" / "mmsim"


def test_all_but_the_latest_folders_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache, "_MAX_FOLDERS", 2)
    for i in range(4):
        (tmp_path / f"metro-{i}").mkdir()
        os.utime(tmp_path / f"metro-{i}", (i, i))
    cache.remove_outdated(tmp_path / "metro-3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["metro-1", "metro-2"]


# --- compiling that fails ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not mounts.possible(), reason="nothing can be mounted here")
def test_a_full_disk_is_reported_and_the_games_are_played(cold: Cold, tmp_path: Path) -> None:
    in_memory = f"from mmsim.compiled import cache\ncache._MEMORY_DISK = cache.Path({str(tmp_path)!r})\n"
    env = {**os.environ, "MMSIM_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    (tmp_path / "cache").mkdir()
    done = mounts.run(mounts.tiny(tmp_path / "cache", 64), [sys.executable, "-c", in_memory + _PLAY], env=env, cwd=ROOT)
    assert done.stdout.strip() == cold.rows
    assert done.stderr.splitlines()[-1].startswith("mmsim: cannot keep compiled code in ")
    assert "No space left on device; it is kept in memory" in done.stderr


def test_a_compiler_that_fails_is_reported_in_one_sentence(tmp_path: Path) -> None:
    broken = "import os\nfrom mmsim.compiled import startup\nstartup.sys.executable = '/bin/false'\n"
    out, err = run(broken + _TRY, tmp_path)
    assert out.startswith("the fast core cannot be compiled: ")
    assert len(out.splitlines()) == 1
    assert "compiled metro in" not in err
