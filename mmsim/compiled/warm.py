"""Compile once, say so, and never trust a broken cache."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from mmsim.compiled import accel, cache

Tell = Callable[[int], None]


def warm_up(game: str, run: Callable[[], object]) -> float:
    """Have every compiled function of a game ready by running `run`, which calls them all; returns the seconds it took.

    The first process to need them compiles, under a lock; the others wait and then load. A cache that is not as it
    was left is thrown away before anything in it is used; a whole one may be read-only.
    """
    began = time.perf_counter()
    if not accel.ENABLED:
        return 0.0
    if not cache.is_whole(game):
        with cache.one_at_a_time(game):
            if not cache.is_whole(game):  # nobody else has compiled while this process waited
                cache.wipe(game)
                with _progress(cache.folder(game)) as tell, accel.watch_compiling(tell):
                    run()
                cache.note_as_whole(game, time.perf_counter() - began)
    run()
    return time.perf_counter() - began


class _Lines(AbstractContextManager[Tell]):
    """What a log or a pipe gets: a line before and a line after."""

    def __init__(self, kept_in: Path) -> None:
        self._kept_in = kept_in

    def __enter__(self) -> Tell:
        self._began = time.perf_counter()
        _say(f"compiling the fast core, once for this version; kept in {self._kept_in}")
        return lambda done: None

    def __exit__(self, *problem: object) -> None:
        if problem[0] is None:
            _say(f"compiled in {time.perf_counter() - self._began:.0f} s")


class _Bar(AbstractContextManager[Tell]):
    """What a person at a terminal gets: a bar."""

    def __init__(self, kept_in: Path) -> None:
        self._kept_in = kept_in

    def __enter__(self) -> Tell:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True)
        )
        self._bar.__enter__()
        self._bar.print(f"mmsim: compiled code is kept in {self._kept_in}", soft_wrap=True)
        task = self._bar.add_task("compiling the fast core, once for this version", total=accel.registered)
        return lambda done: self._bar.update(task, completed=done)

    def __exit__(self, *problem: object) -> None:
        self._bar.__exit__(None, None, None)


def _progress(kept_in: Path) -> AbstractContextManager[Tell]:
    if sys.stderr is None:
        return nullcontext(lambda done: None)
    return _Bar(kept_in) if sys.stderr.isatty() else _Lines(kept_in)


def _say(text: str) -> None:
    print(f"mmsim: {text}", file=sys.stderr, flush=True)
