"""What all tests share: how workers are started, and one run of three variants to look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked_workers import fork_workers
from tests.runs import write_run
from tests.sharing import made_once


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        fork_workers(patch)
        yield


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 games of every way to play the municipality."""
    return made_once(tmp_path_factory, "municipality", write_run)
