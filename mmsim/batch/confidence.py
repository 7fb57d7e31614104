"""How well a mean is known: running sums, confidence intervals, and confidence sequences for runs that stop early.

A run that stops as soon as a result looks good enough looks at its games many times, and an ordinary interval would be
wrong more often than it says. A confidence sequence covers the true mean at all looks together, so anybody may look at
any time and stop when they like. This is the asymptotic one of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024,
Ann. Statist. 52), a normal mixture (Robbins 1970, Ann. Math. Statist. 41). It serves both `--until METRIC±WIDTH`, here,
and `--until decided`, in `analysis/decision.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import ceil, inf, log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.batch.manifest import Precision

ALPHA = 0.05  # intervals and sequences are at 95 %
MIN_DEALS = 100  # before anything can be known: the sequence holds for large numbers of games
MAX_GAMES = 10_000_000  # of every variant with `--until METRIC±WIDTH`, unless the user sets a limit
FIRST_LOOK_GAMES = 600  # of every variant
LOOK_GROWTH = 1.5  # games at a look, as a multiple of those at the one before, where nothing predicts how many it takes
_MIN_GROWTH, _MAX_GROWTH = 1.05, 64.0
_SPARE = 1.02  # games on top of the predicted ones, so that a slightly larger variance does not cost another look
_NARROWEST_DEALS = 5000  # where the sequence is narrowest; any number is valid if chosen before the first game

MetricValues = Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]  # tables -> variant, group, game, value


@cache
def quantile(alpha: float) -> float:
    """How many standard errors a normal interval at level 1 - alpha extends to each side."""
    return NormalDist().inv_cdf(1 - alpha / 2)


def sequence_half_width(se: float, deals: float, alpha: float) -> float:
    """Half the width of the confidence sequence after some deals, from the standard error there."""
    if deals < MIN_DEALS or se == inf:
        return inf
    mixture = deals * (-2 * log(alpha) + log(1 - 2 * log(alpha))) / _NARROWEST_DEALS
    return se * sqrt(2 * (mixture + 1) / mixture * log(sqrt(mixture + 1) / alpha))


@dataclass
class Tally:
    """Count, mean and variance of independent values, merged from part to part."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared deviations from the mean

    @classmethod
    def of(cls, values: NDArray[Any]) -> "Tally":
        if not len(values):
            return cls()
        mean = float(values.mean())
        return cls(len(values), mean, float(((values - mean) ** 2).sum()))

    def add(self, other: "Tally") -> None:
        """Merge another tally without cancellation (Chan, Golub and LeVeque 1983)."""
        count = self.count + other.count
        if not other.count:
            return
        step = other.mean - self.mean
        self.mean += step * other.count / count
        self.squares += other.squares + step * step * self.count * other.count / count
        self.count = count

    @property
    def variance(self) -> float:
        return self.squares / (self.count - 1) if self.count > 1 else inf

    @property
    def se(self) -> float:
        return sqrt(self.variance / self.count) if self.count else inf

    def half_width(self, alpha: float = ALPHA) -> float:
        """Half the width of the normal interval at level 1 - alpha, for a number of games fixed beforehand."""
        if self._is_constant:
            return log(2 / alpha) / self.count
        return quantile(alpha) * self.se

    def sequence_half_width(self, times: float = 1.0) -> float:
        """Half the width of the 95 % confidence sequence now, or after this many times the values."""
        if self._is_constant:
            return log(2 / ALPHA) / (self.count * times) if self.count * times >= MIN_DEALS else inf
        return sequence_half_width(self.se / sqrt(times), self.count * times, ALPHA)

    @property
    def _is_constant(self) -> bool:
        """True if all values are equal.

        They may still differ once in count / log(2 / alpha) times (the "rule of three", which holds at all looks
        together), so their mean is not taken as known exactly.
        """
        return self.count > 1 and self.squares == 0


