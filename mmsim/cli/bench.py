"""`mmsim bench`: how fast the engines are on this machine."""

import json
from functools import partial
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from mmsim.cli.common import Board, GameName, Players, Rules, Seed, console
from mmsim.compiled import cache
from mmsim.core import bench as timing
from mmsim.core.game import Game, Variant
from mmsim.core.seating import split_bots
from mmsim.games import find_game, meant

_REFERENCE = "uniform"  # the bot that both engines have
_FIRST_GAME = """
from mmsim.core.game import Variant
from mmsim.games import find_game
game = find_game({game!r})
game.play_shard(game.prepare(Variant({rules!r})), 0, 1)
"""


def bench(
    games: Annotated[
        int,
        typer.Option(min=1000, help="Games of uniform bots each time it is their turn; bots that think play fewer."),
    ] = 20_000,
    repeats: Annotated[int, typer.Option(min=1, help="How often each engine has its turn.")] = 7,
    bots: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Bots to measure, with commas, each in every seat; if not given, all."),
    ] = None,
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    board: Board = "classic",
    seed: Seed = 1,
    cold: Annotated[bool, typer.Option("--cold", help="Also measure compiling everything from nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure games a second on one core, for the fast core and the reference engine, in turns."""
    shell, spec = meant(game, rules)
    engines = find_game(shell.name)
    names = list(shell.bots) if bots is None else split_bots(bots)
    prepared = {bot: engines.prepare(Variant(spec, players, board, bot, seed)) for bot in names}
    contenders = [timing.fitted("core", bot, _core(engines, one), games) for bot, one in prepared.items()]
    if _REFERENCE in prepared:
        slow = partial(engines.play_reference, prepared[_REFERENCE])
        contenders.append(timing.Contender("reference", _REFERENCE, slow, max(10, games // 1000)))
    first_game = _FIRST_GAME.format(game=shell.name, rules=spec)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=repeats * len(contenders))
        speeds = timing.measure(contenders, repeats, lambda done: progress.update(task, completed=done))
    report = {
        "machine": timing.machine(),
        "variant": {"game": shell.name, "rules": shell.explain(spec, players).variant, "board": board, "seed": seed},
        "method": "CPU seconds of one process; engines take turns; median, lowest and highest of the repeats",
        "repeats": repeats,
        "start_up": {
            "compile_s": cache.compile_seconds(shell.name),
            "first_game_s": round(timing.fresh_start(first_game, cold=False), 2),
            **({"cold_first_game_s": round(timing.fresh_start(first_game, cold=True), 2)} if cold else {}),
        },
        "results": [speed.row() for speed in speeds],
        **_ratios(speeds),
    }
    if as_json:
        typer.echo(json.dumps(report, indent=1))
    else:
        _print(report)


def _core(engines: Game, prepared: Any) -> timing.Play:
    return lambda first, count: engines.play_shard(prepared, first, count).decisions


def _ratios(speeds: list[timing.Speed]) -> dict[str, Any]:
    """How fast the core is against the reference engine, and each bot against `uniform`, in the same run."""
    core = {speed.contender.bot: speed for speed in speeds if speed.contender.engine == "core"}
    reference = {speed.contender.bot: speed for speed in speeds if speed.contender.engine == "reference"}
    found: dict[str, Any] = {"core_over_reference": {bot: timing.ratio(core[bot], reference[bot]) for bot in reference}}
    if "uniform" in core:
        found["over_uniform"] = {bot: timing.ratio(core[bot], core["uniform"]) for bot in core if bot != "uniform"}
    return found


def _print(report: dict[str, Any]) -> None:
    screen = console()
    about, start = report["machine"], report["start_up"]
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    screen.print(f"{report['variant']['rules']} on {report['variant']['board']}, seed {report['variant']['seed']}")
    screen.print(
        f"{about['processor']}, {about['cores']} cores, {about['system']}, Python {about['python']}; {versions}"
    )
    table = Table("engine", "bot")
    for heading in ("games/s", "low", "high", "decisions/s"):
        table.add_column(heading, justify="right")
    for row in report["results"]:
        few = row["games_per_s"] < 1000
        numbers = (row["games_per_s"], row["low"], row["high"], row["decisions_per_s"])
        table.add_row(row["engine"], row["bot"], *(f"{n:,.1f}" if few else f"{n:,.0f}" for n in numbers))
    screen.print(table)
    for bot, times in report["core_over_reference"].items():
        screen.print(
            f"{bot}: the core is {times['median']:,.0f} times as fast as the reference engine "
            f"({times['low']:,.0f} to {times['high']:,.0f})"
        )
    for bot, share in report.get("over_uniform", {}).items():
        middle, low, high = (f"{100 * share[name]:.3g} %" for name in ("median", "low", "high"))
        screen.print(f"{bot}: {middle} of the games a second of uniform ({low} to {high})")
    screen.print(f"the core was compiled in {start['compile_s']} s, once")
    screen.print(f"a new process has its first game done after {start['first_game_s']} s (compiled code at hand)")
    if "cold_first_game_s" in start:
        screen.print(f"with everything to compile first: {start['cold_first_game_s']} s")
    screen.print(f"method: {report['method']}; {report['repeats']} repeats")
