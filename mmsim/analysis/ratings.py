"""How strong bots are: Plackett-Luce ratings from ranked games, with cluster-robust intervals.

The model (Luce 1959, Individual Choice Behavior; Plackett 1975, Appl. Statist. 24): the winner is drawn in proportion
to strength, then the second among the rest, and so on. A shared rank counts as every order of those who share it, in
equal parts. The likelihood is concave (Hunter 2004, Ann. Statist. 32) and is maximised by Newton's method; a bot that
always or never wins would have an infinite rating, so as a prior each bot also draws one pseudo-game with an average
opponent (Turner, van Etten, Firth and Kosmidis 2020, Comput. Statist. 35).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations, product
from math import log

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.stats import Array, Estimate
from mmsim.errors import MmsimError

_MAX_STEPS, _CONVERGED = 100, 1e-10  # of Newton's method
ELO = 400 / log(10)  # points of the Elo scale per unit of log-strength
_PSEUDO_GAMES = 1.0  # per bot, drawn: half a win and half a loss
_PADDING = -1  # instead of a bot, in orders of fewer bots than others


@dataclass(frozen=True)
class Rating:
    """A bot's log-strength; the average bot has 0."""

    bot: str
    strength: Estimate
    games: int

    @property
    def elo(self) -> Estimate:
        return self.strength.scaled(ELO)


@dataclass(frozen=True)
class RatingGap:
    """The difference in log-strength between two bots."""

    stronger: str
    weaker: str
    difference: Estimate
    p_value: float
    p_adjusted: float  # Holm correction over all pairs
    ahead: Estimate | None  # counted, not modelled: how often the stronger finished in front; None if they never met

    @property
    def is_significant(self) -> bool:
        return self.p_adjusted < 1 - stats.LEVEL


@dataclass(frozen=True)
class Ratings:
    """The bots, strongest first, and every pair of them."""

    bots: list[Rating]
    gaps: list[RatingGap]
    games: int
    deals: int


def rate(ranked: pl.DataFrame) -> Ratings:
    """Rate bots from one row per game and player: `game`, `bot`, `rank` (1 is best, equal ranks share), and optionally
    `deal`, the same for games that share a layout and a deal."""
    sample = _Sample(ranked)
    if sample.bots == 0:
        raise MmsimError("there are no ranked games to rate bots by")
    _check_connected(sample)
    strengths, information = _fit(sample)
    scores = sample.deal_scores(strengths)
    inverse = np.linalg.inv(information)
    deals = len(scores)
    robust = inverse @ (scores.T @ scores) @ inverse * deals / max(deals - 1, 1)
    # A bot that never lost or never won does not vary from deal to deal: only the model knows its uncertainty.
    separated = sample.separated()

    def contrast_estimate(contrast: Array, bots: Sequence[int]) -> Estimate:
        cov = inverse if separated[list(bots)].any() else robust
        return stats.estimate(float(contrast @ strengths), float(np.sqrt(contrast @ cov @ contrast)), deals)

    unit = np.eye(sample.bots)
    order = sorted(range(sample.bots), key=lambda i: (-strengths[i], sample.names[i]))
    ratings = [
        Rating(sample.names[i], contrast_estimate(unit[i] - 1 / sample.bots, [i]), int(sample.games_of[i]))
        for i in order
    ]
    pairs = list(combinations(order, 2))
    differences = [contrast_estimate(unit[i] - unit[j], [i, j]) for i, j in pairs]
    p_values = [stats.two_sided_p(d.value, d.se, d.df) for d in differences]
    gaps = [
        RatingGap(sample.names[i], sample.names[j], difference, p, adjusted, sample.counted_ahead(i, j))
        for (i, j), difference, p, adjusted in zip(pairs, differences, p_values, stats.holm(p_values), strict=True)
    ]
    return Ratings(ratings, gaps, sample.games, deals)


