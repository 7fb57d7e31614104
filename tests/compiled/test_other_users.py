"""Libraries that another user has really planted: their code never runs, and the games are played all the same."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from sysconfig import get_path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from mmsim.compiled import cache, execution_mode
from mmsim.compiled.entry_points import LIBRARY_FILE
from mmsim.compiled.startup import warm_up

ROOT = Path(__file__).parents[2]
VICTIM, ATTACKER, GROUP = 54321, 54322, 54323  # users without a name
_TRACE = r"""
#include <stdio.h>
__attribute__((constructor)) static void run(void) { fclose(fopen("%s", "w")); }
"""
_PLAY = """
import shutil, sys
from mmsim.compiled import startup
library = sys.argv.pop(1)  # compiling takes a minute: what is compiled already stands for it
startup._run_build = lambda program, folder, *rest: shutil.copy(library, folder)
from mmsim.cli.app import main
main()
"""
_WORDS = ("play", "--rules", "metro", "--bots", "greedy", "--seed", "1")

pytestmark = [
    pytest.mark.skipif(os.getuid() != 0, reason="only root can act as other users"),
    pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv here"),
    pytest.mark.skipif(execution_mode.current() != execution_mode.LIBRARY, reason="no library runs here"),
]


def as_user(user: int, *command: object, group: int | None = None, **env: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as a user, with nothing but a path in its environment."""
    ids = () if user == 0 else ("setpriv", f"--reuid={user}", f"--regid={group or user}", "--clear-groups")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{get_path('purelib')}", **env}
    words = [*ids, *map(str, command)]
    return subprocess.run(words, env=environment, cwd="/", text=True, capture_output=True, check=False)


