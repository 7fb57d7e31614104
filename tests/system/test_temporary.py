"""Temporary folders and semaphores: what a killed process leaves is removed by the next one, and nothing else is."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mmsim.system import temporary
from tests.batch.helpers import mmsim, wait_until
from tests.runs import write_run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_folder_is_named_after_its_process_and_removed(place: Path) -> None:
    with temporary.temporary_folder() as folder:
        assert f"-{os.getpid()}-" in folder.name
        (folder / "inside").write_text("x")
    assert not folder.exists()


def test_only_what_a_dead_process_of_ours_has_left_is_removed(place: Path, dead: int) -> None:
    with temporary.temporary_folder() as ours:
        for_dead = ours.name.replace(str(os.getpid()), str(dead))
        stale, link, elsewhere = place / for_dead, place / f"{for_dead}x", place / for_dead.replace("mmsim-", "mmsim-9")
        kept = [elsewhere, place / "mmsim-abc", place / f"mmsim-{dead}", place / f"x{for_dead}"]
        for folder in (stale, *kept):
            (folder / "inside").mkdir(parents=True)
        link.symlink_to(kept[1])
        with temporary.temporary_folder() as other:
            assert {*place.iterdir()} == {ours, other, *kept}
    assert all((folder / "inside").is_dir() for folder in kept)


def test_what_belongs_to_somebody_else_stays(place: Path, dead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with temporary.temporary_folder() as ours:
        stale = place / ours.name.replace(str(os.getpid()), str(dead))
    stale.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: stale.stat().st_uid + 1)
    temporary.remove_leftovers()
    assert stale.is_dir()
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    temporary.remove_leftovers()
    assert not stale.exists()


def _kill_when(ready: Callable[[int], object], words: tuple[object, ...], folder: Path) -> int:
    """Kill a command with all its processes at a moment, which may depend on its number; returns that."""
    with mmsim(*words, cwd=folder, start_new_session=True) as process:
        wait_until(lambda: ready(process.pid))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return process.pid


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "metro", "metro+free", "--bots", "uniform"),
        ("ladder", "--game", "metro", "--bots", "uniform,greedy"),
    ],
)
def test_the_folder_of_a_killed_command_is_removed_by_the_next(
    tmp_path: Path, words: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = (*words, "--workers", 1, "--quiet")
    pid = _kill_when(lambda _: [*tmp_path.glob("mmsim-*")], (*command, "--games", 600_000), tmp_path)
    assert [path.name.split("-")[2] for path in tmp_path.glob("mmsim-*")] == [str(pid)]
    with mmsim(*command, "--games", 12, cwd=tmp_path) as process:
        process.communicate()
    assert process.returncode == 0
    assert not [*tmp_path.glob("mmsim-*")]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no semaphores with names here")
def test_the_semaphores_of_a_killed_command_are_removed_by_the_next(tmp_path: Path) -> None:
    def left(pid: int) -> list[Path]:
        return [*Path("/dev/shm").glob(f"sem.mmsim-*-{pid}-*")]

    write_run(tmp_path / "run", ["metro"], games=60, part_games=60, players=3, game="metro", bots="uniform")
    chances = ("chances", "run", "--quiet", "--workers", 2)
    pid = _kill_when(left, (*chances, "--games", 60, "--playouts", 5000), tmp_path)  # once it has some of its own
    with mmsim(*chances, "--games", 2, "--playouts", 2, cwd=tmp_path) as process:
        process.communicate()
    assert process.returncode == 0
    assert not left(pid)


def test_the_sockets_of_a_killed_report_are_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "run", ["metro"], games=60, part_games=60, players=3, game="metro", bots="uniform")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    report = ("report", "run", "--quiet", "--force", "--out", "page")
    sockets = (tmp_path / "temporary").glob  # Python itself tries the folder with a file of another name
    _kill_when(lambda _: [*sockets("mmsim-*")], report, tmp_path)
    assert [*sockets("mmsim-*")]
    with mmsim(*report, cwd=tmp_path) as process:
        process.communicate()
    assert process.returncode == 0
    assert not [*(tmp_path / "temporary").iterdir()]
