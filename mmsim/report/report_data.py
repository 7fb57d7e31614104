"""Everything a report is made of, gathered from a run once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import polars as pl

from mmsim.analysis.compare import Comparison, compare
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.findings import Measured, family, known_gaps, measure, measures
from mmsim.analysis.layout_effect import layout_findings
from mmsim.analysis.openings import SeatBook, known_views, opening_books
from mmsim.analysis.panel import pool
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.stats import Array
from mmsim.analysis.surprises import Surprise
from mmsim.analysis.surprises import surprises as surprising
from mmsim.analysis.tables import Member, RunTables, open_run
from mmsim.batch.experiment import OF_MEMBER
from mmsim.core.metrics import Gap

Made = TypeVar("Made")


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
    openings: Sequence[SeatBook] = ()  # of every variant, kind of players and seat

    @property
    def names(self) -> list[str]:
        """The variants' names without what all of them end in."""
        return short_names([variant.name for variant in self.run.variants])

    def name_of(self, variant: str) -> str:
        """A variant's short name; with a member of the panel, which one."""
        shared, _, member = variant.partition(OF_MEMBER)
        short = self.names[[one.name for one in self.run.variants].index(shared)]
        return f"{short}, {member}" if member else short

    def against(self, variant: str) -> list[Comparison]:
        return [one for one in self.comparisons if one.variant == variant]

    @property
    def asked(self) -> list[Comparison]:
        """The comparisons of the metrics that the question is about."""
        return [one for one in self.comparisons if one.asked]

    @property
    def players(self) -> list[str]:
        """The kinds of players whose games count."""
        kinds = [one.member for one in self.run.by_member]
        return [kind.name for kind in kinds if kind.strong] or [kind.name for kind in kinds]


class Ask(Protocol):
    """Have something made elsewhere, by a function that can be pickled; what is returned waits for it."""

    def __call__(self, make: Callable[[], Made], /) -> Callable[[], Made]: ...


def here(make: Callable[[], Made]) -> Callable[[], Made]:
    """Nothing is asked of others: it is made when it is waited for."""
    return make


def gather(run: RunTables, ask: Ask = here) -> Evidence:
    """Measure the run of a folder: one pass over each table for all metrics and gaps, and two over few columns.

    Those two are best asked of other processes. Threads of this one would share those of Polars, and take about as long
    as one after the other.
    """
    same = run.folder, run.variants[0].name
    openings, boards = ask(partial(_openings, *same)), cache(ask(partial(_boards, *same)))
    surprises = surprising(run)
    kinds = [_measure(one, number, boards) for number, one in enumerate(run.by_member)]
    names = [variant.name for variant in run.variants]
    measured = pool([(one.member, one.measured.metrics) for one in kinds], names)
    of_gaps = {one.measure.name: one for one in pool([(one.member, one.measured.gaps) for one in kinds], names)}
    counted = [one for one in kinds if one.member.strong] or kinds
    return Evidence(
        run,
        {one.measure.name: one for one in measured},
        compare(measured, asked=family(run)) if len(run.variants) > 1 else [],
        {variant: rated for one in kinds for variant, rated in one.measured.ratings.items()},
        [(gap, of_gaps[gap.name]) for gap in known_gaps(run) if gap.name in of_gaps],
        surprises,
        {name: one for name, one in zip(names, counted[0].layouts, strict=True) if one is not None},
        [_mean_distribution([one.scores[v] for one in counted]) for v in range(len(names))],
        openings(),
    )


@dataclass(frozen=True)
class _Boards:
    """What the layouts of the games of one kind of players matter, and how many there are."""

    findings: Sequence[Estimates]
    layouts: Mapping[str, tuple[int, int]]  # variant -> layouts, games


@dataclass(frozen=True)
class _Kind:
    """What the games of one kind of players show."""

    member: Member
    measured: Measured
    layouts: Sequence[tuple[int, int] | None]
    scores: Sequence[tuple[Array, Array]]


def _openings(folder: Path, first: str) -> list[SeatBook]:
    run = open_run(folder).starting_with(first)
    return opening_books(run, known_views(run))


def _boards(folder: Path, first: str) -> list[_Boards]:
    """Of every kind of players."""
    kinds = [one.counted for one in open_run(folder).starting_with(first).by_member]
    return [_Boards(layout_findings(one), one.layouts) for one in kinds]


def _measure(run: RunTables, number: int, boards: Callable[[], Sequence[_Boards]]) -> _Kind:
    everything = {one.name for one in measures(run.experiment.game)}
    scores = _scores(run.counted)
    measured = measure(run, everything, known_gaps(run), lambda run: boards()[number].findings)
    on_layouts = [boards()[number].layouts.get(variant.name) for variant in run.variants]
    return _Kind(run.member, measured, on_layouts, scores)


def _mean_distribution(kinds: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """How scores are distributed over several kinds of players, each of which counts the same."""
    values = np.unique(np.concatenate([values for values, _ in kinds]))
    shares = np.zeros(len(values))
    for own, of_own in kinds:
        shares[np.searchsorted(values, own)] += of_own / len(kinds)
    return values, shares


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
