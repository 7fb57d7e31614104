"""A report that all tests of reports share, and a browser to open it."""

import shutil
from collections.abc import Iterator, Sequence
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
    """Headless Chromium, if installed; closed with its module, because its event loop would disturb other tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    with playwright.sync_playwright() as play:
        try:
            chromium = play.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture
def small_run(toy_game: None, empty_charts: None, tmp_path: Path) -> Path:
    """A run whose report takes next to no time, for tests that do not look at its content."""
    return write_toys(tmp_path / "run")


def write_toys(folder: Path, rules: Sequence[str] = ("dice",), **experiment: Any) -> Path:
    """A run of the toy game: one part of eight games per variant and kind of players."""
    bots = {} if "levels" in experiment else {"bots": "bold"}
    return write_run(folder, rules, 8, 8, players=3, game="toy", **bots, **experiment)
