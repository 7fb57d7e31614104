"""Luck against skill: how much a stronger bot wins."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from mmsim.analysis.panel import Panel
from mmsim.analysis.ratings import Ratings, rate
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.core.metrics import Measure

SKILL_GRADIENT = Measure(
    "skill_gradient",
    "How often does the strongest bot finish ahead of the weakest (50 %: all luck; 100 %: all skill)?",
    "share",
    0.02,
    better="more",
)


def ratings_of(run: RunTables) -> dict[str, Ratings]:
    """The ratings of the bots in every variant; none where all seats have the same bot."""
    if not any(len(set(variant.bots)) > 1 for variant in run.variants):
        return {}
    seats = run.counted.tables["seats"]
    return {
        variant.name: rate(
            seats.filter((pl.col("variant") == variant.name) & pl.col("seat").is_in(_first_seats(variant)))
            .select("game", "bot", "rank", deal=pl.col("game") // variant.games_a_deal)
            .collect()
        )
        for variant in run.variants
    }


def _first_seats(variant: VariantInfo) -> list[int]:
    """The first seat of every player: one who has several competes once."""
    players = list(variant.about["seat_player"])
    return [players.index(player) for player in sorted({*players})]


def skill_gradient(ratings: Mapping[str, Ratings]) -> Panel | None:
    """The chance that the strongest bot finishes ahead of the weakest, by their ratings."""
    if not ratings:
        return None
    gaps = [_widest(rated) for rated in ratings.values()]
    chances = np.array([_chance(gap.value) for gap in gaps])
    se = np.array([gap.se for gap in gaps]) * chances * (1 - chances)
    return Panel(
        SKILL_GRADIENT,
        tuple(ratings),
        ("",),
        chances[:, None],
        np.array([[float(rated.games)] for rated in ratings.values()]),
        np.array([[float(rated.deals)] for rated in ratings.values()]),
        np.diag(se**2)[:, None, :, None],
        paired=False,
        games_a_deal=next(rated.games / rated.deals for rated in ratings.values()),
        intervals={(v, 0): (_chance(gap.low), _chance(gap.high)) for v, gap in enumerate(gaps)},
    )


def _widest(rated: Ratings) -> Estimate:
    best, worst = rated.bots[0].bot, rated.bots[-1].bot
    return next(gap.difference for gap in rated.gaps if (gap.stronger, gap.weaker) == (best, worst))


def _chance(gap: float) -> float:
    return float(1 / (1 + np.exp(-gap)))
