"""Statistics: pure functions, each with the paper behind it; `docs/explanation/statistics.md` explains the choices.

The unit of observation is a deal: all games that share a layout and a deal of cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MIN_GROUPS = 3  # for a jackknife over groups
LEVEL = 0.95
_POWER = 0.8  # of the tests that sample sizes are computed for
_TINY = 1e-12
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval and standard error, and the number of deals behind it."""

    value: float
    low: float
    high: float
    se: float
    deals: int

    @property
    def df(self) -> int:
        """Degrees of freedom."""
        return max(self.deals - 1, 1)

    def scaled(self, factor: float) -> "Estimate":
        return Estimate(self.value * factor, self.low * factor, self.high * factor, self.se * factor, self.deals)


def scipy_special() -> Any:
    """scipy.special, imported late because it is slow and drawing charts does not need it."""
    from scipy import special

    return special


def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t (Student 1908)."""
    return float(scipy_special().stdtrit(df, probability))


def z_quantile(probability: float) -> float:
    return float(scipy_special().ndtri(probability))


def two_sided_p(value: float, se: float, df: float = np.inf) -> float:
    """Two-sided p-value of "the true value is zero", by Student's t; by default by the normal distribution."""
    if se == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * scipy_special().stdtr(df, -abs(value) / se))


def estimate(value: float, se: float, deals: int) -> Estimate:
    """A value with Student's t interval; unbounded for fewer than two deals."""
    if deals < 2:
        return Estimate(value, -np.inf, np.inf, np.inf, deals)
    half = t_quantile((1 + LEVEL) / 2, deals - 1) * se
    return Estimate(value, value - half, value + half, se, deals)


def ratio_se(sums: Array, counts: Array) -> tuple[float, float]:
    """A mean as the ratio of two sums over deals, and its standard error (Cochran 1977, Sampling Techniques, 6.3)."""
    mean, deals = float(sums.sum() / counts.sum()), len(sums)
    residuals = sums - mean * counts
    return mean, float(np.sqrt((residuals @ residuals) * deals / max(deals - 1, 1)) / counts.sum())


# --- shares ------------------------------------------------------------------------------------------------------


def wilson_interval(share: float, games: float, z: float) -> tuple[float, float]:
    """Interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22): never outside 0 to 1, right even near its ends.

    It reaches `z` standard errors to each side; `games` may be a fraction, the effective sample size.
    """
    if games <= 0:
        return 0.0, 1.0
    middle = share + z * z / (2 * games)
    half = z * np.sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2)
    shrink = 1 + z * z / games
    low = 0.0 if share <= 0 else max(0.0, float((middle - half) / shrink))
    high = 1.0 if share >= 1 else min(1.0, float((middle + half) / shrink))
    return low, high


def share_estimate(share: float, se: float, games: float, deals: int) -> Estimate:
    """A share with Wilson's interval for the effective sample size.

    That is games / design effect (Kish 1965, Survey Sampling, 8.2), with t in place of z for few deals (Korn and
    Graubard 1998, Survey Methodology 24). A share that never varied has design effect 1.
    """
    if deals < 2:
        return Estimate(share, 0.0, 1.0, np.inf, deals)
    effective = share * (1 - share) / se**2 if se > 0 else games
    low, high = wilson_interval(share, effective, t_quantile((1 + LEVEL) / 2, deals - 1))
    return Estimate(share, low, high, se, deals)


# --- differences of means ----------------------------------------------------------------------------------------


def welch_df(first_se: float, first_deals: int, second_se: float, second_deals: int) -> float:
    """Degrees of freedom of a difference of independent means (Welch 1947, Biometrika 34)."""
    total = first_se**2 + second_se**2
    parts = first_se**4 / max(first_deals - 1, 1) + second_se**4 / max(second_deals - 1, 1)
    return total**2 / parts if parts > 0 else float(first_deals + second_deals - 2)


