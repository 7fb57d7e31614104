"""`mmsim sweep`: a grid of variants over the values of knobs, and its report."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmsim.batch.experiment import Experiment
from mmsim.cli import completion
from mmsim.cli.common import Board, GameName, Isolate, MoveSeconds, Players, Seed, move_limit, say
from mmsim.cli.compare import Bots, Games, Metrics, Seats
from mmsim.cli.playing import Workers, played
from mmsim.core.errors import UsageError
from mmsim.games import find_statistics, game_of

if TYPE_CHECKING:
    from mmsim.analysis.estimates import Estimates
    from mmsim.report.sections import Section


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
    bots: Bots = "uniform",
    games: Games = 4_000,
    board: Board = None,
    seats: Seats = "fixed",
    game: GameName = None,
    seed: Seed = 1,
    isolate: Isolate = False,
    move_seconds: MoveSeconds = None,
    workers: Workers = None,
    metric: Metrics = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where to write; if not given, reports/sweep-KNOBS.")
    ] = None,
    run: Annotated[Path | None, typer.Option(metavar="RUN", help="Keep the games as a run in this folder.")] = None,
) -> None:
    """Vary knobs of a ruleset, play every combination, and report how the games respond."""
    from mmsim.analysis.findings import check_names  # Polars, scipy and matplotlib take a moment to import
    from mmsim.analysis.sweep import Sweep, parse_vary
    from mmsim.analysis.tables import open_run
    from mmsim.report.page import write_report
    from mmsim.report.responses import responses

    of_game = game or game_of(spec)
    check_names(of_game, shown := metric or find_statistics(of_game).swept)
    grid = Sweep(spec, tuple(parse_vary(word) for word in vary))
    knobs = [one.knob for one in grid.varied]
    question = f"What {'does' if len(knobs) == 1 else 'do'} {' and '.join(knobs)} do to {spec}?"
    name = f"sweep-{'-'.join(knobs)}"
    asked = Experiment(
        name, grid.specs(), question, of_game, (board,) if board else (), players, bots, games, seed, seats=seats
    )
    limit = move_limit(isolate, move_seconds)
    asked = replace(asked, move_seconds=limit)
    options = {"players": players, "bots": bots, "games": games, "board": board, "seats": seats, "seed": seed}
    chosen: list[tuple[str, object]] = [(key, value) for key, value in options.items() if value is not None]
    chosen += [("move-seconds", limit)] if limit else []
    chosen = [("vary", word) for word in vary] + chosen + [("metric", name) for name in metric or ()]
    again = shlex.join(["mmsim", "sweep", spec, *(text for key, value in chosen for text in (f"--{key}", str(value)))])

    def first(all_estimates: Sequence["Estimates"]) -> list["Section"]:
        known = [estimates.measure.name for estimates in all_estimates]
        if missing := [name for name in metric or () if name not in known]:
            raise UsageError(f"this sweep cannot tell {missing[0]}: its tables or bots do not allow it")
        return [responses(grid, [estimates for estimates in all_estimates if estimates.measure.name in shown])]

    with played(asked, workers, run) as folder:
        page, answer = write_report(open_run(folder), out or Path("reports") / name, first, again)
    for sentence in answer:
        say(sentence)
    say(f"report -> {page}")
