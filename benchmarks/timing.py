"""Measuring speed: engines take turns in one run, so that a noisy machine is noisy to all of them."""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any
from zlib import ZLIB_RUNTIME_VERSION

from mmsim import __version__
from mmsim.errors import MmsimError

_TURN = 0.5  # seconds
_PACKAGES = ("numba", "llvmlite", "numpy", "polars")

Play = Callable[[int, int], int]  # (first game, games) -> decisions made in them


@dataclass(frozen=True)
class Contender:
    """An engine with a bot in every seat, and how many games it plays each time it is its turn."""

    engine: str
    bot: str
    play: Play
    games: int


def fitted(engine: str, bot: str, play: Play, most: int) -> Contender:
    """A contender that plays for about half a second each time it is its turn, and no more than so many games."""
    play(0, 1)  # nothing of a first time is measured
    games, took = 0, 0.0
    while took < _TURN / 10 and games < most:
        games = min(most, max(1, 2 * games))
        began = time.process_time()
        play(0, games)
        took = time.process_time() - began
    return Contender(engine, bot, play, min(most, max(1, int(games * _TURN / max(took, 1e-9)))))


@dataclass(frozen=True)
class Speed:
    """How fast a contender was, every time it was its turn."""

    contender: Contender
    games_per_s: list[float]
    decisions_per_game: float

    def row(self) -> dict[str, Any]:
        middle = median(self.games_per_s)
        return {
            "engine": self.contender.engine,
            "bot": self.contender.bot,
            "games": self.contender.games,
            "games_per_s": round(middle, 2),
            "low": round(min(self.games_per_s), 2),
            "high": round(max(self.games_per_s), 2),
            "decisions_per_s": round(middle * self.decisions_per_game, 1),
        }


def measure(contenders: list[Contender], repeats: int, tell: Callable[[int], None]) -> list[Speed]:
    """Games a second of one core: CPU time of this process, each contender `repeats` times, in turns."""
    times: list[list[float]] = [[] for _ in contenders]
    decisions = [0] * len(contenders)
    for contender in contenders:
        contender.play(0, 1)  # nothing of a first time is measured
    for repeat in range(repeats):
        for i, contender in enumerate(contenders):
            began = time.process_time()
            decisions[i] += contender.play(repeat * contender.games, contender.games)
            times[i].append(time.process_time() - began)
            tell(repeat * len(contenders) + i + 1)
    return [
        Speed(c, [c.games / max(t, 1e-9) for t in ts], made / (repeats * c.games))
        for c, ts, made in zip(contenders, times, decisions, strict=True)
    ]


def ratio(fast: Speed, slow: Speed) -> dict[str, float]:
    """How many times as fast, from the turns that followed each other."""
    ratios = [a / b for a, b in zip(fast.games_per_s, slow.games_per_s, strict=True)]
    values = {"median": median(ratios), "low": min(ratios), "high": max(ratios)}
    return {name: float(f"{value:.4g}") for name, value in values.items()}


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    from importlib.metadata import version  # takes a moment to import

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {
            "mmsim": __version__,
            **{package: version(package) for package in _PACKAGES},
            "zlib": ZLIB_RUNTIME_VERSION,
        },
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"


def in_fresh_process(program: str, *arguments: str, **changed: str) -> str:
    """What a program prints in a Python process of its own; environment variables may be changed for it."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env={**os.environ, **changed}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MmsimError(f"a fresh process did not play its games: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout
