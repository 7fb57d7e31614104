"""`mmsim run`, `resume` and `check`: play a run, continue it, and verify it."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.batch import experiment as experiments
from mmsim.batch.check import SAMPLE, CheckProgress
from mmsim.batch.check import check as check_run
from mmsim.batch.cluster import Scheduler
from mmsim.batch.run import Run
from mmsim.batch.session import extend
from mmsim.cli import options
from mmsim.cli.console import counted, say, say_error
from mmsim.cli.options import argument, option
from mmsim.cli.play_run import create_run, describe_precision, play_run
from mmsim.cli.progress import summary
from mmsim.errors import UsageError
from mmsim.games import find_shell

_SETTINGS = (  # options that describe a new run
    *("rules", "board", "layout", "game", "players", "levels", "bots", "games", "time", "seed", "design", "seats"),
    *("part_games", "until", "isolate", "move_seconds", "retrain", "retrain_games"),
)


def run(
    context: typer.Context,
    name: Annotated[str | None, argument("EXPERIMENT", "A shipped experiment, .toml file, or run to extend.")] = None,
    rules: options.RulesToCompare = None,
    board: options.BoardsToCompare = None,
    layout: options.Layouts = None,
    game: options.GameName = None,
    players: options.Players = None,
    levels: options.Levels = None,
    bots: options.Bots = None,
    games: Annotated[int | None, option("--games N", "Games per variant; with --until, at most.", min=1)] = None,
    time: options.Time = None,
    seed: Annotated[int | None, option("--seed N", "Master seed. Default: 1.", callback=options.check_seed)] = None,
    design: Annotated[
        str | None, option("--design HOW", "paired: variants share their deals (default); independent: they do not.")
    ] = None,
    seats: Annotated[
        str | None,
        option("--seats HOW", "fixed: bots keep their seats (default); rotate: every bot plays in every seat."),
    ] = None,
    part_games: Annotated[
        int | None,
        option("--part-games N", "Games per part, the most a crash can lose. Default: some seconds of play.", min=1),
    ] = None,
    until: Annotated[
        str | None,
        option("--until METRIC±WIDTH", "Play until a metric is known to this precision: win_share±0.5%, margin±0.1."),
    ] = None,
    more: Annotated[int | None, option("--more N", "Extend a run by this many games per variant.", min=1)] = None,
    bots_from: options.BotsFrom = None,
    out: Annotated[Path | None, option("--out FOLDER", "The run folder. Default: runs/NAME.")] = None,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    retrain: options.Retrain = False,
    retrain_games: options.RetrainGames = None,
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    tls_ca: options.TlsCa = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    quiet: options.Quiet = False,
    json_progress: options.JsonProgress = False,
) -> None:
    options.check_players(bots, levels)
    scheduler = scheduler_of(cluster, tls_ca, tls_cert, tls_key)
    chosen = {
        "variants": rules,
        "boards": board,
        "game": game,
        "players": players,
        "bots": bots,
        "levels": levels,
        "games": games,
        "time": time,
        "seed": seed,
        "design": design,
        "seats": seats,
        "part_games": part_games,
        "move_seconds": options.move_limit(isolate, move_seconds),
        "retrain": retrain or None,
        "retrain_games": retrain_games,
    }
    settings = {key: value for key, value in chosen.items() if value is not None}
    if time and games:
        raise UsageError("--games and --time both say how many games there are; give one of them")
    if more is not None:
        if refused := options.given_options(context, _SETTINGS):
            raise UsageError(f"--more keeps everything else as it is; drop {', '.join(refused)}")
        if (name is None) == (out is None):
            raise UsageError("--more needs one run to extend: mmsim run RUN --more GAMES")
        new_run = Run(name or out or "", bots_from)
        extend(new_run, more)
    elif bots_from is not None:
        raise UsageError("--bots-from is for a run that is extended (--more); name bots to be played with --bots")
    else:
        experiment = _find_experiment(name, settings, out)
        options.check_bots(bots, experiment.game)
        experiment = replace(experiment, boards=options.laid_out(experiment.game, experiment.boards, layout or ()))
        new_run = create_run(out or options.RUNS / experiment.name, experiment, until, "games" in settings)
    _play_and_print(new_run, workers, scheduler, quiet, json_progress)


def resume(
    folder: options.RunFolder,
    bots_from: options.BotsFrom = None,
    deep: Annotated[bool, option("--deep", "Verify the checksum of every file, even if it looks untouched.")] = False,
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    tls_ca: options.TlsCa = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    quiet: options.Quiet = False,
    json_progress: options.JsonProgress = False,
) -> None:
    """Missing and damaged parts are played again."""
    scheduler = scheduler_of(cluster, tls_ca, tls_cert, tls_key)
    _play_and_print(Run(folder, bots_from), workers, scheduler, quiet, json_progress, deep)


def check(
    folder: options.RunFolder,
    sample: Annotated[int, option("--sample N", "Games to replay with the reference engine.", min=0)] = SAMPLE,
    bots_from: options.BotsFrom = None,
) -> None:
    """The exit code is 1 if anything is wrong."""
    checked, problems = CheckProgress(), 0
    for problem in check_run(Run(folder, bots_from), sample, checked):
        say_error(problem)
        problems += 1
    replayed = counted(checked.games_replayed, "game")
    scope = f"{counted(checked.parts, 'part')}, {replayed} replayed with the reference engine"
    if problems:
        say(f"{folder}: {counted(problems, 'problem')} in {scope}")
        raise typer.Exit(1)
    say(f"{folder}: ok, {scope}")


def _find_experiment(name: str | None, settings: dict[str, Any], out: Path | None) -> experiments.Experiment:
    """A shipped or written experiment with some settings changed, or one that the options describe."""
    if name is not None:
        return experiments.with_settings(experiments.find_experiment(name), settings)
    is_named = "variants" in settings or "game" in settings
    if out is None and is_named:
        raise UsageError("say where to put the run: --out runs/NAME")
    if out is None:
        raise UsageError("say what to play (EXPERIMENT, --rules or --game) and where to put it (--out runs/NAME)")
    if not is_named:
        raise UsageError("say what to play: an experiment, a ruleset with --rules or a game with --game")
    variants = settings.get("variants") or [find_shell(settings["game"]).default_rules]
    return experiments.from_mapping({"name": experiments.named_after(out), **settings, "variants": variants})


def scheduler_of(address: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Scheduler | None:
    """The cluster that options name; None if there is none."""
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
    say(f"{rows:,} rows in {counted(finished.parts, 'part')}, {finished.bytes / rows:.1f} bytes per row")
    say(f"digest {finished.digest}")
    if run.manifest.until:
        say(describe_precision(run, run.manifest.until))
    from mmsim.analysis.tables import open_run  # scipy takes a moment to import, and a run does without it
    from mmsim.cli.answers import print_answer_of

    print_answer_of(open_run(run.folder), str(run.folder))
