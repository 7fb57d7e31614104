"""One small run for all tests of analysis."""

from pathlib import Path

import pytest

from mmsim.analysis.tables import RunTables, open_run
from tests.runs import write_run


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "municipality")


@pytest.fixture(scope="session")
def run(run_folder: Path) -> RunTables:
    return open_run(run_folder)
