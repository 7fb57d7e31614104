"""One report for all tests of reports, and a browser to look at pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmsim.analysis.tables import open_run
from mmsim.report.page import write_report
from tests.batch.conftest import toy_game as toy_game
from tests.runs import write_run
from tests.sharing import made_once

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def report(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a written report."""
    return made_once(tmp_path_factory, "report", lambda folder: write_report(open_run(run_folder), folder))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium without a window, if there is one; closed with its module: its loop would disturb others."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    own = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    with playwright.sync_playwright() as play:
        try:
            started = play.chromium.launch(executable_path=own, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def small_run(toy_game: None, empty_charts: None, tmp_path: Path) -> Path:
    """A run whose report takes next to no time, for tests of what is done with reports and not of what is in them."""
    return write_toys(tmp_path / "run")


def write_toys(folder: Path, **experiment: Any) -> Path:
    return write_run(folder, ["dice"], 8, 8, players=3, game="toy", bots="bold", **experiment)
