"""What the games of a ladder say: how every pair fared, ratings of the bots, and whether one number a bot fits.

Ratings say of every line-up how often its one should win. Whether the counted shares agree is tested by the least
weighted sum of squares that any ratings leave (Hansen 1982, Econometrica 50: over-identifying restrictions), the
weights being the covariance of the shares from deal to deal.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from mmsim.analysis import ratings, stats
from mmsim.analysis.ratings import Gap, Ratings
from mmsim.analysis.stats import Array, Estimate
from mmsim.contests.ladder import LadderGames


@dataclass(frozen=True)
class Duel:
    """One of a bot against the others in every other seat: its share of the wins."""

    bot: str
    others: str
    share: Estimate
    games: int


@dataclass(frozen=True)
class Ladder:
    """The bots of a ladder, strongest first, and how every pair fared."""

    ratings: Ratings
    duels: list[Duel]
    fit: "RatingsFit | None"  # None: as many ratings as line-ups, so that they always fit
    players: int
    failed: int  # games that a bot's error stopped

    @property
    def alike(self) -> list[Gap]:
        """The pairs that these games cannot tell apart."""
        return [gap for gap in self.ratings.gaps if not gap.apart]


def rate_ladder(played: LadderGames) -> Ladder:
    """Rate the bots of a ladder; games that share a layout and a deal are one observation."""
    ranked = played.seats.select("bot", "rank", "deal", game=pl.col("lineup") * played.games + pl.col("game"))
    duels = [duel for number in range(len(played.lineups)) for duel in _duels(played, number)]
    rated = ratings.rate(ranked)
    return Ladder(rated, duels, fit_of(played, rated), played.players, played.failed)


@dataclass(frozen=True)
class RatingsFit:
    """Whether one rating a bot explains how every pair fared."""

    p_value: float
    outside: int  # line-ups whose counted share has an interval that leaves out what the ratings say
    lineups: int

    @property
    def fits(self) -> bool:
        return self.p_value >= 1 - stats.LEVEL

    @property
    def agrees(self) -> bool:
        """Whether no more shares of wins leave out what the ratings say than chance allows.

        Some ratings may fit the wins, and yet not those found, which go by the whole order of every game.
        """
        return bool(special.bdtrc(self.outside - 1, self.lineups, 1 - stats.LEVEL) >= 1 - stats.LEVEL)


def fit_of(played: LadderGames, rated: Ratings) -> RatingsFit | None:
    """The counted shares of all line-ups beside those that ratings allow."""
    names = [one.bot for one in rated.bots]
    pairs = np.array([[names.index(lineup.one), names.index(lineup.others)] for lineup in played.lineups])
    spare = len(pairs) - (len(names) - 1)
    won = _won_by_deal(played)
    if spare < 1 or len(won) <= len(pairs):
        return None
    counted, cov = won.mean(axis=0), np.cov(won.T) / len(won)
    strengths = np.array([one.strength.value for one in rated.bots])
    half = stats.t_quantile((1 + stats.LEVEL) / 2, len(won) - 1) * np.sqrt(np.diag(cov))
    outside = int((np.abs(counted - _shares(strengths, pairs, played.players)) > half).sum())
    weights = np.linalg.pinv(cov, hermitian=True)
    for _ in range(30):  # Gauss and Newton; the first bot stays where it is
        expected = _shares(strengths, pairs, played.players)
        slope = expected * (1 - expected)
        change = np.zeros((len(pairs), len(names)))
        change[np.arange(len(pairs)), pairs[:, 0]] += slope
        change[np.arange(len(pairs)), pairs[:, 1]] -= slope
        free = change[:, 1:]
        step = np.linalg.lstsq(free.T @ weights @ free, free.T @ weights @ (counted - expected), rcond=None)[0]
        strengths[1:] += np.clip(step, -1, 1)
    missed = counted - _shares(strengths, pairs, played.players)
    deals = len(won)
    p_value = special.fdtrc(spare, deals - spare, missed @ weights @ missed * (deals - spare) / (spare * (deals - 1)))
    return RatingsFit(float(p_value), outside, len(pairs))


def _shares(strengths: Array, pairs: NDArray[np.int64], players: int) -> Array:
    """How often one bot wins against others of one kind, by Luce's rule."""
    odds: Array = np.exp(strengths[pairs[:, 1]] - strengths[pairs[:, 0]])
    return 1 / (1 + (players - 1) * odds)


def _won_by_deal(played: LadderGames) -> Array:
    """[deal, line-up]: the share of wins of the one; deals in which a game of some line-up failed are left out."""
    found = []
    for number, lineup in enumerate(played.lineups):
        own = played.seats.filter((pl.col("lineup") == number) & (pl.col("bot") == lineup.one))
        found.append(own.group_by("deal").agg(pl.col("win_share").mean().alias(str(number))))
    table = found[0]
    for other in found[1:]:
        table = table.join(other, on="deal")
    return table.sort("deal").drop("deal").to_numpy()


def _duels(played: LadderGames, number: int) -> list[Duel]:
    """The win share of the one in a line-up; with two players that of the other, too."""
    lineup = played.lineups[number]
    own = played.seats.filter((pl.col("lineup") == number) & (pl.col("bot") == lineup.one))
    deals = own.group_by("deal", maintain_order=True).agg(pl.col("win_share").mean())["win_share"].to_numpy()
    if deals.size == 0:
        return []
    se = float(np.std(deals, ddof=1) / np.sqrt(deals.size)) if deals.size > 1 else float("nan")
    share = stats.share_estimate(float(deals.mean()), se, float(own.height), deals.size)
    duels = [Duel(lineup.one, lineup.others, share, own.height)]
    if played.players == 2:
        other = Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.se, share.deals)
        duels.append(Duel(lineup.others, lineup.one, other, own.height))
    return duels
