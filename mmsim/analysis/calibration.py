"""Whether the chances to win are what they say: of all times a player was given some chance, how often it won.

Games of one deal are one observation, in every variant and by whomever they are played. Brier (1950), "Verification of
forecasts expressed in terms of probability", Monthly Weather Review 78: the mean squared distance of a chance from
what came of it; a constant fair share has the score that a forecast must beat.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate

_BINS = 10


@dataclass(frozen=True)
class Bin:
    """Chances between two tenths: what was foretold on the average, and how much was won."""

    low: float
    high: float
    foretold: float
    won: Estimate
    forecasts: int


@dataclass(frozen=True)
class Calibration:
    """All chances before the last turn against the results of their games."""

    games: int
    playouts: int
    brier: Estimate
    fair: Estimate  # the score of a fair share for everybody, always
    bins: tuple[Bin, ...]

    @property
    def skill(self) -> float:
        """The part of a fair share's score that the chances take away (Brier skill score)."""
        return 1 - self.brier.value / self.fair.value if self.fair.value else 0.0


def calibrate(chances: pl.DataFrame, games_a_deal: Mapping[str, int]) -> Calibration:
    """The table of a run's chances against what its games came to; the last turn of a game has its result."""
    of_game = ["variant", "game"]
    deal = pl.col("game") // pl.col("variant").replace_strict(games_a_deal, return_dtype=pl.Int64)
    results = chances.filter(pl.col("turn") == pl.col("turn").max().over(of_game))
    forecasts = (
        chances.filter(pl.col("turn") < pl.col("turn").max().over(of_game))
        .join(results.select(*of_game, "player", won="chance"), on=[*of_game, "player"])
        .with_columns(
            deal.alias("deal"),
            fair=1 / (pl.col("player").max().over("variant") + 1),
            bin=(pl.col("chance") * _BINS).floor().clip(0, _BINS - 1).cast(pl.Int64),
        )
    )
    bins = []
    for (number,), own in sorted(forecasts.group_by("bin"), key=lambda one: int(str(one[0][0]))):
        ends = (int(str(number)) / _BINS, (int(str(number)) + 1) / _BINS)
        bins.append(Bin(*ends, float(own["chance"].to_numpy().mean()), _mean(own, pl.col("won")), len(own)))
    return Calibration(
        chances.select(of_game).n_unique(),
        int(chances["playouts"].to_numpy().min()),
        _mean(forecasts, (pl.col("chance") - pl.col("won")) ** 2),
        _mean(forecasts, (pl.col("fair") - pl.col("won")) ** 2),
        tuple(bins),
    )


def _mean(rows: pl.DataFrame, value: pl.Expr) -> Estimate:
    """A mean over forecasts as a ratio of sums, which varies from deal to deal (Cochran 1977, 6.3)."""
    sums = rows.group_by("deal").agg(value.sum().alias("sum"), pl.len().alias("count")).sort("deal")
    total, counts = sums["sum"].to_numpy(), sums["count"].to_numpy().astype(np.float64)
    mean, deals = float(total.sum() / counts.sum()), len(sums)
    left = total - mean * counts
    se = float(np.sqrt(deals / max(deals - 1, 1) * (left @ left)) / counts.sum())
    return stats.estimate(mean, se, deals)
