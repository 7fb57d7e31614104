"""The functions of `import mmsim`: play a run, read it, measure it, compare its variants, report it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mmsim.batch.experiment import (
    Experiment,
    find_experiment,
    from_mapping,
    named_after,
    with_retrained_levels,
    with_settings,
)
from mmsim.batch.manifest import MANIFEST
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.errors import UsageError
from mmsim.system.processes import cores

if TYPE_CHECKING:
    import polars as pl

    from mmsim.analysis.tables import RunTables

Folder = str | os.PathLike[str]


class Settings(TypedDict, total=False):
    """The settings of an experiment, as in its file."""

    question: str
    answer: Mapping[str, Any]
    game: str
    boards: Sequence[str]
    players: int
    bots: str
    levels: str | Sequence[str]
    time: str
    metrics: Sequence[str]
    games: int
    seed: int
    design: str
    seats: str
    part_games: int
    move_seconds: float
    retrain: bool


def run(
    what: Experiment | str | Sequence[str], folder: Folder, workers: int | None = None, **settings: Unpack[Settings]
) -> Run:
    """Play an experiment (an `Experiment`, a name or a file) or a list of rulesets into a folder.

    A folder that already holds a run of the same experiment is read, and finished if need be: asking twice plays once.
    """
    path = Path(folder)
    if isinstance(what, str):
        what = find_experiment(what)
    if isinstance(what, Experiment):
        experiment = with_settings(what, settings)
    else:
        experiment = from_mapping({"name": named_after(path), "variants": list(what), **settings})
    if experiment.named_metrics:
        from mmsim.analysis.run_metrics import check_metric_names  # Polars takes a moment to import

        check_metric_names(experiment.game, experiment.named_metrics)
    if not (path / MANIFEST).exists():
        played = Run.create(path, experiment)
    else:
        played = Run(path)
        same = replace(experiment, part_games=experiment.part_games or played.experiment.part_games)
        if played.experiment != with_retrained_levels(same):
            raise UsageError(f"{path} holds a run of another experiment; choose another folder")
    if experiment.retrain:
        from mmsim.contests.retraining import retrain

        retrain(played, workers or cores())
    Session(played, workers or cores()).carry_out()
    return Run(path)


def read(folder: Folder) -> Run:
    """A run on disk: `mmsim.read("runs/loyal").seats` is a lazy Polars frame."""
    return Run(folder)


def measure(run: Run, metrics: Sequence[str] = ()) -> "pl.DataFrame":
    """The metrics of a run (all if none is named) with 95 % intervals: one row per level, variant, metric and group."""
    from mmsim.analysis.run_metrics import estimate_run, metric_table  # scipy takes a moment to import

    return metric_table(estimate_run(_tables(run), metrics))


def compare(run: Run, reference: str | None = None, metrics: Sequence[str] = ()) -> "pl.DataFrame":
    """Every other variant of a run against the reference (default: the first): one row per level and metric, with the
    verdict over all levels.

    Verdicts do not depend on which metrics are shown.
    """
    import polars as pl

    from mmsim.analysis import compare as comparing
    from mmsim.analysis.run_metrics import check_metric_names, estimate_run, primary_metrics

    tables = _tables(run)
    check_metric_names(tables.experiment.game, metrics)
    comparisons = comparing.comparison_table(
        comparing.compare(estimate_run(tables), reference, primary_metrics(tables))
    )
    return comparisons.filter(pl.col("metric").is_in(list(metrics))) if metrics else comparisons


def record(run: Run, number: int, variant: str | None = None) -> dict[str, Any]:
    """The record of a game of a run, as `mmsim verify` and `mmsim replay` read it."""
    from mmsim.batch.check import replay_record

    return replay_record(run, run.variant_index(variant), number)


def write_report(run: Run, folder: Folder) -> Path:
    """Write the report of a run into a folder; returns the path of its page."""
    from mmsim.report import page

    return page.write_report(_tables(run), Path(folder))[0]


def _tables(run: Run) -> "RunTables":
    from mmsim.analysis.tables import open_run

    return open_run(run.folder)
