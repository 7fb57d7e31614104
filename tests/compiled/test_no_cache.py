"""A cache that cannot be written: where the code goes, and what the user is told."""

import errno
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from mmsim.compiled import cache, execution_mode, startup

ROOT = Path(__file__).parents[2]


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that this process uses in memory; its cache folder cannot be created."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(cache, "_MEMORY_DISK", tmp_path / "memory")
    monkeypatch.setattr(cache, "writable_root", cache.writable_root.__wrapped__)
    monkeypatch.setattr(cache, "_fallback_root", cache._fallback_root.__wrapped__)
    monkeypatch.setenv("MMSIM_TEMPORARY_CACHE", "")
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "file" / "cache"))
    return tmp_path / "memory" / f"mmsim-{os.getuid()}"


def test_code_goes_to_memory_if_the_cache_cannot_be_created(memory: Path, tmp_path: Path) -> None:
    root, problem = cache.writable_root()
    assert root == memory
    assert isinstance(problem, NotADirectoryError)
    assert cache.unwritable_message(problem) == (
        f"cannot keep compiled code in {tmp_path}/file/cache: Not a directory; it is kept in memory until the machine "
        "restarts (set MMSIM_CACHE_DIR to use another folder)"
    )
    with cache.compile_lock("metro"):
        assert memory.stat().st_mode & 0o777 == 0o700


def test_code_goes_to_memory_if_the_lock_belongs_to_somebody_else(
    memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache" / "metro.lock").mkdir(parents=True)  # as unusable as a file of another user, even for root
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    assert cache.writable_root()[0] == memory


@pytest.mark.parametrize("state", ["open to others", "a link", "a file"])
def test_no_code_is_loaded_from_memory_that_others_can_write(memory: Path, tmp_path: Path, state: str) -> None:
    folder = tmp_path / "elsewhere" if state == "a link" else memory
    if state == "a file":
        memory.write_text("")
    else:
        (folder / cache.folder_name("metro")).mkdir(parents=True)
        folder.chmod(0o700)
        (folder / cache.folder_name("metro") / "library.so").write_bytes(b"code")
        cache.write_checksums(folder / cache.folder_name("metro"), 1.0)
    if state == "a link":
        memory.symlink_to(folder)
    elif state == "open to others":
        assert cache.find_library("metro") == memory / cache.folder_name("metro")
        folder.chmod(0o777)
    assert cache.find_library("metro") is None
    with cache.compile_lock("metro"):
        assert f"-{os.getpid()}-" in cache.writable_root()[0].name


def test_code_that_does_not_fit_into_the_cache_is_kept_in_memory(
    memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "library.so").write_bytes(b"code")
    cache.write_checksums(tmp_path / "built", 1.0)
    monkeypatch.setattr(cache, "folder", lambda program: tmp_path / "cache" / "metro-now")
    monkeypatch.setattr(
        cache, "remove_outdated", lambda folder: os.open(folder, os.O_WRONLY)
    )  # any error of the disk will do
    folder, problem = cache.store("metro", tmp_path / "built")
    assert folder == memory / "metro-now"
    assert problem is not None
    assert cache.is_intact(folder)


def _kill_while_in(context: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill a process inside a `with` block that makes a temporary folder in a place."""
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(place))
    code = f"from mmsim.compiled import cache\ncache._MEMORY_DISK = cache.Path({str(place)!r})\n{context}"
    done = subprocess.run([sys.executable, "-c", f"import os\n{code}"], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert [*place.iterdir()]


def test_what_a_killed_compiler_leaves_is_removed_by_the_next(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _kill_while_in("with cache.scratch_folder(): os.kill(os.getpid(), 9)", memory.parent, monkeypatch)
    with cache.scratch_folder() as folder:
        assert [*memory.parent.iterdir()] == [folder]
    assert not [*memory.parent.iterdir()]


def test_what_a_killed_copy_leaves_in_the_cache_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, built = tmp_path / "cache", tmp_path / "built"
    place.mkdir()
    built.mkdir()
    (built / "library.so").write_bytes(b"code")
    kill = "cache._make_private = lambda copy: os.kill(os.getpid(), 9)"
    copy = f"cache._copy_folder(cache.Path({str(built)!r}), cache.Path({str(place / 'metro-now')!r}))"
    _kill_while_in(f"{kill}\n{copy}", place, monkeypatch)
    cache._copy_folder(built, place / "metro-now")
    assert [path.name for path in place.iterdir()] == ["metro-now"]


@pytest.fixture
def numba_alone(memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable cache folder, for code that Numba caches itself."""
    monkeypatch.setattr(execution_mode, "current", lambda: execution_mode.NUMBA)
    monkeypatch.setattr(cache, "folder", cache.folder.__wrapped__)
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_numba_alone_uses_a_copy_of_an_intact_cache_that_is_read_only(
    numba_alone: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cache.folder("metro")
    assert folder.parent == numba_alone
    folder.mkdir()
    (folder / "entry.nbi").write_bytes(b"code")
    cache.write_checksums(folder, 1.0)
    memory.mkdir(0o700)
    monkeypatch.setattr(cache, "writable_root", lambda: (memory, OSError(errno.EROFS, "Read-only file system")))
    assert cache.folder("metro") == memory / folder.name
    assert cache.is_intact(memory / folder.name)


def test_the_user_is_told_why_numba_compiles_alone_and_how_long_it_takes(
    numba_alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MMSIM_LINK", "1")
    monkeypatch.setattr(execution_mode, "_cannot_run", lambda: "")
    monkeypatch.setattr(execution_mode, "_LINKABLE_NUMBA", ("0.1.",))
    monkeypatch.setattr(startup, "_compile_here", lambda program, on_progress: None)
    startup._fill_numba_cache("metro")
    first, _ = capsys.readouterr().err.splitlines()
    assert first == (
        "mmsim: compiling the fast core of metro, by Numba alone (only Numba 0.1.x builds libraries, this is "
        f"{version('numba')}), which takes two to six minutes, once for this version; kept in {cache.folder('metro')}"
    )


def test_code_that_numba_alone_cannot_cache_is_compiled_for_this_process(
    numba_alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(startup, "_compile_here", lambda program, on_progress: full)
    startup._fill_numba_cache("metro")
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"mmsim: cannot keep compiled code in {cache.folder('metro')}: No space left on device; "
        "it is compiled in memory, for this process alone"
    )
    assert not cache.is_intact(cache.folder("metro"))
