"""Have a program ready: load it, or compile it once, say so, and never trust a broken cache."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from pathlib import Path

from mmsim.compiled import cache as kept
from mmsim.compiled import entry_points, execution_mode
from mmsim.errors import MmsimError

Progress = Callable[[int, int], None]  # (functions compiled, of so many)
bars = True  # whether a person at a terminal gets a bar: not where several programs are compiled side by side


@cache
def warm_up(program: str) -> float:
    """Have every entry of a program ready to be called; the seconds that took the first time.

    The first process to need them compiles, under a lock; the others wait and then load. Code that is not as it was
    left is thrown away before anything of it is used; whole code may be read-only.
    """
    began = time.perf_counter()
    if execution_mode.current() == execution_mode.LIBRARY:
        found = kept.find(program) or _make_library(program)
        try:
            entry_points.load(program, found)
        except OSError as error:
            raise MmsimError(f"compiled code cannot be loaded: {error}; MMSIM_LINK=0 does without it") from error
    elif execution_mode.current() == execution_mode.NUMBA:
        if not kept.is_whole(kept.folder(program)):
            _have_numba_compile(program)
        _compile_here(program, lambda done, total: None)
    return time.perf_counter() - began


def _make_library(program: str) -> Path:
    """Make a library that is not there, unless somebody else has while this process waited; where it is."""
    began = time.perf_counter()
    with kept.one_at_a_time(program):
        if found := kept.find(program):
            return found
        folder, problem = kept.folder(program), kept.place()[1]
        if problem:
            _say(kept.complaint(problem))
        try:
            with kept.scratch() as scratch, _progress(program, folder) as tell:
                made = scratch / "made"
                made.mkdir()
                _build(program, made, tell, scratch)
                kept.note_as_whole(made, time.perf_counter() - began)
                folder, problem = kept.keep(program, made)
        except OSError as error:
            raise MmsimError(f"cannot keep compiled code anywhere: {error.strerror or error}") from error
        if problem:
            _say(kept.complaint(problem))
    return folder


def _have_numba_compile(program: str) -> None:
    """Have Numba compile what it has not kept; if it cannot be kept, it is compiled for this process alone."""
    began = time.perf_counter()
    with kept.one_at_a_time(program):
        folder, problem = kept.folder(program), kept.place()[1]
        if kept.is_whole(folder):
            return
        if problem:
            _say(kept.complaint(problem))
        kept.wipe(folder)
        with _progress(program, folder) as tell:
            unkept = _compile_here(program, tell)
        try:
            if unkept:
                raise unkept
            kept.note_as_whole(folder, time.perf_counter() - began)
        except (OSError, MmsimError) as error:
            why = getattr(error, "strerror", None) or error
            _say(f"cannot keep compiled code in {folder}: {why}; it is compiled in memory, for this process alone")


def _compile_here(program: str, tell: Progress) -> OSError | None:
    """Have Numba compile every entry, or load what it has compiled; why that could not be kept."""
    from mmsim.compiled import accel

    import_module(f"mmsim.{program}.bots.entry_points")
    unkept = None
    with accel.watch_compiling(tell):
        for entry in entry_points.program_entries(program):
            try:
                accel.compile_entry(entry)
            except OSError as error:  # compiled it is
                unkept = error
    return unkept


def _build(program: str, folder: Path, tell: Progress, scratch: Path) -> None:
    """Have another process make the library: this one has no need of Numba."""
    package = Path(__file__).resolve().parent.parent.parent
    paths = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "mmsim.compiled.build", program, str(folder)]
    env = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(scratch)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            for line in child.stdout:
                done, total = line.split()
                tell(int(done), int(total))
            problem = child.stderr.read().strip()
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        last = problem.splitlines()[-1] if problem else f"exit code {child.returncode}"
        raise MmsimError(f"the fast core cannot be compiled: {last}; MMSIM_LINK=0 does without a C compiler")


class _Lines(AbstractContextManager[Progress]):
    """What a log or a pipe gets: a line before and a line after."""

    def __init__(self, program: str, kept_in: Path) -> None:
        self._program, self._kept_in = program, kept_in

    def __enter__(self) -> Progress:
        self._began = time.perf_counter()
        _say(f"{_what_happens(self._program)}; kept in {self._kept_in}")
        return lambda done, total: None

    def __exit__(self, *problem: object) -> None:
        if problem[0] is None:
            _say(f"compiled {self._program} in {time.perf_counter() - self._began:.0f} s")


class _Bar(AbstractContextManager[Progress]):
    """What a person at a terminal gets: a bar."""

    def __init__(self, program: str, kept_in: Path) -> None:
        self._program, self._kept_in = program, kept_in

    def __enter__(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True)
        )
        self._bar.__enter__()
        self._bar.print(f"mmsim: compiled code is kept in {self._kept_in}", soft_wrap=True)
        task = self._bar.add_task(_what_happens(self._program), total=None)
        return lambda done, total: self._bar.update(task, completed=done, total=total)

    def __exit__(self, *problem: object) -> None:
        self._bar.__exit__(None, None, None)


def _progress(program: str, kept_in: Path) -> AbstractContextManager[Progress]:
    if sys.stderr is None:
        return nullcontext(lambda done, total: None)
    return (_Bar if bars and sys.stderr.isatty() else _Lines)(program, kept_in)


def _what_happens(program: str) -> str:
    return f"compiling the fast core of {program}, about a minute, once for this version"


def _say(text: str) -> None:
    print(f"mmsim: {text}", file=sys.stderr, flush=True)
