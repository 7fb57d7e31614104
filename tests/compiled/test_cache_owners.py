"""Compiled code is loaded only from folders that nobody else can change, and kept only in such folders."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mmsim.compiled import cache

ROOT = Path(__file__).parents[2]
OTHER = 4242  # a user and a group that are not ours
FakeStatus = Callable[..., None]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is shipped, memory is a folder of this test, and what was found out before is forgotten."""
    monkeypatch.setattr(cache, "SHIPPED", Path("nothing-shipped"))
    monkeypatch.setattr(cache, "_MEMORY_DISK", tmp_path / "memory")
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "home" / "cache"))
    monkeypatch.delenv("MMSIM_TEMPORARY_CACHE", raising=False)
    for name in ("memory", "home"):
        (tmp_path / name).mkdir(0o700)
    for function in (cache.writable_root, cache._fallback_root):
        function.cache_clear()
    yield tmp_path
    for function in (cache.writable_root, cache._fallback_root):
        function.cache_clear()


@pytest.fixture
def fake_status(monkeypatch: pytest.MonkeyPatch) -> FakeStatus:
    """A function that gives a path another owner, group or mode, as only root could."""
    changed: dict[str, dict[str, int]] = {}
    lstat = os.lstat

    def fake(path: Any, **options: Any) -> Any:
        status = lstat(path, **options)
        values = changed.get(os.fspath(path))
        fields = {"st_mode": status.st_mode, "st_uid": status.st_uid, "st_gid": status.st_gid}
        return SimpleNamespace(**fields | values) if values else status

    monkeypatch.setattr("mmsim.system.files.os.lstat", fake)
    return lambda path, **values: changed.update({str(path): values})


def library(base: Path) -> Path:
    """A library that looks right, in a cache of the usual modes."""
    folder = base / cache.folder_name("metro")
    folder.mkdir(0o700, parents=True)
    (folder / "library.so").write_bytes(b"code")
    cache.write_checksums(folder, 1.0)
    base.chmod(0o700)
    return folder


def test_code_of_our_own_is_found(tmp_path: Path) -> None:
    folder = library(cache.root())
    assert cache.find_library("metro") == folder


@pytest.mark.parametrize("where", ["home", "home/cache", "home/cache/FOLDER", "home/cache/FOLDER/library.so"])
@pytest.mark.parametrize("how", ["others may write", "a group may write", "it belongs to another user"])
def test_code_that_another_user_may_have_written_is_not_loaded(
    tmp_path: Path, where: str, how: str, fake_status: FakeStatus
) -> None:
    folder = library(cache.root())
    path = tmp_path / where.replace("FOLDER", folder.name)
    mode = path.stat().st_mode
    if how == "others may write":
        path.chmod(0o777)
    elif how == "a group may write":
        fake_status(path, st_mode=mode | 0o020, st_gid=OTHER)
    else:
        fake_status(path, st_uid=OTHER)
    assert cache.find_library("metro") is None


def test_a_folder_like_tmp_above_is_fine(tmp_path: Path) -> None:
    folder = library(cache.root())
    (tmp_path / "home").chmod(0o1777)
    assert cache.find_library("metro") == folder


def test_no_link_is_followed_inside_the_cache(tmp_path: Path) -> None:
    folder = library(cache.root())
    (folder / "library.so").rename(tmp_path / "elsewhere.so")
    (folder / "library.so").symlink_to(tmp_path / "elsewhere.so")
    assert cache.find_library("metro") is None


def test_a_home_behind_a_link_is_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library(cache.root())
    (tmp_path / "linked").symlink_to(tmp_path / "home")
    monkeypatch.setenv("MMSIM_CACHE_DIR", str(tmp_path / "linked" / "cache"))
    assert cache.find_library("metro") is not None
    (tmp_path / "home").chmod(0o777)
    assert cache.find_library("metro") is None


def test_a_new_cache_is_closed_to_others_whatever_the_umask_is(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        folder, problem = cache.writable_root()
        built = library(tmp_path / "built")
        cache._copy_folder(built, folder / built.name)
    finally:
        os.umask(before)
    assert (folder, problem) == (tmp_path / "home" / "cache", None)
    assert cache.find_library("metro") == folder / built.name
    levels = [folder, *(path for path in folder.rglob("*") if path.suffix != ".lock")]
    assert [path for path in levels if path.stat().st_mode & 0o077] == []


def test_nothing_is_written_to_the_home_of_another_user(tmp_path: Path, fake_status: FakeStatus) -> None:
    fake_status(tmp_path / "home", st_uid=OTHER)
    folder, problem = cache.writable_root()
    assert folder == cache.memory_root()
    assert str(problem).endswith("home belongs to another user")
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("how", ["others may write", "it belongs to another user", "it is a link"])
def test_a_user_without_a_home_does_not_load_what_was_planted_in_memory(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch, fake_status: FakeStatus
) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("MMSIM_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache.root() == cache.memory_root()
    library(cache.root())
    assert cache.find_library("metro") is not None
    if how == "others may write":
        cache.root().chmod(0o777)
    elif how == "it is a link":
        cache.root().rename(tmp_path / "theirs")
        (tmp_path / "theirs").chmod(0o777)
        cache.root().symlink_to(tmp_path / "theirs")
    else:
        fake_status(cache.root(), st_uid=OTHER)
    assert cache.find_library("metro") is None


_FOLDER = """
import sys
from mmsim.compiled import cache
cache._MEMORY_DISK = cache.Path(sys.argv[1])
print(cache.writable_root()[0])
"""
_PARENT = f"""
import subprocess, sys
print(subprocess.run([sys.executable, "-c", {_FOLDER!r}, sys.argv[1]], text=True, capture_output=True).stdout.strip())
{_FOLDER}
subprocess.run([sys.executable, "-c", {_FOLDER!r}, sys.argv[1]])
print(oct(cache.writable_root()[0].stat().st_mode), cache.unwritable_message(PermissionError(1, "no")))
"""


def test_without_any_place_of_our_own_code_is_kept_for_this_process_and_its_children(tmp_path: Path) -> None:
    (tmp_path / "home").chmod(0o777)
    cache.memory_root().mkdir()
    cache.memory_root().chmod(0o777)
    command = [sys.executable, "-u", "-c", _PARENT, str(tmp_path / "memory")]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    before, own, of_child, last = subprocess.run(
        command, env=env, text=True, capture_output=True, check=True
    ).stdout.splitlines()
    assert own == of_child != before
    assert Path(own).parent == tmp_path / "memory"
    assert last.startswith("0o40700 ")
    assert "it is kept in memory until this command ends" in last
    assert [path.name for path in (tmp_path / "memory").iterdir()] == [cache.memory_root().name]
