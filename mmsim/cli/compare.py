"""`mmsim compare`: variants against each other, metric by metric."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from mmsim.batch.experiment import Experiment, named_after
from mmsim.batch.store import Run
from mmsim.cli import completion
from mmsim.cli.common import Board, GameName, Isolate, MoveSeconds, Players, Seed, console, move_limit, warn
from mmsim.cli.playing import Until, Workers, played
from mmsim.core.errors import UsageError, full_name
from mmsim.games import find_shell, game_of_all

if TYPE_CHECKING:
    from mmsim.analysis.compare import Comparison
    from mmsim.analysis.estimates import Estimates
    from mmsim.analysis.tables import RunTables

Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        autocompletion=completion.metrics,
        help="Only this metric; may be given several times.",
    ),
]
Tolerances = Annotated[
    list[str] | None,
    typer.Option("--tolerance", metavar="NAME=VALUE", help="A difference in a metric that does not matter to you."),
]
Bots = Annotated[
    str,
    typer.Option(
        metavar="LIST", autocompletion=completion.bots, help="One bot for every seat, or one a seat, with commas."
    ),
]
Games = Annotated[int, typer.Option(min=2, help="Games of every variant.")]
Seats = Annotated[str, typer.Option(metavar="HOW", help="fixed, or rotate: every bot plays every seat of a deal.")]


_TO_PLAY = (
    "players",
    "bots",
    "games",
    "until",
    "board",
    "seats",
    "game",
    "seed",
    "isolate",
    "move_seconds",
    "workers",
    "out",
)


def compare(
    context: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN | SPEC SPEC...",
            autocompletion=completion.runs_and_rulesets,
            help="A run folder, or rulesets to play.",
        ),
    ],
    players: Players = None,
    bots: Bots = "uniform",
    games: Games = 10_000,
    until: Until = None,
    board: Board = None,
    seats: Seats = "fixed",
    game: GameName = None,
    seed: Seed = 1,
    isolate: Isolate = False,
    move_seconds: MoveSeconds = None,
    workers: Workers = None,
    out: Annotated[Path | None, typer.Option(metavar="RUN", help="Keep the games as a run in this folder.")] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="VARIANT",
            autocompletion=completion.variants,
            help="Compare with this variant; if not given, with the first.",
        ),
    ] = None,
    metric: Metrics = None,
    tolerance: Tolerances = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the differences as CSV.")] = False,
) -> None:
    """Compare variants: paired differences with intervals, and a verdict for every metric."""
    from mmsim.analysis.findings import check_names  # Polars and scipy take a moment to import

    if as_json and as_csv:
        raise UsageError("--json and --csv are two ways to print; choose one")
    tolerances = parse_tolerances(tolerance or ())
    measured = [*(metric or ()), *tolerances]
    given = [name for name in _TO_PLAY if str(context.get_parameter_source(name)).endswith("COMMANDLINE")]
    show = partial(_show, reference, metric or (), tolerances, as_json, as_csv)
    if len(what) > 1:
        _check_rulesets(what)
        name, of_game = named_after(out) if out else "comparison", game or game_of_all(what)
        check_names(of_game, measured)
        boards = (board,) if board else ()
        asked = Experiment(name, tuple(what), "", of_game, boards, players, bots, games, seed, seats=seats)
        asked = replace(asked, move_seconds=move_limit(isolate, move_seconds))
        names = [find_shell(of_game).explain(spec, players).variant for spec in what] if reference else []
        if reference:
            full_name("variant", reference, names)
        with played(asked, workers, out, until, "games" in given) as folder:
            show(folder)
    elif not Path(what[0]).is_dir():
        raise UsageError(f"'{what[0]}' is no run folder, and one ruleset alone has nothing to be compared with")
    elif given:
        raise UsageError(f"--{given[0]} is for rulesets that are to be played; {what[0]} has been played already")
    else:
        check_names(Run(what[0]).experiment.game, measured)
        show(Path(what[0]))


def _check_rulesets(what: Sequence[str]) -> None:
    """Refuse run folders among rulesets; but a ruleset may be called as a run is."""
    runs = [word for word in what if (Path(word) / "manifest.json").is_file()]
    if len(runs) == len(what) or any("/" in word for word in runs):
        raise UsageError(f"compare takes one run, or rulesets to play; {runs[0]} is a run and does not stand alone")


def _show(
    reference: str | None,
    metrics: Sequence[str],
    tolerances: Mapping[str, float],
    as_json: bool,
    as_csv: bool,
    folder: Path,
) -> None:
    from mmsim.analysis import compare as comparing
    from mmsim.analysis.findings import findings
    from mmsim.analysis.tables import open_run
    from mmsim.core.frames import no_formulas

    run = open_run(folder)
    found = comparing.with_tolerances(findings(run, metrics), tolerances)
    comparisons = comparing.compare(found, reference)
    if as_json or as_csv:
        for warning in run.warnings:
            warn(warning)
    if as_json:
        rows = [row for estimates in found for row in estimates.rows().to_dicts()]
        printed = {"warnings": run.warnings, "metrics": rows, "comparisons": [one.row() for one in comparisons]}
        typer.echo(json.dumps(printed, indent=1))
    elif as_csv:
        typer.echo(no_formulas(comparing.frame(comparisons)).write_csv(), nl=False)
    else:
        _print(run, found, comparisons)


def parse_tolerances(words: Sequence[str]) -> dict[str, float]:
    """NAME=VALUE of the option --tolerance."""
    tolerances = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            tolerances[name] = float(value)
        except ValueError:
            raise UsageError(f"--tolerance takes NAME=VALUE, not '{word}'") from None
        if not 0 < tolerances[name] < inf:
            raise UsageError(f"the tolerance of {name} must be a number above 0, not {value}")
    return tolerances


def _print(run: "RunTables", found: Sequence["Estimates"], comparisons: Sequence["Comparison"]) -> None:
    from mmsim.analysis import words

    screen = console()
    for warning in run.warnings:
        screen.print(f"WARNING: {warning}", style="bold red")
    table = Table("metric", "unit", *found[0].variants, title=f"{run.name}: 95 % intervals", title_justify="left")
    for estimates in found:
        for g, group in enumerate(estimates.groups):
            cells = [
                words.with_interval(estimates.estimate(v, g), estimates.measure.unit) if estimates.known(v, g) else "-"
                for v in range(len(estimates.variants))
            ]
            table.add_row(words.label(estimates.measure.name, group), estimates.measure.unit, *cells)
    screen.print(table)
    for variant in dict.fromkeys(one.variant for one in comparisons):
        of_variant = [one for one in comparisons if one.variant == variant]
        heading = f"{variant} against {of_variant[0].reference}"
        table = Table(
            "metric", "difference", "p (Holm)", "variance saved", "verdict", title=heading, title_justify="left"
        )
        for one in of_variant:
            table.add_row(
                words.label(one.measure.name, one.group),
                words.with_interval(one.difference, words.difference_unit(one.measure.unit), signed=True),
                words.p_value(one.p_adjusted),
                words.percent(one.saved),
                one.in_words,
            )
        screen.print(table)
