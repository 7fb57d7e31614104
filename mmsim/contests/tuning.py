"""Tune a bot's weights by self-play: a separable natural evolution strategy, evaluated on held-out games.

Every generation tries variations of the weights, each in one seat with one opponent in all others: the bot as it was
when the generation began, and bots of the ladder. All variations play the same layouts and deals from the same seats,
so they are compared game by game. The step is the rank-weighted mean of the variations, and each weight's step width
follows the same ranks (Wierstra et al., "Natural evolution strategies", JMLR 2014, algorithm SNES).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mmsim.contests.matches import (
    HeldOutResult,
    Match,
    MatchRunner,
    by_seat,
    first_bot_by_deal,
    one_against_others,
)
from mmsim.core.bots import Bot
from mmsim.core.seating import find_bot
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.games import find_shell

_HELD_OUT = 1 << 62  # number of the first held-out game; no generation reaches it
_MIN_SCALE = 0.3  # of a step, for weights near 0
_MARGIN_WEIGHT = 0.01  # of a point of margin against a win


@dataclass(frozen=True)
class TuningSettings:
    game: str
    bot: str
    opponents: tuple[str, ...]  # bots it meets besides its former self; if empty, the strongest quick one
    rules: str
    players: int = 0  # 0: the default of the rules
    seed: int = 1
    generations: int = 20
    population: int = 12  # rounded up to even: variations come in pairs, one the mirror image of the other
    games: int = 400  # per variation, opponent and generation
    final_games: int = 8000
    width: float = 0.25  # first step width, as a fraction of each weight

    def __post_init__(self) -> None:
        object.__setattr__(self, "population", self.population + self.population % 2)
        if not self.opponents:
            shell, name = find_shell(self.game), self.bot.partition(":")[0]
            strongest = [bot for bot in shell.bots if bot not in shell.slow_bots and bot != name][-1]
            object.__setattr__(self, "opponents", (strongest,))
        if not self.players:
            object.__setattr__(self, "players", find_shell(self.game).explain(self.rules, None).players)


@dataclass(frozen=True)
class Generation:
    number: int
    mean: float  # over its variations: win share plus a hundredth of the margin in points
    best: float
    weights: dict[str, float]


def spec_of(bot: Bot, weights: dict[str, float]) -> str:
    """A bot with other weights, as it is seated."""
    return replace(bot, changed=weights).spec


def tune(settings: TuningSettings, runner: MatchRunner) -> Iterator[Generation]:
    """Search for better weights; one item per generation."""
    shell = find_shell(settings.game)
    bot = find_bot(settings.bot, shell.bots)
    start = {name: value for name, value in bot.settings.items() if value and name not in shell.expensive_weights}
    if not start:
        raise UsageError(f"bot {bot.name} has no weights to tune")
    names, centre = list(start), np.array(list(start.values()), float)
    scale = np.maximum(np.abs(centre), _MIN_SCALE)
    width = np.full(len(names), settings.width)
    position = np.zeros(len(names))
    rng = np.random.default_rng(settings.seed)
    utilities = _utilities(settings.population)
    rate = (3 + np.log(len(names))) / (5 * np.sqrt(len(names)))

    def spec_at(x: NDArray[np.float64]) -> str:
        return spec_of(bot, weights_at(x))

    def weights_at(x: NDArray[np.float64]) -> dict[str, float]:
        return {
            name: float(np.clip(value, bot.weights[name].low, bot.weights[name].high).round(4))
            for name, value in zip(names, centre + scale * x, strict=True)
        }

    for number in range(settings.generations):
        opponents = (spec_at(position), *settings.opponents)
        half = rng.standard_normal((settings.population // 2, len(names)))
        steps = np.concatenate([half, -half])
        variations = [spec_at(position + width * step) for step in steps]
        fitness = _fitness(settings, runner, variations, opponents, number * settings.games)
        order = np.argsort(-fitness)
        position = position + width * (utilities @ steps[order])
        width = width * np.exp(rate / 2 * (utilities @ (steps[order] ** 2 - 1)))
        yield Generation(number + 1, float(fitness.mean()), float(fitness.max()), weights_at(position))


def _utilities(population: int) -> NDArray[np.float64]:
    """The weight of every rank: the better half counts, the best most; they sum to zero."""
    raw = np.maximum(0, np.log(population / 2 + 1) - np.log(np.arange(1, population + 1)))
    weights: NDArray[np.float64] = raw / raw.sum() - 1 / population
    return weights


def _fitness(
    settings: TuningSettings, runner: MatchRunner, variations: Sequence[str], opponents: Sequence[str], first: int
) -> NDArray[np.float64]:
    """How well every variation does on average against the opponents: wins, and a little for the margin."""
    matches = [match for _, match in _matches(settings, variations, opponents, first, settings.games)]
    fitness = []
    for match, tables in zip(matches, runner.play(matches), strict=True):
        score = by_seat(match, tables, "score")
        top_two = np.sort(score, axis=1)[:, -2:]
        best_rival = np.where(score == top_two[:, 1:], top_two[:, :1], top_two[:, 1:])  # of every seat
        won, margin = (
            first_bot_by_deal(settings.game, match, values)
            for values in (by_seat(match, tables, "win_share"), score - best_rival)
        )
        fitness.append((won + _MARGIN_WEIGHT * margin).mean())
    return np.asarray(np.array(fitness).reshape(len(variations), len(opponents)).mean(axis=1))


def _matches(
    settings: TuningSettings, specs: Sequence[str], opponents: Sequence[str], first: int, games: int
) -> list[tuple[str, Match]]:
    """Every bot against every opponent, each with the name of the opponent."""
    variant = Variant(settings.rules, settings.players, seed=settings.seed)
    return [
        (opponent, one_against_others(settings.game, variant, spec, opponent, first, games))
        for spec in specs
        for opponent in opponents
    ]


def evaluate(settings: TuningSettings, runner: MatchRunner, spec: str, opponents: Sequence[str]) -> list[HeldOutResult]:
    """The win shares of a bot, in games that no generation has played."""
    return runner.evaluate(_matches(settings, [spec], opponents, _HELD_OUT, settings.final_games))