class _Sample:
    """The games as counts of patterns: which bots finished in which order."""

    def __init__(self, ranked: pl.DataFrame) -> None:
        if "deal" not in ranked.columns:
            ranked = ranked.with_columns(deal=pl.col("game"))
        seats = ranked.select("game", "deal", pl.col("rank").cast(pl.Int64), pl.col("bot").cast(pl.String)).drop_nulls()
        self.names: list[str] = sorted(seats["bot"].unique().to_list())
        self.bots = len(self.names)
        code = pl.DataFrame({"bot": self.names, "code": list(range(self.bots))}, schema={"bot": pl.String, "code": int})
        seats = seats.join(code, on="bot").sort("game", "rank", "code")
        per_game = seats.group_by("game", maintain_order=True).agg(pl.col("deal").first(), "rank", "code")
        patterns = per_game.group_by("rank", "code", maintain_order=True).agg(
            pl.len().alias("games"), pl.col("deal").alias("deals")
        )
        self.games = per_game.height
        self.counts: Array = patterns["games"].to_numpy().astype(np.float64)
        self._patterns = [
            tuple(zip(ranks, codes, strict=True))
            for ranks, codes in zip(patterns["rank"].to_list(), patterns["code"].to_list(), strict=True)
        ]
        lengths = patterns["games"].to_numpy()
        deals = patterns["deals"].explode().to_numpy() if self.games else np.zeros(0)
        _, self._deal_of_game = np.unique(deals, return_inverse=True)
        self._pattern_of_game = np.repeat(np.arange(len(lengths)), lengths)
        self._expand()

    def _expand(self) -> None:
        """Every strict order behind the patterns, padded to one width, with its weight in its pattern."""
        rows, owners, weights = [], [], []
        for number, pattern in enumerate(self._patterns):
            tied = [
                [code for rank, code in pattern if rank == shared] for shared in sorted({rank for rank, _ in pattern})
            ]
            orders = [
                tuple(code for group in choice for code in group)
                for choice in product(*(set(permutations(group)) for group in tied))
            ]
            for order in orders:
                rows.append(order)
                owners.append(number)
                weights.append(1 / len(orders))
        width = max((len(row) for row in rows), default=0)
        self._orders = np.full((len(rows), width), _PADDING)
        for i, row in enumerate(rows):
            self._orders[i, : len(row)] = row
        self._owner = np.asarray(owners, np.int64)
        self._weight = np.asarray(weights, np.float64)

    @cached_property
    def games_of(self) -> Array:
        codes = [{code for _, code in pattern} for pattern in self._patterns]
        is_present = np.array([[bot in pattern for bot in range(self.bots)] for pattern in codes])
        return np.asarray(self.counts @ is_present)

    @cached_property
    def _ahead_by_pattern(self) -> Array:
        """[pattern, bot, rival]: how often a bot finishes ahead of another; a shared rank counts half for each."""
        ahead = np.zeros((len(self._patterns), self.bots, self.bots))
        for wins, pattern in zip(ahead, self._patterns, strict=True):
            for (rank, code), (rival_rank, rival) in combinations(pattern, 2):
                share = 0.5 if rank == rival_rank else float(rank < rival_rank)
                wins[code, rival] += share
                wins[rival, code] += 1 - share
        return ahead

    @cached_property
    def ahead(self) -> Array:
        """How often the row's bot finished ahead of the column's."""
        return np.asarray(np.tensordot(self.counts, self._ahead_by_pattern, 1))

    def counted_ahead(self, bot: int, rival: int) -> Estimate | None:
        """The share of games in which a bot finished in front of another; None if they never met."""
        ahead = self._ahead_by_pattern[:, bot, rival]
        met = ahead + self._ahead_by_pattern[:, rival, bot]
        if not met @ self.counts:
            return None
        wins, meetings = (
            np.asarray(np.bincount(self._deal_of_game, by_pattern[self._pattern_of_game]), np.float64)
            for by_pattern in (ahead, met)
        )
        wins, meetings = wins[meetings > 0], meetings[meetings > 0]
        share, se = stats.ratio_se(wins, meetings)
        return stats.share_estimate(share, se, float(meetings.sum()), len(meetings))

    def separated(self) -> NDArray[np.bool_]:
        """Which bots never or always finished ahead (complete separation)."""
        wins = self.ahead * (1 - np.eye(self.bots))
        is_separated: NDArray[np.bool_] = (wins.sum(axis=1) == 0) | (wins.sum(axis=0) == 0)
        return is_separated

    def shares(self, strengths: Array, stage: int) -> Array:
        """For each order the probability that a bot is drawn next at a stage; zero where at most one is left."""
        left = self._orders[:, stage:]
        weight = np.where(left >= 0, np.exp(strengths)[left], 0.0)
        contested = (left >= 0).sum(axis=1) > 1
        total = np.where(contested, weight.sum(axis=1), 1.0)
        chance = np.zeros((len(left), self.bots))
        for column in range(left.shape[1]):
            rows = contested & (left[:, column] >= 0)
            chance[rows, left[rows, column]] += weight[rows, column] / total[rows]
        return chance

    def derivatives(self, strengths: Array) -> tuple[Array, Array]:
        """The gradient of each pattern's log-likelihood, and the Fisher information of all games."""
        scores, information = np.zeros((len(self._patterns), self.bots)), np.zeros((self.bots, self.bots))
        weight = self._weight * self.counts[self._owner]
        for stage in range(self._orders.shape[1] - 1):
            chance = self.shares(strengths, stage)
            contested = chance.any(axis=1)
            drawn = np.zeros_like(chance)
            drawn[np.flatnonzero(contested), self._orders[contested, stage]] = 1
            np.add.at(scores, self._owner, (drawn - chance) * self._weight[:, None])
            information += np.diag(weight @ chance) - (chance * weight[:, None]).T @ chance
        return scores, information

    def deal_scores(self, strengths: Array) -> Array:
        """The gradient of the log-likelihood of each deal."""
        deals = int(self._deal_of_game.max(initial=-1)) + 1
        scores = self.derivatives(strengths)[0][self._pattern_of_game]
        return np.column_stack([np.bincount(self._deal_of_game, score, minlength=deals) for score in scores.T])


def _fit(sample: _Sample) -> tuple[Array, Array]:
    """Log-strengths at the maximum of the likelihood, and the information there."""
    strengths = np.zeros(sample.bots)
    for _ in range(_MAX_STEPS):
        expected = 1 / (1 + np.exp(-strengths))  # against the average opponent of the pseudo-games
        scores, information = sample.derivatives(strengths)
        score = sample.counts @ scores + _PSEUDO_GAMES * (0.5 - expected)
        information += np.diag(_PSEUDO_GAMES * expected * (1 - expected))
        step = np.linalg.solve(information, score)
        strengths = strengths + step * min(1.0, 1 / np.abs(step).max(initial=1e-300))
        if np.abs(step).max() < _CONVERGED:
            break
    return strengths, information


def _check_connected(sample: _Sample) -> None:
    """Bots that never met, not even through others, have no common scale."""
    met = sample.ahead + sample.ahead.T > 0
    reached, frontier = {0}, {0}
    while frontier:
        frontier = {int(j) for i in frontier for j in np.flatnonzero(met[i])} - reached
        reached |= frontier
    rest = set(range(sample.bots)) - reached
    if rest:
        linked, unlinked = (", ".join(sample.names[i] for i in sorted(group)) for group in (reached, rest))
        raise MmsimError(f"no game links the bots {linked} with {unlinked}, so they cannot be rated on one scale")
