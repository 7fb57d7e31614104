"""What all tests share: how workers start, a run of three variants, charts that are not drawn."""

import gc
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.forked_workers import fork_workers
from tests.runs import write_run
from tests.sharing import made_once


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longest first, so that no worker is left with a long test at the end of `make verify`."""
    items.sort(key=_minutes, reverse=True)


def _minutes(item: pytest.Item) -> float:
    """The CPU time that a slow test declares; 0 for all others."""
    slow = item.get_closest_marker("slow")
    return slow.kwargs.get("minutes", 0) if slow else 0


def pytest_collection_finish() -> None:
    """Freeze the objects of the test modules: collecting garbage among them takes seconds of CPU."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # some libraries warn at exit about frozen objects


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        fork_workers(patch)
        yield


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 games of each of the three municipality variants."""
    return made_once(tmp_path_factory, "municipality", write_run)


@pytest.fixture
def empty_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty charts, for tests that do not look at them: drawing those of a report takes seconds of CPU."""
    from mmsim.report import page
    from mmsim.report.charts import Chart
    from mmsim.report.report_data import run_here

    monkeypatch.setattr(page, "chart_workers", lambda: nullcontext(run_here))
    monkeypatch.setattr(Chart, "files", lambda chart: {"svg": b"", "png": b""})
    monkeypatch.setattr(Chart, "narrow", lambda chart: b"")
    monkeypatch.setattr(Chart, "inline", lambda chart, drawn, suffix="": "")
