"""`mmsim compare`: variants against each other, metric by metric."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.table import Table

from mmsim.batch.experiment import OF_MEMBER, Experiment, named_after, variants_of
from mmsim.batch.run import Run
from mmsim.cli import completion
from mmsim.cli.common import GameName, Isolate, MoveSeconds, Players, Seed, console, move_limit, say, warn
from mmsim.cli.panel import Bots, PanelOption, chosen, only_evidence
from mmsim.cli.run_control import DECIDED, Workers, decided, played
from mmsim.errors import UsageError, full_name
from mmsim.games import find_shell, find_statistics, game_of_all

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
        help="Show this metric, or all; may be given several times. If not given, those that were asked about.",
    ),
]
Tolerances = Annotated[
    list[str] | None,
    typer.Option("--tolerance", metavar="NAME=VALUE", help="A difference in a metric that does not matter to you."),
]
Games = Annotated[int, typer.Option(min=2, help="Games of every variant.")]
Seats = Annotated[str, typer.Option(metavar="HOW", help="fixed, or rotate: every bot plays every seat of a deal.")]


ALL = "all"  # metrics
_TO_PLAY = (
    "players",
    "bots",
    "panel",
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
    bots: Bots = None,
    panel: PanelOption = None,
    games: Games = 10_000,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="decided|METRIC±WIDTH",
            help="Play until two variants are told apart or equal in --metric, or until a metric is known so well.",
        ),
    ] = None,
    board: Annotated[
        list[str] | None,
        typer.Option(metavar="SET", autocompletion=completion.boards, help="Board set; repeat it to compare boards."),
    ] = None,
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
    measured = [*(name for name in metric or () if name != ALL), *tolerances]
    given = [name for name in _TO_PLAY if str(context.get_parameter_source(name)).endswith("COMMANDLINE")]
    show = partial(_show, reference, metric or (), tolerances, as_json, as_csv)
    if len(what) > 1 or len(board or ()) > 1:
        _check_rulesets(what)
        name, of_game = named_after(out) if out else "comparison", game or game_of_all(what)
        check_names(of_game, measured)
        asked = Experiment(
            *(name, tuple(what), _question(what, board), of_game, tuple(board or ()), players),
            **chosen(of_game, bots, panel),
            games=games,
            seed=seed,
            seats=seats,
            move_seconds=move_limit(isolate, move_seconds),
        )
        asked = only_evidence(asked)
        if reference:
            full_name("variant", reference, _names(asked))
        if until == DECIDED:
            _check_two(asked)
            named = [name for name in metric or () if name != ALL] or [*find_statistics(of_game).asked]
            with decided(asked, workers, out, named[0], "games" in given) as folder:
                show(folder)
            return
        with played(asked, workers, out, until, "games" in given) as folder:
            show(folder)
    elif not Path(what[0]).is_dir():
        raise UsageError(f"'{what[0]}' is no run folder, and one ruleset alone has nothing to be compared with")
    elif given:
        raise UsageError(f"--{given[0]} is for rulesets that are to be played; {what[0]} has been played already")
    else:
        check_names(Run(what[0]).experiment.game, measured)
        show(Path(what[0]))


def _question(what: Sequence[str], boards: Sequence[str] | None) -> str:
    things = what if len(what) > 1 else [Path(board).stem for board in boards or ()]
    return f"What is different between {' and '.join([', '.join(things[:-1]), things[-1]])}?"


def _names(asked: Experiment) -> list[str]:
    """The variants of an experiment as its tables will call them."""
    shell, count = find_shell(asked.game), len(asked.members)
    made = variants_of(asked)
    names = [shell.explain(one.rules, one.players).variant + one.suffix for one in made[: len(made) // count]]
    return [name.partition(OF_MEMBER)[0] for name in names]


def _check_two(asked: Experiment) -> None:
    """A sequential test is one of two variants."""
    if len(names := _names(asked)) != 2:
        raise UsageError(f"--until {DECIDED} compares two variants, not {len(names)}")


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
    from mmsim.analysis.findings import cannot_tell, family
    from mmsim.analysis.sequential import sentence
    from mmsim.analysis.tables import open_run
    from mmsim.report.report_data import Evidence
    from mmsim.report.sentences import answer
    from mmsim.tables.frames import no_formulas

    run = open_run(folder)
    decided = sentence(run)
    names = [variant.name for variant in run.variants]
    run = run.starting_with(full_name("variant", reference, names) if reference else names[0])
    asked = family(run)
    found, comparisons = _few(run, metrics, tolerances, asked) or _all(run, tolerances, asked)
    if not comparisons:
        raise UsageError(run.warnings[-1])
    evidence = Evidence(run, {one.measure.name: one for one in found}, comparisons, {}, [], [], {}, [])
    known = [one.measure.name for one in found]
    if missing := [name for name in metrics if name not in (*known, ALL)]:
        raise cannot_tell(run, missing[0])
    shown = [name for name in known if ALL in metrics or name in (metrics or asked)]
    found = [one for one in found if one.measure.name in shown]
    comparisons = [one for one in comparisons if one.measure.name in shown]
    if as_json or as_csv:
        for warning in run.warnings:
            warn(warning)
        if decided:
            say(decided, err=True)
    if as_json:
        rows = [row for estimates in found for row in estimates.rows().to_dicts()]
        compared = [row for one in comparisons for row in comparing.rows_of(one)]
        printed = {"warnings": run.warnings, "metrics": rows, "comparisons": compared, "answer": answer(evidence)}
        if run.decision:
            printed["decision"] = {**msgspec.to_builtins(run.decision), "sentence": decided}
        typer.echo(json.dumps(printed, indent=1))
    elif as_csv:
        typer.echo(no_formulas(comparing.frame(comparisons)).write_csv(), nl=False)
    else:
        _print(run, found, comparisons)
        for said in [*answer(evidence), *filter(None, [decided])]:
            say(said)


def _all(
    run: "RunTables", tolerances: Mapping[str, float], asked: Sequence[str]
) -> tuple[list["Estimates"], list["Comparison"]]:
    """Every metric of a run, and how it differs."""
    from mmsim.analysis import compare as comparing
    from mmsim.analysis.findings import findings

    found = comparing.with_tolerances(findings(run), tolerances)
    return found, comparing.compare(found, asked=asked)


def _few(
    run: "RunTables", metrics: Sequence[str], tolerances: Mapping[str, float], asked: Sequence[str]
) -> tuple[list["Estimates"], list["Comparison"]] | None:
    """The metrics that were asked about and how they differ, and those that the answer tells of: half of the work.

    None where others have a say: in what is shown, in how p-values are adjusted, or in whether games are the same.
    """
    from mmsim.analysis import compare as comparing
    from mmsim.analysis.fairness import SEAT_IMBALANCE
    from mmsim.analysis.findings import findings_among
    from mmsim.report.sentences import told_of_course

    if not {*metrics, *tolerances, SEAT_IMBALANCE.name} <= {*asked}:
        return None
    found = findings_among(run, {*asked, *told_of_course(run.experiment.game)})
    if not {*asked} <= {one.measure.name for one in found}:
        return None
    found = comparing.with_tolerances(found, tolerances)
    comparisons = comparing.compare([one for one in found if one.measure.name in asked], asked=asked)
    by_variant = [[one for one in comparisons if one.variant == variant.name] for variant in run.variants[1:]]
    return None if any(map(comparing.same_games, by_variant)) else (found, comparisons)


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
    from mmsim.analysis import number_format as fmt

    screen = console()
    for warning in run.warnings:
        screen.print(f"WARNING: {warning}", style="bold red")
    table = Table("metric", "unit", *found[0].variants, title=f"{run.name}: 95 % intervals", title_justify="left")
    for estimates in found:
        for g, group in enumerate(estimates.groups):
            cells = [
                fmt.with_interval(estimates.estimate(v, g), estimates.measure.unit) if estimates.known(v, g) else "-"
                for v in range(len(estimates.variants))
            ]
            table.add_row(fmt.label(estimates.measure.name, group), estimates.measure.unit, *cells)
    screen.print(table)
    for variant in dict.fromkeys(one.variant for one in comparisons):
        of_variant = [one for one in comparisons if one.variant == variant]
        several = len(of_variant[0].members) + len(of_variant[0].others) > 1
        screen.print(_of_panel(of_variant) if several else _of_one_kind(of_variant))


def _label(one: "Comparison") -> str:
    from mmsim.analysis import number_format as fmt
    from mmsim.report.sections import EXPLORATORY

    return fmt.label(one.measure.name, one.group) + ("" if one.asked else EXPLORATORY)


def _of_one_kind(comparisons: Sequence["Comparison"]) -> Table:
    from mmsim.analysis import number_format as fmt

    heading = f"{comparisons[0].variant} against {comparisons[0].reference}"
    if comparisons[0].members:
        heading += f", played by {comparisons[0].members[0].player}"
    table = Table("metric", "difference", "p (Holm)", "variance saved", "verdict", title=heading, title_justify="left")
    for one in comparisons:
        table.add_row(
            _label(one),
            fmt.with_interval(one.difference, fmt.difference_unit(one.measure.unit), signed=True),
            fmt.p_value(one.p_adjusted),
            fmt.percent(one.saved),
            one.in_words,
        )
    return table


def _of_panel(comparisons: Sequence["Comparison"]) -> Table:
    """A column for the mean over all players, one for each of them (weak ones in brackets), and for whom it holds."""
    from mmsim.analysis import number_format as fmt

    first = comparisons[0]
    players = [*(one.player for one in first.members), *(f"({one.player})" for one in first.others)]
    heading = f"{first.variant} against {first.reference}: the mean of {len(first.members)} kinds of players, and each"
    table = Table("metric", "mean", *players, "verdict", title=heading, title_justify="left")
    for one in comparisons:
        unit = fmt.difference_unit(one.measure.unit)
        each = {other.player: fmt.with_half_width(other.difference, unit) for other in (*one.members, *one.others)}
        cells = [each.get(name.strip("()"), "-") for name in players]
        mean = fmt.with_interval(one.difference, unit, signed=True)
        table.add_row(_label(one), mean, *cells, one.in_words)
    return table
