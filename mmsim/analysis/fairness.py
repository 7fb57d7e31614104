"""How uneven the seats are: one number a variant, from the win shares of all players."""

from dataclasses import replace

import numpy as np

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import Array
from mmsim.core.metrics import Measure

SOURCE = "win_share"
SEAT_IMBALANCE = Measure(  # its tolerance is made from that of its seats, see `fitting_tolerance`
    "seat_imbalance",
    "How far do players' win shares lie from a fair share, by playing order (root mean square)?",
    "share distance",
    0.01,
    better="less",
)


def fitting_tolerance(of_a_seat: float, players: int) -> float:
    """The imbalance of a game in which one player is a tolerance of win shares away from fair, and all others alike."""
    return float(of_a_seat / np.sqrt(max(players - 1, 1)))


def groups_equal(estimates: Estimates, variant: int) -> float:
    """p-value against "all groups have the same mean" (Wald): for win shares, "every player wins equally often".

    Of a panel it is the largest of its members: groups differ if they do for every kind of players (Berger 1982,
    Technometrics 24: intersection-union).
    """
    if len(kinds := estimates.counted) > 1:
        return max(groups_equal(one, variant) for _, one in kinds)
    here = np.isfinite(estimates.means[variant])
    means, cov = estimates.means[variant, here], estimates.cov[variant][here][:, variant][:, here]
    centre = np.eye(len(means)) - 1 / len(means)
    return stats.wald(centre @ means, centre @ cov @ centre, float(estimates.deals[variant, here].min(initial=np.inf)))


def seat_imbalance(shares: Estimates) -> Estimates:
    """Root of the mean squared distance from a fair share.

    Chance alone makes squares positive, so the squares are lessened by the variances of the shares; the covariance is
    that of a quadratic form of normal numbers (Searle 1971, Linear Models, 2.5), the root by the delta method.
    """
    count = len(shares.variants)
    squares, cov = np.zeros(count), np.zeros((count, count))
    apart = [np.nan_to_num(_apart(shares, v)) for v in range(count)]
    players = [int(np.isfinite(shares.means[v]).sum()) for v in range(count)]
    for v in range(count):
        squares[v] = (apart[v] @ apart[v] - np.trace(_covariances(shares, v, v))) / players[v]
        for w in range(count):
            shared = _covariances(shares, v, w)
            form = 4 * apart[v] @ shared @ apart[w] + 2 * (shared * shared).sum()
            cov[v, w] = form / (players[v] * players[w])
    se = np.sqrt(np.diag(cov))
    z = stats.z_quantile((1 + stats.LEVEL) / 2)
    roots = np.sqrt(np.maximum(squares, 0))
    ends = [np.sqrt(np.maximum(squares + sign * z * se, 0)) for sign in (-1, 1)]
    slope = 2 * np.maximum(roots, np.sqrt(se) / 2)  # near a perfectly even game the root has no slope
    slope[slope == 0] = 1.0
    return Estimates(
        replace(SEAT_IMBALANCE, tolerance=fitting_tolerance(shares.measure.tolerance, max(players))),
        shares.variants,
        ("",),
        roots[:, None],
        shares.games.max(axis=1, keepdims=True),
        shares.deals.max(axis=1, keepdims=True),
        (cov / np.outer(slope, slope))[:, None, :, None],
        shares.paired,
        shares.games_a_deal,
        {(v, 0): (float(ends[0][v]), float(ends[1][v])) for v in range(count)},
    )


def _apart(shares: Estimates, variant: int) -> Array:
    means = shares.means[variant]
    return np.asarray(means - 1 / np.isfinite(means).sum())


def _covariances(shares: Estimates, one: int, other: int) -> Array:
    return np.nan_to_num(shares.cov[one, :, other, :])
