"""The statistics of the house: pure functions, each with the paper behind it; `docs/statistics.md` tells why.

A deal is all games that share a layout and a deal: one independent observation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_FEWEST_GROUPS = 3  # for a jackknife over them
LEVEL = 0.95
_TINY = 1e-12
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number, its interval and what they rest on: its standard error and the deals it varies over."""

    value: float
    low: float
    high: float
    se: float
    deals: int

    @property
    def df(self) -> int:
        """Degrees of freedom: what varies independently, less the mean."""
        return max(self.deals - 1, 1)


def _special() -> Any:
    """Functions of scipy, which takes a moment to import; whoever only draws numbers does without."""
    from scipy import special

    return special


def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t (Student 1908)."""
    return float(_special().stdtrit(df, probability))


def z_quantile(probability: float) -> float:
    """Quantile of the normal distribution."""
    return float(_special().ndtri(probability))


def two_sided_p(value: float, se: float, df: float) -> float:
    """How often chance alone would lie at least this far from zero, by Student's t."""
    if se == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * _special().stdtr(df, -abs(value) / se))


def estimate(value: float, se: float, deals: int, level: float = LEVEL) -> Estimate:
    """A number with Student's t interval; fewer than two deals tell nothing of its spread."""
    if deals < 2:
        return Estimate(value, -np.inf, np.inf, np.inf, deals)
    half = t_quantile((1 + level) / 2, deals - 1) * se
    return Estimate(value, value - half, value + half, se, deals)


# --- shares ------------------------------------------------------------------------------------------------------


def wilson(share: float, games: float, z: float) -> tuple[float, float]:
    """Interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22): never outside 0 to 1, right even near its ends.

    It reaches `z` standard errors to each side; `games` may be a fraction, the effective number of games.
    """
    if games <= 0:
        return 0.0, 1.0
    middle = share + z * z / (2 * games)
    half = z * np.sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2)
    shrink = 1 + z * z / games
    low = 0.0 if share <= 0 else max(0.0, float((middle - half) / shrink))
    high = 1.0 if share >= 1 else min(1.0, float((middle + half) / shrink))
    return low, high


def share_estimate(share: float, se: float, games: float, deals: int, level: float = LEVEL) -> Estimate:
    """A share with Wilson's interval for as many independent games as would tell as much.

    The effective number is games / design effect (Kish 1965, Survey Sampling, 8.2), with t in place of z for few
    deals (Korn and Graubard 1998, Survey Methodology 24). A share that never varied has design effect 1.
    """
    if deals < 2:
        return Estimate(share, 0.0, 1.0, np.inf, deals)
    effective = share * (1 - share) / se**2 if se > 0 else games
    low, high = wilson(share, effective, t_quantile((1 + level) / 2, deals - 1))
    return Estimate(share, low, high, se, deals)


# --- differences of means ----------------------------------------------------------------------------------------


def welch_df(se_one: float, deals_one: int, se_other: float, deals_other: int) -> float:
    """Degrees of freedom of a difference of independent means (Welch 1947, Biometrika 34)."""
    total = se_one**2 + se_other**2
    parts = se_one**4 / max(deals_one - 1, 1) + se_other**4 / max(deals_other - 1, 1)
    return total**2 / parts if parts > 0 else float(deals_one + deals_other - 2)


# --- decisions ---------------------------------------------------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for a family of tests (Holm 1979, Scand. J. Statist. 6)."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * (len(p) - np.arange(len(p)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


def tost(difference: float, se: float, df: float, tolerance: float) -> float:
    """p-value against "the difference is at least the tolerance": two one-sided tests (Schuirmann 1987, J.
    Pharmacokinet. Biopharm. 15). Small: equal within the tolerance."""
    if se == 0:
        return 0.0 if abs(difference) < tolerance else 1.0
    return float(_special().stdtr(df, -(tolerance - abs(difference)) / se))


def never(share: float, deals: float) -> float:
    """The chance that what happens in this share of deals never did: the "rule of three" (Hanley and Lippman-Hand
    1983, J. Am. Med. Assoc. 249)."""
    return float((1 - min(share, 1.0)) ** deals)


def always(deals: float) -> float:
    """How often chance alone would have every deal differ to the same side: the sign test (Conover 1999, Practical
    Nonparametric Statistics, 3.4)."""
    return float(min(1.0, 2.0 ** (1 - deals)))


