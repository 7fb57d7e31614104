"""What instructions come to, asked of one process each way."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def instructions() -> Callable[[str], dict[str, Any]]:
    """What `tests.compiled.instructions` finds with Numba (`1`) or as plain Python (`0`)."""

    @cache
    def answers(jit: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.compiled.instructions"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "MMSIM_JIT": jit, "MMSIM_LINK": "0", "MMSIM_BOUNDSCHECK": "0"},
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return answers
