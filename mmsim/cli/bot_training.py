"""`mmsim bots tune`, `train` and `exploit`: find better weights and nets by playing, judged on held-out games."""

import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from mmsim.cli import completion, options
from mmsim.cli.console import say
from mmsim.cli.progress import ProgressDisplay, show_progress
from mmsim.contests import training, tuning
from mmsim.contests.exploits import Exploit, write_exploit
from mmsim.contests.fitting import Fit
from mmsim.contests.matches import MatchRunner
from mmsim.core.bots import NetBot, weights_text
from mmsim.core.seating import find_bot, split_bots
from mmsim.errors import UsageError
from mmsim.games import find_rules, game_of_bot
from mmsim.system.files import write_output
from mmsim.system.processes import cores

Games = Annotated[int, typer.Option("--games", min=1, help="Games to collect decisions from, in all.")]
Epochs = Annotated[int, typer.Option("--epochs", min=0, help="How often the net goes through all decisions.")]
FinalGames = Annotated[int, typer.Option("--final-games", min=4, help="Held-out games at the end, in all.")]
Log = Annotated[Path | None, typer.Option(dir_okay=False, help="Write the result of every step (JSON) here.")]


def tune(
    spec: options.BotArgument,
    opponents: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.bots,
            help="Bots it plays besides its former self, separated by commas. Default: the strongest quick one.",
        ),
    ] = None,
    game: options.GameName = None,
    rules: options.Rules = None,
    players: options.Players = None,
    generations: Annotated[int, typer.Option(min=1, help="Steps of the search.")] = 20,
    population: Annotated[int, typer.Option(min=4, help="Variations tried per generation.")] = 12,
    games: Annotated[int, typer.Option(min=4, help="Games per variation and opponent in each generation.")] = 400,
    final_games: Annotated[int, typer.Option(min=8, help="Held-out games per opponent at the end.")] = 8000,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the weights (JSON) here; seat them: BOT:weights=FILE.")
    ] = None,
    log: Log = None,
    quiet: options.Quiet = False,
) -> None:
    """Search for better weights by self-play.

    The result is judged on held-out games, which the search has not seen.
    """
    shell, ruleset = find_rules(game or (None if rules else game_of_bot(spec)), rules)
    if out is not None:
        _check_weights_file(out)
    settings = tuning.TuningSettings(
        game=shell.name,
        bot=spec,
        opponents=tuple(split_bots(opponents)) if opponents else (),
        rules=ruleset,
        players=players or 0,
        seed=seed,
        generations=generations,
        population=population,
        games=games,
        final_games=final_games,
    )
    name = spec.partition(":")[0]
    history = []
    with show_progress(quiet) as progress, MatchRunner(shell.name, workers or cores(), progress) as runner:
        for generation in tuning.tune(settings, runner):
            history.append(generation)
            progress.line(f"generation {generation.number}: mean {generation.mean:.4f}, best {generation.best:.4f}")
        tuned = tuning.spec_of(shell.bots[name], history[-1].weights)
        say(tuned)
        results = tuning.evaluate(settings, runner, tuned, [spec, *settings.opponents])
    for result in results:
        say(f"one against {settings.players - 1} {result.opponent}: {_win_sentence(result, settings.players)}")
    figures: dict[str, Any] = {"plan": vars(settings), "held_out": [vars(result) for result in results]}
    if out is not None:
        write_output(out, weights_text(find_bot(tuned, shell.bots), figures).encode())
        say(f"seat it with --bots {name}:weights={out}")
    if log is not None:
        start = find_bot(spec, shell.bots).settings
        steps = [vars(generation) for generation in history]
        _write_json(log, {**figures, "start": start, "generations": steps, "found": tuned})


def train(
    spec: Annotated[
        str,
        typer.Argument(metavar="BOT", autocompletion=completion.bots, help="A bot that has a neural net: expert."),
    ],
    out: Annotated[Path, typer.Option(dir_okay=False, help="Write the weights (JSON) here.")],
    game: options.GameName = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="SPEC",
            autocompletion=completion.rulesets,
            help="A ruleset to train for; repeat to mix several. Default: the usual one of the game.",
        ),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option("--players", help="A number of players to train for; repeat to mix several. Default: as usual."),
    ] = None,
    board: options.Board = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POOL",
            autocompletion=completion.bots,
            help="Bots in the other seats, separated by commas. Default: those the game names.",
        ),
    ] = None,
    games: Games = 4000,
    epochs: Epochs = 10,
    final_games: FinalGames = 4000,
    decay: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Weight decay; with many decisions, less is better.")
    ] = 1e-3,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            autocompletion=completion.bots,
            help="The bot that plays while decisions are collected. Default: the untrained bot.",
        ),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Keep the nets in the file; this one is for its number of players.")
    ] = False,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    log: Log = None,
    quiet: options.Quiet = False,
) -> None:
    """Train the neural net of a bot, for rules of your own if you like.

    The net learns from playouts and is judged on held-out games.
    """
    _check_weights_file(out)
    shell, first = find_rules(game or (None if rules else game_of_bot(spec)), rules[0] if rules else None)
    shell.check_board(board)
    settings = training.TrainingSettings(
        game=shell.name,
        bot=spec,
        rules=tuple(rules or [first]),
        players=tuple(players or [None]),
        board=board,
        against=tuple(split_bots(against)) if against else (),
        seed=seed,
        games=games,
        epochs=epochs,
        final_games=final_games,
        add=add,
        learner=learner or "",
        decay=decay,
    )
    curve: list[Fit] = []
    with show_progress(quiet) as progress, MatchRunner(shell.name, workers or cores(), progress) as runner:
        net, results = training.train(settings, runner, out, _epoch_printer(curve, progress))
    _print_best_epoch(net.about)
    for result in results:
        say(f"{result.variant}: one against {result.opponent} {_win_sentence(result, result.players)}")
    say(f"seat it with --bots {spec}:weights={out}")
    if log is not None:
        _write_json(log, {"plan": vars(settings), "curve": [vars(point) for point in curve], "about": net.about})


