"""Tests of the seats of two variants: did any seat's chance change, and did the seats become more or less even?

The imbalance (root mean square distance from a fair share) is a poor test statistic: near an even game it has no slope,
and it takes no notice of the pattern in which seats are uneven. Two sharper tests replace it: Wald's over all seats,
and a contrast along the own pattern of the more uneven variant.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import Array, Estimate

_SOFTENING = 0.1  # how much of its own sampling variance shortens a learnt direction
_MAX_CREDIT = 0.25  # of the variance, that the estimated noise of the directions may take away
_TURNED = -0.5  # more than half of the pattern found on the other side: turned round, not evened out


def any_change_p_value(shares: Estimates, base: int, variant: int) -> float:
    """p-value of "no seat wins more or less often than in the base" (Wald 1943; with few deals Hotelling 1931)."""
    known = _known(shares, base, variant)
    deals = float(min(shares.deals[v, known].min(initial=np.inf) for v in (base, variant)))
    change = shares.means[variant, known] - shares.means[base, known]
    return stats.wald_test(change, _change_cov(shares, base, variant, known), deals) if deals > 1 else 1.0


def _known(shares: Estimates, base: int, variant: int) -> NDArray[np.bool_]:
    """The seats that both variants have."""
    return np.array(np.isfinite(shares.means[[base, variant]]).all(axis=0))


def _change_cov(shares: Estimates, base: int, variant: int, known: NDArray[np.bool_]) -> Array:
    """The covariance of the changes of all seats' win shares from the base to a variant."""
    separate = shares.covariance(base, base, known) + shares.covariance(variant, variant, known)
    if not shares.paired:
        return separate
    shared = shares.covariance(base, variant, known)
    return separate - shared - shared.T


@dataclass(frozen=True)
class _Half:
    """The changes of the seats in one half of the deals, and the direction learnt from it."""

    change: Array
    change_cov: Array
    deviation: Array  # of the more uneven variant from fair shares
    deviation_cov: Array
    mixed_cov: Array  # of deviation and change
    other: Array  # the deviation of the other variant

    @classmethod
    def of(cls, half: Estimates, base: int, variant: int, known: NDArray[np.bool_]) -> "_Half":
        deviations = [half.means[v, known] - 1 / known.sum() for v in (base, variant)]
        covs = [half.covariance(v, v, known) for v in (base, variant)]
        shared = half.covariance(base, variant, known) if half.paired else np.zeros_like(covs[0])
        squares = [float(d @ d - np.trace(cov)) for d, cov in zip(deviations, covs, strict=True)]
        is_variant = squares[1] > squares[0]
        return cls(
            deviations[1] - deviations[0],
            _change_cov(half, base, variant, known),
            deviations[is_variant],
            covs[is_variant],
            covs[1] - shared.T if is_variant else shared - covs[0],
            deviations[not is_variant],
        )

    @property
    def length(self) -> float:
        return float(np.sqrt(self.deviation @ self.deviation + _SOFTENING * np.trace(self.deviation_cov)))

    @property
    def direction(self) -> Array:
        return self.deviation / self.length

    @property
    def slope(self) -> Array:
        """The derivative of the direction with respect to the deviation."""
        return (np.eye(len(self.deviation)) - np.outer(self.direction, self.direction)) / self.length


def evenness_change(shares: Estimates, base: int, variant: int) -> tuple[Estimate, bool] | None:
    """How much less even a variant is than the base, along the pattern of the more uneven of the two, and whether the
    pattern is turned round in the other one; None if there are no halves of deals, or not the same seats.

    The pattern, its deviation from fair shares, is learnt on one half of the deals and tested on the other, both ways
    (cross-fitting: Cox 1975, Biometrika 62; Chernozhukov et al. 2018, Econom. J. 21), so that noise is not taken for a
    pattern. The scale is that of the imbalance: a variant that takes away all of an imbalance of 3 points changes by
    -3 points.

    Its variance is that of the changes along given directions; to first order that of the directions; and the
    covariance of the two results, for within a half direction and change share noise (Stein 1981, Ann. Statist. 9).
    """
    known = _known(shares, base, variant)
    if len(shares.halves) < 2 or (np.isfinite(shares.means[[base, variant]]) != known).any():
        return None
    first, second = halves = [_Half.of(half, base, variant, known) for half in shares.halves]
    if not all(np.isfinite(half.change).all() and half.length > 0 for half in halves):
        return None
    scale = sum(float(np.linalg.norm(half.direction)) for half in halves) * float(np.sqrt(known.sum()))
    if not scale:
        return None  # in very few games the seats may have won equally often
    value = float(first.direction @ second.change + second.direction @ first.change)
    variance = float(
        first.direction @ second.change_cov @ first.direction + second.direction @ first.change_cov @ second.direction
    )
    direction_cov = sum(half.slope @ half.deviation_cov @ half.slope for half in halves)
    noise = first.change @ direction_cov @ second.change
    noise += 2 * np.trace(first.slope @ first.mixed_cov @ second.slope @ second.mixed_cov)
    se = np.sqrt(
        max(variance + max(float(noise), -_MAX_CREDIT * variance), 0.0)
    )  # rounding may leave less than nothing
    deals = int(min(shares.deals[v, known].min() for v in (base, variant)))
    pattern, left = (
        float(first.direction @ getattr(second, what) + second.direction @ getattr(first, what))
        for what in ("deviation", "other")
    )
    return stats.estimate(value / scale, float(se / scale), deals), left < _TURNED * pattern
