"""`mmsim bench`: how fast the engines are on this machine."""

import json
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import timing as timing
from benchmarks.compiling import LIBRARY, NUMBA, compare_ways
from mmsim.cli import completion
from mmsim.cli.common import Board, GameName, Players, Rules, Seed, console
from mmsim.compiled import cache
from mmsim.core.game import SimulatedGame, Variant
from mmsim.core.seating import split_bots
from mmsim.errors import UsageError
from mmsim.games import find_game, find_rules

if TYPE_CHECKING:
    from benchmarks.c_program import Yardstick

_REFERENCE = "uniform"  # the bot that all engines have
_C, _C_ROWS = "C", "C with rows"
_FEW = 1000  # games a second: fewer are shown with a decimal
_FIRST_GAME = """
from mmsim.core.game import Variant
from mmsim.games import find_game

game = find_game({game!r})
game.play_games(game.prepare(Variant({rules!r})), 0, 1)
"""


def bench(
    games: Annotated[
        int,
        typer.Option(min=1000, help="Games of uniform bots each time it is their turn; bots that think play fewer."),
    ] = 20_000,
    repeats: Annotated[int, typer.Option(min=1, help="How often each engine has its turn.")] = 7,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.bots,
            help="Bots to measure, with commas, each in every seat; if not given, all.",
        ),
    ] = None,
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    board: Board = None,
    seed: Seed = 1,
    against_c: Annotated[
        bool, typer.Option("--against-c", help="Also measure a C program of the same game, where there is a compiler.")
    ] = False,
    cold: Annotated[
        bool,
        typer.Option(
            "--cold",
            help="Also compile everything from nothing, as one library and by Numba alone, and compare the games.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure games a second on one core, for the fast core and the reference engine, in turns."""
    shell, spec = find_rules(game, rules)
    engines = find_game(shell.name)
    variant, place = shell.explain(spec, players).variant, board or shell.usual_board
    names = list(shell.bots) if bots is None else split_bots(bots)
    if against_c and _REFERENCE not in names:
        raise UsageError(f"the C program plays {_REFERENCE} bots: --against-c needs {_REFERENCE} among --bots")
    prepared = {bot: engines.prepare(Variant(spec, players, board, bot, seed)) for bot in names}
    with TemporaryDirectory() as folder:
        programs = _programs(shell.name, variant, place, Path(folder)) if against_c else {}
        contenders = [timing.fitted("core", bot, _core(engines, one), games) for bot, one in prepared.items()]
        if _REFERENCE in prepared:
            slow = partial(engines.play_reference, prepared[_REFERENCE])
            contenders.append(timing.Contender("reference", _REFERENCE, slow, max(10, games // 1000)))
            for engine, program in programs.items():
                play = _c(engines, prepared[_REFERENCE], program, games if engine == _C_ROWS else 0)
                contenders.append(timing.fitted(engine, _REFERENCE, play, games))
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("measuring", total=repeats * len(contenders))
            speeds = timing.measure(contenders, repeats, lambda done: progress.update(task, completed=done))
    first_game = _FIRST_GAME.format(game=shell.name, rules=spec)
    report = {
        "machine": timing.machine(),
        "variant": {"game": shell.name, "rules": variant, "board": place, "seed": seed},
        "method": "CPU seconds of one process; engines take turns; median, lowest and highest of the repeats",
        "repeats": repeats,
        "start_up": {
            "compile_s": cache.compile_seconds(shell.name),
            "first_game_s": round(_seconds(first_game), 2),
        },
        "results": [speed.row() for speed in speeds],
        **_ratios(speeds),
    }
    if cold:
        report["ways"] = compare_ways(shell.name, Variant(spec, players, board, seed=seed), names, games, repeats)
    if programs:
        report["alike"] = _alike(engines, prepared[_REFERENCE], programs[_C], games)
    if as_json:
        typer.echo(json.dumps(report, indent=1))
    else:
        _print(report)


def _programs(game: str, variant: str, board: str | None, folder: Path) -> "dict[str, Yardstick]":
    """The C program as it is and with all tables, compiled."""
    from benchmarks import c_program  # with NumPy, which takes a moment to import

    programs = {_C: c_program.build(game, folder, rows=False), _C_ROWS: c_program.build(game, folder, rows=True)}
    programs[_C].fits(variant, board)
    return programs


def _c(engines: SimulatedGame, prepared: Any, program: "Yardstick", most: int) -> timing.Play:
    """What plays the games of a C program, into rows like the core's for at most so many games (0: none)."""
    import numpy as np  # takes a moment to import

    shapes = engines.play_games(prepared, 0, 1)
    rows = {table: np.zeros(most * len(one), one.dtype) for table, one in shapes.items()} if most else None
    return lambda first, count: program.play(first, count, rows)


def _alike(engines: SimulatedGame, prepared: Any, program: "Yardstick", games: int) -> dict[str, dict[str, float]]:
    """What a game of the core and one of the C program come to on the average: they draw their own games."""
    tables = engines.play_games(prepared, 0, games)
    found = {}
    for column, c in program.means().items():
        rows = next(rows for rows in tables.values() if column in (rows.dtype.names or ()))
        found[column] = {"core": round(float(rows[column].sum() / games), 2), "c": round(c, 2)}
    return found


def _core(engines: SimulatedGame, prepared: Any) -> timing.Play:
    return lambda first, count: engines.play_games(prepared, first, count).decisions


def _ratios(speeds: list[timing.Speed]) -> dict[str, Any]:
    """Each bot of the core against `uniform` of the other engines and of the core, in the same run."""
    core = {speed.contender.bot: speed for speed in speeds if speed.contender.engine == "core"}
    others = {speed.contender.engine: speed for speed in speeds if speed.contender.engine != "core"}
    found: dict[str, Any] = {"core_over_reference": {}}
    if _REFERENCE in core:
        slow, uniform = others.pop("reference"), core[_REFERENCE]
        found["core_over_reference"] = {bot: timing.ratio(speed, slow) for bot, speed in core.items()}
        found["over_uniform"] = {bot: timing.ratio(core[bot], uniform) for bot in core if bot != _REFERENCE}
        found["core_over_c"] = {engine: timing.ratio(uniform, speed) for engine, speed in others.items()}
    return found


def _seconds(program: str) -> float:
    """By the clock, from starting Python until a program is done."""
    began = time.perf_counter()
    timing.in_fresh_process(program)
    return time.perf_counter() - began


def _ways_table(ways: dict[str, Any]) -> Table:
    """One library a game beside Numba alone."""
    table = Table("from nothing", "one library", "Numba alone", "times as good")
    one, other, ratios = ways[LIBRARY], ways[NUMBA], ways["library_over_numba"]
    seconds = {"compile_cpu_s": "CPU seconds to compile", "cold_first_game_s": "seconds until the first game is done"}
    seconds["first_game_s"] = "the same with compiled code at hand"
    for name, words in seconds.items():
        table.add_row(words, f"{one[name]:g}", f"{other[name]:g}", f"{other[name] / max(one[name], 0.01):.2f}")
    for bot, speed in one["games_per_s"].items():
        table.add_row(f"{bot}: games/s", f"{speed:,.1f}", f"{other['games_per_s'][bot]:,.1f}", f"{ratios[bot]:.2f}")
    return table


def _print(report: dict[str, Any]) -> None:
    screen = console()
    about, start = report["machine"], report["start_up"]
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    variant = report["variant"]
    place = f" on {variant['board']}" if variant["board"] else ""
    screen.print(f"{variant['rules']}{place}, seed {variant['seed']}")
    screen.print(
        f"{about['processor']}, {about['cores']} cores, {about['system']}, Python {about['python']}; {versions}"
    )
    table = Table("engine", "bot")
    for heading in ("games/s", "low", "high", "decisions/s"):
        table.add_column(heading, justify="right")
    for row in report["results"]:
        few = row["games_per_s"] < _FEW
        numbers = (row["games_per_s"], row["low"], row["high"], row["decisions_per_s"])
        table.add_row(row["engine"], row["bot"], *(f"{n:,.1f}" if few else f"{n:,.0f}" for n in numbers))
    screen.print(table)
    if times := report["core_over_reference"].get(_REFERENCE):
        screen.print(
            f"{_REFERENCE}: the core is {times['median']:,.0f} times as fast as the reference engine "
            f"({times['low']:,.0f} to {times['high']:,.0f})"
        )
    for engine, share in report.get("core_over_c", {}).items():
        screen.print(f"{_REFERENCE}: {share['median']:.2f} of {engine} ({share['low']:.2f} to {share['high']:.2f})")
    if alike := report.get("alike"):
        sums = ", ".join(f"{column} {means['core']:g} and {means['c']:g}" for column, means in alike.items())
        screen.print(f"C draws games of its own; a game of the core and one of C come to: {sums}")
    for bot, share in report.get("over_uniform", {}).items():
        middle, low, high = (f"{100 * share[name]:.3g} %" for name in ("median", "low", "high"))
        screen.print(f"{bot}: {middle} of the games a second of uniform ({low} to {high})")
    screen.print(f"the core was compiled in {start['compile_s']} s, once")
    screen.print(f"a new process has its first game done after {start['first_game_s']} s (compiled code at hand)")
    if ways := report.get("ways"):
        screen.print(_ways_table(ways))
    screen.print(f"method: {report['method']}; {report['repeats']} repeats")
