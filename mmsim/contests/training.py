"""Train the neural nets of a game's bots: a value net from positions, a net that compares moves from decisions.

What the inputs of a net are, and how decisions are played out, is up to the game; here they are numbers.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim import __version__
from mmsim.contests.fitting import WEIGHT_DECAY, Fit, Floats, TrainingExamples, fit
from mmsim.contests.matches import HeldOutResult, Match, MatchRunner, mixed_match, one_against_others
from mmsim.contests.value_fitting import PositionRows, Positions, fit_values
from mmsim.core.bots import NetBot
from mmsim.core.game import SupportsTraining
from mmsim.core.neural_net import BotNets, Net, ValueNet, read_nets
from mmsim.core.shell import Shell
from mmsim.core.variant import Variant
from mmsim.errors import UsageError, unknown
from mmsim.games import find_game, find_shell
from mmsim.system.temporary import temporary_folder

_HELD_OUT = 1 << 40  # number of the first held-out game; no training example reaches it
_MIN_DECISIONS, _MIN_POSITIONS = 32, 2048  # to fit a net to

OnEpoch = Callable[[str, Fit], None]  # called with the name of the net that is fitted


@dataclass(frozen=True)
class TrainingSettings:
    """What a training plays: the boards one after another, each with one of the rules and numbers of players.

    Rules, numbers or boards that are named twice are played twice as often; those not named are the bot's own.
    """

    game: str
    rules: tuple[str, ...] = ()
    players: tuple[int | None, ...] = ()
    boards: tuple[str | None, ...] = ()
    seed: int = 1
    games: int = 100_000  # to collect positions from, in total
    value_epochs: int = 4
    decision_games: int = 20_000  # to collect decisions from, in total
    epochs: int = 10
    decay: float = WEIGHT_DECAY  # less for many decisions
    final_games: int = 4000  # held out, in total
    against: tuple[str, ...] = ()
    bot_name: str = ""  # the bot whose nets are trained; the first one that has some

    def __post_init__(self) -> None:
        bot = self.bot
        for name in ("rules", "players", "boards", "against"):
            if not getattr(self, name):
                object.__setattr__(self, name, getattr(bot, name))

    @property
    def bot(self) -> NetBot:
        return net_bot(find_shell(self.game), self.bot_name)

    @property
    def command(self) -> str:
        """The command that makes the same nets again."""
        bot, words = self.bot, [f"mmsim bots train --game {self.game}"]
        words += [f"--bot {self.bot_name}"] if self.bot_name else []
        if self.rules != bot.rules:
            words += [f"--rules {rules}" for rules in self.rules]
        if self.players != bot.players:
            words += [f"--players {players}" for players in self.players]
        if self.boards != bot.boards:
            words += [f"--board {board}" for board in self.boards]
        if bot.value_inputs:
            words += [f"--games {self.games}", f"--value-epochs {self.value_epochs}"]
        if bot.choice_of is None:
            words += [f"--decision-games {self.decision_games}", f"--epochs {self.epochs}", f"--decay {self.decay:g}"]
        return " ".join([*words, f"--final-games {self.final_games}", f"--seed {self.seed}"])

    def variants(self) -> list[Variant]:
        """All that is played, without bots: every board with the next of the rules and numbers of players."""
        tables = list(product(self.rules, self.players))
        count = max(len(tables), len(self.boards))
        return [
            Variant(*tables[i % len(tables)], self.boards[i % len(self.boards)], seed=self.seed) for i in range(count)
        ]

    def final_variants(self) -> list[Variant]:
        """What the nets are judged on: the boards that were named, or the default board instead of the bot's own."""
        boards = (None,) if self.boards == self.bot.boards else dict.fromkeys(self.boards)
        tables = product(dict.fromkeys(self.rules), dict.fromkeys(self.players), boards)
        return [Variant(rules, players, board, seed=self.seed) for rules, players, board in tables]