def exploit(
    spec: options.BotArgument,
    game: options.GameName = None,
    rules: options.Rules = None,
    players: options.Players = None,
    board: options.Board = None,
    games: Games = 4000,
    epochs: Epochs = 10,
    final_games: FinalGames = 4000,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Keep the trained net in this file.")] = None,
    note: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Add the result to this file (JSON), next to those of other bots."),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a net against frozen copies of a bot.

    The further it gets above a fair share of wins, the easier the bot is to exploit.
    """
    if out is not None:
        _check_weights_file(out)
    shell, ruleset = find_rules(game or (None if rules else game_of_bot(spec)), rules)
    shell.check_board(board)
    nets = [bot.name for bot in shell.bots.values() if isinstance(bot, NetBot)]
    if not nets:
        raise UsageError(f"{shell.name} has no bot that goes by a net, so none can be trained against {spec}")
    settings = training.TrainingSettings(
        game=shell.name,
        bot=nets[0],
        rules=(ruleset,),
        players=(players,),
        board=board,
        against=(spec,),
        seed=seed,
        games=games,
        epochs=epochs,
        final_games=final_games,
    )
    settings = training.exploit_settings(settings, spec)
    with (
        TemporaryDirectory(prefix="mmsim-") as folder,
        show_progress(quiet) as progress,
        MatchRunner(shell.name, workers or cores(), progress) as runner,
    ):
        file = out or Path(folder) / "net.json"
        net, (result,) = training.train(settings, runner, file, _epoch_printer([], progress))
    _print_best_epoch(net.about)
    words = ["mmsim bots exploit", spec, f"--game {shell.name}", f"--rules {ruleset}", f"--players {result.players}"]
    words += [f"--board {board}"] if board else []
    words += [f"--games {games}", f"--epochs {epochs}", f"--final-games {final_games}", f"--seed {seed}"]
    exploit = Exploit(date=date.today().isoformat(), command=" ".join(words), **vars(result))
    say(describe_exploit(exploit))
    if note is not None:
        write_exploit(note, spec, exploit)


def describe_exploit(exploit: Exploit) -> str:
    fair = 1 / exploit.players
    return (
        f"exploited on {exploit.date}: a net trained against it wins {exploit.share:.1%} ± {exploit.half_width:.1%} "
        f"of {exploit.games:,} held-out games of {exploit.variant}, {100 * (exploit.share - fair):+.1f} percentage "
        f"points from a fair share ({fair:.0%})"
    )


def _check_weights_file(file: Path) -> None:
    """Refuse a file that could not be named where a bot is seated."""
    if set(",:=") & set(str(file)):
        raise UsageError(f"weights cannot be seated from {file}: its name has a comma, a colon or an equals sign")
    if str(file) == "-" or (file.exists() and not file.is_file()):
        raise UsageError(f"weights cannot be seated from {file}: it is no regular file")


def _epoch_printer(curve: list[Fit], progress: ProgressDisplay) -> Callable[[Fit], None]:
    """Shows how well a net does after every epoch, and adds it to the curve."""

    def on_epoch(fit: Fit) -> None:
        curve.append(fit)
        progress.line(
            f"epoch {fit.epoch}: on held-out decisions it explains {fit.explained:.2%} of the differences; "
            f"its turns gain {fit.gain:+.4f}"
        )

    return on_epoch


def _print_best_epoch(about: Mapping[str, Any]) -> None:
    epoch = about["held_out_decisions"]["epoch"]
    say(f"kept: epoch {epoch}, which explains most of the held-out decisions", err=True)


def _win_sentence(result: Any, players: int) -> str:
    return (
        f"wins {result.share:.1%} ± {result.half_width:.1%} of {result.games} held-out games (equal: {1 / players:.0%})"
    )


def _write_json(path: Path, value: object) -> None:
    write_output(path, (json.dumps(value, indent=1) + "\n").encode())
