"""What an element of a game is worth: how much a bot loses without it, and gains as the only one that has it.

Alexander Jaffe, Alex Miller, Erik Andersen, Yun-En Liu, Anna Karlin and Zoran Popovic, "Evaluating competitive game
balance with restricted play", AIIDE 2012. One bot is restricted and the others are not, or the other way round; it
plays every seat of every deal, and is compared with the same seat of the same deal where all bots are alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.contests.interventions import (
    AS_PLAYED,
    ChangedGames,
    ElementTables,
    PlayChanges,
    as_played,
    restricted_tables,
)
from mmsim.core.variant import Variant

_KEY = ["deal", "seat"]


@dataclass(frozen=True)
class Advantage:
    """How much more a bot wins with an element than without it, among opponents of one sort."""

    share: Estimate  # win share of the bot that differs from the others
    value: Estimate
    by_seat: tuple[Estimate, ...]
    p_adjusted: float = 1.0  # Holm correction over all elements and both ways

    @property
    def is_significant(self) -> bool:
        return self.p_adjusted < 1 - stats.LEVEL

    @property
    def is_gain(self) -> bool:
        return self.is_significant and self.value.value > 0


@dataclass(frozen=True)
class ElementValue:
    """The value of an element, measured in two ways."""

    element: str
    text: str
    loss_without: Advantage  # of one bot without it among others that have it
    gain_with: Advantage  # of one bot that has it among others without it
    games: int  # per table

    def as_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


def value_elements(game: str, variant: Variant, play: PlayChanges) -> list[ElementValue]:
    """Play a variant with and without each element of the game; the most valuable element comes first."""
    tables = restricted_tables(game, variant)
    changes = [as_played(replace(variant, seats="rotate"))]
    changes += [change for element in tables for change in (element.one_without, element.one_with, element.all_without)]
    return element_values(play(changes), tables)


def element_values(played: ChangedGames, elements: Sequence[ElementTables]) -> list[ElementValue]:
    deals = played.tables["games"].select("variant", "game", "deal")
    seats = played.tables["seats"].join(deals, on=["variant", "game"]).with_columns(pl.col("variant", "bot").cast(str))
    descriptions = {change.name: about for change, about in zip(played.changes, played.descriptions, strict=True)}

    def shares(change: str, only_first: bool) -> pl.DataFrame:
        """The win share of every deal and seat, of all bots or of the one listed first."""
        rows = seats.filter(pl.col("variant") == descriptions[change].name)
        if only_first:
            rows = rows.filter(pl.col("bot") == descriptions[change].bot_specs[0])
        return rows.group_by(_KEY).agg(pl.col("win_share").cast(pl.Float64).mean()).sort(_KEY)

    values = []
    for element in elements:
        loss = _advantage(shares(element.one_without.name, True), shares(AS_PLAYED, False), sign=-1)
        gain = _advantage(shares(element.one_with.name, True), shares(element.all_without.name, False), sign=1)
        values.append(ElementValue(element.name, element.text, loss, gain, played.games))
    return sorted(_holm_corrected(values), key=lambda element: -element.loss_without.value.value)


def _advantage(different: pl.DataFrame, baseline: pl.DataFrame, sign: int) -> Advantage:
    both = different.join(baseline, on=_KEY, suffix="_baseline").sort(_KEY)
    count = both["seat"].n_unique()
    shares, baseline_shares = (
        both[column].to_numpy().reshape(-1, count) for column in ("win_share", "win_share_baseline")
    )
    differences = sign * (shares - baseline_shares)
    by_seat = tuple(stats.mean_of_deals(differences[:, seat]) for seat in range(count))
    return Advantage(stats.mean_of_deals(shares.mean(axis=1)), stats.mean_of_deals(differences.mean(axis=1)), by_seat)


def _holm_corrected(values: Sequence[ElementValue]) -> list[ElementValue]:
    advantages = [advantage for element in values for advantage in (element.loss_without, element.gain_with)]
    effects = [advantage.value for advantage in advantages]
    p_values = [stats.two_sided_p(effect.value, effect.se, effect.df) if effect.se > 0 else 1.0 for effect in effects]
    pairs = zip(advantages, stats.holm(p_values), strict=True)
    corrected = (replace(advantage, p_adjusted=p) for advantage, p in pairs)
    return [replace(element, loss_without=next(corrected), gain_with=next(corrected)) for element in values]
