"""What all tests share: how the processes are started that they ask for."""

from collections.abc import Iterator
from multiprocessing import context

import pytest

from mmsim.report import drawers

_LOADED = ("polars", "mmsim.batch.worker", "mmsim.metromania.game", "mmsim.metro.game", *drawers._LOADED_FIRST)


@pytest.fixture(scope="session", autouse=True)
def workers_are_forked() -> Iterator[None]:
    """Workers come from one process that has loaded what they need; to load it in each takes a second of CPU.

    Commands that tests start in processes of their own start workers as users do (`tests/batch/test_stopped_runs.py`,
    `tests/cli/test_stopping.py`).
    """
    contexts = context._concrete_contexts
    with pytest.MonkeyPatch.context() as patch:
        contexts["forkserver"].set_forkserver_preload([*_LOADED])
        patch.setattr(contexts["forkserver"], "set_forkserver_preload", lambda modules: None, raising=True)
        patch.setitem(contexts, "spawn", contexts["forkserver"])
        yield
