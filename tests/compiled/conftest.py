"""The results of intrinsics, from one process per execution mode."""

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
def intrinsic_results() -> Callable[[str], dict[str, Any]]:
    """The output of `tests.compiled.intrinsic_results` with Numba (`1`) or as plain Python (`0`)."""

    @cache
    def run(jit: str) -> dict[str, Any]:
        process = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.compiled.intrinsic_results"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "MMSIM_JIT": jit, "MMSIM_LINK": "0", "MMSIM_BOUNDSCHECK": "0"},
        )
        assert process.returncode == 0, process.stderr
        results: dict[str, Any] = json.loads(process.stdout)
        return results

    return run
