"""What an element of a game is worth: what a bot loses that does without it (restricted play).

Alexander Jaffe, Alex Miller, Erik Andersen, Yun-En Liu, Anna Karlin and Zoran Popovic, "Evaluating competitive game
balance with restricted play", AIIDE 2012. One bot does without, the others have everything; it sits in every seat of
every deal, and is compared with the same seat of the same deal where nobody does without.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.contests.interventions import Change, Played

_KEY = ["deal", "seat"]


@dataclass(frozen=True)
class ElementValue:
    """How much more a bot wins with an element than without it."""

    change: Change
    share: Estimate  # of wins without it
    value: Estimate  # what it is worth
    by_seat: tuple[Estimate, ...]
    p_adjusted: float  # Holm over all elements


def element_values(played: Played) -> list[ElementValue]:
    """The value of every element, the most valuable first."""
    deals = played.tables["games"].select("variant", "game", "deal")
    seats = played.tables["seats"].join(deals, on=["variant", "game"]).with_columns(pl.col("variant", "bot").cast(str))
    whole = _shares(seats, played, 0)
    found = [_value(seats, whole, played, number) for number in range(1, len(played.changes))]
    p_values = [stats.two_sided_p(one.value.value, one.value.se, one.value.deals - 1) for one in found]
    adjusted = stats.holm([p if one.value.se > 0 else 1.0 for p, one in zip(p_values, found, strict=True)])
    values = [
        ElementValue(one.change, one.share, one.value, one.by_seat, float(p))
        for one, p in zip(found, adjusted, strict=True)
    ]
    return sorted(values, key=lambda one: -one.value.value)


def _shares(seats: pl.DataFrame, played: Played, number: int, bot: str | None = None) -> pl.DataFrame:
    """The win share of every deal and seat, of one bot or of whoever sits there."""
    rows = seats.filter(pl.col("variant") == played.abouts[number]["name"])
    rows = rows.filter(pl.col("bot") == bot) if bot else rows
    return rows.group_by(_KEY).agg(pl.col("win_share").cast(pl.Float64).mean()).sort(_KEY)


def _value(seats: pl.DataFrame, whole: pl.DataFrame, played: Played, number: int) -> ElementValue:
    without = _shares(seats, played, number, str(played.abouts[number]["bots"][0]["bot"]))
    both = whole.join(without, on=_KEY, suffix="_without").sort(_KEY)
    count = both["seat"].n_unique()
    restricted = both["win_share_without"].to_numpy().reshape(-1, count)
    worth = both["win_share"].to_numpy().reshape(-1, count) - restricted
    by_seat = tuple(_mean(worth[:, seat]) for seat in range(count))
    return ElementValue(played.changes[number], _mean(restricted.mean(axis=1)), _mean(worth.mean(axis=1)), by_seat, 1.0)


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Estimate:
    """The mean of a value of every deal."""
    return stats.estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), len(values))
