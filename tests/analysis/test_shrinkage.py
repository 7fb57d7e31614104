"""Empirical Bayes on data whose truth is known, and p-values adjusted for many layouts."""

import numpy as np
import pytest

from mmsim.analysis import stats
from mmsim.analysis.shrinkage import multinomial_noise, shrink


def test_estimates_are_nearer_to_the_truth_than_what_was_seen_and_say_how_near() -> None:
    draws = np.random.default_rng(3)
    true = draws.normal(0.0, 1.0, (4000, 1))
    seen = true + draws.normal(0.0, 1.0, (4000, 1))
    shrunken = shrink(seen, np.array([[1.0]]))
    assert shrunken.raw_reliability() == pytest.approx(0.5, abs=0.03)
    assert shrunken.reliability() == pytest.approx(np.corrcoef(shrunken.values.T, true.T)[0, 1] ** 2, abs=0.03)
    errors = [((values - true) ** 2).mean() for values in (seen, shrunken.values)]
    assert errors[1] == pytest.approx(0.5, abs=0.03)
    assert errors[0] == pytest.approx(1.0, abs=0.06)
    assert shrunken.left[0, 0] == pytest.approx(errors[1], abs=0.03)


def test_a_noisy_coordinate_learns_from_one_that_goes_with_it() -> None:
    draws = np.random.default_rng(4)
    true = draws.normal(0.0, 1.0, 4000)
    seen = np.column_stack([true + draws.normal(0, 0.3, 4000), true + draws.normal(0, 3.0, 4000)])
    shrunken = shrink(seen, np.diag([0.09, 9.0]))
    alone = shrink(seen[:, 1:], np.array([[9.0]]))
    assert alone.reliability() < 0.15
    assert shrunken.reliability(slice(1, 2)) > 0.75
    assert np.corrcoef(shrunken.values[:, 1], true)[0, 1] ** 2 > 0.85


def test_nothing_but_noise_is_believed_to_be_nothing() -> None:
    seen = np.random.default_rng(5).normal(0.0, 1.0, (2000, 2))
    shrunken = shrink(seen, 1.1 * np.eye(2))
    assert np.abs(shrunken.values - shrunken.mean).max() < 1e-9
    assert shrunken.reliability() == 0.0


def test_the_noise_of_shares_is_that_of_counted_wins() -> None:
    draws = np.random.default_rng(6)
    chances, games = np.array([0.5, 0.3, 0.2]), 40
    shares = draws.multinomial(games, chances, 30_000) / games
    noise = multinomial_noise(shares, np.full(30_000, float(games)))
    assert noise == pytest.approx(np.cov(shares.T), abs=2e-4)


def test_distances_are_as_reliable_as_new_draws_say() -> None:
    draws = np.random.default_rng(7)
    true = draws.normal(0.3, 1.0, (20_000, 2))
    seen = true + draws.normal(0.0, 0.7, true.shape)
    shrunken = shrink(seen, 0.49 * np.eye(2))
    measured = np.corrcoef((shrunken.values**2).sum(axis=1), (true**2).sum(axis=1))[0, 1] ** 2
    assert shrunken.distance_reliability(0.0) == pytest.approx(measured, abs=0.03)
    assert shrunken.squared_distance(0.0).mean() == pytest.approx((true**2).mean(), abs=0.03)


def test_adjusted_p_values_are_those_of_the_paper() -> None:
    # Benjamini and Hochberg (1995), section 4.1: at 5 % the first four of these fifteen are rejected.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590]
    adjusted = stats.benjamini_hochberg([*p, 1.0])
    assert (adjusted <= 0.05).tolist() == [True] * 4 + [False] * 11
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)


def test_false_discoveries_stay_below_their_limit() -> None:
    draws = np.random.default_rng(8)
    is_true = draws.random(50_000) < 0.3
    z = draws.normal(np.where(is_true, 3.0, 0.0), 1.0)
    found = stats.benjamini_hochberg(stats.scipy_special().ndtr(-z)) <= 0.05
    assert found.sum() > 5000
    assert (found & ~is_true).sum() / found.sum() < 0.045
