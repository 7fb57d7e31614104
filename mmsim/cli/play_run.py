"""Create a run from the options of a command and play it, with progress shown and with or without keeping its files."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from math import ceil, inf
from pathlib import Path

from mmsim.batch.cluster import Scheduler
from mmsim.batch.confidence import MAX_GAMES, MetricValues
from mmsim.batch.experiment import (
    GAMES_GROUP,
    Experiment,
    drop_indifferent_levels,
    games_in,
    parse_duration,
    planned_seconds,
)
from mmsim.batch.manifest import Precision
from mmsim.batch.run import Run
from mmsim.batch.session import Session, Status, forecast_games
from mmsim.cli.console import counted, remark, say
from mmsim.cli.interrupts import NOTHING_KEPT, exit_when_interrupted
from mmsim.cli.progress import duration, show_progress
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game
from mmsim.system.processes import cores
from mmsim.system.temporary import temporary_folder

# --- who plays ------------------------------------------------------------------------------------------------------


def drop_indifferent(experiment: Experiment) -> Experiment:
    """The experiment without the levels that play all its variants alike, and a remark about each of those."""
    experiment, reasons = drop_indifferent_levels(experiment)
    for reason in reasons:
        remark(f"{reason}; it is left out")
    return experiment


def within(experiment: Experiment, time: str | None, games_given: bool) -> Experiment:
    """The experiment with as many games as fit into a time of one core, if one is given."""
    if time is None:
        return experiment
    if games_given:
        raise UsageError("--games and --time both say how many games there are; give one of them")
    return replace(experiment, games=games_in(experiment, parse_duration(time)))


def _games_of_levels(run: Run) -> str:
    """How many games of every variant each level plays, and how long that takes; empty for one level."""
    experiment, levels = run.experiment, [level.name for level in run.experiment.played_levels]
    if len(levels) == 1:
        return ""
    count, plan = experiment.variants_per_level, run.plan
    per_level = "; ".join(f"{level} {plan.games_of(place * count):,}" for place, level in enumerate(levels))
    seconds = duration(planned_seconds(replace(experiment, games=run.games_per_variant)))
    return f"games of each of {counted(count, 'variant')}: {per_level}; about {seconds} of one core by declared costs"


# --- playing --------------------------------------------------------------------------------------------------------


def create_run(folder: Path, experiment: Experiment, until: str | None, limited: bool) -> Run:
    """A new run; with `until`, the experiment's number of games is the limit if `limited`, else `MAX_GAMES` is."""
    if experiment.named_metrics:
        from mmsim.analysis.run_metrics import check_metric_names  # most runs do without Polars in this process

        check_metric_names(experiment.game, experiment.named_metrics)
    if until is None:
        return Run.create(folder, experiment)
    from mmsim.analysis.run_metrics import declared_metrics  # most runs do without Polars in this process

    precision = Precision.parse(until, [measure.name for measure in declared_metrics(experiment.game)])
    metric_values(precision.metric, experiment.game)
    if not limited:
        group = experiment.part_games or GAMES_GROUP
        experiment = replace(experiment, games=group * ceil(MAX_GAMES / group))
    return Run.create(folder, experiment, precision)


def metric_values(metric: str, game: str) -> MetricValues:
    """The values of a metric game by game; refused if it has none."""
    from mmsim.analysis.run_metrics import per_game_values  # most runs do without Polars in this process

    return per_game_values(game, metric, find_game(game).tables)


def play_run(
    run: Run,
    workers: int | None,
    cluster: Scheduler | None = None,
    quiet: bool = False,
    json_progress: bool = False,
    keep: bool = True,
    deep: bool = False,
) -> Status:
    """Play the missing games of a run. If it is interrupted and `keep`, the command that continues it is printed."""
    until = run.manifest.until
    values = metric_values(until.metric, run.experiment.game) if until else None
    words = ["mmsim", "resume", str(run.folder)]
    words += ["--bots-from", str(run.bots_from)] if run.bots_from else []
    words += ["--workers", str(workers)] if workers else []
    words += cluster.options() if cluster else []
    if not (quiet or json_progress or until) and (shared_out := _games_of_levels(run)):
        remark(shared_out)

    def kept() -> str:
        if not keep:
            return NOTHING_KEPT
        games = sum(entry.games for entry in run.done_entries())
        return f"{games:,} {'game is' if games == 1 else 'games are'} kept; continue with: {shlex.join(words)}"

    with show_progress(quiet, json_progress, kept) as progress:
        if run.experiment.retrain:
            from mmsim.contests.retraining import retrain  # most runs do without

            retrain(run, workers or cores(), progress, progress.line)
        if until and values and not quiet and not run.games_per_variant:
            _print_forecast(run, until, values, workers or cores())
        session = Session(run, workers or cores(), cluster, progress, values, deep=deep)
        if not (quiet or json_progress):
            session.notify = partial(say, err=True)
        status = session.carry_out()
        progress.finish(status)
    if status.errors and status.errors == status.done:
        error = next(error for entry in run.journal_entries() for error in entry.errors)
        raise MmsimError(
            f"every game of {run.folder} was stopped by a bot's error; the first, game {error.game}: "
            f"bot {error.bot} in seat {error.seat + 1}: {error.message}"
        )
    return status


def _print_forecast(run: Run, until: Precision, values: MetricValues, workers: int) -> None:
    forecast, games_per_s = forecast_games(run, until, values)
    seconds = forecast.games * len(run.prepared) / games_per_s / min(workers, cores())
    remark(
        f"{until} will take about {forecast.games:,} games per variant and "
        f"{duration(seconds)} with {counted(workers, 'worker')}"
    )


def describe_precision(run: Run, until: Precision) -> str:
    """How well the metric of `--until` is known, and whether that is as well as was wanted."""
    known_to = inf if until.known_to is None else until.known_to
    sentence = f"{until.metric} is known to ±{known_to:.3g} after {counted(until.looks or 0, 'look')}"
    if known_to > until.half_width:
        sentence += f", not to ±{until.half_width:g}: the limit of {run.games_per_variant:,} games was reached"
    return sentence


@contextmanager
def run_folder(folder: Path | None) -> Iterator[Path]:
    """The folder for a run, or a temporary one; if the block is interrupted, it is said whether the games are kept."""
    with (
        nullcontext(folder) if folder else temporary_folder() as path,
        exit_when_interrupted(lambda: f"all games are kept in {folder}" if folder else NOTHING_KEPT),
    ):
        yield path


@contextmanager
def played_run(
    experiment: Experiment,
    workers: int | None,
    folder: Path | None,
    quiet: bool,
    until: str | None = None,
    limited: bool = True,
) -> Iterator[Path]:
    """The folder of an experiment's run, played now; removed afterwards if no folder is given."""
    with run_folder(folder) as path:
        run = create_run(path, experiment, until, limited)
        play_run(run, workers, quiet=quiet, keep=folder is not None)
        if run.manifest.until and not quiet:
            say(describe_precision(run, run.manifest.until), err=True)
        yield path
