"""What all tests share: how workers are started, a run of three variants, charts that need not be drawn."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forked_workers import fork_workers
from tests.runs import write_run
from tests.sharing import made_once


def pytest_collection_finish() -> None:
    """What all tests are made of stays: to look through it for garbage again and again takes seconds of CPU."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # and new things are looked through less often


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # libraries complain at exit of what nobody takes away


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        fork_workers(patch)
        yield


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 games of every way to play the municipality."""
    return made_once(tmp_path_factory, "municipality", write_run)


@pytest.fixture
def empty_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts that take no time to draw, for tests that do not look at them; those of a report take seconds of CPU."""
    from mmsim.report import page
    from mmsim.report.charts import Chart

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
