"""Measure games per second: engines take turns in one run, so that a busy machine slows all of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

_TURN_S = 0.5

PlayGames = Callable[[int, int], int]  # (first game, number of games) -> decisions made in them


@dataclass(frozen=True)
class Contender:
    """An engine with one bot in every seat, and how many games it plays per turn."""

    engine: str
    bot: str
    play: PlayGames
    games: int


def fit_to_turn(engine: str, bot: str, play: PlayGames, max_games: int) -> Contender:
    """A contender that plays for about half a second per turn, and at most `max_games`."""
    play(0, 1)  # the first game pays for the start-up
    games, seconds = 0, 0.0
    while seconds < _TURN_S / 10 and games < max_games:
        games = min(max_games, max(1, 2 * games))
        seconds = _cpu_seconds(play, 0, games)[0]
    return Contender(engine, bot, play, min(max_games, max(1, int(games * _TURN_S / max(seconds, 1e-9)))))


@dataclass(frozen=True)
class Speed:
    """How fast a contender was in each of its turns."""

    contender: Contender
    games_per_s: list[float]
    decisions_per_game: float

    def row(self) -> dict[str, Any]:
        games_per_s = median(self.games_per_s)
        return {
            "engine": self.contender.engine,
            "bot": self.contender.bot,
            "games": self.contender.games,
            "games_per_s": round(games_per_s, 2),
            "low": round(min(self.games_per_s), 2),
            "high": round(max(self.games_per_s), 2),
            "decisions_per_s": round(games_per_s * self.decisions_per_game, 1),
        }


def measure(contenders: list[Contender], repeats: int, on_progress: Callable[[int], None]) -> list[Speed]:
    """The speed of each contender on one core, by CPU time of this process, over `repeats` turns."""
    speeds: list[list[float]] = [[] for _ in contenders]
    decisions = [0] * len(contenders)
    for contender in contenders:
        contender.play(0, 1)  # the first game pays for the start-up
    for repeat in range(repeats):
        for i, contender in enumerate(contenders):
            seconds, decided = _cpu_seconds(contender.play, repeat * contender.games, contender.games)
            speeds[i].append(contender.games / max(seconds, 1e-9))
            decisions[i] += decided
            on_progress(repeat * len(contenders) + i + 1)
    return [
        Speed(contender, speeds[i], decisions[i] / (repeats * contender.games))
        for i, contender in enumerate(contenders)
    ]


def _cpu_seconds(play: PlayGames, first: int, count: int) -> tuple[float, int]:
    """CPU seconds that some games take, and the decisions made in them."""
    start = time.process_time()
    decisions = play(first, count)
    return time.process_time() - start, decisions


def ratio(fast: Speed, slow: Speed) -> dict[str, float]:
    """How many times as fast, from pairs of consecutive turns."""
    ratios = [a / b for a, b in zip(fast.games_per_s, slow.games_per_s, strict=True)]
    values = {"median": median(ratios), "low": min(ratios), "high": max(ratios)}
    return {name: float(f"{value:.4g}") for name, value in values.items()}
