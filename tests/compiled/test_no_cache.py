"""A cache that cannot be kept: what then, and what is said."""

import errno
import os
from pathlib import Path

import pytest

from mmsim.compiled import cache, execution_mode, startup
from mmsim.errors import MmsimError


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that this process takes for its own in memory; its cache is one that cannot be made."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(cache, "_IN_MEMORY", tmp_path / "memory")
    monkeypatch.setattr(cache, "place", cache.place.__wrapped__)
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "file" / "cache"))
    return tmp_path / "memory" / f"mmsim-{os.getuid()}"


def test_code_goes_to_memory_where_the_cache_cannot_be_made(memory: Path, tmp_path: Path) -> None:
    place, problem = cache.place()
    assert place == memory
    assert isinstance(problem, NotADirectoryError)
    assert cache.complaint(problem) == (
        f"cannot keep compiled code in {tmp_path}/file/cache: Not a directory; it is kept in memory until the machine "
        "restarts (MMSIM_CACHE_DIR names another folder)"
    )
    with cache.one_at_a_time("metro"):
        assert memory.stat().st_mode & 0o777 == 0o700


def test_code_goes_to_memory_where_the_lock_is_not_ours(
    memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache" / "metro.lock").mkdir(parents=True)  # what a file of somebody else's comes to, for any user
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    assert cache.place()[0] == memory


@pytest.mark.parametrize("how", ["open to others", "a link", "a file"])
def test_no_code_is_taken_from_memory_that_others_can_write(memory: Path, tmp_path: Path, how: str) -> None:
    kept = tmp_path / "elsewhere" if how == "a link" else memory
    if how == "a file":
        memory.write_text("")
    else:
        (kept / cache.name("metro")).mkdir(parents=True)
        kept.chmod(0o700)
        (kept / cache.name("metro") / "library.so").write_bytes(b"code")
        cache.note_as_whole(kept / cache.name("metro"), 1.0)
    if how == "a link":
        memory.symlink_to(kept)
    elif how == "open to others":
        assert cache.find("metro") == memory / cache.name("metro")
        kept.chmod(0o770)
    assert cache.find("metro") is None
    with pytest.raises(MmsimError, match="cannot keep compiled code in"), cache.one_at_a_time("metro"):
        pass


def test_code_that_does_not_fit_into_the_cache_is_kept_in_memory(
    memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "library.so").write_bytes(b"code")
    cache.note_as_whole(tmp_path / "made", 1.0)
    monkeypatch.setattr(cache, "folder", lambda program: tmp_path / "cache" / "metro-now")
    monkeypatch.setattr(cache, "wipe", lambda kept: os.open(kept, os.O_WRONLY))  # any complaint of the disk will do
    kept, problem = cache.keep("metro", tmp_path / "made")
    assert kept == memory / "metro-now"
    assert problem is not None
    assert cache.is_whole(kept)


def test_what_a_killed_compiler_left_in_memory_is_removed_after_an_hour(memory: Path) -> None:
    memory.parent.chmod(0o777)
    left, busy = memory.parent / "mmsim-making-old", memory.parent / "mmsim-making-new"
    for folder in (left, busy):
        folder.mkdir(0o700)
    os.utime(left, (0, 0))
    with cache.scratch() as folder:
        assert not left.exists()
        assert folder.parent == memory.parent
    assert list(memory.parent.iterdir()) == [busy]


@pytest.fixture
def numba_alone(memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that can be written, for code that Numba keeps itself."""
    monkeypatch.setattr(execution_mode, "current", lambda: execution_mode.NUMBA)
    monkeypatch.setattr(cache, "folder", cache.folder.__wrapped__)
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_numba_alone_works_on_a_copy_of_a_whole_cache_that_is_read_only(
    numba_alone: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = cache.folder("metro")
    assert kept.parent == numba_alone
    kept.mkdir()
    (kept / "entry.nbi").write_bytes(b"code")
    cache.note_as_whole(kept, 1.0)
    monkeypatch.setattr(cache, "place", lambda: (memory, OSError(errno.EROFS, "Read-only file system")))
    assert cache.folder("metro") == memory / kept.name
    assert cache.is_whole(memory / kept.name)


def test_what_numba_alone_cannot_keep_is_compiled_for_this_process(
    numba_alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(startup, "_compile_here", lambda program, tell: full)
    startup._have_numba_compile("metro")
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"mmsim: cannot keep compiled code in {cache.folder('metro')}: No space left on device; "
        "it is compiled in memory, for this process alone"
    )
    assert not cache.is_whole(cache.folder("metro"))
