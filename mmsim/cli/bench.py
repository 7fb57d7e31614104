"""`mmsim bench`: how fast the engines of a game are on this machine."""

from functools import partial
from typing import Annotated, Any

from rich.progress import Progress

from mmsim.cli.console import Screen, counted, print_json, print_table, say
from mmsim.cli.options import AsJson, Board, GameName, Players, Rules, Seed, option
from mmsim.core.game import SimulatedGame
from mmsim.core.seating import split_bots
from mmsim.core.variant import Variant
from mmsim.games import find_game, find_shell_and_rules
from mmsim.system import timing
from mmsim.system.machine import machine

METHOD = "CPU seconds of one process; engines take turns; median, lowest and highest of the repeats"
REFERENCE_BOT = "uniform"  # the only bot that the reference engines play


def bench(
    games: Annotated[int, option("--games N", "Most games per turn of about half a second.", min=1000)] = 20_000,
    repeats: Annotated[int, option("--repeats N", "Turns of each engine.", min=1)] = 7,
    bots: Annotated[
        str | None, option("--bots LIST", "Bots to measure, separated by commas. Default: all but the slow ones.")
    ] = None,
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    board: Board = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    shell, spec = find_shell_and_rules(game, rules)
    engines = find_game(shell.name)
    names = [bot for bot in shell.bots if bot not in shell.slow_bots] if bots is None else split_bots(bots)
    prepared = {bot: engines.prepare(Variant(spec, players, board, bot, seed)) for bot in names}
    contenders = [timing.fit_to_turn("core", bot, core(engines, table), games) for bot, table in prepared.items()]
    if bots is None:  # a game need not declare which bots are slow
        slow = [contender.bot for contender in contenders if contender.games == 1]
        contenders = [contender for contender in contenders if contender.games > 1]
        for bot in slow:
            say(f"{bot} takes too long for a short measurement; --bots {bot} measures it", err=True)
    if REFERENCE_BOT in prepared:
        reference = partial(engines.play_reference, prepared[REFERENCE_BOT])
        contenders.append(timing.fit_to_turn("reference", REFERENCE_BOT, reference, games))
    speeds = measure(contenders, repeats)
    variant = {
        "game": shell.name,
        "rules": shell.explain(spec, players).variant,
        "board": board or shell.default_board,
        "seed": seed,
    }
    report: dict[str, Any] = {
        "machine": machine(),
        "variant": variant,
        "method": METHOD,
        "repeats": repeats,
        "results": [speed.row() for speed in speeds],
        "core_over_reference": {
            speed.contender.bot: timing.ratio(speed, speeds[-1])
            for speed in speeds
            if REFERENCE_BOT in prepared and speed.contender.engine == "core"
        },
    }
    if as_json:
        print_json(report)
        return
    print_speeds(report)
    if times := report["core_over_reference"].get(REFERENCE_BOT):
        say(
            f"{REFERENCE_BOT}: the core is {times['median']:,.0f} times as fast as the reference engine "
            f"({times['low']:,.0f} to {times['high']:,.0f})"
        )


def core(engines: SimulatedGame, prepared: Any) -> timing.PlayGames:
    return lambda first, count: engines.play_games(prepared, first, count).decisions


def measure(contenders: list[timing.Contender], repeats: int) -> list[timing.Speed]:
    """Measure with a progress bar on stderr."""
    screen = Screen(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("measuring", total=repeats * len(contenders))
        return timing.measure(contenders, repeats, lambda done: progress.update(task, completed=done))


def print_speeds(report: dict[str, Any]) -> None:
    """Print what was measured, on which machine, how, and one row per engine and bot."""
    variant, about = report["variant"], report["machine"]
    board = f" on {variant['board']}" if variant["board"] else ""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    say(f"{variant['rules']}{board}, seed {variant['seed']}")
    say(f"{about['processor']}, {about['cores']} cores, {about['system']}, Python {about['python']}; {versions}")
    say(f"{report['method']}; {counted(report['repeats'], 'repeat')}")
    rows = []
    for row in report["results"]:
        decimals = 1 if row["games_per_s"] < 1000 else 0
        numbers = (row["games_per_s"], row["low"], row["high"], row["decisions_per_s"])
        rows.append((row["engine"], row["bot"], *(f"{number:,.{decimals}f}" for number in numbers)))
    numeric = ("games/s", "low", "high", "decisions/s")
    print_table(("engine", "bot", *numeric), rows, numeric=numeric)
