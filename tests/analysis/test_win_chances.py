"""Win chances: who is ahead, how tense a game is, and calibration against the results."""

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.win_chances import (
    COLUMNS,
    calibrated,
    check_calibration,
    expected_winners,
    fitted_temperature,
    tension,
    tension_table,
)

MANY = 1_000_000  # playouts: nothing is left to chance
TURNS = 5  # of the games that calibration is tested with


def test_a_lead_that_may_be_noise_is_none() -> None:
    chances = np.array([[0.5, 0.5], [0.45, 0.55], [0.55, 0.45], [1.0, 0.0]])
    assert expected_winners(chances, 50) == [-1, -1, -1, 0]
    assert expected_winners(chances, MANY) == [-1, 1, 0, 0]


def test_the_expected_winner_stays_until_somebody_is_ahead() -> None:
    chances = np.array([[0.6, 0.3, 0.1], [0.4, 0.42, 0.18], [0.2, 0.7, 0.1], [0.0, 1.0, 0.0]])
    assert expected_winners(chances, 100) == [0, 0, 1, 1]


def test_numbers_of_a_game_with_a_comeback() -> None:
    chances = np.array([[0.5, 0.5], [0.36, 0.64], [0.2, 0.8], [0.75, 0.25], [1.0, 0.0]])
    found = tension(chances, MANY)
    assert found["lead_changes"] == 1
    assert found["decided"] == 3 / 4
    assert found["comeback"] == 1
    assert found["drama"] == pytest.approx((0.28**0.5 + 0.6**0.5) / 4)
    bits = [-sum(p * np.log2(p) for p in row) for row in chances[:-1]]
    assert found["tension"] == pytest.approx(np.mean(bits), abs=1e-5)


def test_a_game_that_is_clear_from_the_start_has_no_drama() -> None:
    found = tension(np.array([[0.9, 0.1], [1.0, 0.0], [1.0, 0.0]]), MANY)
    assert (found["lead_changes"], found["decided"], found["comeback"], found["drama"]) == (0, 0, 0, 0)
    assert 0.2 < (found["tension"] or 0) < 0.3


def test_a_shared_win_has_nobody_who_came_back() -> None:
    found = tension(np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]), MANY)
    assert [name for name in COLUMNS if found[name] is None] == ["decided", "comeback", "drama"]
    assert found["lead_changes"] == 1


def test_few_playouts_do_not_make_a_game_look_less_open() -> None:
    rng = np.random.default_rng(1)
    openness = []
    for _ in range(400):
        row = rng.multinomial(20, [0.25] * 4) / 20
        openness.append(tension(np.array([row, [1.0, 0.0, 0.0, 0.0]]), 20)["tension"])
    assert np.mean(openness) == pytest.approx(1, abs=0.03)  # 0.945 without the correction


def test_the_table_has_a_row_a_game() -> None:
    rows = [
        {"variant": variant, "game": game, "turn": turn, "player": player, "chance": chance, "playouts": 100}
        for variant, game in (("a", 0), ("a", 7), ("b", 0))
        for turn, chances in enumerate(((0.5, 0.5), (0.1, 0.9), (0.0, 1.0)))
        for player, chance in enumerate(chances)
    ]
    found = tension_table(pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=2))
    assert found.select("variant", "game").rows() == [("a", 0), ("a", 7), ("b", 0)]
    assert found["decided"].to_list() == [0.5] * 3


# --- calibration ---


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
    calibration = check_calibration(table(chances, chances, 2), {"v": 1})
    assert calibration.games == 3000
    assert sum(bin.forecasts for bin in calibration.bins) == 2 * TURNS * 3000
    inside = [bin.won.low <= bin.foretold <= bin.won.high for bin in calibration.bins]
    assert sum(inside) >= 9
    assert calibration.brier.value == pytest.approx(np.mean(chances * (1 - chances)), abs=0.01)
    assert calibration.fair.value == pytest.approx(0.25)
    assert calibration.skill == pytest.approx(1 - calibration.brier.value / 0.25)


def test_chances_that_are_too_sure_are_found_out() -> None:
    chances = np.random.default_rng(1).uniform(0.3, 0.7, 2000)
    calibration = check_calibration(table(chances, 3 * chances - 1, 2), {"v": 1})  # from -0.1 to 1.1, as if clipped
    first = next(bin for bin in calibration.bins if bin.low == pytest.approx(0.1))
    assert first.won.low > first.foretold + 0.1


def test_games_of_a_deal_are_one_observation() -> None:
    chances = np.full(400, 0.5)
    alone, together = (check_calibration(table(chances, chances, 3), {"v": each}).bins[0].won for each in (1, 4))
    assert (alone.deals, together.deals) == (400, 100)
    assert alone.value == together.value


@pytest.mark.parametrize("power", [2.0, 1.0, 0.6])
def test_a_level_whose_chances_are_too_sure_or_not_sure_enough_is_calibrated(power: float) -> None:
    true = np.random.default_rng(4).uniform(0.05, 0.95, 3000)
    said = true**power / (true**power + (1 - true) ** power)  # above 1: too sure
    told = table(true, said, 2)
    assert fitted_temperature(told) == pytest.approx(power, rel=0.1)
    uncorrected, corrected = (check_calibration(rows, {"v": 1}).brier.value for rows in (told, calibrated(told)))
    best = np.mean(true * (1 - true))
    assert corrected == pytest.approx(best, abs=0.006)
    assert corrected <= uncorrected + 0.0005


def test_every_level_has_a_temperature_of_its_own_and_results_stay_as_they_are() -> None:
    true = np.random.default_rng(4).uniform(0.05, 0.95, 2000)
    sure = true**2 / (true**2 + (1 - true) ** 2)
    tables = [
        table(true, said, 2).with_columns(variant=pl.lit(name)) for said, name in ((true, "v~club"), (sure, "v~expert"))
    ]
    both = pl.concat(tables)
    corrected = calibrated(both)
    assert corrected.shape == both.shape
    club, expert = (
        corrected.filter(variant=name, turn=0, player=0)["chance"].to_numpy() for name in ("v~club", "v~expert")
    )
    assert np.abs(club - expert).mean() < 0.02
    assert corrected.filter(turn=TURNS)["chance"].to_list() == both.filter(turn=TURNS)["chance"].to_list()


def test_few_games_are_not_calibrated() -> None:
    assert fitted_temperature(table(np.array([0.5] * 10), np.array([0.9] * 10), 1)) == 1.0
