"""Is the imbalance of the seats below a limit?

The squared distance of the win shares from fair ones, in units of their variance, is a noncentral chi-squared variable.
Its mean and variance alone would not do: near a limit of a few standard errors they confirm far too often what is not
below the limit. The covariance of the shares is taken to be alike in all directions, as that of an even game is.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from mmsim.analysis.estimates import Estimates
from mmsim.analysis.stats import noncentral_chi2_z

_FAR = 40.0  # standard errors: farther than any end of an interval


@dataclass(frozen=True)
class ImbalanceTest:
    squared: float  # mean squared distance of the win shares from a fair share
    se: float  # of the imbalance
    df: int

    @classmethod
    def of(cls, shares: Estimates, variant: int) -> "ImbalanceTest":
        """The test of one variant from the win shares of all its seats."""
        players = len(shares.groups)
        distances, df = shares.means[variant] - 1 / players, max(players - 1, 1)
        variance = float(np.trace(shares.cov[variant, :, variant, :])) / df
        return cls(float(distances @ distances) / players, sqrt(max(variance, 0.0) / players), df)

    def excess(self, limit: float) -> tuple[float, float]:
        """By how much the imbalance is above a limit (negative: below), with its standard error; the quotient of the
        two is standard normal if the imbalance is the limit."""
        if not self.se:
            return sqrt(self.squared) - limit, 0.0
        return self._z(limit) * self.se, self.se

    def interval(self, z: float) -> tuple[float, float]:
        """All limits that a test with a critical value of `z` leaves open."""
        if not self.se:
            return sqrt(self.squared), sqrt(self.squared)
        return self._limit_at(z), self._limit_at(-z)

    def _z(self, limit: float) -> float:
        return noncentral_chi2_z(self.squared / self.se**2, self.df, (limit / self.se) ** 2)

    def _limit_at(self, z: float) -> float:
        """The limit from which the imbalance is this many standard errors away; 0 if it is nearer to all."""
        if self._z(0.0) <= z:
            return 0.0
        return float(_root(lambda limit: self._z(limit) - z, 0.0, sqrt(self.squared) + _FAR * self.se))


def _root(function: Any, low: float, high: float) -> float:
    from scipy.optimize import brentq  # most commands do without

    return float(brentq(function, low, high, xtol=1e-12))
