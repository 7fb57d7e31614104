"""What the games of a ladder say: ratings of the bots, and how every pair fared."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis import ratings, stats
from mmsim.analysis.ratings import Gap, Ratings
from mmsim.analysis.stats import Estimate
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
    return Ladder(ratings.rate(ranked), duels, played.players, played.failed)


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
