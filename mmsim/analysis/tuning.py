"""Tuning a bot's weights by self-play: a separable natural evolution strategy, judged on seeds it has never seen.

Every generation tries some variations of the weights, each in one seat with one opponent in all others: itself as it
was when the round began, and bots of the ladder. All variations play the same layouts and deals from the same seats, so
they are compared game by game. The step is the rank-weighted mean of the variations, and each weight's step width
follows the same ranks (Wierstra et al., "Natural evolution strategies", JMLR 2014, algorithm SNES).
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from mmsim.core.bots import Bot
from mmsim.core.errors import UsageError
from mmsim.core.game import Variant
from mmsim.core.seating import find_bot
from mmsim.games import find_game, find_shell

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


def tune(plan: Plan, workers: int = 2) -> Iterator[Generation]:
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

    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for number in range(plan.generations):
            former = spec_of(bot, weights_at(position))
            half = dice.standard_normal((plan.population // 2, len(names)))
            steps = np.concatenate([half, -half])
            tried = [spec_of(bot, weights_at(position + width * step)) for step in steps]
            play = partial(_fitness, plan, (former, *plan.opponents), number * plan.games)
            fitness = np.array(list(pool.map(play, tried)))
            order = np.argsort(-fitness)
            position = position + width * (utilities @ steps[order])
            width = width * np.exp(rate / 2 * (utilities @ (steps[order] ** 2 - 1)))
            yield Generation(number + 1, float(fitness.mean()), float(fitness.max()), weights_at(position))


def _utilities(population: int) -> NDArray[np.float64]:
    """The weight of every rank: the better half counts, the best most; they sum to zero."""
    raw = np.maximum(0, np.log(population / 2 + 1) - np.log(np.arange(1, population + 1)))
    weights: NDArray[np.float64] = raw / raw.sum() - 1 / population
    return weights


def _fitness(plan: Plan, opponents: Sequence[str], first: int, spec: str) -> float:
    """How well a bot does against each of the opponents, on the mean."""
    return float(np.mean([_against(plan, spec, other, first, plan.games)[1].mean() for other in opponents]))


def _against(
    plan: Plan, spec: str, other: str, first: int, games: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """One bot against others in all other seats, seats balanced: win share, and fitness, of each layout and deal."""
    game = find_game(plan.game)
    bots = ",".join([spec] + [other] * (plan.players - 1))
    prepared = game.prepare(Variant(plan.rules, plan.players, bots=bots, seed=plan.seed, seats="rotate"))
    first -= first % plan.players
    seats = game.play_shard(prepared, first, games - games % plan.players)["seats"]
    score = seats["score"].reshape(-1, plan.players).astype(float)
    share = seats["win_share"].reshape(-1, plan.players).astype(float)
    rows = np.arange(len(score))
    own = -(first + rows) % plan.players  # the first bot of the list sits there
    rivals = score.copy()
    rivals[rows, own] = -np.inf
    margin = score[rows, own] - rivals.max(axis=1)
    won = share[rows, own].reshape(-1, plan.players).mean(axis=1)
    return won, won + 0.01 * margin.reshape(-1, plan.players).mean(axis=1)


def judge(plan: Plan, spec: str, opponents: Sequence[str], workers: int = 2) -> list[Verdict]:
    """The final figures of a bot, on games that no generation has played."""
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(pool.map(partial(_judge_one, plan, spec), opponents))


def _judge_one(plan: Plan, spec: str, other: str) -> Verdict:
    won, _ = _against(plan, spec, other, _HELD_OUT, plan.final_games)
    half_width = 1.96 * float(won.std(ddof=1)) / len(won) ** 0.5
    return Verdict(other, plan.players * len(won), float(won.mean()), half_width)
