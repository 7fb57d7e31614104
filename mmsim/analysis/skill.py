"""Luck against skill: how much a stronger bot wins."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from mmsim.analysis.estimates import Estimates
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
    if not all(len(set(variant.bots)) > 1 for variant in run.variants):
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


def skill_gradient(ratings: Mapping[str, Ratings]) -> Estimates | None:
    """How often the strongest bot by the ratings finished ahead of the weakest: counted, so that no model need fit."""
    shares = [_widest(rated) for rated in ratings.values()]
    if not shares:
        return None
    chances, se = np.array([share.value for share in shares]), np.array([share.se for share in shares])
    return Estimates(
        SKILL_GRADIENT,
        tuple(ratings),
        ("",),
        chances[:, None],
        np.array([[float(rated.games)] for rated in ratings.values()]),
        np.array([[float(rated.deals)] for rated in ratings.values()]),
        np.diag(se**2)[:, None, :, None],
        paired=False,
        games_a_deal=next(rated.games / rated.deals for rated in ratings.values()),
        intervals={(v, 0): (share.low, share.high) for v, share in enumerate(shares)},
    )


def _widest(rated: Ratings) -> Estimate:
    """The counted share of the best bot against the worst; all bots of a variant meet in every game."""
    best, worst = rated.bots[0].bot, rated.bots[-1].bot
    ahead = next(gap.ahead for gap in rated.gaps if (gap.stronger, gap.weaker) == (best, worst))
    assert ahead is not None
    return ahead
