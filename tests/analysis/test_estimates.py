"""Means and covariances from running sums: a naive twin, known values, and sums that do not lose what matters."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from mmsim.analysis import stats
from mmsim.analysis.estimates import Moments

Array = NDArray[np.float64]


def mean_of(values: Array) -> tuple[float, float]:
    """The mean of values, one row per deal, and its standard error."""
    moments = Moments(1, 1, paired=False)
    moments.add([values[None]])
    means, _, _, cov = moments.estimates()
    return float(means[0, 0]), float(np.sqrt(cov[0, 0, 0, 0]))


def residuals(values: Array) -> tuple[Array, Array]:
    """The naive twin: means of groups, and how far each deal pulls each of them."""
    sums, counts = np.nansum(values, axis=2), (~np.isnan(values)).sum(axis=2)
    games, deals = counts.sum(axis=1), (counts > 0).sum(axis=1)
    means = sums.sum(axis=1) / games
    return means, (sums - means[:, None] * counts) / games[:, None] * np.sqrt(deals / (deals - 1))[:, None]


def made(seed: int, whole: bool) -> list[Array]:
    """Values of two variants in three groups, 700 deals of two games; some games missing if not `whole`."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0, 2, (3, 700, 1))
    made = [50 * v + shared + rng.normal(0, 1, (3, 700, 2)) for v in range(2)]
    if not whole:
        for values in made:
            values[rng.random(values.shape) < 0.2] = np.nan
        made[1][:, 600:] = np.nan  # a partial run
    return made


@pytest.mark.parametrize("whole", [True, False])
def test_sums_of_blocks_are_as_good_as_all_residuals_at_once(whole: bool) -> None:
    values = made(1, whole)
    moments = Moments(2, 3, paired=True)
    for block in np.array_split(np.arange(700), 3):
        moments.add([variant[:, block] for variant in values])
    means, games, deals, cov = moments.estimates()
    twins = [residuals(variant) for variant in values]
    for v, (mean, pull) in enumerate(twins):
        assert means[v] == pytest.approx(mean, rel=1e-13)
        assert games[v] == pytest.approx((~np.isnan(values[v])).sum(axis=(1, 2)))
        assert deals[v] == pytest.approx((~np.isnan(values[v])).any(axis=2).sum(axis=1))
        for w, (_, other) in enumerate(twins):
            assert cov[v, :, w, :] == pytest.approx(pull @ other.T, rel=1e-10, abs=1e-15)


def test_variants_that_are_not_paired_have_nothing_in_common() -> None:
    values = made(2, whole=True)
    moments = Moments(2, 3, paired=False)
    moments.add(values)
    *_, cov = moments.estimates()
    for v in range(2):
        pull = residuals(values[v])[1]
        assert cov[v, :, v, :] == pytest.approx(pull @ pull.T, rel=1e-10)
    assert not cov[0, :, 1, :].any()


def test_a_group_without_games_has_no_mean() -> None:
    moments = Moments(1, 2, paired=False)
    moments.add([np.array([[[1.0], [3.0]], [[np.nan], [np.nan]]])])
    means, games, deals, _ = moments.estimates()
    assert means[0, 0] == 2
    assert np.isnan(means[0, 1])
    assert games.tolist() == deals.tolist() == [[2, 0]]


def test_a_small_spread_of_large_values_is_not_lost() -> None:
    values = 1e9 + np.random.default_rng(3).normal(0, 1e-3, (5000, 1))
    assert mean_of(values)[1] == pytest.approx(scipy_stats.sem(values[:, 0]), rel=1e-4)


def test_whole_numbers_vary_to_the_last_digit_as_they_do_in_any_other_order() -> None:
    values = np.random.default_rng(4).integers(0, 60, (4001, 1)).astype(np.float64)
    assert mean_of(values) == mean_of(values[::-1])


def test_mean_of_single_games_has_the_t_interval_of_scipy() -> None:
    values = np.random.default_rng(1).normal(5, 2, 30)
    ours = stats.estimate(*mean_of(values[:, None]), 30)
    theirs = scipy_stats.ttest_1samp(values, 5).confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert stats.two_sided_p(ours.value - 5, ours.se, ours.df) == pytest.approx(scipy_stats.ttest_1samp(values, 5)[1])


def test_deals_of_equal_size_are_as_good_as_their_means() -> None:
    values = np.random.default_rng(2).normal(size=(50, 4)) + np.random.default_rng(3).normal(size=(50, 1))
    assert mean_of(values)[1] == pytest.approx(scipy_stats.sem(values.mean(axis=1)))


@pytest.mark.slow
def test_intervals_of_means_over_deals_have_their_nominal_coverage() -> None:
    """Deals of one to four games."""
    rng = np.random.default_rng(9)
    inside, rounds = 0, 20_000
    for _ in range(rounds):
        values = 3 + rng.normal(0, 1, (100, 1)) + rng.normal(0, 1, (100, 4))
        values[np.arange(4) >= rng.integers(1, 5, (100, 1))] = np.nan
        estimated = stats.estimate(*mean_of(values), 100)
        inside += estimated.low <= 3 <= estimated.high
    assert 0.94 < inside / rounds < 0.96


@pytest.mark.slow
def test_intervals_of_shares_over_deals_have_their_nominal_coverage() -> None:
    """A share whose chance varies from deal to deal."""
    rng = np.random.default_rng(10)
    inside, rounds = 0, 20_000
    for _ in range(rounds):
        won = rng.random((300, 4)) < rng.beta(2, 6, (300, 1))  # 1/4 on average
        estimated = stats.share_estimate(*mean_of(won.astype(np.float64)), 1200, 300)
        inside += estimated.low <= 0.25 <= estimated.high
    assert 0.94 < inside / rounds < 0.96
