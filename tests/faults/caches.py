"""Caches of compiled code that are damaged, full, read-only or no folder at all: the games are played all the same.

Compiling takes a minute, so a copy of what is compiled already stands for it.
"""

import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from mmsim.compiled import cache, execution_mode
from mmsim.compiled.entry_points import LIBRARY_FILE
from mmsim.compiled.startup import warm_up
from tests.faults import mounts
from tests.faults.counts import Counts

ROOT = Path(__file__).parents[2]
_PROGRAM = "metro"
_PLAY = """
import hashlib, shutil, sys
from pathlib import Path
from mmsim.compiled import cache
from mmsim.compiled import startup
cache._MEMORY_DISK = Path(sys.argv[1])
startup._run_build = lambda program, folder, tell, scratch: shutil.copy(sys.argv[2], folder)
from mmsim.core.variant import Variant
from mmsim.games import find_game
game = find_game("metro")
rows = game.play_games(game.prepare(Variant("metro", 4, bots="planner")), 0, 20)
print("".join(hashlib.sha256(rows[table].tobytes()).hexdigest() for table in rows))
"""
_COMPILES, _COMPILED = "mmsim: compiling the fast core of ", "mmsim: compiled "
_UNKEPT = "mmsim: cannot keep compiled code in "


@dataclass(frozen=True)
class Case:
    """A cache as it may be found, and what is said then."""

    name: str
    sentences: tuple[str, ...] = ()  # how the lines on stderr begin
    cause: str = ""  # what they name
    change: Callable[[Path, random.Random], object] = lambda folder, chance: None  # of the folder
    mount: Callable[[Path, random.Random], str] | None = None  # the command for it
    whole: bool = True  # to begin with
    planted: bool = False  # somebody else could write to our folder in memory


def _damage(folder: Path, chance: random.Random) -> None:
    (found,) = folder.iterdir()
    path = chance.choice(sorted(found.iterdir()))
    content = bytearray(path.read_bytes())
    how = chance.choice(["flip", "cut", "remove"])
    if how == "flip":
        first = 0 if path.name == LIBRARY_FILE else content.index(b'"files"')  # how long it took may be anything
        content[chance.randrange(first, len(content))] ^= 1 << chance.randrange(8)
    elif how == "cut":
        del content[chance.randrange(len(content)) :]
    path.write_bytes(content)
    if how == "remove":
        path.unlink()


def _replace_by_file(folder: Path, chance: random.Random) -> None:
    folder.rmdir()
    folder.write_text("a file")


CASES = (
    Case("whole"),
    Case("whole and read-only", mount=lambda folder, chance: mounts.changed(folder, "ro")),
    Case("whole and not executable", mount=lambda folder, chance: mounts.changed(folder, "noexec")),
    Case("damaged", (_COMPILES, _COMPILED), change=_damage),
    Case(
        "empty and read-only",
        (_UNKEPT, _COMPILES, _COMPILED),
        "Read-only file system; it is kept in memory until",
        mount=lambda folder, chance: mounts.changed(folder, "ro"),
        whole=False,
    ),
    Case(
        "full",
        (_COMPILES, _COMPILED, _UNKEPT),
        "No space left on device; it is kept in memory until",
        mount=lambda folder, chance: mounts.tiny(folder, 4 * chance.randint(1, 30)),
        whole=False,
    ),
    Case(
        "a file in its place",
        (_UNKEPT, _COMPILES, _COMPILED),
        "File exists; it is kept in memory until",
        change=_replace_by_file,
        whole=False,
    ),
    Case(
        "open to others", (_UNKEPT, _COMPILES, _COMPILED), "others may write to ", lambda folder, _: folder.chmod(0o777)
    ),
    Case(
        "open to others like the memory",
        (_UNKEPT, _COMPILES, _COMPILED),
        "it is kept in memory until this command ends",
        lambda folder, _: folder.chmod(0o777),
        planted=True,
    ),
)


def main(seconds: float, seed: int) -> Counts:
    """Change caches until the seconds are over."""
    counts, chance = Counts("caches"), random.Random(seed)
    if execution_mode.current() != execution_mode.LIBRARY:
        counts.count("tried: no library runs here")
        return counts
    warm_up(_PROGRAM)
    cases = [case for case in CASES if mounts.possible() or not case.mount]
    played = set[str]()
    while counts.has_time(seconds):
        for case in cases:
            counts.count(case.name)
            problem = try_case(case, chance, played)
            counts.expect(problem is None, f"{case.name}: {problem}")
    return counts


def try_case(case: Case, chance: random.Random, played: set[str]) -> str | None:
    """What is wrong with how a case ends; all of them must have `played` the same rows."""
    whole = cache.find_library(_PROGRAM)
    assert whole is not None
    with TemporaryDirectory() as place:
        folder, memory = Path(place) / "cache", Path(place) / "memory"
        folder.mkdir()
        memory.mkdir()
        if case.whole:
            copytree(whole, folder / whole.name)
        if case.planted:
            copytree(whole, memory / f"mmsim-{os.getuid()}" / whole.name)
            (memory / f"mmsim-{os.getuid()}").chmod(0o777)
        case.change(folder, chance)
        env = {**os.environ, "MMSIM_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", _PLAY, memory, whole / LIBRARY_FILE]
        done = mounts.run(case.mount(folder, chance) if case.mount else "", command, env=env, cwd=ROOT)
        left = [path.name for path in memory.iterdir() if path.name != f"mmsim-{os.getuid()}"]
    played.add(done.stdout)
    lines = done.stderr.splitlines()
    if done.returncode or len(played) != 1:
        return f"exit code {done.returncode}, {len(played)} different games: {done.stderr}"
    if [line[: len(begin)] for line, begin in zip(lines, case.sentences, strict=False)] != list(case.sentences):
        return f"it says: {done.stderr}"
    if left:
        return f"it leaves {left}"
    if len(lines) != len(case.sentences) or case.cause not in done.stderr:
        return f"it says: {done.stderr}"
    return None
