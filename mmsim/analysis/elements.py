"""What an element of a game is worth: what a bot loses that does without it, and what one gains that alone has it.

Alexander Jaffe, Alex Miller, Erik Andersen, Yun-En Liu, Anna Karlin and Zoran Popovic, "Evaluating competitive game
balance with restricted play", AIIDE 2012. One bot does without and the others have everything, or the other way round;
it sits in every seat of every deal, and is compared with the same seat of the same deal where all are like the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.contests.interventions import AS_PLAYED, ChangedGames, ElementTables

_KEY = ["deal", "seat"]


@dataclass(frozen=True)
class Advantage:
    """How much more a bot wins with an element than without it, in a company of one sort."""

    share: Estimate  # of wins of the bot that is unlike the others
    value: Estimate
    by_seat: tuple[Estimate, ...]
    p_adjusted: float = 1.0  # Holm over all elements and both ways

    @property
    def told_apart(self) -> bool:
        return self.p_adjusted < 1 - stats.LEVEL


@dataclass(frozen=True)
class ElementValue:
    """What an element is worth, measured in two ways."""

    name: str
    text: str
    among_haves: Advantage  # one without it among others that have it: what it loses
    among_have_nots: Advantage  # one with it among others that do without: what it gains


def element_values(played: ChangedGames, elements: Sequence[ElementTables]) -> list[ElementValue]:
    """The value of every element, the most valuable first."""
    (own,) = played.members
    deals = own.tables["games"].select("variant", "game", "deal")
    seats = own.tables["seats"].join(deals, on=["variant", "game"]).with_columns(pl.col("variant", "bot").cast(str))
    abouts = {change.name: about for change, about in zip(played.changes, own.abouts, strict=True)}

    def shares(change: str, only_first: bool) -> pl.DataFrame:
        """The win share of every deal and seat, of whoever sits there or of the bot that is listed first."""
        rows = seats.filter(pl.col("variant") == abouts[change]["name"])
        if only_first:
            rows = rows.filter(pl.col("bot") == abouts[change]["bots"][0]["bot"])
        return rows.group_by(_KEY).agg(pl.col("win_share").cast(pl.Float64).mean()).sort(_KEY)

    found = []
    for one in elements:
        loses = _advantage(shares(one.one_without.name, True), shares(AS_PLAYED, False), sign=-1)
        gains = _advantage(shares(one.one_with.name, True), shares(one.all_without.name, False), sign=1)
        found.append(ElementValue(one.name, one.text, loses, gains))
    return sorted(_adjusted(found), key=lambda one: -one.among_haves.value.value)


def _advantage(unlike: pl.DataFrame, usual: pl.DataFrame, sign: int) -> Advantage:
    both = unlike.join(usual, on=_KEY, suffix="_usual").sort(_KEY)
    count = both["seat"].n_unique()
    own, others = (both[column].to_numpy().reshape(-1, count) for column in ("win_share", "win_share_usual"))
    apart = sign * (own - others)
    by_seat = tuple(_mean(apart[:, seat]) for seat in range(count))
    return Advantage(_mean(own.mean(axis=1)), _mean(apart.mean(axis=1)), by_seat)


def _adjusted(found: Sequence[ElementValue]) -> list[ElementValue]:
    """The same with Holm's p-values."""
    ways = [way for one in found for way in (one.among_haves, one.among_have_nots)]
    p_values = [stats.two_sided_p(way.value.value, way.value.se, way.value.deals - 1) for way in ways]
    adjusted = stats.holm([p if way.value.se > 0 else 1.0 for p, way in zip(p_values, ways, strict=True)])
    again = iter(replace(way, p_adjusted=float(p)) for way, p in zip(ways, adjusted, strict=True))
    return [replace(one, among_haves=next(again), among_have_nots=next(again)) for one in found]


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Estimate:
    """The mean of a value of every deal."""
    return stats.estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), len(values))
