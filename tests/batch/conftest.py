"""The toy game, known to this process and to the workers it starts."""

import pytest

from mmsim import games
from mmsim.batch import experiment, pool
from tests.batch import helpers


@pytest.fixture
def toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games._PACKAGES, "toy", "tests.toy")
    monkeypatch.setattr(experiment, "GAMES", (*games.GAMES, "toy"))
    monkeypatch.setattr(pool, "serve", helpers.serve)
