"""`mmsim bots`: the scripted players, what they look at, and how their weights were found."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mmsim.cli.common import Board, GameName, Players, Rules, Seed, console
from mmsim.cli.playing import Quiet, Workers, cores, watched
from mmsim.core.bots import NetBot
from mmsim.core.errors import UsageError
from mmsim.core.files import write_output
from mmsim.core.seating import find_bot, installed, split_bots
from mmsim.games import find_rules, find_shell, game_of_bot

app = typer.Typer(help="The scripted players: list them, look at their weights, tune them.", no_args_is_help=True)


@app.command("list")
def list_bots(
    game: GameName = None, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """All bots of a game, from silly to strong, with the idea of each."""
    shell, _ = find_rules(game, None)
    bots = [*shell.bots.values(), *installed().values()]
    if as_json:
        typer.echo(
            json.dumps([{"bot": bot.name, "idea": bot.idea, "looks_at": bot.looks_at} for bot in bots], indent=1)
        )
        return
    table = Table("bot", "idea", "looks at")
    for bot in bots:
        table.add_row(bot.name, bot.idea, bot.looks_at)
    console().print(table)


@app.command()
def show(
    spec: Annotated[str, typer.Argument(metavar="BOT", help="A bot, as it is seated: planner:block=2.0.")],
    game: GameName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """One bot: its idea, what it looks at, and every weight with its meaning."""
    bot = find_bot(spec, find_shell(game or game_of_bot(spec)).bots)
    if as_json:
        about = {"bot": bot.spec, "idea": bot.idea, "looks_at": bot.looks_at, "weights": bot.settings}
        if isinstance(bot, NetBot):
            about["net"] = bot.net.about
        typer.echo(json.dumps(about, indent=1))
        return
    screen = console()
    screen.print(f"{bot.spec}: {bot.idea}", markup=False)
    screen.print(f"looks at: {bot.looks_at}", markup=False)
    if isinstance(bot, NetBot):
        screen.print(f"its net: {bot.net.digest}, made by: {bot.net.about.get('command', '?')}", markup=False)
    if not bot.settings:
        screen.print("it has no weights")
        return
    table = Table("weight", "value", "of what")
    table.columns[1].justify = "right"
    idle = []
    for name, weight in bot.weights.items():
        value = bot.settings[name]
        if value or weight.usual or name in bot.changed:
            table.add_row(name, f"{value:g}" + (" (set)" if name in bot.changed else ""), weight.text)
        else:
            idle.append(name)
    screen.print(table)
    if idle:
        screen.print(f"0, but may be set: {', '.join(idle)}")


@app.command()
def tune(
    spec: Annotated[str, typer.Argument(metavar="BOT", help="The bot to tune, and the weights to begin with.")],
    opponents: Annotated[
        str, typer.Option(metavar="LIST", help="Bots it meets beside its former self, with commas.")
    ] = "greedy",
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    generations: Annotated[int, typer.Option(min=1, help="Steps of the search.")] = 20,
    population: Annotated[int, typer.Option(min=4, help="Variations tried a generation.")] = 12,
    games: Annotated[int, typer.Option(min=4, help="Games of a variation against each opponent, a generation.")] = 400,
    final_games: Annotated[int, typer.Option(min=8, help="Held-out games against each bot, at the end.")] = 8000,
    seed: Seed = 1,
    workers: Workers = None,
    log: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write what every generation showed (JSON) here.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Look for better weights by self-play, and judge them on games the search has not seen."""
    from mmsim.contests import tuning  # the compiler is slow to import
    from mmsim.contests.matches import Arena

    shell, ruleset = find_rules(game or (None if rules else game_of_bot(spec)), rules)
    against = tuple(split_bots(opponents))
    even = population + population % 2
    plan = tuning.Plan(shell.name, spec, against, ruleset, players or 4, seed, generations, even, games, final_games)
    history = []
    with watched(quiet) as watch, Arena(plan.game, workers or cores(), watch) as arena:
        for generation in tuning.tune(plan, arena):
            history.append(generation)
            line = f"generation {generation.number}: mean {generation.mean:.4f}, best {generation.best:.4f}"
            typer.echo(line, err=True)
        found = tuning.spec_of(shell.bots[spec.partition(":")[0]], history[-1].weights)
        typer.echo(found)
        verdicts = tuning.judge(plan, arena, found, [spec, *against])
    for verdict in verdicts:
        typer.echo(
            f"one against {plan.players - 1} {verdict.opponent}: wins {verdict.share:.1%} +- {verdict.half_width:.1%} "
            f"of {verdict.games} held-out games (equal: {1 / plan.players:.0%})"
        )
    if log is not None:
        record = {
            "plan": vars(plan),
            "start": find_bot(spec, shell.bots).settings,
            "generations": [vars(generation) for generation in history],
            "found": found,
            "held_out": [vars(verdict) for verdict in verdicts],
        }
        write_output(log, (json.dumps(record, indent=1) + "\n").encode())


