"""`mmsim bots`: the scripted players, what they look at, and how their weights were found."""

import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from mmsim.cli import completion
from mmsim.cli.common import Board, GameName, Players, Rules, Seed, console
from mmsim.cli.run_control import Quiet, Workers, watched
from mmsim.core.bots import Bot, NetBot, weights_text
from mmsim.core.seating import find_bot, installed, split_bots
from mmsim.errors import UsageError
from mmsim.games import find_rules, find_shell, game_of_bot
from mmsim.system.files import write_output
from mmsim.system.processes import cores

if TYPE_CHECKING:
    from mmsim.contests.fitting import Fit

EXPLOITED = "exploited.json"  # beside the nets that come with a game: what `mmsim bots exploit` found

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
    spec: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=completion.bots, help="A bot, as it is seated: planner:block=2.0."
        ),
    ],
    game: GameName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """One bot: its idea, what it looks at, and every weight with its meaning."""
    shell = find_shell(game or game_of_bot(spec))
    bot = find_bot(spec, shell.bots)
    exploited = _exploited(shell, bot)
    if as_json:
        about = {"bot": bot.spec, "idea": bot.idea, "looks_at": bot.looks_at, "weights": bot.settings}
        if isinstance(bot, NetBot):
            about["net"] = bot.net.about
            about["of_players"] = {str(number): net.about for number, net in bot.net.of_players.items()}
        if exploited:
            about["exploited"] = exploited
        typer.echo(json.dumps(about, indent=1))
        return
    screen = console()
    screen.print(f"{bot.spec}: {bot.idea}", markup=False)
    screen.print(f"looks at: {bot.looks_at}", markup=False)
    if isinstance(bot, NetBot):
        screen.print(f"its net: {bot.net.digest}, made by: {bot.net.about.get('command', '?')}", markup=False)
        for number, net in bot.net.of_players.items():
            screen.print(f"for {number} players, made by: {net.about.get('command', '?')}", markup=False)
    if exploited:
        screen.print(_exploit_sentence(exploited), markup=False)
    for name, text in bot.elements.items():
        screen.print(f"{bot.name}:without={name} does without {text}", markup=False)
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
    spec: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=completion.bots, help="The bot to tune, and the weights to begin with."
        ),
    ],
    opponents: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.bots,
            help="Bots it meets beside its former self, with commas; if not given, the strongest quick one.",
        ),
    ] = None,
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    generations: Annotated[int, typer.Option(min=1, help="Steps of the search.")] = 20,
    population: Annotated[int, typer.Option(min=4, help="Variations tried a generation.")] = 12,
    games: Annotated[int, typer.Option(min=4, help="Games of a variation against each opponent, a generation.")] = 400,
    final_games: Annotated[int, typer.Option(min=8, help="Held-out games against each bot, at the end.")] = 8000,
    seed: Seed = 1,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the weights (JSON) here; BOT:weights=FILE seats them.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write what every generation showed (JSON) here.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Look for better weights by self-play, and judge them on games the search has not seen."""
    from mmsim.contests import tuning  # the compiler is slow to import
    from mmsim.contests.matches import Arena

    shell, ruleset = find_rules(game or (None if rules else game_of_bot(spec)), rules)
    name = spec.partition(":")[0]
    if out is not None:
        _check_seatable(out)
    if opponents is None:
        opponents = [other for other in shell.bots if other not in shell.slow and other != name][-1]
    against = tuple(split_bots(opponents))
    even = population + population % 2
    plan = tuning.Plan(shell.name, spec, against, ruleset, players or 4, seed, generations, even, games, final_games)
    history = []
    with watched(quiet) as watch, Arena(plan.game, workers or cores(), watch) as arena:
        for generation in tuning.tune(plan, arena):
            history.append(generation)
            line = f"generation {generation.number}: mean {generation.mean:.4f}, best {generation.best:.4f}"
            typer.echo(line, err=True)
        found = tuning.spec_of(shell.bots[name], history[-1].weights)
        typer.echo(found)
        verdicts = tuning.judge(plan, arena, found, [spec, *against])
    for verdict in verdicts:
        typer.echo(
            f"one against {plan.players - 1} {verdict.opponent}: wins {verdict.share:.1%} +- {verdict.half_width:.1%} "
            f"of {verdict.games} held-out games (equal: {1 / plan.players:.0%})"
        )
    if out is not None:
        about = {"plan": vars(plan), "held_out": [vars(verdict) for verdict in verdicts]}
        write_output(out, weights_text(find_bot(found, shell.bots), about).encode())
        typer.echo(f"seat it with --bots {name}:weights={out}")
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
    spec: Annotated[
        str,
        typer.Argument(metavar="BOT", autocompletion=completion.bots, help="A bot that goes by a net, such as expert."),
    ],
    out: Annotated[Path, typer.Option(dir_okay=False, help="Write the weights (JSON) here.")],
    game: GameName = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="SPEC",
            autocompletion=completion.rulesets,
            help="A ruleset to train for; more than one makes a mix.",
        ),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option("--players", help="Number of players to train for; more than one makes a mix."),
    ] = None,
    board: Board = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POOL",
            autocompletion=completion.bots,
            help="Bots in the other seats, with commas; if not given, the game says which.",
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games to collect decisions from, in all.")] = 4000,
    epochs: Annotated[int, typer.Option(min=0, help="How often the net goes through all decisions.")] = 10,
    final_games: Annotated[int, typer.Option(min=4, help="Held-out games at the end, in all.")] = 4000,
    decay: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="How fast weights fade that nothing speaks for; less for many decisions."),
    ] = 1e-3,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            autocompletion=completion.bots,
            help="Who plays while decisions are collected; if not given, the untrained bot.",
        ),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Keep the nets that the file has; this one is for its number of players.")
    ] = False,
    seed: Seed = 1,
    workers: Workers = None,
    log: Annotated[Path | None, typer.Option(dir_okay=False, help="Write what every epoch showed (JSON) here.")] = None,
    quiet: Quiet = False,
) -> None:
    """Train a bot's net on playouts for rules of your own, and judge it on games it has not seen."""
    from mmsim.contests import training  # the compiler is slow to import
    from mmsim.contests.matches import Arena

    _check_seatable(out)
    shell, first = find_rules(game or (None if rules else game_of_bot(spec)), rules[0] if rules else None)
    plan = training.Plan(
        shell.name,
        spec,
        tuple(rules or [first]),
        tuple(players or [None]),
        board,
        tuple(split_bots(against)) if against else (),
        seed=seed,
        games=games,
        epochs=epochs,
        final_games=final_games,
        add=add,
        learner=learner or "",
        decay=decay,
    )
    curve: list[Fit] = []
    with watched(quiet) as watch, Arena(plan.game, workers or cores(), watch) as arena:
        net, verdicts = training.train(plan, arena, out, _tell_into(curve))
    typer.echo(_kept_sentence(net.about), err=True)
    for verdict in verdicts:
        typer.echo(
            f"{verdict.variant}: one against {verdict.opponent} wins {verdict.share:.1%} +- {verdict.half_width:.1%} "
            f"of {verdict.games} held-out games (equal: {1 / verdict.players:.0%})"
        )
    typer.echo(f"seat it with --bots {spec}:weights={out}")
    if log is not None:
        record = {"plan": vars(plan), "curve": [vars(point) for point in curve], "about": net.about}
        write_output(log, (json.dumps(record, indent=1) + "\n").encode())