def seat_shares(rows: Mapping[str, NDArray[Any]], games_per_deal: int) -> list[Tally]:
    """The win share of every seat; games that share a layout and a deal count as one value."""
    seats = rows["seats"]
    numbers, shares = np.asarray(seats["seat"]), np.asarray(seats["win_share"], np.float64)
    by_seat = (shares[numbers == seat] for seat in range(int(numbers.max()) + 1))
    return [Tally.of(values.reshape(-1, games_per_deal).mean(axis=1)) for values in by_seat]


# --- until a metric is known to ±WIDTH -----------------------------------------------------------------------------


def next_look(games: int, step: int, limit: int, needed: float | None = None) -> int:
    """Games of every variant at the look after the one at `games`, in whole steps up to a limit.

    `needed` is how many games it is predicted to take, where there is a prediction.
    """
    target = games * LOOK_GROWTH
    if needed is not None:
        target = min(max(needed * _SPARE, games * _MIN_GROWTH), games * _MAX_GROWTH)
    return min(limit, step * ceil(target / step))


@dataclass
class PrecisionLooks:
    """The looks at a run that is played until a metric is known to a precision for every variant and group."""

    precision: Precision
    games_per_deal: Mapping[str, int]  # variant -> games that count as one value
    step: int  # games of every variant that are played between two possible looks
    limit: int
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)  # (variant, group)
    count: int = 0  # looks so far
    known_to: float = inf  # the half width at the last look

    @property
    def first(self) -> int:
        """Games of every variant before the first look."""
        return min(self.limit, self.step * ceil(FIRST_LOOK_GAMES / self.step))

    def add(self, values: pl.DataFrame) -> None:
        """Add the metric's values in some games; games are added in a fixed order, so that rounding is the same."""
        for key, tally in tally_deals(values, self.games_per_deal).items():
            self.tallies.setdefault(key, Tally()).add(tally)

    def look(self, games: int) -> int | None:
        """Look after `games` of every variant; returns how many there should be at the next look, or None to stop."""
        self.count += 1
        self.known_to = self.widest
        if self.known_to <= self.precision.half_width or games >= self.limit:
            return None
        return next_look(games, self.step, self.limit, self.games_needed(games))

    @property
    def widest(self) -> float:
        """The largest half width of all variants and groups."""
        return max((tally.sequence_half_width() for tally in self.tallies.values()), default=inf)

    def games_needed(self, games: int) -> float:
        """Games of every variant it will take, as predicted from the variance in `games` of each."""
        return max(games * self._times(tally) for tally in self.tallies.values())

    def _times(self, tally: Tally) -> float:
        """How many times its values a tally needs; the width is nearly proportional to 1 / sqrt(times)."""
        least = times = (MIN_DEALS + 1) / tally.count
        if tally.count < 2:
            return least
        for _ in range(30):
            ratio = tally.sequence_half_width(times) / self.precision.half_width
            times = max(least, times * (ratio if tally.squares == 0 else ratio**2))
        return times


def tally_deals(values: pl.DataFrame, games_per_deal: Mapping[str, int]) -> dict[tuple[str, str], Tally]:
    """The values of every variant and group, averaged over the games that share a deal."""
    columns = values.select(
        pl.col("variant").cast(pl.String), pl.col("group").cast(pl.String), "game", pl.col("value").cast(pl.Float64)
    ).drop_nulls()
    largest = max(games_per_deal.values())  # for rows that are not of a variant, like differences
    tallies: dict[tuple[str, str], Tally] = {}
    for (variant, group), rows in (
        columns.sort("variant", "group", "game")
        .partition_by("variant", "group", as_dict=True, maintain_order=True)
        .items()
    ):
        tallies[str(variant), str(group)] = Tally.of(_deal_means(rows, games_per_deal.get(str(variant), largest)))
    return tallies


def _deal_means(rows: pl.DataFrame, games_per_deal: int) -> Any:
    values = rows["value"].to_numpy()
    deals, starts = np.unique(rows["game"].to_numpy() // np.uint64(games_per_deal), return_index=True)
    if len(deals) == len(values):
        return values
    return np.add.reduceat(values, starts) / np.diff(starts, append=len(values))
