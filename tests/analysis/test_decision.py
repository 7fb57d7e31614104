"""Two variants compared until something is decided: how often that is wrong, and how soon it is found."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.decision import decide, sentence
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.stats import estimate
from mmsim.analysis.tables import RunTables
from mmsim.batch.confidence import MIN_DEALS, sequence_half_width
from mmsim.batch.experiment import Experiment
from mmsim.core.levels import Level
from mmsim.core.metrics import Measure

MARGIN = Measure("margin", "?", "points", 0.1)


def compared(value: float, se: float, deals: int, name: str = "club") -> ComparisonOverLevels:
    apart, level = estimate(value, se, deals), Level(name, name, name)
    alone = Comparison(MARGIN, "", "a", "b", level, apart, apart, apart, deals - 1.0, 1.0, 1.0, 0.0, 1.0, True)
    return ComparisonOverLevels((alone,))


def looked_at(rng: np.random.Generator, mean: float, most: int = 6000, runs: int = 1) -> np.ndarray:
    """Differences of games that vary as win shares do: mostly 0, else 1 or -1; of many runs."""
    chances = np.array([0.2 - mean / 2, 0.6, 0.2 + mean / 2])
    return rng.choice([-1.0, 0.0, 1.0], (runs, most), p=chances)


def first_exclusion(values: np.ndarray) -> np.ndarray:
    """After how many deals each run says that there is a difference; 0 if never, though it looks after every 50."""
    found = np.zeros(len(values), int)
    sums, squares = values.cumsum(axis=1), (values**2).cumsum(axis=1)
    for deals in range(MIN_DEALS, values.shape[1] + 1, 50):
        means = sums[:, deals - 1] / deals
        ses = np.sqrt((squares[:, deals - 1] / deals - means**2) / (deals - 1))
        wide = sequence_half_width(1.0, deals, ALPHA)
        found[(found == 0) & (np.abs(means) > wide * ses)] = deals
    return found


def test_without_a_difference_it_errs_no_more_often_than_it_says_however_often_it_looks() -> None:
    wrong = first_exclusion(looked_at(np.random.default_rng(1), 0.0, runs=1500)) > 0
    assert wrong.mean() <= ALPHA


def test_a_difference_is_found_sooner_the_larger_it_is() -> None:
    rng = np.random.default_rng(2)
    small, large = (first_exclusion(looked_at(rng, mean, runs=200)) for mean in (0.05, 0.15))
    assert (small > 0).mean() > 0.8
    assert (large > 0).all()
    assert np.median(large) < 0.3 * np.median(small[small > 0])


def test_the_sequence_is_that_of_its_paper_and_wider_than_an_interval_for_one_look() -> None:
    rho = (-2 * np.log(0.05) + np.log(1 - 2 * np.log(0.05))) / 5000  # squared
    deals, sd = 2000, 3.0
    wanted = sd * np.sqrt(2 * (deals * rho + 1) / (deals**2 * rho) * np.log(np.sqrt(deals * rho + 1) / 0.05))
    assert sequence_half_width(sd / np.sqrt(deals), deals, 0.05) == pytest.approx(wanted)
    assert 1.4 < sequence_half_width(1.0, 5000, 0.05) / 1.96 < 1.8
    assert sequence_half_width(1.0, MIN_DEALS - 1, 0.05) == np.inf


def test_differences_equality_and_doubt_are_told_for_each_level() -> None:
    three = [
        compared(1.0, 0.1, 5000, "club"),
        compared(0.0, 0.01, 5000, "expert"),
        compared(0.2, 0.1, 5000, "master"),
    ]
    found = decide(three)
    assert (found.apart, found.equal, found.undecided) == (["club"], ["expert"], ["master"])
    assert not found.is_made
    made = msgspec.structs.replace(found, games=5000, looks=1)
    answer = sentence(RunTables(Experiment("x", ("print",)), (), {}, decision=made))
    assert answer.startswith(
        "margin of b and a: different at club; equal within tolerance at expert; not decided at master; "
        "after 5,000 games of each and 1 look, wrong at most 5% of the time"
    )


def test_games_that_all_came_out_the_same_are_not_taken_for_equal_at_once() -> None:
    same = compared(0.0, 0.0, 500)
    assert decide([same]).undecided == ["club"]
    sure = replace(same, levels=(replace(same.levels[0], p_equal=0.001),))
    assert decide([sure]).equal == ["club"]
