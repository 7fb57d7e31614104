"""Training a bot that goes by a net: decisions are collected, a net is fitted to them, and judged in games held out.

What a net's inputs are, and how decisions are played out, is the game's business; here they are numbers.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mmsim import __version__
from mmsim.batch.experiment import ReadyVariant
from mmsim.batch.tally import Tally
from mmsim.contests.fitting import DECAY, Fit, Lessons, fit
from mmsim.contests.matches import Arena, Match, seats_of_first
from mmsim.core.bots import NetBot
from mmsim.core.game import Variant
from mmsim.core.neural_net import Net, read_net
from mmsim.core.seating import find_bot
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell

_HELD_OUT = 1 << 40  # games of the final judgement have numbers that no lesson has


@dataclass(frozen=True)
class Plan:
    """What a training plays: each of the rules with each number of players, against each bot of the pool.

    What is named twice is played twice as often.
    """

    game: str
    bot: str
    rules: tuple[str, ...]
    players: tuple[int | None, ...]
    board: str | None
    against: tuple[str, ...]  # if none is named, those that the bot is declared to meet
    seed: int = 1
    games: int = 4000  # to collect decisions from, in all
    epochs: int = 10
    final_games: int = 4000  # held out, in all
    add: bool = False  # whether the net joins those of the file, for its number of players
    learner: str = ""  # who plays while decisions are collected; if not given, the bot whose turns the net chooses from
    decay: float = DECAY  # how fast the net's weights fade that nothing speaks for; less for many decisions

    def __post_init__(self) -> None:
        bot = find_bot(self.bot, find_shell(self.game).bots)
        if not isinstance(bot, NetBot):
            raise UsageError(f"bot {bot.name} goes by no net; mmsim bots tune looks for better weights of it")
        if self.add and (len({*self.players}) != 1 or None in self.players):
            raise UsageError("a net is added for one number of players")
        if not self.against:
            object.__setattr__(self, "against", bot.against)
        if not self.learner:
            object.__setattr__(self, "learner", bot.like)

    @property
    def command(self) -> str:
        """What makes the same net again."""
        words = ["mmsim bots train", self.bot, f"--game {self.game}"]
        words += [f"--rules {rules}" for rules in self.rules]
        words += [f"--players {players}" for players in self.players if players is not None]
        words += [f"--board {self.board}"] if self.board else []
        words += [f"--against {','.join(self.against)}", f"--games {self.games}"]
        words += [f"--learner {self.learner}"] + ["--add"] * self.add
        words += [f"--epochs {self.epochs}", f"--decay {self.decay:g}"]
        return " ".join([*words, f"--final-games {self.final_games}", f"--seed {self.seed}"])


@dataclass(frozen=True)
class Verdict:
    """How one trained bot did against others of one kind, in games it has not learnt from."""

    variant: str
    opponent: str
    players: int
    games: int
    share: float
    half_width: float  # of the 95 % interval; games that share a layout and a deal are one observation


def collect(plan: Plan, arena: Arena) -> Lessons:
    """Decisions from all the games of a plan."""
    learner = find_bot(plan.learner, find_shell(plan.game).bots).spec
    lineups = _lineups(plan, learner)
    found = arena.collect([_match(lineup, 0, int(plan.games * lineup.part)) for lineup in lineups], learner)
    rows = pl.concat(
        rows.with_columns(lineup=pl.lit(number), deal=pl.col("game") // lineup.players)
        for number, (rows, lineup) in enumerate(zip(found, lineups, strict=True))
    )
    if not rows.height:
        raise UsageError("there is nothing to learn from: no decision was collected; ask for more games")
    keys = rows.select(key=pl.struct("lineup", "game", "decision").rle_id())["key"].to_numpy().astype(np.int64)
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    return Lessons(rows["inputs"].to_numpy(), rows["result"].to_numpy(), keys, rows["deal"].to_numpy()[first])


def train(plan: Plan, arena: Arena, file: Path, tell: Callable[[Fit], None]) -> tuple[Net, list[Verdict]]:
    """Collect, fit, write the net to a file, judge it, and write that into the file as well."""
    bot = find_bot(plan.bot, find_shell(plan.game).bots)
    assert isinstance(bot, NetBot)
    lessons = collect(plan, arena)
    net, best = fit(lessons, bot.inputs, plan.seed, plan.epochs, tell, plan.decay)
    about: dict[str, Any] = {
        "bot": plan.bot,
        "mmsim": __version__,
        "command": plan.command,
        "seed": plan.seed,
        "games": plan.games,
        "decisions": len(lessons.game),
        "turns": len(lessons.results),
        "learner": plan.learner,
        "held_out_decisions": _rounded(asdict(best)),
    }
    others = read_net(file, bot.inputs) if plan.add else None

    def write(net: Net) -> None:
        if others is None:
            net.write(file)
        else:
            (players,) = {*plan.players}
            assert players is not None
            replace(others, of_players={**others.of_players, players: net}).write(file)

    write(replace(net, about=about))
    verdicts = judge(plan, arena, f"{plan.bot}:weights={file}")
    net = replace(net, about={**about, "held_out_games": [_rounded(asdict(verdict)) for verdict in verdicts]})
    write(net)
    return net, verdicts


def exploiting(plan: Plan, bot: str) -> Plan:
    """The plan of a training against a frozen bot and nobody else.

    A bot with a net plays itself while decisions are collected, so that what is learnt is about its own turns.
    """
    found = find_bot(bot, find_shell(plan.game).bots)
    return replace(plan, against=(bot,), learner=bot if isinstance(found, NetBot) else "")


def judge(plan: Plan, arena: Arena, spec: str) -> list[Verdict]:
    """One of a bot against others of the pool, under all rules of a plan, on games held out."""
    lineups = _lineups(plan, spec)
    matches = [_match(lineup, _HELD_OUT, int(plan.final_games * lineup.part)) for lineup in lineups]
    verdicts = []
    for lineup, match, tables in zip(lineups, matches, arena.play(matches), strict=True):
        share = Tally.of(_shares(plan.game, match, tables["seats"]))
        players = match.games_a_deal
        verdicts.append(
            Verdict(lineup.name, lineup.opponent, players, players * share.count, share.mean, share.half_width())
        )
    return verdicts


@dataclass(frozen=True)
class _Lineup:
    """One player's companies played by a bot, all others by another one; seats rotate."""

    name: str
    opponent: str
    variant: Variant
    players: int
    part: float  # of all games


def _lineups(plan: Plan, bot: str) -> list[_Lineup]:
    game = find_game(plan.game)
    tables = Counter(product(plan.rules, plan.players))
    found = []
    for (rules, players), times in tables.items():
        empty = Variant(rules, players, plan.board, plan.against[0], plan.seed, "rotate")
        about = ReadyVariant.of(game, empty).about
        part = times / tables.total() / len(plan.against)
        for opponent in plan.against:
            bots = ",".join(bot if player == 0 else opponent for player in about["seat_player"])
            found.append(_Lineup(str(about["name"]), opponent, replace(empty, bots=bots), int(about["players"]), part))
    return found


def _match(lineup: _Lineup, first: int, games: int) -> Match:
    players = lineup.players
    return Match(lineup.variant, first - first % players, max(players, games - games % players), players)


def _shares(game: str, match: Match, seats: pl.DataFrame) -> Any:
    """The win share of the first player's bots, as the list names them, for every layout and deal."""
    share = seats["win_share"].cast(pl.Float64).to_numpy().reshape(match.games, -1)
    of_first = share[np.arange(match.games), seats_of_first(game, match)]
    return of_first.reshape(-1, match.games_a_deal).mean(axis=1)


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