class Place:
    """A folder that all users can reach, with a library that leaves a trace when it is loaded."""

    def __init__(self, base: Path, python: Path) -> None:
        self.python = python
        self.base, self.trace, self.evil = base, base / "traces" / "trace", base / "evil"
        base.chmod(0o755)
        self.trace.parent.mkdir()
        self.trace.parent.chmod(0o1777)
        warm_up("metro")
        whole = cache.find_library("metro")
        assert whole is not None
        self.library = base / LIBRARY_FILE
        shutil.copy(whole / LIBRARY_FILE, self.library)
        self.library.chmod(0o644)
        folder = self.evil / whole.name
        folder.mkdir(parents=True)
        (base / "trace.c").write_text(_TRACE % self.trace)
        compiler = [str(execution_mode.compiler()), "-shared", "-fPIC", "-o", folder / LIBRARY_FILE, base / "trace.c"]
        subprocess.run(compiler, check=True)
        cache.write_checksums(folder, 1.0)
        for path in (self.evil, *self.evil.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def folder(self, name: str, owner: int, mode: int = 0o755, group: int | None = None) -> Path:
        path = self.base / name
        path.mkdir()
        os.chown(path, owner, group or owner)
        path.chmod(mode)
        return path

    def plant(self, target: Path, user: int = ATTACKER, group: int | None = None, umask: str = "022") -> None:
        """Let a user put the library into a cache."""
        script = 'umask "$1"; mkdir -p "$2" && cp -r "$3"/. "$2"'
        as_user(user, "sh", "-c", script, "sh", umask, target, self.evil, group=group).check_returncode()
        assert [*target.glob(f"*/{LIBRARY_FILE}")]

    def play(self, user: int = VICTIM, umask: str = "022", group: int | None = None, **env: str) -> str:
        script = 'umask "$1"; shift; exec "$@"'
        command = [self.python, "-P", "-c", _PLAY, self.library, *_WORDS]
        done = as_user(user, "sh", "-c", script, "sh", umask, *command, group=group, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def python() -> Iterator[Path]:
    """A Python that all users can reach: that of root may be in its home."""
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        ignored = shutil.ignore_patterns("site-packages", "test")
        prefix = shutil.copytree(sys.base_prefix, Path(folder) / "python", symlinks=True, ignore=ignored)
        yield prefix / Path(sys.executable).resolve().relative_to(sys.base_prefix)


@pytest.fixture
def place(python: Path) -> Iterator[Place]:
    base = Path(mkdtemp(dir="/tmp"))
    memory = [path for user in (VICTIM, ATTACKER, 0) if not (path := Path(f"/dev/shm/mmsim-{user}")).exists()]
    try:
        made = Place(base, python)
        if as_user(VICTIM, made.python, "-P", "-c", "import mmsim").returncode:
            pytest.skip("other users cannot read this checkout")
        yield made
    finally:
        for path in (base, *memory):
            path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def expected() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mmsim", *_WORDS], cwd=ROOT, text=True, capture_output=True, check=True
    )
    return done.stdout


def test_what_a_user_has_compiled_is_loaded_as_every_other_test_here_presumes(place: Place) -> None:
    home = place.folder("home", VICTIM)
    place.plant(home / ".cache" / "mmsim", VICTIM)
    command = [place.python, "-P", "-c", _PLAY, place.library, *_WORDS]
    as_user(VICTIM, *command, HOME=str(home))
    assert place.trace.exists()


@pytest.mark.parametrize("how", ["a folder", "a folder for all", "a link"])
def test_a_user_without_a_home(place: Place, expected: str, how: str) -> None:
    memory = Path(f"/dev/shm/mmsim-{VICTIM}")
    if how == "a link":
        theirs = place.folder("theirs", ATTACKER)
        place.plant(theirs)
        as_user(ATTACKER, "ln", "-s", theirs, memory).check_returncode()
    else:
        place.plant(memory, umask="000" if how == "a folder for all" else "022")
    assert place.play() == expected
    assert not place.trace.exists()


def test_root_with_the_home_of_somebody_else(place: Place, expected: str) -> None:
    home = place.folder("home", ATTACKER)
    place.plant(home / ".cache" / "mmsim")
    assert place.play(user=0, HOME=str(home)) == expected
    assert not place.trace.exists()


def test_a_cache_made_with_an_open_umask(place: Place, expected: str) -> None:
    home = place.folder("home", VICTIM, group=GROUP, mode=0o775)
    env = {"HOME": str(home)}
    assert place.play(umask="002", group=GROUP, **env) == expected
    (found,) = (home / ".cache" / "mmsim").glob("metro-*") if (home / ".cache" / "mmsim").exists() else (None,)
    script = f'mkdir -p "{home}/.cache/mmsim" && cp -r "{place.evil}"/. "{home}/.cache/mmsim"'
    as_user(ATTACKER, "sh", "-c", script, group=GROUP)  # may or may not be allowed
    assert place.play(umask="002", group=GROUP, **env) == expected
    assert not place.trace.exists()
    assert found is None or not found.stat().st_mode & 0o022


def test_a_read_only_cache_beside_a_folder_planted_in_memory(place: Place, expected: str) -> None:
    home = place.folder("home", 0)  # the victim cannot write there
    place.plant(Path(f"/dev/shm/mmsim-{VICTIM}"))
    assert place.play(HOME=str(home)) == expected
    assert not place.trace.exists()


@pytest.mark.parametrize("level", ["home", "home/.cache", "home/.cache/mmsim"])
def test_a_level_that_is_a_link_to_what_somebody_else_owns(place: Place, expected: str, level: str) -> None:
    theirs = place.folder("theirs", ATTACKER)
    inside = Path("home/.cache/mmsim").relative_to(level)
    place.plant(theirs / inside)
    link = place.base / level
    if link.parent != place.base:
        place.folder("home", VICTIM)
        as_user(VICTIM, "mkdir", "-p", link.parent).check_returncode()
    link.symlink_to(theirs)
    assert place.play(HOME=str(place.base / "home")) == expected
    assert not place.trace.exists()
