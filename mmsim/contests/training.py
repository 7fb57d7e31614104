"""Train the neural net of a bot: collect decisions as examples, fit a net to them, evaluate it on held-out games.

What the inputs of a net are, and how decisions are played out, is up to the game; here they are numbers.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from mmsim import __version__
from mmsim.contests.fitting import WEIGHT_DECAY, Fit, TrainingExamples, fit
from mmsim.contests.matches import HeldOutResult, Match, MatchRunner, one_against_others
from mmsim.core.bots import Bot, NetBot
from mmsim.core.neural_net import Net, read_net
from mmsim.core.seating import find_bot
from mmsim.core.shell import Shell
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_shell
from mmsim.system.files import read_bytes, write_output

_SHIPPED = "exploited.json"  # exploits of bots, beside the nets that come with a game
_HELD_OUT = 1 << 40  # number of the first held-out game; no training example reaches it


@dataclass(frozen=True)
class TrainingSettings:
    """What a training plays: each of the rules with each number of players, against each opponent.

    Rules or numbers that are named twice are played twice as often.
    """

    game: str
    bot: str
    rules: tuple[str, ...]
    players: tuple[int | None, ...]
    board: str | None
    against: tuple[str, ...]  # if empty, the opponents that the bot declares
    seed: int = 1
    games: int = 4000  # to collect decisions from, in total
    epochs: int = 10
    final_games: int = 4000  # held out, in total
    add: bool = False  # add the net to those of the file, for its number of players
    learner: str = ""  # who plays while decisions are collected; if empty, the bot whose turns the net chooses from
    decay: float = WEIGHT_DECAY  # less for many decisions

    def __post_init__(self) -> None:
        bot = find_bot(self.bot, find_shell(self.game).bots)
        if not isinstance(bot, NetBot):
            raise UsageError(f"bot {bot.name} has no neural net; mmsim bots tune searches for better weights")
        if self.add and (len({*self.players}) != 1 or None in self.players):
            raise UsageError("a net is added for one number of players")
        if not self.against:
            object.__setattr__(self, "against", bot.against)
        if not self.learner:
            object.__setattr__(self, "learner", bot.like)

    @property
    def command(self) -> str:
        """The command that makes the same net again."""
        words = ["mmsim bots train", self.bot, f"--game {self.game}"]
        words += [f"--rules {rules}" for rules in self.rules]
        words += [f"--players {players}" for players in self.players if players is not None]
        words += [f"--board {self.board}"] if self.board else []
        words += [f"--against {','.join(self.against)}", f"--games {self.games}"]
        words += [f"--learner {self.learner}"] + ["--add"] * self.add
        words += [f"--epochs {self.epochs}", f"--decay {self.decay:g}"]
        return " ".join([*words, f"--final-games {self.final_games}", f"--seed {self.seed}"])


def collect_examples(settings: TrainingSettings, runner: MatchRunner) -> TrainingExamples:
    learner = find_bot(settings.learner, find_shell(settings.game).bots).spec
    matches = [match for _, match in _matches(settings, learner, 0, settings.games)]
    rows = pl.concat(
        rows.with_columns(lineup=pl.lit(number), deal=pl.col("game") // match.games_per_deal)
        for number, (rows, match) in enumerate(zip(runner.collect_examples(matches, learner), matches, strict=True))
    )
    if not rows.height:
        raise UsageError("no decision was collected to learn from; play more games")
    keys = rows.select(key=pl.struct("lineup", "game", "decision").rle_id())["key"].to_numpy().astype(np.int64)
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    return TrainingExamples(rows["inputs"].to_numpy(), rows["result"].to_numpy(), keys, rows["deal"].to_numpy()[first])


def train(
    settings: TrainingSettings, runner: MatchRunner, file: Path, on_epoch: Callable[[Fit], None]
) -> tuple[Net, list[HeldOutResult]]:
    """Collect examples, fit a net, write it to a file, evaluate it, and add the evaluation to the file."""
    bot = find_bot(settings.bot, find_shell(settings.game).bots)
    assert isinstance(bot, NetBot)
    examples = collect_examples(settings, runner)
    net, best = fit(examples, bot.inputs, settings.seed, settings.epochs, on_epoch, settings.decay)
    about: dict[str, Any] = {
        "bot": settings.bot,
        "mmsim": __version__,
        "command": settings.command,
        "seed": settings.seed,
        "games": settings.games,
        "decisions": len(examples.game),
        "turns": len(examples.results),
        "learner": settings.learner,
        "held_out_decisions": _rounded(asdict(best)),
    }
    others = read_net(file, bot.inputs) if settings.add else None

    def write(net: Net) -> None:
        if others is None:
            net.write(file)
        else:
            (players,) = {*settings.players}
            assert players is not None
            replace(others, by_players={**others.by_players, players: net}).write(file)

    write(replace(net, about=about))
    trained = f"{settings.bot}:weights={file}"
    results = runner.evaluate(_matches(settings, trained, _HELD_OUT, settings.final_games))
    net = replace(net, about={**about, "held_out_games": [_rounded(asdict(result)) for result in results]})
    write(net)
    return net, results


def _matches(settings: TrainingSettings, bot: str, first: int, games: int) -> list[tuple[str, Match]]:
    """One of a bot against others of each opponent, under all rules of a training, which share the games."""
    tables = Counter(product(settings.rules, settings.players))
    matches = []
    for (rules, players), times in tables.items():
        variant = Variant(rules, players, settings.board, seed=settings.seed)
        count = int(games * (times / tables.total() / len(settings.against)))
        matches += [
            (opponent, one_against_others(settings.game, variant, bot, opponent, first, count))
            for opponent in settings.against
        ]
    return matches


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures with four decimals, as files keep them."""
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}


# --- exploits ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Exploit(HeldOutResult):
    """How well a net trained against frozen copies of a bot did (`mmsim bots exploit`)."""

    date: str
    command: str


def exploit_settings(settings: TrainingSettings, bot: str) -> TrainingSettings:
    """The settings of a training against a frozen bot and nobody else.

    A bot with a net plays itself while decisions are collected, so that the net learns about its own turns.
    """
    target = find_bot(bot, find_shell(settings.game).bots)
    return replace(settings, against=(bot,), learner=bot if isinstance(target, NetBot) else "")


def read_exploits(file: Path) -> dict[str, Exploit]:
    """The exploits noted in a file, by bot; empty if there is no such file."""
    if not file.exists():
        return {}
    try:
        return msgspec.json.decode(read_bytes(file), type=dict[str, Exploit])
    except (ValueError, RecursionError) as error:  # msgspec raises a subclass of ValueError
        raise MmsimError(f"{file} is damaged: {error}") from error


def write_exploit(file: Path, bot: str, exploit: Exploit) -> None:
    exploits = {name: asdict(noted) for name, noted in read_exploits(file).items()}
    exploits[bot] = _rounded(asdict(exploit))
    write_output(file, (json.dumps(exploits, indent=1) + "\n").encode())


def shipped_exploit(shell: Shell, bot: Bot) -> Exploit | None:
    """The exploit of a bot in the file that comes with its game; None if nobody tried."""
    for net_bot in shell.bots.values():
        if isinstance(net_bot, NetBot) and (file := net_bot.shipped.with_name(_SHIPPED)).exists():
            return read_exploits(file).get(bot.spec)
    return None
