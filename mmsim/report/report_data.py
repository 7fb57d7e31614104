"""Everything a report shows, measured once."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl

from mmsim.analysis.across_boards import average_boards
from mmsim.analysis.compare import LevelEstimates, compare
from mmsim.analysis.derived_metrics import LAYOUT_SHARE, LAYOUT_SPREAD, layout_effects
from mmsim.analysis.estimates import Estimates, by_name
from mmsim.analysis.openings import SeatBook, available_views, opening_books
from mmsim.analysis.ratings import Ratings
from mmsim.analysis.run_metrics import (
    ComparedRun,
    declared_metrics,
    measurable_gaps,
    measure_run,
    primary_metrics,
    shown_level,
    with_tolerances,
)
from mmsim.analysis.stats import Array
from mmsim.analysis.tables import RunTables, open_run
from mmsim.batch.remarkable import Remarkable, kept_record, remarkable
from mmsim.core.levels import Level
from mmsim.core.metrics import RuleGap
from mmsim.core.variant import VariantDescription
from mmsim.errors import MmsimError
from mmsim.system.temporary import is_temporary

T = TypeVar("T")
LayoutCounts = Mapping[str, tuple[int, int]]  # variant -> layouts, games
Distribution = tuple[Array, Array]  # values, shares of seats


@dataclass(frozen=True)
class RemarkableGame:
    """A remarkable game of a run: the longest, the closest, the most lopsided."""

    run: RunTables
    remarkable: Remarkable

    @property
    def variant(self) -> VariantDescription:
        return self.run.cells[self.remarkable.variant]

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """Its record, if the run was finished and kept it."""
        return kept_record(self.run.folder, self.variant.name, self.remarkable.game)

    @property
    def command(self) -> str:
        """The shell command that plays this game again; the files it names are beside the report."""
        experiment = self.run.experiment
        options = {
            "rules": self.variant.rules,
            "players": self.variant.players,
            "board": self.variant.board_name,
            "bots": self.variant.bot_list or experiment.bots,
            "seed": self.variant.seed,
            "seats": None if experiment.seats == "fixed" else experiment.seats,
            "number": self.remarkable.game,
        }
        words = [word for key, value in options.items() if value is not None for word in (f"--{key}", str(value))]
        return shlex.join(["mmsim", "play", *words])


@dataclass(frozen=True)
class ReportData(ComparedRun):
    """The results of a run and everything else its report shows."""

    ratings: Mapping[str, Ratings]
    gaps: Sequence[tuple[RuleGap, Estimates]]
    remarkable_games: Sequence[RemarkableGame]
    layouts: LayoutCounts
    scores: Sequence[Distribution]  # of every variant, at the level that is shown
    openings: Sequence[SeatBook] = ()  # of every variant, level and seat


class Submit(Protocol):
    """Start a picklable task in another process; call the returned function to wait for its result."""

    def __call__(self, task: Callable[[], T], /) -> Callable[[], T]: ...


def run_here(task: Callable[[], T]) -> Callable[[], T]:
    """Submit a task to no other process: it runs when its result is needed."""
    return task


def gather(run: RunTables, submit: Submit = run_here) -> ReportData:
    """Measure a run: one pass over each table for all metrics and gaps, and two over a few columns.

    Those two are best submitted to other processes: threads would share Polars' own and gain nothing.
    """
    level_runs = without_failed_levels(run).by_level
    openings = submit(partial(_openings, run.folder, run.variants[0].name))
    layouts = submit(partial(_layout_effects, run.folder, run.variants[0].name))
    wanted = {known.name for known in declared_metrics(run.experiment.game)} - {LAYOUT_SHARE.name, LAYOUT_SPREAD.name}
    gaps = measurable_gaps(run)
    measured = [measure_run(level, wanted, gaps) for level in level_runs]
    layout_counts, layout_estimates = layouts()
    levels = [
        LevelEstimates.of(level, [*kind.metrics, *layout_estimates[level.level.name]], kind.by_board)
        for level, kind in zip(level_runs, measured, strict=True)
    ]
    levels = with_tolerances(levels, run.experiment.wanted.tolerances)
    place = shown_level([level.level for level in levels])
    shown, gap_shares = level_runs[place], by_name(measured[place].gaps)
    names = [variant.name for variant in run.variants]
    cells = [layout_counts.get(cell.name) for cell in shown.variants]
    scores = zip(*(_score_distributions(board.counted) for board in shown.by_board), strict=True)
    return ReportData(
        run,
        levels,
        compare(levels, primary=primary_metrics(run)) if len(run.variants) > 1 else [],
        {variant: ratings for kind in measured for variant, ratings in kind.ratings.items()},
        [(gap, gap_shares[gap.name]) for gap in gaps if gap.name in gap_shares],
        find_remarkable_games(run),
        {name: counts for name, counts in zip(names, cells, strict=True) if counts is not None},
        [_mean_distribution(by_board) for by_board in scores],
        openings(),
    )


def shown_path(path: Path) -> str:
    """A path as a command on the page names it: relative to this folder if it lies in it, RUN if it is not kept."""
    if is_temporary(path):
        return "RUN"
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_absolute() and path.is_relative_to(here) else path)


def find_remarkable_games(run: RunTables) -> list[RemarkableGame]:
    """One game of every kind that the games of a run can show."""
    games = remarkable(run.tables["games"], [cell.name for cell in run.cells])
    return [RemarkableGame(run, game) for game in games]


def without_failed_levels(run: RunTables) -> RunTables:
    """A run without the levels that finished no game of some variant; an error if none is left."""
    failed: dict[Level, str] = {}
    for level in run.by_level:
        for name in (cell.name for board in level.by_board for cell in board.variants):
            if not run.games_of(name):
                failed.setdefault(level.level, name)
    if not failed:
        return run
    if left := tuple(level for level in run.of_levels if level.level not in failed):
        return replace(run, of_levels=left)
    cell = next(iter(failed.values()))
    counts = run.game_counts.filter(pl.col("variant") == cell).select("games", "status").iter_rows()
    statuses = ", ".join(f"{games:,} with status {status}" for games, status in counts) or "none was played"
    raise MmsimError(
        f"there is nothing to measure: no game of {cell} in {run.folder} came to a regular end ({statuses})"
    )


def _openings(folder: Path, reference: str) -> list[SeatBook]:
    run = open_run(folder).starting_with(reference)
    return opening_books(run, available_views(run))


def _layout_effects(folder: Path, reference: str) -> tuple[LayoutCounts, dict[str, list[Estimates]]]:
    """The layouts of every variant, and how much they matter at every level."""
    counts: dict[str, tuple[int, int]] = {}
    effects = {}
    for level in open_run(folder).starting_with(reference).by_level:
        counts |= level.counted.layouts
        by_board = [layout_effects(board.counted) for board in level.by_board]
        names = [variant.name for variant in level.variants]
        effects[level.level.name] = average_boards(by_board, names) if len(by_board) > 1 else by_board[0]
    return counts, effects


def _mean_distribution(distributions: Sequence[Distribution]) -> Distribution:
    """The distribution of scores over several boards with equal weights."""
    values = np.unique(np.concatenate([values for values, _ in distributions]))
    mean = np.zeros(len(values))
    for scores, shares in distributions:
        mean[np.searchsorted(values, scores)] += shares / len(distributions)
    return values, mean


def _score_distributions(run: RunTables) -> list[Distribution]:
    """The distribution of the seats' scores in every variant."""
    by_score = run.tables["seats"].group_by("variant", "score").agg(pl.len().alias("seats"))
    counts = by_score.collect(engine="streaming")
    distributions = []
    for variant in run.variants:
        rows = counts.filter(pl.col("variant") == variant.name).sort("score")
        scores, seats = rows["score"].to_numpy().astype(np.float64), rows["seats"].to_numpy().astype(np.float64)
        distributions.append((scores, seats / max(seats.sum(), 1.0)))
    return distributions
