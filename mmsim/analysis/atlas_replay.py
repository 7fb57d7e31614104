"""Layouts of an atlas played again on new seeds: does its ranking hold, and are the unfair ones unfair?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis.atlas import FAIR, LOPSIDED, Atlas
from mmsim.analysis.shrinkage import multinomial_noise
from mmsim.analysis.stats import LEVEL, Array, z_quantile

EXTREMES = 50  # at each end of the ranking
_SAMPLE = 100  # layouts drawn at random, from all and from those called unfair
_SEED = 1  # of the random choice of layouts

PlayLayouts = Callable[[Sequence[int]], pl.DataFrame]  # numbers of layouts -> sums over new games, one row each


@dataclass(frozen=True)
class Group:
    """Layouts of one kind, played again."""

    name: str
    layouts: int
    unevenness: float  # root mean square, without the noise of the games
    half_width: float  # of its 95 % interval, over layouts
    kept_side: float | None = None  # share that is on the side of the median that the atlas puts it on


@dataclass(frozen=True)
class ReplayResult:
    groups: list[Group]
    false_share: float  # of the layouts called unfair: those that are not, by the new games
    games: int  # per layout


def replay_extremes(atlas: Atlas, level: int, replay: PlayLayouts) -> ReplayResult:
    """Play the fairest, the most lopsided, and random layouts again, and some of those that are called unfair."""
    draws = np.random.default_rng(_SEED)
    unfair = np.flatnonzero(atlas.unfair(level))
    chosen = {
        f"{FAIR.name} {EXTREMES}": atlas.ranked(FAIR, level)[:EXTREMES],
        f"{LOPSIDED.name} {EXTREMES}": atlas.ranked(LOPSIDED, level)[:EXTREMES],
        "random": draws.choice(len(atlas.numbers), min(_SAMPLE, len(atlas.numbers)), replace=False),
        "called unfair": draws.choice(unfair, min(_SAMPLE, len(unfair)), replace=False),
    }
    sums = replay([int(atlas.numbers[row]) for rows in chosen.values() for row in rows])
    squares = _squared_unevenness(sums, atlas.players)
    median = float(np.median(atlas.unevenness(level)) ** 2)
    groups, at, false_share = [], 0, 0.0
    for name, rows in chosen.items():
        own, at = squares[at : at + len(rows)], at + len(rows)
        kept = {FAIR.name: own < median, LOPSIDED.name: own > median}.get(name.rpartition(" ")[0])
        groups.append(_group(name, own, None if kept is None else float(kept.mean())))
        if name == "called unfair":
            false_share = float((own < atlas.unfair_from**2).mean()) if len(own) else 0.0
    return ReplayResult(groups, false_share, int(sums["games"][0]))


def _squared_unevenness(sums: pl.DataFrame, players: int) -> Array:
    """The squared unevenness of every layout, unbiased: the noise of its games is subtracted."""
    games = sums["games"].to_numpy().astype(float)
    shares = sums.select(f"wins_{seat + 1}" for seat in range(players)).to_numpy() / games[:, None]
    noise = [
        np.trace(multinomial_noise(share[None, :], count[None])) for share, count in zip(shares, games, strict=True)
    ]
    return np.asarray(((shares - 1 / players) ** 2).mean(axis=1) - np.array(noise) / players)


def _group(name: str, squares: Array, kept: float | None) -> Group:
    mean, se = float(squares.mean()), float(squares.std(ddof=1) / np.sqrt(len(squares)))
    root = np.sqrt(max(mean, 0.0))
    half_width = z_quantile((1 + LEVEL) / 2) * se / (2 * root) if root else se
    return Group(name, len(squares), float(root), float(half_width), kept)


@dataclass(frozen=True)
class Intervention:
    """The same cities without and with one feature, on the same deals: what it does, and what was predicted."""

    feature: str
    change: float
    half_width: float
    predicted: float
    layouts: int


def intervene(atlas: Atlas, feature: str, outcome: str, predicted: float, replay: PlayLayouts) -> Intervention | None:
    """Change one feature of random layouts alone and play both; None if it cannot be laid alone."""
    rows = np.random.default_rng(_SEED).choice(len(atlas.numbers), min(_SAMPLE, len(atlas.numbers)), replace=False)
    pairs = [atlas.space.with_feature(int(atlas.numbers[row]), feature) for row in rows]
    if None in pairs:
        return None
    sums = replay([number for pair in pairs if pair for number in pair])
    means = (sums[outcome] / sums["games"]).to_numpy() if outcome else _squared_unevenness(sums, atlas.players)
    changes = means[1::2] - means[::2]
    half_width = z_quantile((1 + LEVEL) / 2) * changes.std(ddof=1) / np.sqrt(len(changes))
    return Intervention(feature, float(changes.mean()), float(half_width), predicted, len(changes))
