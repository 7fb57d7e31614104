"""`mmsim bots`: the bots and their weights; train nets by playing, judged on held-out games."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from numpy.linalg import LinAlgError

from mmsim.batch.experiment import game_seconds
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, say
from mmsim.cli.options import option
from mmsim.cli.progress import show_progress
from mmsim.contests import training
from mmsim.contests.fitting import Fit
from mmsim.contests.matches import HeldOutResult, MatchRunner
from mmsim.core.bots import NetBot
from mmsim.core.neural_net import BotNets
from mmsim.core.python_bots import installed
from mmsim.core.seating import find_bot
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, find_shell, find_shell_and_rules, game_of_bot
from mmsim.system.files import write_output
from mmsim.system.processes import cores


def list_bots(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    shell = find_shell(game or DEFAULT)
    bots = [*shell.bots.values(), *installed().values()]
    if as_json:
        print_json([{"bot": bot.name, "idea": bot.idea, "looks_at": bot.looks_at} for bot in bots])
    else:
        print_table(("bot", "idea", "looks at"), [(bot.name, bot.idea, bot.looks_at) for bot in bots])


def levels(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    """Strength is how often one bot wins against others of the level below; speed is declared, for one core."""
    shell = find_shell(game or DEFAULT)
    speeds = [1 / game_seconds(shell.name, level.bots) for level in shell.levels]
    if as_json:
        rows = zip(shell.levels, speeds, strict=True)
        print_json([{**vars(level), "games_per_s": speed} for level, speed in rows])
        return
    table = [
        (level.name, level.bots, level.make, level.wins or "-", f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}")
        for level, speed in zip(shell.levels, speeds, strict=True)
    ]
    headings = ("level", "bot", "make", "wins against the level below", "games/s")
    print_table(headings, table, numeric=("games/s",))
    say(f"levels that play if none is named: {shell.default_levels}; no games of people were used to make them")
    for level in shell.levels:
        if level.measured_by:
            say(f"{level.name}: {level.measured_by}")


def show(spec: options.BotArgument, game: options.GameName = None, as_json: options.AsJson = False) -> None:
    shell = find_shell(game or game_of_bot(spec))
    bot = find_bot(spec, shell.bots)
    if as_json:
        facts: dict[str, Any] = {"bot": bot.spec, "idea": bot.idea, "looks_at": bot.looks_at, "weights": bot.settings}
        if isinstance(bot, NetBot):
            facts["net"] = bot.nets.about
        print_json(facts)
        return
    say(f"{bot.spec}: {bot.idea}")
    say(f"looks at: {bot.looks_at}")
    if isinstance(bot, NetBot):
        say(f"its nets: {bot.nets.digest}, made by: {bot.nets.about.get('command', '?')}")
    if not bot.settings:
        say("it has no weights")
        return
    rows, unused = [], []
    for name, weight in bot.weights.items():
        value = bot.settings[name]
        if value or weight.default or name in bot.changed:
            rows.append((name, f"{value:g}" + (" (set)" if name in bot.changed else ""), weight.text))
        else:
            unused.append(name)
    print_table(("weight", "value", "meaning"), rows, numeric=("value",))
    if unused:
        say(f"weights that are 0 by default: {', '.join(unused)}")


def train(
    out: Annotated[Path, option("--out FILE", "Write the nets (JSON) here.")],
    game: options.GameName = None,
    bot: Annotated[
        str, option("--bot NAME", "The bot whose nets are trained. Default: the first of the game that has some.")
    ] = "",
    rules: Annotated[
        list[str] | None,
        option("--rules SPEC", "A ruleset to train for; repeat to mix several. Default: a mix that the game names."),
    ] = None,
    players: Annotated[
        list[int] | None,
        option("--players N", "A number of players to train for; repeat to mix several. Default: likewise."),
    ] = None,
    board: Annotated[
        list[str] | None,
        option("--board NAME", "A board to train on; repeat to mix several. Default: likewise."),
    ] = None,
    games: Annotated[int, option("--games N", "Games for the value net, if the bots have one.", min=1)] = 100_000,
    value_epochs: Annotated[
        int, option("--value-epochs N", "How often the value net goes through all positions.", min=0)
    ] = 4,
    decision_games: Annotated[
        int, option("--decision-games N", "Games to collect decisions from, in all.", min=1)
    ] = 20_000,
    epochs: Annotated[int, option("--epochs N", "How often the net goes through all decisions.", min=0)] = 10,
    final_games: Annotated[int, option("--final-games N", "Held-out games at the end, in all.", min=4)] = 4000,
    decay: Annotated[float, option("--decay X", "Weight decay; more decisions need less.", min=0.0, max=1.0)] = 1e-3,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    log: Annotated[Path | None, option("--log FILE", "Write the result of every step (JSON) here.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """A net learns which turns win, helped by another that judges positions if the game's bots have such a value net;
    the result is judged on held-out games.
    """
    _check_weights_file(out)
    shell, _ = find_shell_and_rules(game, rules[0] if rules else None)
    for name in board or ():
        shell.check_board(name)
    settings = training.TrainingSettings(
        game=shell.name,
        rules=tuple(rules or ()),
        players=tuple(players or ()),
        boards=tuple(board or ()),
        seed=seed,
        games=games,
        value_epochs=value_epochs,
        decision_games=decision_games,
        epochs=epochs,
        decay=decay,
        final_games=final_games,
        bot_name=bot,
    )
    nets, results, curve = _train(settings, out, workers, quiet)
    for result in results:
        say(
            f"{result.variant}: one against {result.opponent} wins {result.share:.1%} ± {result.half_width:.1%} "
            f"of {result.games} held-out games (equal: {1 / result.players:.0%})"
        )
    name = settings.bot.name
    say(f"seat it with --bots {name}:weights={out}; all bots of {shell.name} that have nets take the same file")
    if log is not None:
        points = [{"net": net, **vars(point)} for net, point in curve]
        content = {"plan": vars(settings), "curve": points, "about": nets.about}
        write_output(log, (json.dumps(content, indent=1) + "\n").encode())


def _check_weights_file(file: Path) -> None:
    """Refuse a file that could not be named where a bot is seated."""
    if set(",:=") & set(str(file)):
        raise UsageError(f"weights cannot be seated from {file}: its name has a comma, a colon or an equals sign")
    if str(file) == "-" or (file.exists() and not file.is_file()):
        raise UsageError(f"weights cannot be seated from {file}: it is not a regular file")


def _train(
    settings: training.TrainingSettings, file: Path, workers: int | None, quiet: bool
) -> tuple[BotNets, Sequence[HeldOutResult], list[tuple[str, Fit]]]:
    """Train nets with progress shown; returns also how well they did after every epoch."""
    curve: list[tuple[str, Fit]] = []

    def on_epoch(net: str, fit: Fit) -> None:
        curve.append((net, fit))
        if fit.gain is None:
            progress.line(f"{net} net, epoch {fit.epoch}: it explains {fit.explained:.2%} of how held-out games ended")
        else:
            progress.line(
                f"{net} net, epoch {fit.epoch}: on held-out decisions it explains {fit.explained:.2%} of the "
                f"differences; its turns gain {fit.gain:+.4f}"
            )

    with show_progress(quiet) as progress, MatchRunner(settings.game, workers or cores(), progress) as runner:
        try:
            nets, results = training.train(settings, runner, file, on_epoch)
        except LinAlgError as error:
            raise UsageError("too few decisions to fit a net to; play more games (--decision-games)") from error
    if "held_out_decisions" in nets.about:
        epoch = nets.about["held_out_decisions"]["epoch"]
        say(f"kept: epoch {epoch}, which explains most of the held-out decisions", err=True)
    return nets, results, curve
