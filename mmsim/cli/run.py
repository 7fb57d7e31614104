"""`mmsim run`, `resume` and `check`: play a run, continue it, and verify it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.batch import experiment as experiments
from mmsim.batch.check import SAMPLE, Checked
from mmsim.batch.check import check as check_run
from mmsim.batch.cluster import Scheduler
from mmsim.batch.run import Run
from mmsim.batch.session import extend
from mmsim.cli import completion, options
from mmsim.cli.console import say
from mmsim.cli.play_run import create_run, describe_precision, play_run
from mmsim.cli.progress import headline, summary
from mmsim.errors import UsageError
from mmsim.games import find_shell


def run(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="EXPERIMENT",
            autocompletion=completion.experiments,
            help="A shipped experiment, a .toml file, or a run to extend.",
        ),
    ] = None,
    rules: options.RulesToCompare = None,
    board: options.BoardsToCompare = None,
    game: options.GameName = None,
    players: options.Players = None,
    panel: options.Panel = None,
    bots: options.Bots = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games per variant; with --until, at most.")] = None,
    seed: Annotated[int | None, typer.Option(callback=options.check_seed, help="Master seed. Default: 1.")] = None,
    design: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="paired: variants share their deals (default); independent: they do not."),
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(
            metavar="HOW", help="fixed: bots keep their seats (default); rotate: every bot plays every seat of a deal."
        ),
    ] = None,
    part_games: Annotated[
        int | None,
        typer.Option(min=1, help="Games per part, the most a kill can lose. Default: some seconds of play."),
    ] = None,
    until: options.Until = None,
    more: Annotated[int | None, typer.Option(min=1, help="Extend a run by this many games per variant.")] = None,
    bots_from: options.BotsFrom = None,
    out: Annotated[Path | None, typer.Option(metavar="RUN", help="The run folder. Default: runs/NAME.")] = None,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    tls_ca: options.TlsCa = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    quiet: options.Quiet = False,
    json_progress: options.JsonProgress = False,
) -> None:
    """Play an experiment and write its tables into a run folder."""
    scheduler = _scheduler(cluster, tls_ca, tls_cert, tls_key)
    chosen = {
        "variants": rules,
        "boards": board,
        "game": game,
        "players": players,
        "bots": bots,
        "panel": panel,
        "games": games,
        "seed": seed,
        "design": design,
        "seats": seats,
        "part_games": part_games,
        "move_seconds": options.move_limit(isolate, move_seconds),
    }
    settings = {key: value for key, value in chosen.items() if value is not None}
    if more is not None:
        new_run = _extend_run(what, out, more, [*settings, *(["until"] if until else [])], bots_from)
    elif bots_from is not None:
        raise UsageError("--bots-from is for a run that is extended (--more); name bots to be played with --bots")
    else:
        experiment = _find_experiment(what, settings, out)
        new_run = create_run(out or options.RUNS / experiment.name, experiment, until, "games" in settings)
    _play_and_print(new_run, workers, scheduler, quiet, json_progress)


def resume(
    folder: options.RunFolder,
    bots_from: options.BotsFrom = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Verify the checksum of every file, even of those that look untouched.")
    ] = False,
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    tls_ca: options.TlsCa = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    quiet: options.Quiet = False,
    json_progress: options.JsonProgress = False,
) -> None:
    """Continue a run that was stopped.

    Missing and damaged parts are played again.
    """
    scheduler = _scheduler(cluster, tls_ca, tls_cert, tls_key)
    _play_and_print(Run(folder, bots_from), workers, scheduler, quiet, json_progress, deep)


def check(
    folder: options.RunFolder,
    sample: Annotated[int, typer.Option(min=0, help="Games to replay with the reference engine.")] = SAMPLE,
    bots_from: options.BotsFrom = None,
) -> None:
    """Verify the checksums, row counts and a sample of the games of a run.

    The exit code is 1 if anything is wrong.
    """
    checked = Checked()
    for problem in check_run(Run(folder, bots_from), sample, checked):
        say(f"mmsim: error: {problem}", err=True)
    scope = f"{checked.parts} parts, {checked.games_replayed} games replayed with the reference engine"
    if checked.problems:
        say(f"{folder}: {checked.problems} problems in {scope}")
        raise typer.Exit(1)
    say(f"{folder}: ok, {scope}")


def _find_experiment(what: str | None, settings: dict[str, Any], out: Path | None) -> experiments.Experiment:
    """A shipped or written experiment with some settings changed, or one that the options describe."""
    if what is not None:
        replaced: dict[str, Any] = {"panel": ()} if "bots" in settings else {"bots": ""} if "panel" in settings else {}
        return experiments.from_mapping({**experiments.find(what).to_json(), **replaced, **settings})
    if out is None:
        raise UsageError("say what to play (EXPERIMENT, --rules or --game) and where to put it (--out runs/NAME)")
    if "variants" not in settings and "game" not in settings:
        raise UsageError("say what to play: an experiment, a ruleset with --rules or a game with --game")
    variants = settings.get("variants") or [find_shell(settings["game"]).default_rules]
    return experiments.from_mapping({"name": experiments.named_after(out), **settings, "variants": variants})


def _extend_run(what: str | None, out: Path | None, more: int, others: list[str], bots_from: Path | None) -> Run:
    if others:
        raise UsageError(f"--more keeps everything else as it is; drop {', '.join(others)}")
    if (what is None) == (out is None):
        raise UsageError("--more needs one run to extend: mmsim run RUN --more GAMES")
    extended = Run(what or out or "", bots_from)
    extend(extended, more)
    return extended


def _scheduler(address: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Scheduler | None:
    if address is None:
        if ca or cert or key:
            raise UsageError("TLS is for a cluster; name one with --cluster tls://10.0.0.1:8786")
        return None
    return Scheduler(address, ca, cert, key)


def _play_and_print(
    run: Run, workers: int | None, cluster: Scheduler | None, quiet: bool, json_progress: bool, deep: bool = False
) -> None:
    status = play_run(run, workers, cluster, quiet, json_progress, deep=deep)
    if quiet:
        return
    finished = run.finished
    rows = sum(finished.rows.values())
    say(f"{run.folder}: {summary(status)}")
    say(f"{rows:,} rows in {finished.parts} parts, {finished.bytes / rows:.1f} bytes per row")
    say(f"digest {finished.digest}")
    if run.manifest.until:
        say(describe_precision(run, run.manifest.until))
    for line in headline(status):
        say(line)
