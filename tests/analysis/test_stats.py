"""The statistics against scipy, published tables and their own coverage."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from mmsim.analysis import stats

Z = stats.z_quantile(0.975)


def test_wilson_gives_newcombes_published_intervals() -> None:
    """Newcombe 1998 (Statist. Med. 17), table I, method 3."""
    for wins, games, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)]:
        assert stats.wilson_interval(wins / games, games, Z) == pytest.approx((low, high), abs=5e-5)
    assert stats.wilson_interval(1 / 29, 29, Z) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_wilson_agrees_with_scipy() -> None:
    for wins, games in [(1, 7), (50, 100), (999, 1000)]:
        theirs = scipy_stats.binomtest(wins, games).proportion_ci(method="wilson")
        assert stats.wilson_interval(wins / games, games, Z) == pytest.approx((theirs.low, theirs.high))


def test_share_of_games_with_deals_of_their_own_is_a_plain_wilson_interval() -> None:
    share, games = 0.3, 2000
    se = np.sqrt(share * (1 - share) / games)
    ours = stats.share_estimate(share, float(se), games, games)
    assert (ours.low, ours.high) == pytest.approx(stats.wilson_interval(share, games, Z), abs=5e-5)  # t, not z


def test_welch_agrees_with_scipy() -> None:
    rng = np.random.default_rng(5)
    one, other = rng.normal(0, 1, 12), rng.normal(0.5, 3, 30)
    theirs = scipy_stats.ttest_ind(one, other, equal_var=False)
    se_one, se_other = scipy_stats.sem(one), scipy_stats.sem(other)
    df = stats.welch_df(se_one, 12, se_other, 30)
    assert df == pytest.approx(theirs.df)
    p = stats.two_sided_p(one.mean() - other.mean(), float(np.hypot(se_one, se_other)), df)
    assert p == pytest.approx(theirs.pvalue)


def test_holm_adjusts_a_worked_example() -> None:
    """R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")."""
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert stats.holm([]) == []


def test_tost_is_the_larger_of_two_one_sided_tests() -> None:
    values = np.random.default_rng(6).normal(0.1, 1, 60)
    low = scipy_stats.ttest_1samp(values, -0.5, alternative="greater").pvalue
    high = scipy_stats.ttest_1samp(values, 0.5, alternative="less").pvalue
    ours = stats.tost(float(values.mean()), float(scipy_stats.sem(values)), 59, 0.5)
    assert ours == pytest.approx(max(low, high))


def test_games_needed_are_cohens() -> None:
    """A standardised effect of 0.2 takes 196 games for 80 % power, 0.5 takes 31 (normal approximation)."""
    assert stats.deals_for_power(0.2, 1, 0.05) == pytest.approx(196.2, abs=0.1)
    assert stats.deals_for_power(0.5, 1, 0.05) == pytest.approx(31.4, abs=0.1)


def test_games_needed_for_equality_are_enough() -> None:
    deals = int(np.ceil(stats.deals_for_equivalence(0.1, 0.3, 1, 0.05)))
    rng = np.random.default_rng(7)
    found = [
        stats.tost(float(v.mean()), float(v.std(ddof=1) / np.sqrt(deals)), deals - 1, 0.3) < 0.05
        for v in rng.normal(0.1, 1, (4000, deals))
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)
    assert stats.deals_for_equivalence(0.4, 0.3, 1, 0.05) == np.inf


def test_three_hundred_games_without_it_leave_less_than_a_hundredth() -> None:
    assert stats.rule_of_three_p(0.01, 300) == pytest.approx(0.049, abs=5e-4)
    assert stats.deals_to_rule_out(0.01, 0.05) == pytest.approx(298.1, abs=0.1)
    assert stats.rule_of_three_p(2.0, 5) == 0


def test_deals_that_all_differ_to_the_same_side_are_the_sign_test_of_scipy() -> None:
    for deals in (1, 2, 6, 40):
        assert stats.sign_test_p(deals) == pytest.approx(scipy_stats.binomtest(deals, deals, 0.5).pvalue)


def test_wald_of_one_number_is_its_z_test_and_ignores_directions_without_variance() -> None:
    assert stats.wald_test(np.array([2.0]), np.array([[1.0]])) == pytest.approx(scipy_stats.chi2.sf(4, 1))
    shares = np.array([0.02, -0.02])  # they add up to nothing: one degree of freedom
    cov = np.array([[1e-4, -1e-4], [-1e-4, 1e-4]])
    assert stats.wald_test(shares, cov) == pytest.approx(scipy_stats.chi2.sf(4, 1))


def test_wald_of_few_deals_is_hotellings_t_squared() -> None:
    """Of one number it is the t test of scipy; of several, p-values are uniform under the null; one game: p = 1."""
    rng = np.random.default_rng(8)
    values = rng.normal(0.5, 1, 6)
    theirs = scipy_stats.ttest_1samp(values, 0).pvalue
    assert stats.wald_test(values[:1] * 0 + values.mean(), np.array([[values.var(ddof=1) / 6]]), 6) == pytest.approx(
        theirs
    )
    samples = rng.normal(size=(2000, 8, 3))
    p_values = [stats.wald_test(one.mean(axis=0), np.cov(one.T) / 8, 8) for one in samples]
    assert scipy_stats.kstest(p_values, "uniform").pvalue > 0.001
    assert stats.wald_test(np.array([0.75, -0.75]), np.zeros((2, 2)), 1) == 1
    assert stats.wald_test(np.array([0.75, -0.75]), np.zeros((2, 2)), 11) == pytest.approx(2**-10)


def test_intraclass_correlation_gives_shrout_and_fleiss_published_value() -> None:
    """Shrout and Fleiss 1979, table 2: ICC(1,1) of six targets and four judges is 0.17."""
    ratings = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    share = stats.intraclass_correlation([4] * 6, ratings.sum(axis=1), (ratings**2).sum(axis=1))
    assert share.value == pytest.approx(0.166, abs=5e-4)
    assert share.low == 0  # it lies below, and a share does not


def test_groups_of_one_game_have_no_intraclass_correlation() -> None:
    share = stats.intraclass_correlation([1, 1, 1], [1, 2, 3], [1, 4, 9])
    assert np.isnan(share.value)


@pytest.mark.slow
def test_intervals_of_shares_have_their_nominal_coverage() -> None:
    rng = np.random.default_rng(9)
    wins = rng.binomial(400, 0.27, 20_000)
    bounds = np.array([stats.wilson_interval(w / 400, 400, Z) for w in wins])
    assert 0.94 < ((bounds[:, 0] <= 0.27) & (bounds[:, 1] >= 0.27)).mean() < 0.96


@pytest.mark.slow
def test_interval_of_the_intraclass_correlation_has_its_nominal_coverage() -> None:
    """With normal values and with skewed ones, where the interval by F fails."""
    rng = np.random.default_rng(10)
    draws = {
        "normal": lambda size: rng.normal(size=size),
        "skewed": lambda size: rng.exponential(size=size) - 1,
    }
    for draw in draws.values():
        inside = 0
        for _ in range(20_000):
            values = draw((600, 5)) + 0.5 * draw((600, 1))
            estimated = stats.intraclass_correlation(np.full(600, 5), values.sum(axis=1), (values**2).sum(axis=1))
            inside += estimated.low <= 0.2 <= estimated.high
        assert 0.94 < inside / 20_000 < 0.96
