"""Means and their covariances from sums over deals, added up some games at a time: memory does not grow with the games.

A mean is a ratio, the sum of values over the number of games, linearised as in Cochran 1977 (Sampling Techniques, 6.3)
or Liang and Zeger 1986 (Biometrika 73): the covariance of two means is the sum over deals of the products of their
residuals. Values are taken from a number near their mean, so that squares do not swallow the digits that matter (Chan,
Golub and LeVeque 1983, Am. Stat. 37).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mmsim.analysis.stats import Array

_STEP = 1024.0  # numbers near a mean are whole multiples of 1 / _STEP: whole values stay exact, in whatever order added


_AT_ONCE = 200  # deals


class Moments:
    """Sums, squares and products of the columns of some variants, over the deals seen so far."""

    def __init__(self, variants: int, width: int, paired: bool) -> None:
        self._shape = variants, width
        columns = variants * width
        self._near: Array = np.full(columns, np.nan)
        self._sums, self._games, self._deals = (np.zeros(columns) for _ in range(3))
        self._products = np.zeros((2, columns, 2, columns))  # of distances from `near` and numbers of games
        self._paired = paired

    def add(self, deals: Sequence[Array]) -> None:
        """Add deals: for every variant its values by group, deal and game of the deal; NaN where there is none.

        In a paired run the same place is the same deal in every variant.
        """
        width = self._shape[1]
        if self._paired:
            self._add(slice(0, len(self._near)), np.concatenate(deals))
        else:
            for v, values in enumerate(deals):
                self._add(slice(v * width, (v + 1) * width), values)

    def _add(self, own: slice, values: Array) -> None:
        """Add deals of groups that vary together."""
        whole = not np.isnan(values.sum())
        near, products = self._near[own], self._products[:, own, :, own]
        width, deals, size = values.shape
        if whole:
            games = np.full((width, 1), size)
            sums = values.sum(axis=2) if size > 1 else values[:, :, 0]
            count = np.full(width, deals * size)
        else:
            known = ~np.isnan(values)
            games = known.sum(axis=2)
            sums = np.where(known, values, 0.0).sum(axis=2)
            count = games.sum(axis=1)
        total = sums.sum(axis=1)
        self._sums[own] += total
        self._games[own] += count
        self._deals[own] += deals if whole else np.count_nonzero(games, axis=1)
        new = np.isnan(near) & (count > 0)
        near[new] = np.round(total[new] / count[new] * _STEP) / _STEP
        apart = sums - np.nan_to_num(near)[:, None] * games
        if whole:  # as many games of every deal need not be multiplied deal by deal
            mixed = size * apart.sum(axis=1)[:, None]
            products[0, :, 0] += _products(apart)
            products[0, :, 1] += mixed
            products[1, :, 0] += mixed.T
            products[1, :, 1] += size * size * deals
        else:
            products += _products(np.concatenate([apart, games])).reshape(2, width, 2, width)

    def estimates(self) -> tuple[Array, Array, Array, NDArray[np.float64]]:
        """Means, games and deals of every variant and group, and the covariances of all means."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = self._sums / self._games
            apart = np.nan_to_num(means - self._near)
            of_values, mixed, _, of_games = self._products.swapaxes(1, 2).reshape(4, len(means), len(means))
            of_residuals = (
                of_values - apart[:, None] * mixed.T - mixed * apart[None, :] + np.outer(apart, apart) * of_games
            )
            few = np.sqrt(self._deals / np.maximum(self._deals - 1, 1)) / self._games
            cov = of_residuals * np.outer(few, few)
        shape = self._shape
        games, deals = self._games.reshape(shape), self._deals.reshape(shape)
        return means.reshape(shape), games, deals, cov.reshape(*shape, *shape)


def _products(rows: Array) -> Array:
    """The products of every two rows, summed up a few columns at a time.

    Large products BLAS shares out among threads, which takes a thousand times as long where others use the cores.
    """
    whole = rows.shape[1] // _AT_ONCE * _AT_ONCE
    some = rows[:, :whole].reshape(len(rows), -1, _AT_ONCE).swapaxes(0, 1)
    rest = rows[:, whole:]
    return np.asarray((some @ some.swapaxes(1, 2)).sum(axis=0) + rest @ rest.T)