@app.command()
def train(
    spec: Annotated[str, typer.Argument(metavar="BOT", help="A bot that goes by a net, such as expert.")],
    out: Annotated[Path, typer.Option(dir_okay=False, help="Write the weights (JSON) here.")],
    game: GameName = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", metavar="SPEC", help="A ruleset to train for; more than one makes a mix."),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option("--players", help="Number of players to train for; more than one makes a mix."),
    ] = None,
    board: Board = None,
    against: Annotated[
        str, typer.Option(metavar="POOL", help="Bots in the other seats, with commas.")
    ] = "planner,networker",
    games: Annotated[int, typer.Option(min=1, help="Games to collect decisions from, in all.")] = 4000,
    epochs: Annotated[int, typer.Option(min=0, help="How often the net goes through all decisions.")] = 10,
    final_games: Annotated[int, typer.Option(min=4, help="Held-out games at the end, in all.")] = 4000,
    learner: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Who plays while decisions are collected; if not given, the untrained bot."),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    log: Annotated[Path | None, typer.Option(dir_okay=False, help="Write what every epoch showed (JSON) here.")] = None,
    quiet: Quiet = False,
) -> None:
    """Train a bot's net on playouts for rules of your own, and judge it on games it has not seen."""
    from mmsim.contests import training  # the compiler is slow to import
    from mmsim.contests.fitting import Fit
    from mmsim.contests.matches import Arena

    if set(",:=") & set(str(out)):
        raise UsageError(f"weights cannot be seated from {out}: its name has a comma, a colon or an equals sign")
    if str(out) == "-" or (out.exists() and not out.is_file()):
        raise UsageError(f"weights cannot be seated from {out}: it is no regular file")
    shell, first = find_rules(game or (None if rules else game_of_bot(spec)), rules[0] if rules else None)
    plan = training.Plan(
        *(shell.name, spec, tuple(rules or [first]), tuple(players or [None]), board, tuple(split_bots(against))),
        *(seed, games, epochs, final_games, learner or ""),
    )
    curve = []

    def tell(point: Fit) -> None:
        curve.append(point)
        explained = f"explains {point.explained:.2%} of what differs, its turns gain {point.gain:+.4f}"
        typer.echo(f"epoch {point.epoch}: on decisions held out {explained}", err=True)

    with watched(quiet) as watch, Arena(plan.game, workers or cores(), watch) as arena:
        net, verdicts = training.train(plan, arena, out, tell)
    for verdict in verdicts:
        typer.echo(
            f"{verdict.variant}: one against {verdict.opponent} wins {verdict.share:.1%} +- {verdict.half_width:.1%} "
            f"of {verdict.games} held-out games (equal: {1 / verdict.players:.0%})"
        )
    typer.echo(f"seat it with --bots {spec}:weights={out}")
    if log is not None:
        record = {"plan": vars(plan), "curve": [vars(point) for point in curve], "about": net.about}
        write_output(log, (json.dumps(record, indent=1) + "\n").encode())
