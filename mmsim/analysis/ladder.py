"""The results of a ladder: how every pair of bots fared, ratings of the bots, and whether one rating per bot fits.

Ratings predict for every line-up how often its single bot should win. Whether the counted shares agree is tested by
the least weighted sum of squares that any ratings leave (Hansen 1982, Econometrica 50: over-identifying restrictions),
with the inverse of the cluster-robust covariance of the shares as weights.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import ratings, stats
from mmsim.analysis.ratings import RatingGap, Ratings
from mmsim.analysis.stats import Array, Estimate
from mmsim.contests.ladder import LadderGames, Lineup

_MAX_STEPS = 30  # of the Gauss-Newton method


@dataclass(frozen=True)
class Duel:
    """One of a bot against others of another bot in every other seat: its win share."""

    bot: str
    others: str
    share: Estimate
    games: int


@dataclass(frozen=True)
class RatingsFit:
    """Whether one rating per bot explains how every pair fared."""

    p_value: float
    outside: int  # line-ups whose interval of the counted share does not contain the prediction of the ratings
    lineups: int

    @property
    def fits(self) -> bool:
        return self.p_value >= 1 - stats.LEVEL

    @property
    def agrees(self) -> bool:
        """True if no more predictions are outside their intervals than chance allows.

        Some ratings may fit the wins, but not the ones estimated from the whole order of every game.
        """
        return bool(stats.scipy_special().bdtrc(self.outside - 1, self.lineups, 1 - stats.LEVEL) >= 1 - stats.LEVEL)


@dataclass(frozen=True)
class Ladder:
    """The bots of a ladder, strongest first, and how every pair fared."""

    ratings: Ratings
    duels: list[Duel]
    fit: RatingsFit | None  # None: there are as many ratings as line-ups, so they always fit
    players: int
    failed: int  # games stopped by a bot's error

    @property
    def undecided(self) -> list[RatingGap]:
        """The pairs whose ratings do not differ significantly."""
        return [gap for gap in self.ratings.gaps if not gap.is_significant]

    def as_json(self) -> dict[str, object]:
        rated, fit = self.ratings.bots, self.fit
        elos = [{"bot": rating.bot, **_interval("elo", rating.elo), "games": rating.games} for rating in rated]
        duels = [
            {"bot": duel.bot, "others": duel.others, **_interval("win_share", duel.share), "games": duel.games}
            for duel in self.duels
        ]
        return {
            "ratings": elos,
            "duels": duels,
            "cannot_be_told_apart": [[gap.stronger, gap.weaker] for gap in self.undecided],
            "ratings_fit": fit and {**vars(fit), "fits": fit.fits, "agrees": fit.agrees},
            "games": self.ratings.games,
            "failed": self.failed,
        }


def _interval(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, "low": estimate.low, "high": estimate.high}


def rate_ladder(played: LadderGames) -> Ladder:
    ranked = played.seats.select("bot", "rank", "deal", game=pl.col("lineup") * played.games + pl.col("game"))
    wins, rated = _wins_by_deal(played), ratings.rate(ranked)
    duels = [
        duel
        for number, lineup in enumerate(played.lineups)
        for duel in _duels(lineup, wins.filter(lineup=number), played.players)
    ]
    return Ladder(rated, duels, fit_of_ratings(played, rated, wins), played.players, played.failed)


def fit_of_ratings(played: LadderGames, rated: Ratings, wins: pl.DataFrame) -> RatingsFit | None:
    """Test the counted shares of all line-ups against those that ratings can predict."""
    names = [rating.bot for rating in rated.bots]
    pairs = np.array([[names.index(lineup.bot), names.index(lineup.others)] for lineup in played.lineups])
    spare = len(pairs) - (len(names) - 1)
    by_lineup = wins.pivot("lineup", index="deal", values="win_share")
    won = by_lineup.drop_nulls().sort("deal").drop("deal").to_numpy()  # without deals in which a game failed
    deals = len(won)
    if spare < 1 or deals <= len(pairs):
        return None
    counted, cov = won.mean(axis=0), np.cov(won.T) / deals
    strengths = np.array([rating.strength.value for rating in rated.bots])
    half = stats.t_quantile((1 + stats.LEVEL) / 2, deals - 1) * np.sqrt(np.diag(cov))
    outside = int((np.abs(counted - _predicted_shares(strengths, pairs, played.players)) > half).sum())
    weights = np.linalg.pinv(cov, hermitian=True)
    rows = np.arange(len(pairs))
    for _ in range(_MAX_STEPS):  # the strength of the first bot stays fixed
        predicted = _predicted_shares(strengths, pairs, played.players)
        slope = predicted * (1 - predicted)
        jacobian = np.zeros((len(pairs), len(names)))
        jacobian[rows, pairs[:, 0]] += slope
        jacobian[rows, pairs[:, 1]] -= slope
        free = jacobian[:, 1:]
        step = np.linalg.lstsq(free.T @ weights @ free, free.T @ weights @ (counted - predicted), rcond=None)[0]
        strengths[1:] += np.clip(step, -1, 1)
    residuals = counted - _predicted_shares(strengths, pairs, played.players)
    squared = residuals @ weights @ residuals * (deals - spare) / (spare * (deals - 1))
    return RatingsFit(float(stats.scipy_special().fdtrc(spare, deals - spare, squared)), outside, len(pairs))


def _predicted_shares(strengths: Array, pairs: NDArray[np.int64], players: int) -> Array:
    """How often one bot wins against others of one kind, by Luce's rule."""
    odds: Array = np.exp(strengths[pairs[:, 1]] - strengths[pairs[:, 0]])
    return 1 / (1 + (players - 1) * odds)


def _wins_by_deal(played: LadderGames) -> pl.DataFrame:
    """The win share of the single bot of every line-up in every deal."""
    bots = [lineup.bot for lineup in played.lineups]
    single = pl.DataFrame({"lineup": range(len(bots)), "bot": bots})
    seats = played.seats.join(single, on=["lineup", "bot"], how="semi", maintain_order="left")
    by_deal = seats.group_by("lineup", "deal", maintain_order=True)
    return by_deal.agg(pl.col("win_share").mean(), pl.len().alias("games"))


def _duels(lineup: Lineup, by_deal: pl.DataFrame, players: int) -> list[Duel]:
    """The win share of the single bot of a line-up; with two players that of its opponent, too."""
    wins, games = by_deal["win_share"].to_numpy(), int(by_deal["games"].sum())
    if wins.size == 0:
        return []
    se = float(np.std(wins, ddof=1) / np.sqrt(wins.size)) if wins.size > 1 else float("nan")
    share = stats.share_estimate(float(wins.mean()), se, float(games), wins.size)
    duels = [Duel(lineup.bot, lineup.others, share, games)]
    if players == 2:
        opposite = Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.se, share.deals)
        duels.append(Duel(lineup.others, lineup.bot, opposite, games))
    return duels
