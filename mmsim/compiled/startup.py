"""Prepare a program for use: load it or compile it once, with progress on stderr; a damaged cache is never used."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path

from mmsim.compiled import cache as code_cache
from mmsim.compiled import entry_points, execution_mode
from mmsim.errors import MmsimError
from mmsim.system.files import failing_with

OnProgress = Callable[[int, int], None]  # (functions compiled, functions in all)
show_bars = True  # on a terminal; not while several programs are compiled in parallel


@cache
def warm_up(program: str) -> float:
    """Prepare every entry point of a program to be called; returns the seconds it took the first time.

    The first process to need them compiles under a lock; the others wait, then load. Code whose checksums do not match
    is deleted before any of it is used; intact code may be read-only.
    """
    start = time.perf_counter()
    if execution_mode.current() == execution_mode.LIBRARY:
        folder = code_cache.find_library(program) or _build_library(program)
        try:
            entry_points.load_library(program, folder)
        except OSError as error:
            raise MmsimError(f"compiled code cannot be loaded: {error}; set MMSIM_LINK=0 to do without it") from error
    elif execution_mode.current() == execution_mode.NUMBA:
        if not code_cache.is_usable(code_cache.folder(program)):
            _fill_numba_cache(program)
        _compile_here(program, lambda done, total: None)
    return time.perf_counter() - start


def _build_library(program: str) -> Path:
    """Build a missing library, unless another process did while this one waited; returns its folder."""
    start = time.perf_counter()
    with code_cache.compile_lock(program):
        if existing := code_cache.find_library(program):
            return existing
        folder, problem = code_cache.folder(program), code_cache.writable_root()[1]
        if problem:
            _print_stderr(code_cache.unwritable_message(problem))
        with (
            failing_with("cannot keep compiled code anywhere"),
            code_cache.scratch_folder() as scratch,
            _progress(program, folder) as on_progress,
        ):
            built = scratch / "built"
            built.mkdir()
            _run_build(program, built, on_progress, scratch)
            code_cache.write_checksums(built, time.perf_counter() - start)
            folder, problem = code_cache.store(program, built)
        if problem:
            _print_stderr(code_cache.unwritable_message(problem))
    return folder


def _fill_numba_cache(program: str) -> None:
    """Have Numba compile all functions missing from its cache; those it cannot cache serve only this process."""
    start = time.perf_counter()
    with code_cache.compile_lock(program):
        folder, problem = code_cache.folder(program), code_cache.writable_root()[1]
        if code_cache.is_usable(folder):
            return
        if problem:
            _print_stderr(code_cache.unwritable_message(problem))
        code_cache.remove_outdated(folder)
        if os.path.lexists(folder):  # Numba would load what somebody else has put there
            raise MmsimError(f"{folder} cannot be removed; set MMSIM_CACHE_DIR to use another folder")
        with suppress(OSError):  # if it cannot be written, Numba says so
            folder.mkdir(0o700)
        with _progress(program, folder) as on_progress:
            not_cached = _compile_here(program, on_progress)
        try:
            if not_cached:
                raise not_cached
            code_cache.write_checksums(folder, time.perf_counter() - start)
        except (OSError, MmsimError) as error:
            reason = getattr(error, "strerror", None) or error
            _print_stderr(
                f"cannot keep compiled code in {folder}: {reason}; it is compiled in memory, for this process alone"
            )


def _compile_here(program: str, on_progress: OnProgress) -> OSError | None:
    """Have Numba compile every entry point, or load it from its cache; returns why one could not be cached."""
    from mmsim.compiled import decorators

    import_module(f"mmsim.{program}.bots.entry_points")
    not_cached = None
    with decorators.watch_compiling(on_progress):
        for entry_point in entry_points.declared_entry_points(program):
            try:
                decorators.compile_entry_point(entry_point)
            except OSError as error:  # it is compiled nevertheless
                not_cached = error
    return not_cached


def _run_build(program: str, folder: Path, on_progress: OnProgress, scratch: Path) -> None:
    """Build the library in another process, so that this one need not import Numba."""
    package = Path(__file__).resolve().parent.parent.parent
    paths = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-P", "-m", "mmsim.compiled", str(folder), "--build", program]
    env = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(scratch)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            for line in child.stdout:
                done, total = line.split()
                on_progress(int(done), int(total))
            errors = child.stderr.read().strip()
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        last_line = errors.splitlines()[-1] if errors else f"exit code {child.returncode}"
        raise MmsimError(f"the fast core cannot be compiled: {last_line}; set MMSIM_LINK=0 to do without a C compiler")


@contextmanager
def _progress(program: str, folder: Path) -> Iterator[OnProgress]:
    """Show that a program is being compiled: a bar on a terminal, else a line before and a line after."""
    duration = "about a minute"
    if execution_mode.current() == execution_mode.NUMBA:
        duration = f"by Numba alone ({execution_mode.library_obstacle()}), which takes two to six minutes"
    description = f"compiling the fast core of {program}, {duration}, once for this version"
    if show_bars and sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True)) as bar:
            bar.print(f"mmsim: compiled code is kept in {folder}", soft_wrap=True)
            task = bar.add_task(description, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        start = time.perf_counter()
        _print_stderr(f"{description}; kept in {folder}")
        yield lambda done, total: None
        _print_stderr(f"compiled {program} in {time.perf_counter() - start:.0f} s")


def _print_stderr(text: str) -> None:
    if sys.stderr is not None:
        print(f"mmsim: {text}", file=sys.stderr, flush=True)
