"""A process pool for a report: its workers first measure a part of the run, then draw charts and pictures."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import forkserver
from typing import TypeVar

from mmsim.system.processes import StoppablePool, cores, starting_processes

_MAX_WORKERS = 4  # for about twenty charts
PRELOADED = ("mmsim.report.charts", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg")
T = TypeVar("T")


def preload_workers() -> None:
    """Start the fork server, which loads matplotlib while this process loads other things."""
    multiprocessing.get_context("forkserver").set_forkserver_preload([*PRELOADED])
    with suppress(OSError), starting_processes():
        forkserver.ensure_running()


class ChartWorkers:
    """A pool of processes with matplotlib loaded; where none can be started, tasks run in this process."""

    def __init__(self) -> None:
        preload_workers()
        self._pool = StoppablePool(min(cores(), _MAX_WORKERS), "forkserver")
        self._start(no_task)

    def __enter__(self) -> "ChartWorkers":
        return self

    def __exit__(self, *problem: object) -> None:
        self._pool.__exit__(*problem)

    def submit(self, task: Callable[[], T]) -> Callable[[], T]:
        """Start a task, which can be pickled; what is returned waits for its result."""
        future = self._start(task)

        def wait() -> T:
            try:
                return future.result() if future else task()
            except BrokenProcessPool:
                return task()

        return wait

    def _start(self, task: Callable[[], T]) -> Future[T] | None:
        try:
            return self._pool.submit(task)
        except (OSError, BrokenProcessPool):
            return None


def no_task() -> None:
    """Submitted first, so that a worker starts."""