@app.command()
def exploit(
    spec: Annotated[
        str,
        typer.Argument(metavar="BOT", autocompletion=completion.bots, help="The bot to be exploited, as it is seated."),
    ],
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    board: Board = None,
    games: Annotated[int, typer.Option(min=1, help="Games to collect decisions from.")] = 4000,
    epochs: Annotated[int, typer.Option(min=0, help="How often the net goes through all decisions.")] = 10,
    final_games: Annotated[int, typer.Option(min=4, help="Held-out games at the end.")] = 4000,
    seed: Seed = 1,
    workers: Workers = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Keep the net that was trained here.")] = None,
    note: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write what was found into this file (JSON), beside other bots.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Train a net against frozen copies of a bot, and tell how far above a fair share it gets."""
    from mmsim.contests import training  # the compiler is slow to import
    from mmsim.contests.fitting import Fit
    from mmsim.contests.matches import Arena

    if out is not None:
        _check_seatable(out)
    shell, ruleset = find_rules(game or (None if rules else game_of_bot(spec)), rules)
    nets = [bot.name for bot in shell.bots.values() if isinstance(bot, NetBot)]
    if not nets:
        raise UsageError(f"{shell.name} has no bot that goes by a net, so none can be trained against {spec}")
    plan = training.exploiting(
        training.Plan(
            *(shell.name, nets[0], (ruleset,), (players,), board, (spec,)), *(seed, games, epochs, final_games)
        ),
        spec,
    )
    curve: list[Fit] = []
    with (
        TemporaryDirectory(prefix="mmsim-") as folder,
        watched(quiet) as watch,
        Arena(plan.game, workers or cores(), watch) as arena,
    ):
        net, (verdict,) = training.train(plan, arena, out or Path(folder) / "net.json", _tell_into(curve))
    typer.echo(_kept_sentence(net.about), err=True)
    words = ["mmsim bots exploit", spec, f"--game {shell.name}", f"--rules {ruleset}", f"--players {verdict.players}"]
    words += [f"--board {board}"] if board else []
    words += [f"--games {games}", f"--epochs {epochs}", f"--final-games {final_games}", f"--seed {seed}"]
    found = {"date": date.today().isoformat(), "command": " ".join(words), **vars(verdict)}
    typer.echo(_exploit_sentence(found))
    if note is not None:
        notes = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {}
        notes[spec] = {name: round(value, 4) if isinstance(value, float) else value for name, value in found.items()}
        write_output(note, (json.dumps(notes, indent=1) + "\n").encode())


def _check_seatable(file: Path) -> None:
    """A file that is to be named where a bot is seated must be one, with a name that can be written there."""
    if set(",:=") & set(str(file)):
        raise UsageError(f"weights cannot be seated from {file}: its name has a comma, a colon or an equals sign")
    if str(file) == "-" or (file.exists() and not file.is_file()):
        raise UsageError(f"weights cannot be seated from {file}: it is no regular file")


def _tell_into(curve: list["Fit"]) -> Callable[["Fit"], None]:
    """What notes and prints how well a net does after every epoch."""

    def tell(point: "Fit") -> None:
        curve.append(point)
        explained = f"explains {point.explained:.2%} of what differs, its turns gain {point.gain:+.4f}"
        typer.echo(f"epoch {point.epoch}: on decisions held out {explained}", err=True)

    return tell


def _kept_sentence(about: Mapping[str, Any]) -> str:
    epoch = about["held_out_decisions"]["epoch"]
    return f"kept: epoch {epoch}, which explains most of the decisions held out"


def _exploited(shell: Any, bot: Bot) -> dict[str, Any]:
    """What `exploit` found out about a bot when the file that comes with its game was written; nothing if not tried."""
    for other in shell.bots.values():
        if isinstance(other, NetBot) and (file := other.shipped.with_name(EXPLOITED)).exists():
            found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")).get(bot.spec, {})
            return found
    return {}


def _exploit_sentence(found: dict[str, Any]) -> str:
    fair = 1 / found["players"]
    return (
        f"exploited on {found['date']}: a net trained against it wins {found['share']:.1%} ± {found['half_width']:.1%} "
        f"of {found['games']:,} held-out games of {found['variant']}, {100 * (found['share'] - fair):+.1f} points from "
        f"a fair share ({fair:.0%})"
    )
