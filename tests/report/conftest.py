"""One small run and its report for all tests of reports."""

from pathlib import Path

import pytest

from mmsim.analysis.tables import open_run
from mmsim.report.figures import Chart
from mmsim.report.page import write_report
from tests.runs import write_run


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "municipality")


@pytest.fixture
def empty_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts that take no time to draw, for tests that do not look at them."""
    monkeypatch.setattr(Chart, "files", {"svg": b"", "png": b""})
    monkeypatch.setattr(Chart, "inline", lambda chart: "")


@pytest.fixture(scope="session")
def report(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a written report."""
    folder = tmp_path_factory.mktemp("reports") / "municipality"
    write_report(open_run(run_folder), folder)
    return folder
