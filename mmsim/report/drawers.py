"""Processes that draw: charts and pictures of a report, several at a time, while tables are still being read."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from mmsim.core.processes import Helpers, cores
from mmsim.report import charts

_MOST = 4  # a report has about twenty charts
_LOADED_FIRST = (charts.__name__, "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg")
Drawn = TypeVar("Drawn")


class Drawers:
    """Some processes that load matplotlib as soon as they are started; where none can be, all is drawn here."""

    def __init__(self) -> None:
        multiprocessing.get_context("forkserver").set_forkserver_preload([*_LOADED_FIRST])
        self._pool = Helpers(min(cores(), _MOST), "forkserver")
        self._submit(be_ready)

    def __enter__(self) -> "Drawers":
        return self

    def __exit__(self, *problem: object) -> None:
        self._pool.__exit__(*problem)

    def ask(self, draw: Callable[[], Drawn]) -> Callable[[], Drawn]:
        """Have something drawn that can be pickled; what is returned waits for it."""
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
