"""One small run for all tests of analysis, and the toy game."""

from pathlib import Path

import pytest

from mmsim.analysis.tables import RunTables, open_run
from tests.batch.conftest import toy_game

__all__ = ["toy_game"]


@pytest.fixture(scope="session")
def run(run_folder: Path) -> RunTables:
    return open_run(run_folder)