def net_bot(shell: Shell, name: str = "") -> NetBot:
    """The bot of a game whose nets are trained: the one named, or the first that has nets."""
    if name and name not in shell.bots:
        raise unknown("bot", name, shell.bots)
    for bot in (shell.bots[name],) if name else shell.bots.values():
        if isinstance(bot, NetBot):
            return bot
    if name:
        raise UsageError(f"bot {name} has no neural net to train")
    raise UsageError(f"no bot of {shell.name} has a neural net to train")


def collect_positions(settings: TrainingSettings, runner: MatchRunner) -> tuple[Positions, NDArray[np.int64]]:
    """Positions of games between the bot's teachers, and for every feature of a board its mirror image.

    Features are kept of boards of one kind only: the one with most matches.
    """
    variants, teachers, game = settings.variants(), settings.bot.teachers, find_game(settings.game)
    foresight = settings.bot.foresight
    assert isinstance(game, SupportsTraining)
    line_ups = [teachers, teachers[:1]]
    games = settings.games // (len(variants) * len(line_ups))
    matches = [mixed_match(settings.game, variant, bots, games) for variant in variants for bots in line_ups]
    mirrored = [game.mirrored_features(game.prepare(match.variant)) for match in matches]
    features, _ = Counter(map(len, mirrored)).most_common(1)[0]
    positions = Positions.joined(
        PositionRows(
            rows["inputs"].to_numpy().astype(np.float16),
            rows["result"].to_numpy(),
            _blended(rows["result"].to_numpy(), rows["judged"].to_numpy(), foresight),
            rows["game"].to_numpy() // match.games_per_deal + number // len(line_ups),
            rows["features"].to_numpy() if len(mirror) == features else np.zeros(rows.height, np.int64),
            held["feature"].to_numpy() if len(mirror) == features else np.zeros(0, np.uint16),
        )
        for number, (match, mirror, (rows, held)) in enumerate(
            zip(matches, mirrored, runner.collect_positions(matches), strict=True)
        )
    )
    return positions, next(mirror for mirror in mirrored if len(mirror) == features)


def _blended(results: Floats, judged: Floats, foresight: float) -> Floats:
    """What a value net is fitted to: results, which chance blurs, and what was expected some rounds later."""
    if not foresight:
        return results
    return (np.float32(1 - foresight) * results + np.float32(foresight) * judged).astype(np.float32)


def fit_value_nets(
    settings: TrainingSettings, runner: MatchRunner, on_epoch: OnEpoch
) -> tuple[ValueNet, ValueNet | None, dict[str, Any]]:
    """A value net for any board, one for the boards that most games were played on, and what is known of them."""
    positions, mirrored = collect_positions(settings, runner)
    if len(positions.results) < _MIN_POSITIONS:
        raise UsageError(
            f"{settings.games:,} games gave only {len(positions.results):,} positions to learn from; play more games"
        )
    names, seed, epochs = settings.bot.value_inputs, settings.seed, settings.value_epochs
    nothing = np.zeros(0, np.int64)
    value, fitted = fit_values(positions, names, nothing, seed, epochs, lambda point: on_epoch("value", point))
    about: dict[str, Any] = {"positions": len(positions.results), "held_out_positions": _rounded(asdict(fitted))}
    if not len(mirrored):
        return value, None, about
    board_value, fitted = fit_values(
        positions,
        names,
        mirrored,
        seed,
        epochs,
        lambda point: on_epoch("board value", point),
        settings.bot.accumulators,
    )
    return value, board_value, {**about, "held_out_positions_with_board": _rounded(asdict(fitted))}


