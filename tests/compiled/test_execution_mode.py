"""Which way compiled code is run: what follows from the machine and from what a user says."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mmsim.compiled import cache, execution_mode

ROOT = Path(__file__).parents[2]

if not execution_mode.can_build():
    pytest.skip("no library can be made here", allow_module_level=True)

_WAY = """
from mmsim.compiled import accel, execution_mode
import sys
print(execution_mode.current(), 'numba' in sys.modules)
"""


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({}, "library False"), ({"MMSIM_JIT": "0"}, "plain False"), ({"MMSIM_LINK": "0"}, "numba True")],
    ids=["usual", "plain", "no linking"],
)
def test_the_way_follows_from_what_a_user_says(changed: dict[str, str], expected: str, tmp_path: Path) -> None:
    env = {**os.environ, "MMSIM_CACHE_DIR": str(tmp_path), "MMSIM_JIT": "1", "MMSIM_LINK": "1", **changed}
    done = subprocess.run([sys.executable, "-c", _WAY], env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (shutil, "which", lambda name: None),
        (platform, "machine", lambda: "riscv"),
        (execution_mode, "_NEEDED", {"none has it"}),
        (execution_mode, "_KNOWN", ("0.1.",)),
    ],
    ids=["no C compiler", "another machine", "an older processor", "another Numba"],
)
def test_numba_goes_to_work_where_no_library_runs_or_can_be_made(
    module: ModuleType, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMSIM_JIT", "1")
    monkeypatch.setenv("MMSIM_LINK", "1")
    monkeypatch.setattr(cache, "find", lambda program: None)
    assert execution_mode.current.__wrapped__() == execution_mode.LIBRARY
    monkeypatch.setattr(module, name, value)
    assert execution_mode.current.__wrapped__() == execution_mode.NUMBA
