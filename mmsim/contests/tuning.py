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

from mmsim.batch.confidence import Tally
from mmsim.contests.matches import Match, MatchRunner, Tables, first_bot_by_deal
from mmsim.core.bots import Bot
from mmsim.core.seating import find_bot, games_per_deal
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.games import find_shell

_HELD_OUT = 1 << 62  # number of the first held-out game; no generation reaches it
_MIN_SCALE = 0.3  # of a step, for weights near 0
_MARGIN_WEIGHT = 0.01  # of a point of margin against a win


@dataclass(frozen=True)
class TuningSettings:
    """What a tuning plays."""

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
            strongest = [other for other in shell.bots if other not in shell.slow_bots and other != name][-1]
            object.__setattr__(self, "opponents", (strongest,))
        if not self.players:
            object.__setattr__(self, "players", find_shell(self.game).explain(self.rules, None).players)


@dataclass(frozen=True)
class Generation:
    """What one generation showed."""

    number: int
    mean: float  # over its variations: win share plus a hundredth of the margin in points
    best: float
    weights: dict[str, float]


@dataclass(frozen=True)
class TuningResult:
    """The win share of one tuned bot against others of one kind, in held-out games."""

    opponent: str
    games: int
    share: float
    half_width: float  # of the 95 % interval; a deal is one observation


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
    matches = [_match(settings, spec, opponent, first, settings.games) for spec in variations for opponent in opponents]
    fitness = []
    for match, tables in zip(matches, runner.play(matches), strict=True):
        won, margin = _wins_and_margins(settings, match, tables)
        fitness.append((won + _MARGIN_WEIGHT * margin).mean())
    return np.asarray(np.array(fitness).reshape(len(variations), len(opponents)).mean(axis=1))


def _match(settings: TuningSettings, spec: str, opponent: str, first: int, games: int) -> Match:
    """One bot against others of one kind; seats are balanced."""
    bots = ",".join([spec] + [opponent] * (settings.players - 1))
    variant = Variant(settings.rules, settings.players, bots=bots, seed=settings.seed, seats="rotate")
    deal = games_per_deal(settings.players, variant.rotate)
    return Match(variant, first - first % deal, games - games % deal, deal)


def _wins_and_margins(
    settings: TuningSettings, match: Match, tables: Tables
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Win share and margin of the first bot of the list, for every deal."""
    share, score = (
        tables["seats"][column].to_numpy().reshape(match.games, -1).astype(float) for column in ("win_share", "score")
    )
    top_two = np.sort(score, axis=1)[:, -2:]
    best_rival = np.where(score == top_two[:, 1:], top_two[:, :1], top_two[:, 1:])  # of every seat
    margins = first_bot_by_deal(settings.game, match, score - best_rival)
    return first_bot_by_deal(settings.game, match, share), margins


def evaluate(settings: TuningSettings, runner: MatchRunner, spec: str, opponents: Sequence[str]) -> list[TuningResult]:
    """The win shares of a bot, in games that no generation has played."""
    matches = [_match(settings, spec, opponent, _HELD_OUT, settings.final_games) for opponent in opponents]
    results = []
    for opponent, match, tables in zip(opponents, matches, runner.play(matches), strict=True):
        share = Tally.of(_wins_and_margins(settings, match, tables)[0])
        results.append(TuningResult(opponent, match.games_per_deal * share.count, share.mean, share.half_width()))
    return results
