"""Calibration of win chances against the results of games."""

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.calibration import calibrate

TURNS = 5


def table(true: np.ndarray, said: np.ndarray, seed: int) -> pl.DataFrame:
    """Games of two players, one row per turn and player; the first player wins with the true chance."""
    rng = np.random.default_rng(seed)
    rows = []
    for game, (chance, foretold) in enumerate(zip(true, said, strict=True)):
        won = float(rng.random() < chance)
        for turn in range(TURNS + 1):
            first = won if turn == TURNS else foretold
            rows += [("v", game, turn, 0, first, 100), ("v", game, turn, 1, 1 - first, 100)]
    names = ["variant", "game", "turn", "player", "chance", "playouts"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_true_chances_are_won_as_often_as_they_say() -> None:
    chances = np.random.default_rng(1).uniform(0.05, 0.95, 3000)
    found = calibrate(table(chances, chances, 2), {"v": 1})
    assert found.games == 3000
    assert sum(one.forecasts for one in found.bins) == 2 * TURNS * 3000
    inside = [one.won.low <= one.foretold <= one.won.high for one in found.bins]
    assert sum(inside) >= 9
    assert found.brier.value == pytest.approx(np.mean(chances * (1 - chances)), abs=0.01)
    assert found.fair.value == pytest.approx(0.25)
    assert found.skill == pytest.approx(1 - found.brier.value / 0.25)


def test_chances_that_are_too_sure_are_found_out() -> None:
    chances = np.random.default_rng(1).uniform(0.3, 0.7, 2000)
    found = calibrate(table(chances, 3 * chances - 1, 2), {"v": 1})  # from -0.1 to 1.1, as if clipped
    first = next(one for one in found.bins if one.low == pytest.approx(0.1))
    assert first.won.low > first.foretold + 0.1


def test_games_of_a_deal_are_one_observation() -> None:
    chances = np.full(400, 0.5)
    alone, together = (calibrate(table(chances, chances, 3), {"v": each}).bins[0].won for each in (1, 4))
    assert (alone.deals, together.deals) == (400, 100)
    assert alone.value == together.value
