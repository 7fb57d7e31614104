"""How much the board matters: the share of the variance between games that lies between layouts."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Measure
from mmsim.games import find_statistics

LAYOUT_SHARE = Measure(
    "layout_share",
    "How much of the variance between games lies between layouts (and deals, where games share both)?",
    "share",
    0.02,
)
_LEAST_REPEATS = 500  # games on a layout played before; fewer tell nothing of the variance within layouts


def layout_share(run: RunTables) -> Estimates | None:
    """The share for every outcome of a game; None where too few layouts were played twice."""
    run = run.counted
    games = run.tables["games"]
    schema = games.collect_schema()
    outcomes = [name for name in find_statistics(run.experiment.game).layout_outcomes if name in schema]
    repeats = [games - layouts for layouts, games in run.layouts.values()] if outcomes else []
    if not repeats or min(repeats) < _LEAST_REPEATS:
        return None
    shares: list[stats.Estimate] = []
    with ThreadPoolExecutor(2) as pool:
        for variant in run.variants:  # one after the other: a run may have every layout there is
            by_layout = _sums(games.filter(pl.col("variant") == variant.name), outcomes)
            shares += pool.map(partial(_share, by_layout), outcomes)
    shape = (len(run.variants), len(outcomes))
    return Estimates(
        LAYOUT_SHARE,
        tuple(variant.name for variant in run.variants),
        tuple(outcomes),
        np.array([share.value for share in shares]).reshape(shape),
        np.repeat([[float(run.games_of(variant.name))] for variant in run.variants], len(outcomes), axis=1),
        np.array([float(share.deals) for share in shares]).reshape(shape),
        np.diag([share.se**2 for share in shares]).reshape(*shape, *shape),
        paired=False,
        games_a_deal=max(games / layouts for layouts, games in run.layouts.values()),
        intervals={divmod(i, shape[1]): (share.low, share.high) for i, share in enumerate(shares)},
    )


def _sums(games: pl.LazyFrame, outcomes: Sequence[str]) -> pl.DataFrame:
    """Games of every layout, and sums and squares of their outcomes."""
    values = [pl.col(name).cast(pl.Float64) for name in outcomes]
    return (
        games.filter(pl.col("layout").is_not_null())
        .group_by("layout")
        .agg(
            pl.len().alias("games"),
            *(value.sum().name.suffix(" sum") for value in values),
            *(value.pow(2).sum().name.suffix(" squares") for value in values),
        )
        .sort("layout")  # so that rounding is the same every time
        .collect(engine="streaming")
    )


def _share(layouts: pl.DataFrame, name: str) -> stats.Estimate:
    return stats.between_share(layouts["games"], layouts[f"{name} sum"], layouts[f"{name} squares"])
