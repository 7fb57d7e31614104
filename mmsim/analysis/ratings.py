"""How strong bots are: Plackett-Luce ratings from ranked games, with intervals that know which games share a deal.

The model (Luce 1959, Individual Choice Behavior; Plackett 1975, Appl. Statist. 24): the winner is drawn in proportion
to strength, then the second among the rest, and so on. A shared rank counts as every order of those who share it, in
equal parts. The likelihood is concave (Hunter 2004, Ann. Statist. 32) and is maximised by Newton's method; a bot that
always or never wins would be infinitely strong or weak, so each bot also draws one game with a ghost of average
strength (Turner, van Etten, Firth and Kosmidis 2020, Comput. Statist. 35).
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

_MOST_STEPS, _SETTLED = 100, 1e-10  # of Newton's method: as many as it may take, and one after which nothing changes
ELO = 400 / log(10)  # points of the Elo scale for one of log-strength
_GHOST_GAMES = 1.0  # drawn: half a win and half a loss
_NOBODY = -1


@dataclass(frozen=True)
class Rating:
    """A bot's strength: its logarithm, the average bot being 0, and the same on the Elo scale."""

    bot: str
    strength: Estimate
    games: int

    @property
    def elo(self) -> float:
        return self.strength.value * ELO

    @property
    def elo_low(self) -> float:
        return self.strength.low * ELO

    @property
    def elo_high(self) -> float:
        return self.strength.high * ELO


@dataclass(frozen=True)
class Gap:
    """The difference in log-strength between two bots, and whether the games tell them apart."""

    stronger: str
    weaker: str
    difference: Estimate
    p_value: float
    p_adjusted: float  # Holm, over all pairs
    ahead: Estimate | None  # counted, not by the model: how often the stronger finished in front; None: they never met

    @property
    def apart(self) -> bool:
        return self.p_adjusted < 1 - stats.LEVEL


@dataclass(frozen=True)
class Ratings:
    """The bots, strongest first, and every pair of them."""

    bots: list[Rating]
    gaps: list[Gap]
    games: int
    deals: int


