"""`mmsim sweep`: play a grid of knob values and report their effects."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from mmsim.analysis.knob_grid import KnobGrid, parse_vary
from mmsim.analysis.run_metrics import check_metric_names
from mmsim.analysis.tables import open_run
from mmsim.batch.experiment import Experiment, named_levels
from mmsim.cli import options
from mmsim.cli.options import option
from mmsim.cli.play_run import drop_indifferent, played_run, within
from mmsim.cli.progress import show_progress
from mmsim.cli.report import confirm_replacing, print_report
from mmsim.errors import UsageError
from mmsim.games import find_shell, find_statistics, game_of_ruleset
from mmsim.report.page import write_report
from mmsim.report.report_data import ReportData
from mmsim.report.sections import Section
from mmsim.report.sweep_section import responses


def sweep(
    context: typer.Context,
    spec: options.RulesetArgument,
    vary: Annotated[
        list[str],
        option(
            "--vary KNOB=VALUES",
            "A knob and its values, such as change_minutes=1:5 or end_lines=4,5,6; repeat for a grid.",
        ),
    ],
    players: options.Players = None,
    bots: options.Bots = None,
    levels: options.Levels = None,
    games: options.Games = 4_000,
    time: options.Time = None,
    board: options.Board = None,
    seats: options.Seats = "fixed",
    game: options.GameName = None,
    seed: options.Seed = 1,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    workers: options.Workers = None,
    metric: options.Metrics = None,
    reference: Annotated[
        str | None,
        option("--reference KNOB=VALUE", "The values to compare with, separated by commas. Default: as published."),
    ] = None,
    out: Annotated[Path | None, option("--out FOLDER", "Where to write. Default: reports/sweep-KNOBS.")] = None,
    run: Annotated[Path | None, option("--run FOLDER", "Keep the games as a run in this folder.")] = None,
    open_in_browser: options.OpenInBrowser = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    options.check_players(bots, levels)
    game = game or game_of_ruleset(spec)
    options.check_bots(bots, game)
    shell, statistics = find_shell(game), find_statistics(game)
    check_metric_names(game, shown := metric or statistics.swept)
    grid = KnobGrid(spec, tuple(parse_vary(word) for word in vary))
    knobs = [varied.knob for varied in grid.varied]
    name = f"sweep-{'-'.join(knobs)}"
    base = grid.reference(shell.explain(spec, players).knobs, reference)
    published = grid.spelled(shell.explain(spec.partition(",")[0], players).knobs)
    limit = options.move_limit(isolate, move_seconds)
    experiment = Experiment(
        name=name,
        variants=grid.specs(),
        question=f"What {'does' if len(knobs) == 1 else 'do'} {' and '.join(knobs)} do to {spec}?",
        game=game,
        boards=(board,) if board else (),
        players=players,
        bots=bots or "",
        levels=() if bots else named_levels(game, levels or ()),
        games=games,
        seed=seed,
        seats=seats,
        metrics=statistics.swept,
        move_seconds=limit,
    )
    experiment = within(drop_indifferent(experiment), time, bool(options.given_options(context, ["games"])))
    settings: list[tuple[str, object]] = [("vary", word) for word in vary]
    settings += [("players", players), ("bots", bots), ("games", experiment.games), ("board", board), ("seats", seats)]
    settings += [("seed", seed), ("reference", reference), ("move-seconds", limit)]
    settings += [("levels", word) for word in levels or ()] + [("metric", name) for name in metric or ()]
    words = [word for key, value in settings if value is not None for word in (f"--{key}", str(value))]
    command = shlex.join(["mmsim", "sweep", spec, *words])

    def first_section(data: ReportData) -> list[Section]:
        if missing := [name for name in metric or () if name not in data.estimates]:
            raise UsageError(f"this sweep cannot measure {missing[0]}: its tables lack the columns")
        return [responses(grid, data, shown, base, published)]

    folder = out or Path("reports") / name
    if not force:
        confirm_replacing(folder, experiment)
    with played_run(experiment, workers, run, quiet) as played, show_progress(quiet) as progress:
        tables = open_run(played)
        tables = tables.starting_with(tables.variants[base].name)
        page, answer = write_report(tables, folder, first_section, command, progress.step)
    print_report(page, answer, open_in_browser)
