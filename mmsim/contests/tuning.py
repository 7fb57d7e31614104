"""Tuning a bot's weights by self-play: a separable natural evolution strategy, judged on seeds it has never seen.

Every generation tries some variations of the weights, each in one seat with one opponent in all others: itself as it
was when the round began, and bots of the ladder. All variations play the same layouts and deals from the same seats, so
they are compared game by game. The step is the rank-weighted mean of the variations, and each weight's step width
follows the same ranks (Wierstra et al., "Natural evolution strategies", JMLR 2014, algorithm SNES).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mmsim.batch.tally import Tally
from mmsim.contests.matches import Arena, Match, Tables, seats_of_first
from mmsim.core.bots import Bot
from mmsim.core.game import Variant
from mmsim.core.seating import find_bot, games_a_deal
from mmsim.errors import UsageError
from mmsim.games import find_shell

_HELD_OUT = 1 << 62  # games of the final judgement have numbers no generation reaches


@dataclass(frozen=True)
class Plan:
    """What a tuning plays."""

    game: str
    bot: str
    opponents: tuple[str, ...]  # bots of the ladder it meets beside its former self
    rules: str
    players: int = 4
    seed: int = 1
    generations: int = 20
    population: int = 12  # even: variations come in pairs, one the mirror of the other
    games: int = 400  # of each variation against each opponent, a generation
    final_games: int = 8000
    width: float = 0.25  # first step width, as a part of each weight


@dataclass(frozen=True)
class Generation:
    """What one generation showed."""

    number: int
    mean: float  # of its variations: win share plus a hundredth of the margin in points
    best: float
    weights: dict[str, float]


@dataclass(frozen=True)
class Verdict:
    """The final judgement of one line-up, on held-out games: win share of one tuned bot against three others."""

    opponent: str
    games: int
    share: float
    half_width: float  # of the 95 % interval; games that share a layout and deal are one observation


def spec_of(bot: Bot, weights: dict[str, float]) -> str:
    """A bot with other weights, as it is seated."""
    return replace(bot, changed=weights).spec


def tune(plan: Plan, arena: Arena) -> Iterator[Generation]:
    """Generations of better weights, as long as the plan says."""
    shell = find_shell(plan.game)
    bot = find_bot(plan.bot, shell.bots)
    start = {name: value for name, value in bot.settings.items() if value and name not in shell.costly}
    if not start:
        raise UsageError(f"bot {bot.name} has no weights to tune")
    names, centre = list(start), np.array(list(start.values()), float)
    scale = np.maximum(np.abs(centre), 0.3)
    width = np.full(len(names), plan.width)
    position = np.zeros(len(names))
    dice = np.random.default_rng(plan.seed)
    utilities = _utilities(plan.population)
    rate = (3 + np.log(len(names))) / (5 * np.sqrt(len(names)))

    def weights_at(x: NDArray[np.float64]) -> dict[str, float]:
        return {
            name: float(np.clip(value, bot.weights[name].low, bot.weights[name].high).round(4))
            for name, value in zip(names, centre + scale * x, strict=True)
        }

    for number in range(plan.generations):
        former = spec_of(bot, weights_at(position))
        half = dice.standard_normal((plan.population // 2, len(names)))
        steps = np.concatenate([half, -half])
        tried = [spec_of(bot, weights_at(position + width * step)) for step in steps]
        fitness = _fitness(plan, arena, tried, (former, *plan.opponents), number * plan.games)
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
    plan: Plan, arena: Arena, tried: Sequence[str], opponents: Sequence[str], first: int
) -> NDArray[np.float64]:
    """How well every variation does against each of the opponents, on the mean: wins, and a little for the margin."""
    matches = [_match(plan, spec, other, first, plan.games) for spec in tried for other in opponents]
    played = zip(matches, arena.play(matches), strict=True)
    found = [won + 0.01 * margin for won, margin in (_by_deal(plan, *of_match) for of_match in played)]
    means: NDArray[np.float64] = np.array([values.mean() for values in found]).reshape(len(tried), len(opponents))
    return np.asarray(means.mean(axis=1))


def _match(plan: Plan, spec: str, other: str, first: int, games: int) -> Match:
    """One bot against others in all other seats; seats are balanced."""
    players = plan.players
    bots = ",".join([spec] + [other] * (players - 1))
    variant = Variant(plan.rules, players, bots=bots, seed=plan.seed, seats="rotate")
    deal = games_a_deal(players, variant.rotate)
    return Match(variant, first - first % deal, games - games % deal, deal)


def _by_deal(plan: Plan, match: Match, tables: Tables) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Win share and margin of the first bot of the list, for every layout and deal."""
    seats = tables["seats"]
    score = seats["score"].to_numpy().reshape(-1, plan.players).astype(float)
    share = seats["win_share"].to_numpy().reshape(-1, plan.players).astype(float)
    games, own = np.arange(len(score)), seats_of_first(plan.game, match)
    rivals = score.copy()
    rivals[games, own] = -np.inf
    margin = score[games, own] - rivals.max(axis=1)
    won = share[games, own].reshape(-1, plan.players).mean(axis=1)
    return won, margin.reshape(-1, plan.players).mean(axis=1)


def judge(plan: Plan, arena: Arena, spec: str, opponents: Sequence[str]) -> list[Verdict]:
    """The final figures of a bot, on games that no generation has played."""
    matches = [_match(plan, spec, other, _HELD_OUT, plan.final_games) for other in opponents]
    verdicts = []
    for other, match, tables in zip(opponents, matches, arena.play(matches), strict=True):
        share = Tally.of(_by_deal(plan, match, tables)[0])
        verdicts.append(Verdict(other, plan.players * share.count, share.mean, share.half_width()))
    return verdicts
