"""Worker processes forked from one that has loaded what they need; loading it in each takes a second of CPU.

Commands that tests start in processes of their own (`tests/batch/test_stopped_runs.py`, `tests/cli/test_interrupts.py`)
start workers from scratch, as users do.
"""

from multiprocessing import context, util

import pytest

from mmsim.report.page import PRELOADED

_LOADED = ("polars", "mmsim.batch.worker", "mmsim.metromania.game", "mmsim.metro.game", *PRELOADED)


def fork_workers(patch: pytest.MonkeyPatch) -> None:
    """Make this process fork its workers as long as the patch lasts."""
    util.get_temp_dir()  # before a test that checks for leftovers sets another folder
    contexts = context._concrete_contexts
    contexts["forkserver"].set_forkserver_preload([*_LOADED])
    patch.setattr(contexts["forkserver"], "set_forkserver_preload", lambda modules: None)
    patch.setitem(contexts, "spawn", contexts["forkserver"])
