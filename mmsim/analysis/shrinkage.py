"""Empirical Bayes: many noisy vectors, each pulled towards their mean as far as its noise explains its distance.

Efron and Morris 1973 (J. Am. Stat. Assoc. 68) and Morris 1983 (J. Am. Stat. Assoc. 78): the vectors of all layouts come
from one normal distribution, whose covariance is that of the observations less that of the noise.
"""

from dataclasses import dataclass

import numpy as np

from mmsim.analysis.stats import Array

_DRAWS = 20_000


@dataclass(frozen=True)
class Shrunken:
    """Estimates of many vectors, one per row, and the uncertainty that is left."""

    raw: Array
    values: Array
    mean: Array
    within: Array  # covariance of the noise in a raw vector, on average
    between: Array  # covariance of the true vectors
    left: Array  # covariance of a true vector around its estimate

    def raw_reliability(self, columns: slice = slice(None)) -> float:
        """The share of the variance between raw vectors that is not noise."""
        noise, true = (float(np.trace(cov[columns, columns])) for cov in (self.within, self.between))
        return true / (true + noise) if true else 0.0

    def reliability(self, columns: slice = slice(None)) -> float:
        """The squared correlation of estimates with true values, by the model."""
        true, left = (float(np.trace(cov[columns, columns])) for cov in (self.between, self.left))
        return 1 - left / true if true else 0.0

    def squared_distance(self, point: float, columns: slice = slice(None)) -> Array:
        """The expected mean squared distance of every true vector from a point with equal coordinates."""
        away = self.values[:, columns] - point
        return np.asarray((away**2).mean(axis=1) + np.trace(self.left[columns, columns]) / away.shape[1])

    def distance_reliability(self, point: float, columns: slice = slice(None), seed: int = 1) -> float:
        """The squared correlation of estimated squared distances with true ones, in vectors drawn from the model."""
        draws = np.random.default_rng(seed)
        true = draws.multivariate_normal(self.mean, self.between, _DRAWS, method="eigh")
        seen = true + draws.multivariate_normal(np.zeros(len(self.mean)), self.within, _DRAWS, method="eigh")
        estimates = self.mean + (seen - self.mean) @ _weights(self.between, self.within).T
        distances = [((vectors[:, columns] - point) ** 2).sum(axis=1) for vectors in (true, estimates)]
        return float(np.corrcoef(*distances)[0, 1] ** 2)


def shrink(raw: Array, within: Array) -> Shrunken:
    """Estimates from raw vectors and the average covariance of their noise."""
    mean = raw.mean(axis=0)
    between = np.atleast_2d(np.cov(raw.T)) - within
    values, vectors = np.linalg.eigh(between)
    between = (vectors * np.maximum(values, 0)) @ vectors.T  # noise may exceed what is seen
    weights = _weights(between, within)
    return Shrunken(raw, mean + (raw - mean) @ weights.T, mean, within, between, between - weights @ between)


def _weights(between: Array, within: Array) -> Array:
    """The matrix that shrinks a distance from the mean."""
    return np.asarray(between @ np.linalg.pinv(between + within, hermitian=True))


def multinomial_noise(shares: Array, games: Array) -> Array:
    """The average covariance of observed shares around true ones, without bias, by the number of games behind each."""
    weights = 1 / np.maximum(games - 1, 1)
    covariance = np.diag((shares * weights[:, None]).sum(axis=0)) - (shares * weights[:, None]).T @ shares
    return np.asarray(covariance / len(shares))
