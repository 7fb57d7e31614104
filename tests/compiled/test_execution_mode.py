"""How the execution mode follows from the machine and the user's settings."""

import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from mmsim.compiled import cache, execution_mode

ROOT = Path(__file__).parents[2]

if not execution_mode.can_build():
    pytest.skip("no library can be built here", allow_module_level=True)

_PRINT_MODE = """
from mmsim.compiled import decorators, execution_mode
import sys
print(execution_mode.current(), 'numba' in sys.modules)
"""


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({}, "library False"), ({"MMSIM_JIT": "0"}, "plain False"), ({"MMSIM_LINK": "0"}, "numba True")],
    ids=["default", "plain", "no linking"],
)
def test_the_user_chooses_the_mode(changed: dict[str, str], expected: str, tmp_path: Path) -> None:
    env = {**os.environ, "MMSIM_CACHE_DIR": str(tmp_path), "MMSIM_JIT": "1", "MMSIM_LINK": "1", **changed}
    done = subprocess.run(
        [sys.executable, "-c", _PRINT_MODE], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == expected


@pytest.mark.parametrize(
    ("module", "name", "value", "obstacle"),
    [
        (shutil, "which", lambda name: None, "there is no C compiler"),
        (platform, "machine", lambda: "riscv", "libraries are for Linux x86_64, not Linux riscv"),
        (execution_mode, "_CPU_FLAGS", {"no processor has this"}, "libraries are for x86-64-v3 processors"),
        (
            execution_mode,
            "_LINKABLE_NUMBA",
            ("0.1.",),
            f"only Numba 0.1.x builds libraries, this is {version('numba')}",
        ),
    ],
    ids=["no C compiler", "another machine", "an older processor", "another Numba"],
)
def test_numba_compiles_where_no_library_runs_or_can_be_built(
    module: ModuleType, name: str, value: object, obstacle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMSIM_JIT", "1")
    monkeypatch.setenv("MMSIM_LINK", "1")
    monkeypatch.setattr(cache, "find_library", lambda program: None)
    assert execution_mode.current.__wrapped__() == execution_mode.LIBRARY
    assert execution_mode.library_obstacle() == ""
    monkeypatch.setattr(module, name, value)
    assert execution_mode.current.__wrapped__() == execution_mode.NUMBA
    assert execution_mode.library_obstacle() == obstacle
