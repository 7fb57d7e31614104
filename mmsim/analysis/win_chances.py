"""What the win chances of a run say: how tense its games were, and whether the chances are calibrated.

Win chances are means of playouts and have a sampling error. A player counts as ahead of another only if the difference
is more than two standard errors, so that noise creates neither leads nor drama (docs/explanation/tension.md).
Players of one level are surer to keep a lead than the bots of the playouts, those of another less so. The chances of
every level are therefore calibrated by one number, a temperature (Guo, Pleiss, Sun and Weinberger, ICML 2017), fitted
to how its games ended. Calibration compares the chances players were given with how often they won; the games of one
deal are one observation.
Brier (1950), "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78: the mean squared
distance of a forecast from the result; a forecast must beat the score of a constant fair share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.batch.experiment import OF_LEVEL
from mmsim.batch.run import Run
from mmsim.batch.side_tables import read_win_chances

WinChances = NDArray[np.float64]  # [turn, player], before the first turn and after every one
_LEAD_STANDARD_ERRORS = 2.0
COLUMNS = ("lead_changes", "decided", "comeback", "tension", "drama")
TENSION_SCHEMA = pl.Schema({"variant": pl.String(), "game": pl.Int64(), **dict.fromkeys(COLUMNS, pl.Float64())})
_BINS = 10
_MIN_GAMES_TO_FIT = 20  # of a level; fewer say too little about its temperature
_LOG_TEMPERATURES = (-1.2, 1.2)  # a third to three times
_SMOOTHING = 0.5  # playouts added for every player


def expected_winners(chances: WinChances, playouts: int) -> list[int]:
    """After every turn the player most likely to win; -1 before anybody is ahead.

    A player stays the expected winner until somebody else is ahead of that player. After the last turn it is the
    winner, or -1 if several share the win.
    """
    expected, winners = -1, []
    for row in chances[:-1]:
        best = int(row.argmax())
        others = [expected] if expected >= 0 else [player for player in range(len(row)) if player != best]
        if best != expected and all(_is_ahead(row, best, player, playouts) for player in others):
            expected = best
        winners.append(expected)
    winner = int(chances[-1].argmax())
    return [*winners, winner if chances[-1, winner] == 1.0 else -1]


def tension(chances: WinChances, playouts: int) -> dict[str, float | None]:
    """The tension metrics of a game by column; those about the winner are None if the win is shared."""
    expected, turns = expected_winners(chances, playouts), len(chances) - 1
    known = [player for player in expected if player >= 0]
    winner = expected[-1]
    values: dict[str, float | None] = {
        "lead_changes": sum(before != after for before, after in pairwise(known)),
        "tension": float(np.mean([_uncertainty(row, playouts) for row in chances[:-1]])),
    }
    if winner < 0:
        return {name: values.get(name) for name in COLUMNS}
    half = chances[turns // 2]
    values["decided"] = next(turn for turn in range(turns + 1) if set(expected[turn:]) == {winner}) / max(turns, 1)
    values["comeback"] = float(_is_ahead(half, int(half.argmax()), winner, playouts))
    behind = [row.max() - row[winner] for row in chances[:-1] if _is_ahead(row, int(row.argmax()), winner, playouts)]
    values["drama"] = float(np.sqrt(behind).sum() / max(turns, 1))
    return {name: values[name] for name in COLUMNS}


def _is_ahead(row: WinChances, player: int, rival: int, playouts: int) -> bool:
    """True if a player's chance is significantly higher than another's."""
    difference = float(row[player] - row[rival])
    variance = (row[player] + row[rival] - difference * difference) / playouts  # of two shares of one sample
    return difference > _LEAD_STANDARD_ERRORS * float(np.sqrt(variance))


def _uncertainty(row: WinChances, playouts: int) -> float:
    """The entropy of who wins as a share of its maximum, with Miller's correction for few playouts."""
    possible = row[row > 0]
    entropy = -float((possible * np.log(possible)).sum()) + (len(possible) - 1) / (2 * playouts)
    return min(entropy / float(np.log(len(row))), 1.0)


def tension_table(chances: pl.DataFrame) -> pl.DataFrame:
    """One row per game of a table of win chances: `variant`, `game` and the tension metrics."""
    rows = []
    games = chances.sort("variant", "game", "turn", "player").group_by("variant", "game", maintain_order=True)
    for (variant, game), turns in games:
        by_turn = turns["chance"].to_numpy().reshape(-1, turns["player"].n_unique())
        rows.append({"variant": variant, "game": game, **tension(by_turn, turns["playouts"][0])})
    return pl.DataFrame(rows, schema=TENSION_SCHEMA, orient="row")


