"""How much the board matters: the share of the variance between games that lies between layouts."""

from collections.abc import Sequence

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
_GAMES_AT_ONCE = 50_000
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
    for variant in run.variants:  # one after the other: a run may have every layout there is
        shares += _shares(games.filter(pl.col("variant") == variant.name), outcomes)
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


def _shares(games: pl.LazyFrame, outcomes: Sequence[str]) -> list[stats.Estimate]:
    """The share of every outcome, from sums and squares by layout; memory grows with layouts, not with games."""
    games = games.filter(pl.col("layout").is_not_null())
    layouts = games.select(pl.col("layout").unique()).collect(engine="streaming")["layout"].sort()
    numbers = pl.Enum(layouts.cast(pl.String))
    counts, (sums, squares) = np.zeros(len(layouts)), np.zeros((2, len(outcomes), len(layouts)))
    for some in games.select("layout", *outcomes).collect_batches(chunk_size=_GAMES_AT_ONCE):
        places = some["layout"].cast(pl.String).cast(numbers).to_physical().to_numpy()
        np.add.at(counts, places, 1.0)
        for name, sum_, square in zip(outcomes, sums, squares, strict=True):
            values = some[name].cast(pl.Float64).fill_null(0.0).to_numpy()
            np.add.at(sum_, places, values)
            np.add.at(square, places, values * values)
    return [stats.between_share(counts, *of_outcome) for of_outcome in zip(sums, squares, strict=True)]
