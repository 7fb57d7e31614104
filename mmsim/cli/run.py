"""`mmsim run`, `resume` and `check`: batches of games that can be killed, resumed and trusted."""

import os
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mmsim.batch import experiment as experiments
from mmsim.batch.check import SAMPLE, Checked
from mmsim.batch.check import check as check_run
from mmsim.batch.precision import LIMIT, Measure, Precision
from mmsim.batch.runner import Session, Status, estimate, extend
from mmsim.batch.store import Run
from mmsim.cli.common import console
from mmsim.cli.progress import duration, headline, summary, watcher
from mmsim.core.errors import UsageError, unknown

if TYPE_CHECKING:
    import polars as pl

RUNS = Path("runs")
_INTERRUPTED = 130


def win_share(tables: Mapping[str, "pl.LazyFrame"]) -> "pl.LazyFrame":
    """The share of wins of every seat."""
    import polars as pl

    return tables["seats"].select("variant", pl.col("seat").cast(pl.String).alias("group"), "game", value="win_share")


MEASURES: dict[str, Measure] = {"win_share": win_share}

Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes; if not given, one a core.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Dask cluster instead, like tcp://host:8786 (mmsim[cluster])."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
JsonProgress = Annotated[bool, typer.Option("--json-progress", help="Progress as JSON lines on stderr.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


def run(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[EXPERIMENT]", help="A .toml file, a shipped experiment, or a run to extend."),
    ] = None,
    rules: Annotated[list[str] | None, typer.Option(metavar="SPEC", help="Ruleset; repeat it to compare.")] = None,
    board: Annotated[list[str] | None, typer.Option(metavar="SET", help="Board set; repeat it to compare.")] = None,
    game: Annotated[str | None, typer.Option(help="Which game to play.")] = None,
    players: Annotated[int | None, typer.Option(help="Number of players; if not given, the usual one.")] = None,
    bots: Annotated[
        str | None, typer.Option(metavar="LIST", help="One bot for every company, or one a company, with commas.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games of every variant; with --until the most.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**64 - 1, help="Master seed.")] = None,
    design: Annotated[
        str | None,
        typer.Option(help="paired: variants share layouts and deals; independent: they do not."),
    ] = None,
    seats: Annotated[
        str | None, typer.Option(help="fixed, or rotate: the same layout and deal with the bots moved round.")
    ] = None,
    shard: Annotated[int | None, typer.Option(min=1, help="Games a part; what is lost at most when killed.")] = None,
    until: Annotated[
        str | None, typer.Option(metavar="METRIC±WIDTH", help="Play until it is known so well: win_share±0.5%.")
    ] = None,
    more: Annotated[int | None, typer.Option(min=1, help="Extend a run by so many games of every variant.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="RUN", help="Folder; if not given, runs/NAME.")] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
    json_progress: JsonProgress = False,
) -> None:
    """Play an experiment into a folder of tables."""
    chosen = {
        "variants": rules,
        "boards": board,
        "game": game,
        "players": players,
        "bots": bots,
        "games": games,
        "seed": seed,
        "design": design,
        "seats": seats,
        "shard": shard,
    }
    given = {key: value for key, value in chosen.items() if value is not None}
    if more is not None:
        made = _extended(what, out, more, [*given, *(["until"] if until else [])])
    else:
        made = _created(what, given, out, until)
    _play(made, workers, cluster, quiet, json_progress)


def resume(
    folder: RunFolder,
    workers: Workers = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
    json_progress: JsonProgress = False,
) -> None:
    """Go on with a run that was stopped; parts that are missing or damaged are played again."""
    _play(Run(folder), workers, cluster, quiet, json_progress)


def check(
    folder: RunFolder,
    sample: Annotated[int, typer.Option(min=0, help="Games to replay with the reference engine.")] = SAMPLE,
) -> None:
    """Verify checksums, row counts and a sample of games; exit code 1 if anything is wrong."""
    made, checked = Run(folder), Checked()
    for problem in check_run(made, sample, checked):
        typer.echo(f"mmsim: error: {problem}", err=True)
    told = f"{checked.parts} parts, {checked.games_replayed} games replayed with the reference engine"
    if checked.problems:
        typer.echo(f"{folder}: {checked.problems} problems in {told}")
        raise typer.Exit(1)
    typer.echo(f"{folder}: ok, {told}")


def _created(what: str | None, given: dict[str, Any], out: Path | None, until: str | None) -> Run:
    if what is None:
        if out is None:
            raise UsageError("say what to play (EXPERIMENT or --rules) and where to put it (--out runs/NAME)")
        if "variants" not in given:
            raise UsageError("say what to play: an experiment, or a ruleset with --rules")
        asked = experiments.from_mapping({"name": out.name, **given})
    else:
        asked = experiments.from_mapping({**experiments.find(what).to_json(), **given})
    wanted = None
    if until:
        precision = Precision.parse(until, MEASURES)
        wanted = {"metric": precision.metric, "half_width": precision.half_width}
        if "games" not in given:
            asked = replace(asked, games=asked.shard * ceil(LIMIT / asked.shard))
    return Run.create(out or RUNS / asked.name, asked, wanted)


def _extended(what: str | None, out: Path | None, more: int, others: list[str]) -> Run:
    if others:
        raise UsageError(f"--more keeps everything else as it is; drop {', '.join(others)}")
    if (what is None) == (out is None):
        raise UsageError("--more needs one run to extend: mmsim run RUN --more GAMES")
    made = Run(what or out or "")
    extend(made, more)
    return made


def _foretell(made: Run, measure: Measure, workers: int) -> None:
    wanted = Precision(made.manifest["until"]["metric"], made.manifest["until"]["half_width"])
    foreseen, pace = estimate(made, wanted, measure)
    games = foreseen.games * len(made.cells)
    seconds = games / pace / min(workers, _cores())
    typer.echo(
        f"{wanted} will take about {foreseen.games:,} games of every variant and {duration(seconds)} with "
        f"{workers} workers",
        err=True,
    )


def _play(made: Run, workers: int | None, cluster: str | None, quiet: bool, json_progress: bool) -> None:
    measure = None
    if made.manifest["until"]:
        metric = made.manifest["until"]["metric"]
        if metric not in MEASURES:
            raise unknown("metric", metric, MEASURES)
        measure = MEASURES[metric]
    try:
        with stoppable() as stop_if_asked, watcher(quiet, json_progress) as watch:

            def look(status: Status) -> None:
                stop_if_asked()
                watch(status)

            if measure and not quiet and not made.games_asked:
                _foretell(made, measure, workers or _cores())
            status = Session(made, workers or _cores(), cluster, look, measure).carry_out()
            watch.finish(status)
    except KeyboardInterrupt:
        words = ["mmsim", "resume", str(made.folder)]
        words += ["--workers", str(workers)] if workers else []
        words += ["--cluster", cluster] if cluster else []
        typer.echo(f"stopped; go on with: {shlex.join(words)}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    if not quiet:
        _tell(made, status)


def _tell(made: Run, status: Status) -> None:
    screen, finished = console(), made.manifest["finished"]
    rows = sum(finished["rows"].values())
    screen.print(f"{made.folder}: {summary(status)}", markup=False)
    screen.print(f"{rows:,} rows in {finished['parts']} parts, {finished['bytes'] / rows:.1f} bytes a row")
    screen.print(f"sha256 {finished['sha256']}")
    if until := made.manifest["until"]:
        reached = until["known_to"] <= until["half_width"]
        note = (
            "" if reached else f", not to ±{until['half_width']:g}: the limit of {made.games_asked:,} games was reached"
        )
        screen.print(f"{until['metric']} is known to ±{until['known_to']:.3g} after {until['looks']} looks{note}")
    for line in headline(status):
        screen.print(line, markup=False)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Ctrl-C, or the SIGTERM of a batch system, as KeyboardInterrupt; yields a function that raises it again.

    Python drops an exception that a signal raises inside a callback from compiled code, hence the second chance.
    """
    asked = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    def stop_if_asked() -> None:
        if asked:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop_if_asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