# --- calibration -------------------------------------------------------------------------------------------------


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
    temperature: float  # that was applied; above 1 the playouts were too sure
    brier: Estimate
    fair: Estimate  # the Brier score of a constant fair share
    bins: tuple[Bin, ...]

    @property
    def skill(self) -> float:
        """Brier skill score: how much smaller the score is than that of a fair share, as a fraction."""
        return 1 - self.brier.value / self.fair.value if self.fair.value else 0.0


def calibrate_run(folder: Path) -> dict[str, Calibration]:
    """The calibration of the win chances kept beside the tables of a run, level by level."""
    chances = read_win_chances(folder)
    assert chances is not None
    games_per_deal = {variant.name: variant.games_per_deal for variant in Run(folder).manifest.variants}
    return {
        level: check_calibration(with_temperature(rows, temperature), games_per_deal, temperature)
        for level, rows in _by_level(chances).items()
        for temperature in [fitted_temperature(rows)]
    }


def calibrated(chances: pl.DataFrame) -> pl.DataFrame:
    """A table of win chances with those of every level calibrated."""
    return pl.concat([with_temperature(rows, fitted_temperature(rows)) for rows in _by_level(chances).values()])


def _by_level(chances: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of every level, which is part of the name of a variant; a run with one level does not name it."""
    level = pl.col("variant").cast(pl.String).str.split(OF_LEVEL).list.get(1, null_on_oob=True).fill_null("")
    by_level = chances.with_columns(level=level).partition_by("level", as_dict=True, include_key=False)
    return {str(level): rows for (level,), rows in by_level.items()}


def fitted_temperature(chances: pl.DataFrame) -> float:
    """The temperature under which the results of these games are most likely; 1 if there are too few of them."""
    forecasts, won = _forecasts(chances)
    if len(chances.select("variant", "game").unique()) < _MIN_GAMES_TO_FIT:
        return 1.0

    from scipy.optimize import minimize_scalar  # slow to import, and not every run has chances

    def loss(log_temperature: float) -> float:
        scaled = _scaled(forecasts, float(np.exp(log_temperature)))
        return -float((won * np.log(scaled)).sum())

    return float(np.exp(minimize_scalar(loss, bounds=_LOG_TEMPERATURES, method="bounded").x))


def _scaled(chances: WinChances, temperature: float) -> WinChances:
    """Chances, one row per forecast, raised to a power and made to add up to one."""
    powers = chances ** (1 / temperature)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _smoothed(chances: WinChances, playouts: NDArray[np.int64]) -> WinChances:
    """Chances as if every player had won half a playout more: what no playout showed is not impossible."""
    counts = chances * playouts[:, None] + _SMOOTHING
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _rows_of_turns(chances: pl.DataFrame) -> tuple[pl.DataFrame, WinChances, NDArray[np.bool_]]:
    """A table sorted by game, turn and player, its chances by turn, and which turns are the last of their game."""
    game = ["variant", "game"]
    ordered = chances.sort(*game, "turn", "player", maintain_order=True)
    players = ordered["player"].n_unique()
    is_last = ordered.select(pl.col("turn") == pl.col("turn").max().over(game)).to_series().to_numpy()
    return ordered, ordered["chance"].to_numpy().reshape(-1, players), is_last.reshape(-1, players)[:, 0]


def _forecasts(chances: pl.DataFrame) -> tuple[WinChances, WinChances]:
    """The smoothed chances before the last turn of every game, and what came of each."""
    ordered, by_turn, is_last = _rows_of_turns(chances)
    playouts = ordered["playouts"].to_numpy().reshape(by_turn.shape)[:, 0].astype(np.int64)
    result_of = np.searchsorted(np.flatnonzero(is_last), np.arange(len(by_turn)))
    return _smoothed(by_turn, playouts)[~is_last], by_turn[is_last][result_of][~is_last]


def with_temperature(chances: pl.DataFrame, temperature: float) -> pl.DataFrame:
    """A table whose chances before the last turn of a game are smoothed and scaled."""
    ordered, by_turn, is_last = _rows_of_turns(chances)
    scaled = by_turn.copy()
    scaled[~is_last] = _scaled(_forecasts(chances)[0], temperature)
    return ordered.with_columns(chance=pl.Series(scaled.ravel()))


def check_calibration(
    chances: pl.DataFrame, games_per_deal: Mapping[str, int], temperature: float = 1.0
) -> Calibration:
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
        temperature,
        _mean(forecasts, (pl.col("chance") - pl.col("won")) ** 2),
        _mean(forecasts, (pl.col("fair") - pl.col("won")) ** 2),
        tuple(bins),
    )


def _mean(rows: pl.DataFrame, value: pl.Expr) -> Estimate:
    """The cluster-robust mean over forecasts."""
    by_deal = rows.group_by("deal").agg(value.sum().alias("sum"), pl.len().alias("count")).sort("deal")
    sums, counts = (by_deal[column].to_numpy().astype(np.float64) for column in ("sum", "count"))
    return stats.estimate(*stats.ratio_se(sums, counts), len(by_deal))
