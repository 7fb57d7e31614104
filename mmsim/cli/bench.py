"""`mmsim bench`: how fast the engines are on this machine."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from mmsim.cli.common import Players, console
from mmsim.core import bench as timing
from mmsim.core import cache
from mmsim.core.game import Variant
from mmsim.metromania.bots import BOTS, split_bots
from mmsim.metromania.mind.memory import PYTHON, SEARCH, UNIFORM, WEIGHING
from mmsim.metromania.play import Seed as GameSeed
from mmsim.metromania.play import play_out, set_up
from mmsim.metromania.reference_scoring import result

_EFFORT = {UNIFORM: 1, WEIGHING: 40, SEARCH: 20_000, PYTHON: 2_000}  # rough cost of a game, by kind of bot
_FIRST_GAME = """
from mmsim.metromania.game import Metromania, Variant
game = Metromania()
game.play_shard(game.prepare(Variant("print")), 0, 1)
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
    spec: Annotated[str, typer.Option("--rules", metavar="SPEC", help="Ruleset.")] = "print",
    players: Players = None,
    board: Annotated[str, typer.Option(metavar="SET", help="Board set.")] = "classic",
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Master seed.")] = 1,
    cold: Annotated[bool, typer.Option("--cold", help="Also measure compiling everything from nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure games a second on one core, for the fast core and the reference engine, in turns."""
    from mmsim.metromania.game import Metromania  # the compiler is slow to import
    from mmsim.metromania.prepared import start_up

    game = Metromania()
    names = list(BOTS) if bots is None else split_bots(bots)
    variants = [Variant(spec, players, board, bot, seed) for bot in names]
    prepared = [game.prepare(variant) for variant in variants]
    start_up()
    contenders = [
        timing.Contender("core", v.bots, _core(p), max(1, games // _EFFORT[p.bots[0].kind]))
        for v, p in zip(variants, prepared, strict=True)
    ]
    contenders += [
        timing.Contender("reference", v.bots, _reference(p), max(10, games // 1000))
        for v, p in zip(variants, prepared, strict=True)
        if v.bots == "uniform"
    ]
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=repeats * len(contenders))
        speeds = timing.measure(contenders, repeats, lambda done: progress.update(task, completed=done))
    report = {
        "machine": timing.machine(),
        "variant": {"rules": prepared[0].rules.variant, "board": board, "seed": seed},
        "method": "CPU seconds of one process; engines take turns; median, lowest and highest of the repeats",
        "repeats": repeats,
        "start_up": {
            "compile_s": cache.compile_seconds(game.name),
            "first_game_s": round(timing.fresh_start(_FIRST_GAME, cold=False), 2),
            **({"cold_first_game_s": round(timing.fresh_start(_FIRST_GAME, cold=True), 2)} if cold else {}),
        },
        "results": [speed.row() for speed in speeds],
        **_ratios(speeds),
    }
    if as_json:
        typer.echo(json.dumps(report, indent=1))
    else:
        _print(report)


def _core(prepared: Any) -> timing.Play:
    from mmsim.metromania.game import Metromania

    game = Metromania()
    return lambda first, count: game.play_shard(prepared, first, count).decisions


def _reference(prepared: Any) -> timing.Play:
    def play(first: int, count: int) -> int:
        decisions = 0
        for number in range(first, first + count):
            seed = GameSeed(prepared.seed, number)
            table = set_up(prepared.board_set, prepared.rules, seed)
            play_out(table, seed)
            result(table)
            decisions += len(table.history)
        return decisions

    return play


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
        screen.print(
            f"{bot}: {share['median']:.2%} of the games a second of uniform ({share['low']:.2%} to {share['high']:.2%})"
        )
    screen.print(f"the core was compiled in {start['compile_s']} s, once")
    screen.print(f"a new process has its first game done after {start['first_game_s']} s (compiled code at hand)")
    if "cold_first_game_s" in start:
        screen.print(f"with everything to compile first: {start['cold_first_game_s']} s")
    screen.print(f"method: {report['method']}; {report['repeats']} repeats")
