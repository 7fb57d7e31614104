"""Processes that work for a report: first they measure some of it, then they draw charts and pictures."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import forkserver
from typing import TypeVar

from mmsim.system.processes import Helpers, cores, starting_helpers

_MOST = 4  # a report has about twenty charts
_LOADED_FIRST = ("mmsim.report.charts", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg")
Drawn = TypeVar("Drawn")


def load_ahead() -> None:
    """Have matplotlib loaded by the process that drawers will be forked from, while this one loads other things.

    Whoever starts the first of them waits for that.
    """
    multiprocessing.get_context("forkserver").set_forkserver_preload([*_LOADED_FIRST])
    with suppress(OSError), starting_helpers():
        forkserver.ensure_running()


class Drawers:
    """Some processes that have matplotlib at hand; where none can be started, all is drawn here."""

    def __init__(self) -> None:
        load_ahead()
        self._pool = Helpers(min(cores(), _MOST), "forkserver")
        self._submit(be_ready)

    def __enter__(self) -> "Drawers":
        return self

    def __exit__(self, *problem: object) -> None:
        self._pool.__exit__(*problem)

    def ask(self, draw: Callable[[], Drawn]) -> Callable[[], Drawn]:
        """Have something measured or drawn that can be pickled; what is returned waits for it."""
        asked = self._submit(draw)

        def wait() -> Drawn:
            try:
                return asked.result() if asked else draw()
            except BrokenProcessPool:
                return draw()

        return wait

    def _submit(self, draw: Callable[[], Drawn]) -> Future[Drawn] | None:
        try:
            return self._pool.submit(draw)
        except (OSError, BrokenProcessPool):
            return None


def be_ready() -> None:
    """Nothing: asked of a process, it has it started."""
