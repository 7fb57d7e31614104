"""One report for all tests of reports, and a browser to look at pages."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mmsim.analysis.tables import open_run
from mmsim.report import page
from mmsim.report.charts import Chart
from mmsim.report.page import write_report
from tests.sharing import made_once

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture
def empty_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts that take no time to draw, for tests that do not look at them."""
    monkeypatch.setattr(page, "Drawers", _Idle)
    monkeypatch.setattr(Chart, "files", lambda chart: {"svg": b"", "png": b""})
    monkeypatch.setattr(Chart, "inline", lambda chart, drawn: "")


class _Idle:
    """Draws here, without a process to wait for."""

    def __enter__(self) -> "_Idle":
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def ask(self, draw: Callable[[], Any]) -> Callable[[], Any]:
        return draw


@pytest.fixture(scope="session")
def report(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a written report."""
    return made_once(tmp_path_factory, "report", lambda folder: write_report(open_run(run_folder), folder))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium without a window, if there is one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    own = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    with playwright.sync_playwright() as play:
        try:
            started = play.chromium.launch(executable_path=own, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        yield started
        started.close()
