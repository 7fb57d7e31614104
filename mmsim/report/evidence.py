"""Everything a report is made of, gathered from a run once."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import polars as pl

from mmsim.analysis.atlas import layout_share
from mmsim.analysis.compare import Comparison, compare
from mmsim.analysis.estimates import Estimates, estimate_metrics
from mmsim.analysis.findings import derived, known_gaps, known_metrics
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.skill import ratings_of
from mmsim.analysis.stats import Array
from mmsim.analysis.surprises import Surprise
from mmsim.analysis.surprises import surprises as surprising
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Gap


@dataclass(frozen=True)
class Evidence:
    """A run's findings; the first variant is the one the others are compared with."""

    run: RunTables
    estimates: Mapping[str, Estimates]
    comparisons: Sequence[Comparison]
    ratings: Mapping[str, Ratings]
    gaps: Sequence[tuple[Gap, Estimates]]
    surprises: Sequence[Surprise]
    layouts: Mapping[str, tuple[int, int]]  # variant -> layouts, games
    scores: Sequence[tuple[Array, Array]]  # of every variant: values, shares of seats

    @property
    def names(self) -> list[str]:
        """The variants' names without what all of them end in."""
        return short_names([variant.name for variant in self.run.variants])

    def name_of(self, variant: str) -> str:
        """A variant's short name."""
        return self.names[[one.name for one in self.run.variants].index(variant)]

    def against(self, variant: str) -> list[Comparison]:
        return [one for one in self.comparisons if one.variant == variant]


def gather(run: RunTables) -> Evidence:
    """Measure a run: one pass over each table for all metrics and gaps, and what looks at few columns aside."""
    metrics, gaps = known_metrics(run), known_gaps(run)
    counted = run.counted  # what both threads look at
    with ThreadPoolExecutor(1) as aside:
        layouts, scores = aside.submit(layout_share, counted), aside.submit(_scores, counted)
        surprises = aside.submit(surprising, run)
        found = estimate_metrics(run, [*metrics, *(gap.metric for gap in gaps)])
        of_gaps = {
            estimates.measure.name: estimates
            for estimates in found
            if estimates.measure.name in {gap.name for gap in gaps}
        }
        measured = [estimates for estimates in found if estimates.measure.name not in of_gaps]
        ratings = ratings_of(run)
        measured += derived(measured, ratings, layouts.result())
        return Evidence(
            run,
            {estimates.measure.name: estimates for estimates in measured},
            compare(measured) if len(run.variants) > 1 else [],
            ratings,
            [(gap, of_gaps[gap.name]) for gap in gaps if gap.name in of_gaps],
            surprises.result(),
            counted.layouts,
            scores.result(),
        )


def _scores(run: RunTables) -> list[tuple[Array, Array]]:
    """How scores of seats are distributed in every variant."""
    by_score = run.tables["seats"].group_by("variant", "score").agg(pl.len().alias("seats"))
    counts = by_score.collect(engine="streaming")
    found = []
    for variant in run.variants:
        own = counts.filter(pl.col("variant") == variant.name).sort("score")
        values, seats = own["score"].to_numpy().astype(np.float64), own["seats"].to_numpy().astype(np.float64)
        found.append((values, seats / max(seats.sum(), 1.0)))
    return found


def short_names(names: Sequence[str]) -> list[str]:
    """Names without what all of them share: the number of players at the end, a ruleset before different knobs."""
    if len(names) < 2:
        return list(names)
    if all("-" in name for name in names) and len({name.rpartition("-")[2] for name in names}) == 1:
        names = [name.rpartition("-")[0] for name in names]
    parts = [name.split(",") for name in names]
    shared = set(parts[0]).intersection(*parts)
    shorter = [",".join(part for part in words if part not in shared) for words in parts]
    return shorter if all(shorter) else list(names)
