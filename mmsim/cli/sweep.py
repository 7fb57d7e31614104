"""`mmsim sweep`: a grid of variants over the values of knobs, and its report."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmsim.batch.experiment import Experiment
from mmsim.cli import completion
from mmsim.cli.common import Board, GameName, Isolate, MoveSeconds, Players, Seed, move_limit
from mmsim.cli.compare import Games, Metrics, Seats
from mmsim.cli.panel import Bots, PanelOption, chosen, only_evidence
from mmsim.cli.report import Force, Open, ask_before_replacing, present, progress
from mmsim.cli.run_control import Workers, played
from mmsim.errors import UsageError
from mmsim.games import find_shell, find_statistics, game_of

if TYPE_CHECKING:
    from mmsim.report.page_model import Section
    from mmsim.report.report_data import Evidence


def sweep(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC", autocompletion=completion.rulesets, help="The ruleset to start from, like print+loyal."
        ),
    ],
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="KNOB=VALUES",
            autocompletion=completion.knobs,
            help="A knob and its values, like change_minutes=1:5 or end_lines=4,5,6.",
        ),
    ],
    players: Players = None,
    bots: Bots = None,
    panel: PanelOption = None,
    games: Games = 4_000,
    board: Board = None,
    seats: Seats = "fixed",
    game: GameName = None,
    seed: Seed = 1,
    isolate: Isolate = False,
    move_seconds: MoveSeconds = None,
    workers: Workers = None,
    metric: Metrics = None,
    reference: Annotated[
        str | None,
        typer.Option(metavar="KNOB=VALUE", help="Compare with these values, with commas; if not given, the published."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where to write; if not given, reports/sweep-KNOBS.")
    ] = None,
    run: Annotated[Path | None, typer.Option(metavar="RUN", help="Keep the games as a run in this folder.")] = None,
    show: Open = False,
    force: Force = False,
) -> None:
    """Vary knobs of a ruleset, play every combination, and report how the games respond."""
    from mmsim.analysis.findings import check_names  # Polars, scipy and matplotlib take a moment to import
    from mmsim.analysis.sweep import Sweep, parse_vary
    from mmsim.analysis.tables import open_run
    from mmsim.report.page import write_report
    from mmsim.report.sweep_section import responses

    of_game = game or game_of(spec)
    check_names(of_game, shown := metric or find_statistics(of_game).swept)
    grid = Sweep(spec, tuple(parse_vary(word) for word in vary))
    knobs = [one.knob for one in grid.varied]
    question = f"What {'does' if len(knobs) == 1 else 'do'} {' and '.join(knobs)} do to {spec}?"
    name = f"sweep-{'-'.join(knobs)}"
    shell = find_shell(of_game)
    base = grid.reference(shell.explain(spec, players).knobs, reference)
    published = grid.spelled(shell.explain(spec.partition(",")[0], players).knobs)
    limit = move_limit(isolate, move_seconds)
    asked = Experiment(
        *(name, grid.specs(), question, of_game, (board,) if board else (), players),
        **chosen(of_game, bots, panel),
        games=games,
        seed=seed,
        seats=seats,
        metrics=find_statistics(of_game).swept,
        move_seconds=limit,
    )
    asked = only_evidence(asked)
    options: dict[str, object] = {
        "players": players,
        "bots": bots,
        "games": games,
        "board": board,
        "seats": seats,
        "seed": seed,
    }
    options |= {"reference": reference, "move-seconds": limit}
    words: list[tuple[str, object]] = [("vary", word) for word in vary]
    words += [(key, value) for key, value in options.items() if value is not None]
    words += [("panel", member) for member in panel or ()] + [("metric", name) for name in metric or ()]
    again = shlex.join(["mmsim", "sweep", spec, *(text for key, value in words for text in (f"--{key}", str(value)))])

    def first(evidence: "Evidence") -> list["Section"]:
        if missing := [name for name in metric or () if name not in evidence.estimates]:
            raise UsageError(f"this sweep cannot tell {missing[0]}: its tables or bots do not allow it")
        return [responses(grid, evidence, shown, base, published)]

    place = out or Path("reports") / name
    if not force:
        ask_before_replacing(place, asked)
    with played(asked, workers, run) as folder, progress(quiet=False) as tell:
        tables = open_run(folder)
        tables = tables.starting_with(tables.variants[base].name)
        page, answer = write_report(tables, place, first, again, tell)
    present(page, answer, show)
