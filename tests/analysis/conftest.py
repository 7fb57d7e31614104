"""One small run for all tests of analysis."""

from pathlib import Path

import pytest

from mmsim.analysis.tables import RunTables, open_run


@pytest.fixture(scope="session")
def run(run_folder: Path) -> RunTables:
    return open_run(run_folder)