def deals_to_be_sure(share: float, alpha: float = 1 - LEVEL) -> float:
    """Deals after which something that has never happened happens in less than this share (Hanley and Lippman-Hand
    1983)."""
    return float(np.log(alpha) / np.log1p(-share)) if share < 1 else 1.0


def deals_to_find(effect: float, sd: float, alpha: float = 1 - LEVEL, wanted: float = 0.8) -> float:
    """Deals at which a two-sided test finds an effect with the wanted power (Cohen 1988)."""
    if effect == 0:
        return np.inf
    return float(((z_quantile(1 - alpha / 2) + z_quantile(wanted)) * sd / effect) ** 2)


def deals_to_equate(
    difference: float, tolerance: float, sd: float, alpha: float = 1 - LEVEL, wanted: float = 0.8
) -> float:
    """Deals at which two one-sided tests show equality, if the difference is what it seems (Chow, Shao and Wang
    2008, Sample Size Calculations in Clinical Research, 3.2.3)."""
    room = tolerance - abs(difference)
    if room <= 0:
        return np.inf
    both_sides = (1 + wanted) / 2 if difference == 0 else wanted
    return float(((z_quantile(1 - alpha) + z_quantile(both_sides)) * sd / room) ** 2)


def wald(values: Array, cov: Array, deals: float = np.inf) -> float:
    """p-value against "all of these are zero" (Wald 1943, Trans. Am. Math. Soc. 54), whatever their covariance.

    Where that is estimated from few deals, as Hotelling's T squared (1931, Ann. Math. Statist. 2); too few tell
    nothing.
    """
    eigenvalues, vectors = np.linalg.eigh(cov)
    kept = eigenvalues > eigenvalues.max(initial=0.0) * 1e-9
    if not kept.any():
        return 1.0 if np.allclose(values, 0) else always(max(deals, 1))
    along, rank = vectors[:, kept].T @ values, int(kept.sum())
    squared = float((along**2 / eigenvalues[kept]).sum())
    if not np.isfinite(deals):
        return float(_special().chdtrc(rank, squared))
    if deals <= rank:
        return 1.0
    return float(_special().fdtrc(rank, deals - rank, squared * (deals - rank) / (rank * (deals - 1))))


# --- several kinds of players ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Combined:
    """A mean over kinds of players, and how far the players lie apart."""

    estimate: Estimate
    df: float
    spread: float  # standard deviation between players, beyond what chance makes of each


def random_effects(values: ArrayLike, ses: ArrayLike, deals: Sequence[int], level: float = LEVEL) -> Combined:
    """The mean of what several kinds of players show, with an interval that includes the spread between them.

    Random effects with the spread of Paule and Mandel (1982, J. Res. Natl. Bur. Stand. 87; Veroniki et al. 2016, Res.
    Synth. Methods 7) and the interval of Hartung and Knapp (2001, Stat. Med. 20) and Sidik and Jonkman (2002, Stat.
    Med. 21), by Student's t with one degree of freedom less than there are players; never narrower than without a
    spread (Rover, Knapp and Friede 2015, BMC Med. Res. Methodol. 15). One player alone has its own interval.
    """
    y, variances = np.asarray(values, np.float64), np.asarray(ses, np.float64) ** 2
    players, fewest = len(y), min(deals)
    if players == 1:
        return Combined(estimate(float(y[0]), float(np.sqrt(variances[0])), fewest, level), max(fewest - 1.0, 1.0), 0.0)
    if not np.isfinite(variances).all():
        return Combined(Estimate(float(y.mean()), -np.inf, np.inf, np.inf, fewest), players - 1.0, 0.0)
    positive = variances[variances > 0]
    variances = np.maximum(variances, positive.min() if len(positive) else 0.0)  # never varied is not known exactly
    between = _paule_mandel(y, variances)
    weights = 1 / (variances + between) if (variances + between).min() > 0 else np.ones(players)
    mean = float((weights * y).sum() / weights.sum())
    apart = float((weights * (y - mean) ** 2).sum() / (players - 1))
    plain = 1.0 if len(positive) else apart  # where nothing varied, only the spread tells anything
    se = float(np.sqrt(max(apart, plain) / weights.sum()))
    half = t_quantile((1 + level) / 2, players - 1) * se
    return Combined(Estimate(mean, mean - half, mean + half, se, fewest), players - 1.0, float(np.sqrt(between)))