def rate(ranked: pl.DataFrame) -> Ratings:
    """Rate bots from one row a game and competitor: `game`, `bot`, `rank` (1 best, equal ranks share), and optionally
    `deal`, the same for games that share a layout and a deal. One row a player, however many seats."""
    sample = _Sample(ranked)
    if sample.bots == 0:
        raise MmsimError("there are no ranked games to rate bots by")
    _check_connected(sample)
    strengths, information = _fit(sample)
    pulls = sample.deal_scores(strengths)
    inverse = np.linalg.inv(information)
    deals = len(pulls)
    robust = inverse @ (pulls.T @ pulls) @ inverse * deals / max(deals - 1, 1)
    # Where a bot never lost or never won nothing varies from game to game, and only the model knows the doubt.
    certain = sample.always_or_never()

    def difference(contrast: Array, of: Sequence[int]) -> Estimate:
        cov = inverse if certain[list(of)].any() else robust
        return stats.estimate(float(contrast @ strengths), float(np.sqrt(contrast @ cov @ contrast)), deals)

    unit = np.eye(sample.bots)
    order = sorted(range(sample.bots), key=lambda i: (-strengths[i], sample.names[i]))
    ratings = [
        Rating(sample.names[i], difference(unit[i] - 1 / sample.bots, [i]), int(sample.games_of[i])) for i in order
    ]
    pairs = list(combinations(order, 2))
    differences = [difference(unit[i] - unit[j], [i, j]) for i, j in pairs]
    p_values = [stats.two_sided_p(d.value, d.se, d.df) for d in differences]
    gaps = [
        Gap(sample.names[i], sample.names[j], gap, p, adjusted, sample.counted_ahead(i, j))
        for (i, j), gap, p, adjusted in zip(pairs, differences, p_values, stats.holm(p_values), strict=True)
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
        """Every strict order behind the patterns, padded to one width, with the part of its pattern it stands for."""
        rows, owners, parts = [], [], []
        for number, pattern in enumerate(self._patterns):
            tied = [[code for rank, code in pattern if rank == this] for this in sorted({rank for rank, _ in pattern})]
            orders = [
                tuple(code for group in choice for code in group)
                for choice in product(*(set(permutations(group)) for group in tied))
            ]
            for order in orders:
                rows.append(order)
                owners.append(number)
                parts.append(1 / len(orders))
        width = max((len(row) for row in rows), default=0)
        self._orders = np.full((len(rows), width), _NOBODY)
        for i, row in enumerate(rows):
            self._orders[i, : len(row)] = row
        self._owner = np.asarray(owners, np.int64)
        self._part = np.asarray(parts, np.float64)

    @cached_property
    def games_of(self) -> Array:
        seen = np.zeros((len(self._patterns), self.bots))
        for i, pattern in enumerate(self._patterns):
            seen[i, [code for _, code in pattern]] = 1
        return np.asarray(self.counts @ seen)

    @cached_property
    def ahead(self) -> Array:
        """How often the row's bot finished ahead of the column's; a shared rank is half for each."""
        wins = np.zeros((self.bots, self.bots))
        for count, pattern in zip(self.counts, self._patterns, strict=True):
            for (rank, code), (other_rank, other) in combinations(pattern, 2):
                share = 0.5 if rank == other_rank else float(rank < other_rank)
                wins[code, other] += count * share
                wins[other, code] += count * (1 - share)
        return wins

    def counted_ahead(self, bot: int, other: int) -> Estimate | None:
        """How often a bot finished in front of another, a shared rank being half; games of a deal go together."""
        ahead, met = np.zeros(len(self._patterns)), np.zeros(len(self._patterns))
        for number, pattern in enumerate(self._patterns):
            ranks = [[rank for rank, code in pattern if code == who] for who in (bot, other)]
            pairs = list(product(*ranks))
            met[number] = len(pairs)
            ahead[number] = sum(0.5 if own == rival else float(own < rival) for own, rival in pairs)
        if not met @ self.counts:
            return None
        deals = int(self._deal_of_game.max()) + 1
        won, all_ = (np.bincount(self._deal_of_game, what[self._pattern_of_game], deals) for what in (ahead, met))
        won, all_ = won[all_ > 0], all_[all_ > 0]
        share, count = float(won.sum() / all_.sum()), len(all_)
        se = float(np.sqrt(((won - share * all_) ** 2).sum() * count / max(count - 1, 1)) / all_.sum())
        return stats.share_estimate(share, se, float(all_.sum()), count)

    def always_or_never(self) -> NDArray[np.bool_]:
        wins = self.ahead * (1 - np.eye(self.bots))
        never: NDArray[np.bool_] = (wins.sum(axis=1) == 0) | (wins.sum(axis=0) == 0)
        return never

    def shares(self, strengths: Array, stage: int) -> Array:
        """Each order's chance that a bot is drawn next at a stage; zero where nobody or only one is left."""
        left = self._orders[:, stage:]
        weight = np.where(left >= 0, np.exp(strengths)[left], 0.0)
        contested = (left >= 0).sum(axis=1) > 1
        total = np.where(contested, weight.sum(axis=1), 1.0)
        chance = np.zeros((len(left), self.bots))
        for column in range(left.shape[1]):
            here = contested & (left[:, column] >= 0)
            chance[here, left[here, column]] += weight[here, column] / total[here]
        return chance

    def scores(self, strengths: Array) -> Array:
        """Each pattern's pull on each strength: the gradient of its log-likelihood."""
        pull = np.zeros((len(self._patterns), self.bots))
        for stage in range(self._orders.shape[1] - 1):
            chance = self.shares(strengths, stage)
            contested = chance.any(axis=1)
            drawn = np.zeros_like(chance)
            drawn[np.flatnonzero(contested), self._orders[contested, stage]] = 1
            np.add.at(pull, self._owner, (drawn - chance) * self._part[:, None])
        return pull

    def information(self, strengths: Array) -> Array:
        """The curvature of the log-likelihood: what the games know of the strengths."""
        total = np.zeros((self.bots, self.bots))
        weight = self._part * self.counts[self._owner]
        for stage in range(self._orders.shape[1] - 1):
            chance = self.shares(strengths, stage)
            total += np.diag(weight @ chance) - (chance * weight[:, None]).T @ chance
        return total

    def deal_scores(self, strengths: Array) -> Array:
        """The pull of the games of each deal on each strength."""
        deals = int(self._deal_of_game.max(initial=-1)) + 1
        pull = self.scores(strengths)[self._pattern_of_game]
        return np.column_stack(
            [np.bincount(self._deal_of_game, pull[:, bot], minlength=deals) for bot in range(self.bots)]
        )


def _fit(sample: _Sample) -> tuple[Array, Array]:
    """Log-strengths at the maximum, and the curvature there."""
    strengths = np.zeros(sample.bots)
    for _ in range(_MOST_STEPS):
        ghost = 1 / (1 + np.exp(-strengths))
        pull = sample.counts @ sample.scores(strengths) + _GHOST_GAMES * (0.5 - ghost)
        information = sample.information(strengths) + np.diag(_GHOST_GAMES * ghost * (1 - ghost))
        step = np.linalg.solve(information, pull)
        strengths = strengths + step * min(1.0, 1 / np.abs(step).max(initial=1e-300))
        if np.abs(step).max() < _SETTLED:
            break
    return strengths, information


def _check_connected(sample: _Sample) -> None:
    """Bots that never met, not even through others, have no common scale."""
    met = sample.ahead + sample.ahead.T > 0
    reached, edge = {0}, {0}
    while edge:
        edge = {int(j) for i in edge for j in np.flatnonzero(met[i])} - reached
        reached |= edge
    rest = set(range(sample.bots)) - reached
    if rest:
        here, there = (", ".join(sample.names[i] for i in sorted(group)) for group in (reached, rest))
        raise MmsimError(f"no game links the bots {here} with {there}, so they cannot be rated on one scale")