# --- tests and sample sizes --------------------------------------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for a family of tests (Holm 1979, Scand. J. Statist. 6)."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * (len(p) - np.arange(len(p)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


def benjamini_hochberg(p_values: ArrayLike) -> Array:
    """p-values adjusted so that of those below a limit at most this share is expected to be false discoveries
    (Benjamini and Hochberg 1995, J. R. Statist. Soc. B 57)."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return adjusted


def tost(difference: float, se: float, df: float, tolerance: float) -> float:
    """p-value of "the difference is at least the tolerance": two one-sided tests (Schuirmann 1987, J.
    Pharmacokinet. Biopharm. 15). Small: equivalent within the tolerance."""
    if se == 0:
        return 0.0 if abs(difference) < tolerance else 1.0
    return float(scipy_special().stdtr(df, -(tolerance - abs(difference)) / se))


def rule_of_three_p(share: float, deals: float) -> float:
    """The probability that an event of this share of deals was never observed: the "rule of three" (Hanley and
    Lippman-Hand 1983, J. Am. Med. Assoc. 249)."""
    return float((1 - min(share, 1.0)) ** deals)


def sign_test_p(deals: float) -> float:
    """The p-value of deals that all differ in the same direction (Conover 1999, Practical Nonparametric Statistics,
    3.4)."""
    return float(min(1.0, 2.0 ** (1 - deals)))


def deals_to_rule_out(share: float, alpha: float) -> float:
    """Deals without an event after which its share is significantly below this one (Hanley and Lippman-Hand 1983)."""
    return float(np.log(alpha) / np.log1p(-share)) if share < 1 else 1.0


def deals_for_power(effect: float, sd: float, alpha: float) -> float:
    """Deals at which a two-sided test detects an effect with a power of 80 % (Cohen 1988)."""
    if effect == 0:
        return np.inf
    return float(((z_quantile(1 - alpha / 2) + z_quantile(_POWER)) * sd / effect) ** 2)


def deals_for_equivalence(difference: float, tolerance: float, sd: float, alpha: float) -> float:
    """Deals at which two one-sided tests show equivalence with a power of 80 % if the observed difference is the true
    one (Chow, Shao and Wang 2008, Sample Size Calculations in Clinical Research, 3.2.3)."""
    margin = tolerance - abs(difference)
    if margin <= 0:
        return np.inf
    both_sides = (1 + _POWER) / 2 if difference == 0 else _POWER
    return float(((z_quantile(1 - alpha) + z_quantile(both_sides)) * sd / margin) ** 2)


def wald_test(values: Array, cov: Array, deals: float = np.inf) -> float:
    """p-value of "all values are zero" (Wald 1943, Trans. Am. Math. Soc. 54), whatever their covariance.

    A covariance estimated from few deals calls for Hotelling's T squared (1931, Ann. Math. Statist. 2); with too few
    deals the p-value is 1.
    """
    eigenvalues, vectors = np.linalg.eigh(cov)
    positive = eigenvalues > eigenvalues.max(initial=0.0) * 1e-9
    if not positive.any():
        return 1.0 if np.allclose(values, 0) else sign_test_p(max(deals, 1))
    projected, rank = vectors[:, positive].T @ values, int(positive.sum())
    squared = float((projected**2 / eigenvalues[positive]).sum())
    if not np.isfinite(deals):
        return float(scipy_special().chdtrc(rank, squared))
    if deals <= rank:
        return 1.0
    return float(scipy_special().fdtrc(rank, deals - rank, squared * (deals - rank) / (rank * (deals - 1))))


def noncentral_chi2_z(value: float, df: float, noncentrality: float) -> float:
    """The normal score of a noncentral chi-squared value (Sankaran 1963, Biometrika 50), for tails of any size."""
    mean, spread = df + noncentrality, df + 2 * noncentrality
    h = 1 - 2 / 3 * mean * (df + 3 * noncentrality) / spread**2
    p, m = spread / mean**2, (h - 1) * (1 - 3 * h)
    centre = 1 + h * p * (h - 1 - (2 - h) * m * p / 2)
    return float(((value / mean) ** h - centre) / (h * np.sqrt(2 * p) * (1 + m * p / 2)))


# --- variance between groups -------------------------------------------------------------------------------------


def intraclass_correlation(counts: ArrayLike, sums: ArrayLike, squares: ArrayLike) -> Estimate:
    """The share of the variance that lies between groups: the intraclass correlation of a one-way layout.

    ANOVA estimate with the mean group size of unequal groups (Searle 1971, Linear Models, 10.6). Its interval is a
    jackknife over groups of the logarithm of the ratio of mean squares (Arvesen and Schmitz 1970, Biometrics 26):
    the standard F interval assumes normal values and is far too narrow without them.
    Groups of one game carry no information on the variance within. Several rows of sums, one per player, are taken
    together. A negative estimate counts as 0, with the interval of 0, so that the interval is never 0 to 0.
    """
    n, s, q = (
        np.asarray(counts, np.float64),
        np.atleast_2d(np.asarray(sums, np.float64)),
        np.asarray(squares, np.float64),
    )
    groups, group_squares, total = len(n), (s**2 / n).sum(axis=0), s.sum(axis=1, keepdims=True)
    if groups < _MIN_GROUPS or n.sum() - n.max(initial=0) <= groups - 1:
        return Estimate(np.nan, 0.0, 1.0, np.inf, groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = _anova_icc(groups, n.sum(), (n**2).sum(), (total**2).sum(), q.sum(), group_squares.sum())
        leave_one_out = _anova_icc(
            groups - 1,
            n.sum() - n,
            (n**2).sum() - n**2,
            ((total - s) ** 2).sum(axis=0),
            q.sum() - q,
            group_squares.sum() - group_squares,
        )
    if not np.isfinite(whole):
        return Estimate(0.0, 0.0, 1.0, np.inf, groups)
    size = float(n.mean())
    middle, scale = _log_ratio(max(whole, 0.0), size), _jackknife_se(_log_ratio(leave_one_out, size))
    half = t_quantile((1 + LEVEL) / 2, groups - 1) * scale
    ends = (np.expm1(z) / (np.expm1(z) + size) for z in (middle - half, middle + half))
    low, value, high = (float(np.clip(share, 0.0, 1.0)) for share in sorted((max(whole, 0.0), *ends)))
    return Estimate(value, low, high, _jackknife_se(leave_one_out), groups)


def _log_ratio(icc: Any, size: float) -> Any:
    """The logarithm of the ratio of mean squares that belongs to an intraclass correlation of groups of this size."""
    ratio = (1 + (size - 1) * icc) / np.maximum(1 - icc, _TINY)
    return np.log(np.maximum(ratio, _TINY))


def _jackknife_se(leave_one_out: Array) -> float:
    groups = len(leave_one_out)
    return float(np.sqrt((groups - 1) / groups * ((leave_one_out - leave_one_out.mean()) ** 2).sum()))


def within_group_variance(counts: ArrayLike, sums: ArrayLike, squares: ArrayLike) -> float:
    """The mean square within groups, summed over players where each has a row of sums."""
    n, s = np.asarray(counts, np.float64), np.atleast_2d(np.asarray(sums, np.float64))
    squared = max(np.asarray(squares, np.float64).sum() - (s**2 / n).sum(), 0.0)  # below 0 only by rounding
    return float(squared / (n.sum() - len(n)))


def _anova_icc(
    groups: float, games: Any, sizes_squared: Any, total_squared: Any, squares: Any, group_squares: Any
) -> Any:
    """The intraclass correlation from sums over groups."""
    within = (squares - group_squares) / (games - groups)
    between = (group_squares - total_squared / games) / (groups - 1)
    size = (games - sizes_squared / games) / (groups - 1)
    return (between - within) / (between + (size - 1) * within)
