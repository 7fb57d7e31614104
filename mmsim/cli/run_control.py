"""Having a run played from the command line: how it is made, watched and stopped."""

import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import ceil, inf
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from mmsim.batch.cluster_address import Scheduler
from mmsim.batch.experiment import Experiment
from mmsim.batch.manifest import Decision
from mmsim.batch.manifest import Until as RunUntil
from mmsim.batch.precision import LIMIT, Measure, Precision
from mmsim.batch.run import Run
from mmsim.batch.session import Session, Status, estimate, extend
from mmsim.cli.interrupts import NOTHING_KEPT, keeping, stoppable
from mmsim.cli.panel import games_of_members
from mmsim.cli.progress import Watcher, duration, watcher
from mmsim.errors import MmsimError
from mmsim.system.processes import cores

Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes; if not given, one a core.")]
Until = Annotated[
    str | None,
    typer.Option(metavar="METRIC±WIDTH", help="Play until a metric is known so well: win_share±0.5%, margin±0.1."),
]
DECIDED = "decided"  # instead of a precision: until two variants are told apart, or equal
_LOOK, _NEXT_LOOK = 600, 1.5  # games of each before the first look, and of every look in those of the one before
_MOST_TO_DECIDE = 200_000
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
_GROUP = 60  # games that 2, 3, 4, 5 or 6 rotated players fit in


def create(folder: Path, asked: Experiment, until: str | None, limited: bool) -> Run:
    """A new run; `limited`: with `until`, the games of the experiment are the most that may be played."""
    if until is None:
        return Run.create(folder, asked)
    from mmsim.analysis.findings import measures  # Polars and scipy take a moment to import

    precision = Precision.parse(until, [measure.name for measure in measures(asked.game)])
    _measure(precision.metric, asked.game)
    if not limited:
        group = asked.part_games or _GROUP
        asked = replace(asked, games=group * ceil(LIMIT / group))
    return Run.create(folder, asked, RunUntil(precision.metric, precision.half_width))


def _measure(metric: str, game: str) -> Measure:
    from mmsim.analysis.findings import game_by_game
    from mmsim.games import find_game

    return game_by_game(game, metric, find_game(game).tables)


def carry_out(
    made: Run,
    workers: int | None,
    cluster: Scheduler | None = None,
    quiet: bool = False,
    json_progress: bool = False,
    kept: bool = True,
    deep: bool = False,
) -> Status:
    """Play what is missing of a run; whoever stops it is told how to go on, if it is `kept`."""
    until = made.manifest.until
    measure = _measure(until.metric, made.experiment.game) if until else None
    words = ["mmsim", "resume", str(made.folder)]
    words += ["--bots-from", str(made.bots_from)] if made.bots_from else []
    words += ["--workers", str(workers)] if workers else []
    words += cluster.options() if cluster else []
    if not (quiet or json_progress or until) and (
        fewer := games_of_members(replace(made.experiment, games=made.games_asked))
    ):
        typer.echo(fewer, err=True)

    def kept_so_far() -> str:
        if not kept:
            return NOTHING_KEPT
        games = sum(entry.games for entry in made.done())
        return f"{games:,} {'game is' if games == 1 else 'games are'} kept; go on with: {shlex.join(words)}"

    with watched(quiet, json_progress, kept_so_far) as watch:
        if until and measure and not quiet and not made.games_asked:
            _foretell(made, until, measure, workers or cores())
        status = Session(made, workers or cores(), cluster, watch, measure, deep=deep).carry_out()
        watch.finish(status)
    if status.errors and status.errors == status.done:
        error = next(error for entry in made.journal() for error in entry.errors)
        raise MmsimError(
            f"every game of {made.folder} was stopped by a bot's error; the first, game {error.game}: "
            f"bot {error.bot} in seat {error.seat + 1}: {error.message}"
        )
    return status


@contextmanager
def watched(
    quiet: bool, json_progress: bool = False, kept: Callable[[], str] = lambda: NOTHING_KEPT
) -> Iterator[Watcher]:
    """Somebody who watches games being played, and may stop them: then they are told what is kept."""
    with keeping(kept), stoppable() as stop_if_asked, watcher(quiet, json_progress) as watch:
        watch.before = stop_if_asked
        yield watch


def known(made: Run, until: RunUntil) -> str:
    """How well the metric of `--until` is known, and whether that is as well as was asked for."""
    looks = "1 look" if until.looks == 1 else f"{until.looks} looks"
    known_to = inf if until.known_to is None else until.known_to
    sentence = f"{until.metric} is known to ±{known_to:.3g} after {looks}"
    if known_to > until.half_width:
        sentence += f", not to ±{until.half_width:g}: the limit of {made.games_asked:,} games was reached"
    return sentence


@contextmanager
def _keeping_games(folder: Path | None) -> Iterator[None]:
    """Whoever stops what is done with the games of a folder is told that they stay."""
    with keeping(lambda: f"all games are kept in {folder}" if folder else NOTHING_KEPT):
        yield


@contextmanager
def played(
    asked: Experiment, workers: int | None, folder: Path | None, until: str | None = None, limited: bool = True
) -> Iterator[Path]:
    """The folder of an experiment's run, played now; removed afterwards if no folder is given."""
    place = folder or Path(tempfile.mkdtemp(prefix="mmsim-"))
    try:
        made = create(place, asked, until, limited)
        carry_out(made, workers, kept=folder is not None)
        if made.manifest.until:
            typer.echo(known(made, made.manifest.until), err=True)
        with _keeping_games(folder):
            yield place
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


@contextmanager
def decided(asked: Experiment, workers: int | None, folder: Path | None, metric: str, limited: bool) -> Iterator[Path]:
    """The folder of a run of two variants that is played until a metric is decided, or to its end; its manifest has the
    decision.

    Looks come after whole parts, and how many games those are does not depend on who plays them.
    """
    _measure(metric, asked.game)
    most, step = asked.games if limited else _MOST_TO_DECIDE, asked.part_games or _LOOK
    asked = replace(asked, games=min(most, step), part_games=step)
    place = folder or Path(tempfile.mkdtemp(prefix="mmsim-"))
    try:
        made, looks = Run.create(place, asked), 1
        carry_out(made, workers, kept=folder is not None)
        while not (found := _decision(place, metric)).made and made.games_asked < most:
            target = min(most, step * ceil(made.games_asked * _NEXT_LOOK / step))
            extend(made, target - made.games_asked)
            carry_out(made, workers, kept=folder is not None)
            looks += 1
        with made.writing():
            made.note(decision=msgspec.structs.replace(found, games=made.games_asked, looks=looks))
        with _keeping_games(folder):
            yield place
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


def _decision(place: Path, metric: str) -> Decision:
    """What the games played so far decide."""
    from mmsim.analysis.compare import compare
    from mmsim.analysis.findings import findings
    from mmsim.analysis.sequential import decide
    from mmsim.analysis.tables import open_run

    run = open_run(place)
    if compared := compare(findings(run, [metric])):
        return decide(compared)
    raise MmsimError(run.warnings[-1])


def _foretell(made: Run, until: RunUntil, measure: Measure, workers: int) -> None:
    wanted = Precision(until.metric, until.half_width)
    foreseen, pace = estimate(made, until, measure)
    games = foreseen.games * len(made.prepared)
    seconds = games / pace / min(workers, cores())
    typer.echo(
        f"{wanted} will take about {foreseen.games:,} games of every variant and {duration(seconds)} with "
        f"{workers} worker{'s' * (workers != 1)}",
        err=True,
    )
