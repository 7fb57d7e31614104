"""`mmsim run`, `resume` and `check`: batches of games that can be killed, resumed and trusted."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.batch import experiment as experiments
from mmsim.batch.check import SAMPLE, Checked
from mmsim.batch.check import check as check_run
from mmsim.batch.cluster_address import Scheduler
from mmsim.batch.run import Run
from mmsim.batch.session import Status, extend
from mmsim.cli import completion, run_control
from mmsim.cli.common import GameName, Isolate, MoveSeconds, check_seed, console, move_limit, say
from mmsim.cli.panel import PanelOption
from mmsim.cli.progress import headline, summary
from mmsim.cli.run_control import Quiet, Until, Workers
from mmsim.errors import UsageError
from mmsim.games import find_shell

RUNS = Path("runs")

Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Dask cluster instead, like tcp://host:8786 (mmsim[cluster])."),
]
TlsCa = Annotated[Path | None, typer.Option(help="TLS: the certificate by which those of the cluster are signed.")]
TlsCert = Annotated[Path | None, typer.Option(help="TLS: our own certificate.")]
TlsKey = Annotated[Path | None, typer.Option(help="TLS: the key of our own certificate.")]
BotsFrom = Annotated[
    Path | None,
    typer.Option(
        "--bots-from",
        metavar="PATH",
        help="Where the files of a run's bots in Python are; its own folder is never asked for code.",
    ),
]
JsonProgress = Annotated[bool, typer.Option("--json-progress", help="Progress as JSON lines on stderr.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")]


def run(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[EXPERIMENT]",
            autocompletion=completion.experiments,
            help="A .toml file, a shipped experiment, or a run to extend.",
        ),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", autocompletion=completion.rulesets, help="Ruleset; repeat it to compare."),
    ] = None,
    board: Annotated[
        list[str] | None,
        typer.Option(metavar="SET", autocompletion=completion.boards, help="Board set; repeat it to compare."),
    ] = None,
    game: GameName = None,
    players: Annotated[int | None, typer.Option(help="Number of players; if not given, the usual one.")] = None,
    panel: PanelOption = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", autocompletion=completion.bots, help="One bot for every seat, or one a seat, with commas."
        ),
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games of every variant; with --until the most.")] = None,
    seed: Annotated[int | None, typer.Option(callback=check_seed, help="Master seed.")] = None,
    design: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="paired: variants share layouts and deals; independent: they do not."),
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="fixed, or rotate: the same layout and deal with the bots moved round."),
    ] = None,
    part_games: Annotated[
        int | None, typer.Option(min=1, help="Games a part; what is lost at most when killed.")
    ] = None,
    until: Until = None,
    more: Annotated[int | None, typer.Option(min=1, help="Extend a run by so many games of every variant.")] = None,
    bots_from: BotsFrom = None,
    out: Annotated[Path | None, typer.Option(metavar="RUN", help="Folder; if not given, runs/NAME.")] = None,
    isolate: Isolate = False,
    move_seconds: MoveSeconds = None,
    workers: Workers = None,
    cluster: Cluster = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    quiet: Quiet = False,
    json_progress: JsonProgress = False,
) -> None:
    """Play an experiment into a folder of tables."""
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
        "move_seconds": move_limit(isolate, move_seconds),
    }
    given = {key: value for key, value in chosen.items() if value is not None}
    if more is not None:
        made = _extended(what, out, more, [*given, *(["until"] if until else [])], bots_from)
    elif bots_from is not None:
        raise UsageError("--bots-from is for a run that is extended (--more); name bots to be played with --bots")
    else:
        made = _created(what, given, out, until)
    _carry_out(made, workers, scheduler, quiet, json_progress)


def resume(
    folder: RunFolder,
    bots_from: BotsFrom = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Hold every file against its checksum, also those that look untouched.")
    ] = False,
    workers: Workers = None,
    cluster: Cluster = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    quiet: Quiet = False,
    json_progress: JsonProgress = False,
) -> None:
    """Go on with a run that was stopped; parts that are missing or damaged are played again."""
    scheduler = _scheduler(cluster, tls_ca, tls_cert, tls_key)
    _carry_out(Run(folder, bots_from), workers, scheduler, quiet, json_progress, deep)


def check(
    folder: RunFolder,
    sample: Annotated[int, typer.Option(min=0, help="Games to replay with the reference engine.")] = SAMPLE,
    bots_from: BotsFrom = None,
) -> None:
    """Verify checksums, row counts and a sample of games; exit code 1 if anything is wrong."""
    made, checked = Run(folder, bots_from), Checked()
    for problem in check_run(made, sample, checked):
        say(f"mmsim: error: {problem}", err=True)
    looked_at = f"{checked.parts} parts, {checked.games_replayed} games replayed with the reference engine"
    if checked.problems:
        say(f"{folder}: {checked.problems} problems in {looked_at}")
        raise typer.Exit(1)
    say(f"{folder}: ok, {looked_at}")


def _created(what: str | None, given: dict[str, Any], out: Path | None, until: str | None) -> Run:
    if what is None:
        if out is None:
            raise UsageError("say what to play (EXPERIMENT, --rules or --game) and where to put it (--out runs/NAME)")
        if "variants" not in given and "game" not in given:
            raise UsageError("say what to play: an experiment, a ruleset with --rules or a game with --game")
        usual = [] if "variants" in given else [find_shell(given["game"]).usual_rules]
        asked = experiments.from_mapping({"name": experiments.named_after(out), "variants": usual, **given})
    else:
        others: dict[str, Any] = {"panel": ()} if "bots" in given else {"bots": ""} if "panel" in given else {}
        asked = experiments.from_mapping({**experiments.find(what).to_json(), **others, **given})
    return run_control.create(out or RUNS / asked.name, asked, until, "games" in given)


def _extended(what: str | None, out: Path | None, more: int, others: list[str], bots_from: Path | None) -> Run:
    if others:
        raise UsageError(f"--more keeps everything else as it is; drop {', '.join(others)}")
    if (what is None) == (out is None):
        raise UsageError("--more needs one run to extend: mmsim run RUN --more GAMES")
    made = Run(what or out or "", bots_from)
    extend(made, more)
    return made


def _scheduler(address: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Scheduler | None:
    if address is None:
        if ca or cert or key:
            raise UsageError("TLS is for a cluster; name one with --cluster tls://10.0.0.1:8786")
        return None
    return Scheduler(address, ca, cert, key)


def _carry_out(
    made: Run, workers: int | None, cluster: Scheduler | None, quiet: bool, json_progress: bool, deep: bool = False
) -> None:
    status = run_control.carry_out(made, workers, cluster, quiet, json_progress, deep=deep)
    if not quiet:
        _tell(made, status)


def _tell(made: Run, status: Status) -> None:
    screen, finished = console(), made.finished
    rows = sum(finished.rows.values())
    screen.print(f"{made.folder}: {summary(status)}", markup=False)
    screen.print(f"{rows:,} rows in {finished.parts} parts, {finished.bytes / rows:.1f} bytes a row")
    screen.print(f"digest {finished.digest}")
    if made.manifest.until:
        screen.print(run_control.known(made, made.manifest.until))
    for line in headline(status):
        screen.print(line, markup=False)
