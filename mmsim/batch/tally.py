"""Running sums: count, mean and squares of a number, merged from part to part, and the interval they give."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALPHA = 0.05  # intervals are at 95 %


@dataclass
class Tally:
    """What is known of a number after so many independent values of it."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0  # of the deviations from the mean

    @classmethod
    def of(cls, values: "NDArray[Any]") -> "Tally":
        if not len(values):
            return cls()
        mean = float(values.mean())
        return cls(len(values), mean, float(((values - mean) ** 2).sum()))

    def add(self, other: "Tally") -> None:
        """Merge another tally (Chan, Golub and LeVeque 1983): no cancellation, however many values there are."""
        count = self.count + other.count
        if not other.count:
            return
        step = other.mean - self.mean
        self.mean += step * other.count / count
        self.squares += other.squares + step * step * self.count * other.count / count
        self.count = count

    @property
    def variance(self) -> float:
        return self.squares / (self.count - 1) if self.count > 1 else float("inf")

    def half_width(self, alpha: float = ALPHA) -> float:
        """Half the width of the normal interval at level 1 - alpha.

        Values that have all been the same may still differ once in count / log(2 / alpha) times (the "rule of
        three"), so they are not taken as known exactly.
        """
        if self.count > 1 and self.squares == 0:
            return log(2 / alpha) / self.count
        return quantile(alpha) * sqrt(self.variance / self.count) if self.count > 1 else float("inf")

    def count_for(self, half_width: float, alpha: float) -> float:
        """How many values it will take, by what is known so far, until the interval is so narrow."""
        if self.count > 1 and self.squares == 0:
            return log(2 / alpha) / half_width
        return self.variance * (quantile(alpha) / half_width) ** 2


@cache
def quantile(alpha: float) -> float:
    """How many standard errors an interval at level 1 - alpha reaches to each side."""
    return NormalDist().inv_cdf(1 - alpha / 2)


def seat_shares(rows: "Mapping[str, NDArray[Any]]", games_a_deal: int) -> list[Tally]:
    """The win share of every seat; games that share a layout and a deal count as one."""
    import numpy as np  # takes a moment to import

    seats = rows["seats"]
    numbers, shares = np.asarray(seats["seat"]), np.asarray(seats["win_share"], np.float64)
    of_seats = (shares[numbers == seat] for seat in range(int(numbers.max()) + 1))
    return [Tally.of(of_seat.reshape(-1, games_a_deal).mean(axis=1)) for of_seat in of_seats]