def collect_examples(settings: TrainingSettings, runner: MatchRunner, learner: str) -> TrainingExamples:
    matches = [match for _, match in _matches(settings, settings.variants(), learner, 0, settings.decision_games)]
    rows = pl.concat(
        rows.with_columns(
            line_up=pl.lit(number), deal=pl.col("game") // match.games_per_deal + number // len(settings.against)
        )
        for number, (rows, match) in enumerate(zip(runner.collect_examples(matches, learner), matches, strict=True))
    )
    keys = rows.select(key=pl.struct("line_up", "game", "decision").rle_id())["key"].to_numpy().astype(np.int64)
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(first) < _MIN_DECISIONS:
        raise UsageError(
            f"{settings.decision_games:,} games gave only {len(first):,} decisions to learn from; play more games"
        )
    return TrainingExamples(rows["inputs"].to_numpy(), rows["result"].to_numpy(), keys, rows["deal"].to_numpy()[first])


def train(
    settings: TrainingSettings, runner: MatchRunner, file: Path, on_epoch: OnEpoch
) -> tuple[BotNets, list[HeldOutResult]]:
    """Fit a value net to positions, if the bot has one, and a net to decisions; write a file, and evaluate them.

    While decisions are collected the bot goes by its inputs for that, such as the opinion of the value net.
    A bot that compares moves by a net it shares with another one gets no net for that.
    """
    value = board_value = None
    about: dict[str, Any] = {}
    if settings.bot.value_inputs:
        value, board_value, about = fit_value_nets(settings, runner, on_epoch)
    about = {"mmsim": __version__, "command": settings.command, "seed": settings.seed, **about}
    if settings.bot.choice_of is not None:
        shared = read_nets(settings.bot.choice_of, settings.bot.inputs, settings.bot.value_inputs)
        about = {**about, "choice_of": shared.digest}
        return _evaluate(settings, runner, BotNets(shared.choice, value, board_value, about), file)
    nets = BotNets(Net.linear(settings.bot.inputs, **settings.bot.untrained), value, board_value, about)
    with temporary_folder() as folder:  # workers read a file once
        untrained = folder / "nets.json"
        nets.write(untrained)
        return train_choice(settings, runner, nets, f"{settings.bot.name}:weights={untrained}", file, on_epoch)


def train_choice(
    settings: TrainingSettings,
    runner: MatchRunner,
    nets: BotNets,
    learner: str,
    file: Path,
    on_epoch: OnEpoch,
    start: Net | None = None,
) -> tuple[BotNets, list[HeldOutResult]]:
    """Replace the net that compares moves by one fitted to decisions of a bot, write the file, and evaluate it."""
    examples = collect_examples(settings, runner, learner)
    choice, best = fit(
        *(examples, settings.bot.inputs, settings.seed, settings.epochs),
        lambda point: on_epoch("choice", point),
        settings.decay,
        start,
    )
    about = {
        **nets.about,
        "decisions": len(examples.game),
        "turns": len(examples.results),
        "held_out_decisions": _rounded(asdict(best)),
    }
    return _evaluate(settings, runner, replace(nets, choice=choice, about=about), file)


def _evaluate(
    settings: TrainingSettings, runner: MatchRunner, nets: BotNets, file: Path
) -> tuple[BotNets, list[HeldOutResult]]:
    """Write nets to a file, play held-out games with them, and note the results in it."""
    nets.write(file)
    trained = f"{settings.bot.name}:weights={file}"
    results = runner.evaluate(_matches(settings, settings.final_variants(), trained, _HELD_OUT, settings.final_games))
    nets = replace(nets, about={**nets.about, "held_out_games": [_rounded(asdict(result)) for result in results]})
    nets.write(file)
    return nets, results


def _matches(
    settings: TrainingSettings, variants: Sequence[Variant], bot: str, first: int, games: int
) -> list[tuple[str, Match]]:
    """One of a bot against others of each opponent, in some variants that share the games."""
    count = games // (len(variants) * len(settings.against))
    return [
        (opponent, one_against_others(settings.game, variant, bot, opponent, first, count))
        for variant in variants
        for opponent in settings.against
    ]


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures with four decimals, as files keep them."""
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
