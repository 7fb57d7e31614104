"""Which way compiled code is run: what follows from the machine and from what a user says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.compiled import way

ROOT = Path(__file__).parents[2]

if not way.can_build():
    pytest.skip("no library can be made here", allow_module_level=True)

_WAY = "from mmsim.compiled import accel, way\nimport sys\nprint(way.current(), 'numba' in sys.modules)"


@pytest.mark.parametrize(
    ("before", "changed", "expected"),
    [
        ("", {}, "library False"),
        ("", {"MMSIM_JIT": "0"}, "plain False"),
        ("", {"MMSIM_LINK": "0"}, "numba True"),
        ("import shutil; shutil.which = lambda name: None\n", {}, "numba True"),
        ("import platform; platform.machine = lambda: 'riscv'\n", {}, "numba True"),
        ("import mmsim.compiled.way as w; w._NEEDED = {'none has it'}\n", {}, "numba True"),
        ("import mmsim.compiled.way as w; w._KNOWN = ('0.1.',)\n", {}, "numba True"),
    ],
    ids=["usual", "plain", "no linking", "no C compiler", "another machine", "an older processor", "another Numba"],
)
def test_the_way_follows_from_what_is_there(
    before: str, changed: dict[str, str], expected: str, tmp_path: Path
) -> None:
    env = {**os.environ, "MMSIM_CACHE_DIR": str(tmp_path), "MMSIM_JIT": "1", "MMSIM_LINK": "1", **changed}
    done = subprocess.run(
        [sys.executable, "-c", before + _WAY], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == expected