def _paule_mandel(y: Array, variances: Array) -> float:
    """The variance between players at which weighted squares are as large as chance would make them."""

    def excess(between: float) -> float:
        weights = 1 / (variances + between)
        mean = (weights * y).sum() / weights.sum()
        return float((weights * (y - mean) ** 2).sum() - (len(y) - 1))

    high = float(y.var(ddof=1))
    if high == 0 or (variances.min() > 0 and excess(0.0) <= 0):
        return 0.0
    if variances.max() == 0:
        return high
    while excess(high) > 0:
        high *= 2
    low = 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


# --- variance between groups -------------------------------------------------------------------------------------


def between_share(counts: ArrayLike, sums: ArrayLike, squares: ArrayLike, level: float = LEVEL) -> Estimate:
    """How much of the variance lies between groups: the intraclass correlation of a one-way layout.

    ANOVA estimate with the mean group size of unequal groups (Searle 1971, Linear Models, 10.6). Its interval leaves
    out one group after another and looks at the logarithm of the ratio of mean squares (Arvesen and Schmitz 1970,
    Biometrics 26), for the usual one by F trusts in normal values and is far too narrow without them.
    Groups of one game tell nothing of the variance within. Several rows of sums, one a player, are taken together:
    how much of what is won lies between groups. Less than nothing between groups is chance: the interval is then that
    of nothing, so that it never is 0 to 0.
    """
    n, s, q = (
        np.asarray(counts, np.float64),
        np.atleast_2d(np.asarray(sums, np.float64)),
        np.asarray(squares, np.float64),
    )
    groups, of_means, total = len(n), (s**2 / n).sum(axis=0), s.sum(axis=1, keepdims=True)
    if groups < _FEWEST_GROUPS or n.sum() - n.max(initial=0) <= groups - 1:
        return Estimate(np.nan, 0.0, 1.0, np.inf, groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = _intraclass(groups, n.sum(), (n**2).sum(), (total**2).sum(), q.sum(), of_means.sum())
        without = _intraclass(
            groups - 1,
            n.sum() - n,
            (n**2).sum() - n**2,
            ((total - s) ** 2).sum(axis=0),
            q.sum() - q,
            of_means.sum() - of_means,
        )
    if not np.isfinite(whole):
        return Estimate(0.0, 0.0, 1.0, np.inf, groups)
    size = float(n.mean())
    middle, scale = _log_ratio(max(whole, 0.0), size), _jackknife(_log_ratio(without, size))
    half = t_quantile((1 + level) / 2, groups - 1) * scale
    ends = (np.expm1(z) / (np.expm1(z) + size) for z in (middle - half, middle + half))
    low, value, high = (float(np.clip(share, 0.0, 1.0)) for share in sorted((max(whole, 0.0), *ends)))
    return Estimate(value, low, high, _jackknife(without), groups)


def _log_ratio(share: Any, size: float) -> Any:
    """The logarithm of the ratio of mean squares that belongs to a share between groups of some size."""
    ratio = (1 + (size - 1) * share) / np.maximum(1 - share, _TINY)
    return np.log(np.maximum(ratio, _TINY))


def _jackknife(without: Array) -> float:
    """The standard error of a number, from what it is without each of the groups."""
    groups = len(without)
    return float(np.sqrt((groups - 1) / groups * ((without - without.mean()) ** 2).sum()))


def variance_within(counts: ArrayLike, sums: ArrayLike, squares: ArrayLike) -> float:
    """The variance of a number within groups, added up over players where each has one (mean square within)."""
    n, s = np.asarray(counts, np.float64), np.atleast_2d(np.asarray(sums, np.float64))
    squared = max(np.asarray(squares, np.float64).sum() - (s**2 / n).sum(), 0.0)  # what is not rounding is not below 0
    return float(squared / (n.sum() - len(n)))


def _intraclass(groups: float, games: Any, sizes_squared: Any, total_squared: Any, squares: Any, of_means: Any) -> Any:
    """The intraclass correlation from sums over groups."""
    within = (squares - of_means) / (games - groups)
    between = (of_means - total_squared / games) / (groups - 1)
    size = (games - sizes_squared / games) / (groups - 1)
    return (between - within) / (between + (size - 1) * within)
