"""Tests and intervals of the imbalance keep the error rates that they name."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from mmsim.analysis.estimates import Estimates
from mmsim.analysis.imbalance_limits import ImbalanceTest
from mmsim.analysis.stats import noncentral_chi2_z
from mmsim.batch.confidence import quantile
from mmsim.core.metrics import Measure

SHARES = Measure("win_share", "Who wins?", "share", 0.01)
LIMIT, SEARCHES = 0.01, 40_000


@pytest.mark.parametrize("df", [1, 2, 3, 5])
@pytest.mark.parametrize("distance", [0.0, 2.5, 6.0, 30.0])
@pytest.mark.parametrize("p", [0.002, 0.3, 0.5, 0.9, 0.9995])
def test_normal_scores_are_those_of_the_exact_noncentral_distribution(df: int, distance: float, p: float) -> None:
    at = scipy_stats.ncx2.ppf(p, df, distance**2) if distance else scipy_stats.chi2.ppf(p, df)
    score, exact = noncentral_chi2_z(at, df, distance**2), scipy_stats.norm.ppf(p)
    assert score > exact - 0.1  # nearly even games are not called even too soon
    if p > 0.1 or distance > 5:
        assert score == pytest.approx(exact, abs=0.1)


def searches_with(true: np.ndarray, games: int, seed: int) -> list[ImbalanceTest]:
    """Tests after games in which seats win with these chances."""
    seats = len(true)
    wins = np.random.default_rng(seed).multinomial(games, true, size=SEARCHES) / games
    made = []
    for shares in wins:
        cov = (np.diag(shares) - np.outer(shares, shares)) / games
        parts = shares[None, :], np.full((1, seats), games), np.full((1, seats), games), cov[None, :, None, :]
        made.append(ImbalanceTest.of(Estimates(SHARES, ("x",), ("",) * seats, *parts, paired=True), 0))
    return made


@pytest.mark.parametrize(
    ("pattern", "games"), [((1, -1), 15_000), ((1, -1), 40_000), ((3, 1, -1, -3), 6_000), ((-1, 0, 0, 0, 1), 20_000)]
)
def test_what_lies_on_the_limit_is_rarely_called_below_or_above_it(pattern: tuple[int, ...], games: int) -> None:
    """A normal test from mean and variance alone would confirm far too many of them."""
    shape = np.array(pattern) / np.sqrt(np.mean(np.square(pattern)))
    tests = searches_with(1 / len(pattern) + LIMIT * shape, games, seed=5)
    scores = np.array([value / se for value, se in (test.excess(LIMIT) for test in tests)])
    for alpha in (0.05, 0.01):
        assert np.mean(scores <= -quantile(alpha)) < 1.25 * alpha / 2
        assert 0.75 * alpha / 2 < np.mean(scores > quantile(alpha)) < 1.25 * alpha / 2


def test_an_interval_agrees_with_the_verdicts_at_its_ends() -> None:
    for test in searches_with(np.array([0.26, 0.25, 0.25, 0.24]), 20_000, seed=6)[:50]:
        low, high = test.interval(quantile(0.01))
        assert low <= high
        for limit, sign in ((low, 1), (high, -1)):
            value, se = test.excess(limit)
            assert value / se == pytest.approx(sign * quantile(0.01), abs=1e-6) or limit == 0


def test_games_that_are_all_alike_leave_nothing_open() -> None:
    assert ImbalanceTest(0.0, 0.0, 3).excess(0.01) == (-0.01, 0.0)
    assert ImbalanceTest(0.0004, 0.0, 3).interval(2.0) == (0.02, 0.02)
