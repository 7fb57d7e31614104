"""Whether win chances are calibrated: how often did players win who were given some chance?

Games of one deal are one observation, in every variant and for all players. Brier (1950), "Verification of forecasts
expressed in terms of probability", Monthly Weather Review 78: the mean squared distance of a forecast from the result;
a forecast must beat the score of a constant fair share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import open_run
from mmsim.batch.win_chances import read_win_chances

_BINS = 10


@dataclass(frozen=True)
class Bin:
    """Forecasts between two tenths: their mean, and the share of wins."""

    low: float
    high: float
    foretold: float
    won: Estimate
    forecasts: int


@dataclass(frozen=True)
class Calibration:
    """All forecasts before the last turn against the results of their games."""

    games: int
    playouts: int
    brier: Estimate
    fair: Estimate  # the Brier score of a constant fair share
    bins: tuple[Bin, ...]

    @property
    def skill(self) -> float:
        """Brier skill score: how much smaller the score is than that of a fair share, as a fraction."""
        return 1 - self.brier.value / self.fair.value if self.fair.value else 0.0


def calibrate_run(folder: Path) -> Calibration:
    """The calibration of the win chances kept beside the tables of a run."""
    chances = read_win_chances(folder)
    assert chances is not None
    return calibrate(chances, {cell.name: cell.games_per_deal for cell in open_run(folder).cells})


def calibrate(chances: pl.DataFrame, games_per_deal: Mapping[str, int]) -> Calibration:
    """The calibration of a table of win chances; the last turn of a game has its result."""
    game = ["variant", "game"]
    deal = pl.col("game") // pl.col("variant").replace_strict(games_per_deal, return_dtype=pl.Int64)
    last_turn = pl.col("turn").max().over(game)
    results = chances.filter(pl.col("turn") == last_turn)
    forecasts = (
        chances.filter(pl.col("turn") < last_turn)
        .join(results.select(*game, "player", won="chance"), on=[*game, "player"])
        .with_columns(
            deal.alias("deal"),
            fair=1 / (pl.col("player").max().over("variant") + 1),
            bin=(pl.col("chance") * _BINS).floor().clip(0, _BINS - 1).cast(pl.Int64),
        )
    )
    bins = []
    for (number,), rows in sorted(forecasts.partition_by("bin", as_dict=True).items()):
        foretold = float(rows["chance"].to_numpy().mean())
        won = _mean(rows, pl.col("won"))
        bins.append(Bin(number / _BINS, (number + 1) / _BINS, foretold, won, len(rows)))
    return Calibration(
        chances.select(game).n_unique(),
        int(chances["playouts"].to_numpy().min()),
        _mean(forecasts, (pl.col("chance") - pl.col("won")) ** 2),
        _mean(forecasts, (pl.col("fair") - pl.col("won")) ** 2),
        tuple(bins),
    )


def _mean(rows: pl.DataFrame, value: pl.Expr) -> Estimate:
    """The cluster-robust mean over forecasts."""
    by_deal = rows.group_by("deal").agg(value.sum().alias("sum"), pl.len().alias("count")).sort("deal")
    sums, counts = (by_deal[column].to_numpy().astype(np.float64) for column in ("sum", "count"))
    return stats.estimate(*stats.ratio_se(sums, counts), len(by_deal))
