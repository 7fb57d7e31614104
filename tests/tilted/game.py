"""The rules, and the same games many at a time for tests that need millions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mmsim import games
from mmsim.batch import worker
from mmsim.core.knobs import number
from mmsim.core.ruleset import BaseRuleset
from mmsim.plain_game import UNIFORM, PlainGame, PlainPosition

PLAYERS, CHUNK = 3, 20_000


@dataclass(frozen=True)
class TiltedRules(BaseRuleset):
    head_start: int = number(3, 0, 9, "R1", "Points that the first player begins with.")
    komi: int = number(0, 0, 9, "R1", "Points that all others begin with.")
    dice: int = number(3, 1, 9, "R2", "Dice that everybody rolls.")
    faces: int = number(6, 4, 12, "R2", "Faces of a die.")


class TiltedPosition(PlainPosition):
    def set_up(self) -> None:
        self.points = [self.rules.head_start, *[self.rules.komi] * (self.rules.players - 1)]

    @property
    def over(self) -> bool:
        return self.turn > self.rules.dice

    @property
    def scores(self) -> Sequence[int]:
        return self.points

    def legal_moves(self) -> list[str]:
        return [] if self.over else ["roll"]

    def play(self, move: str) -> None:
        self.points[self.seat] += 1 + self.draws.below(self.rules.faces)
        self.seat += 1
        if self.seat == self.rules.players:
            self.turn, self.seat = self.turn + 1, 0


class Tilted(PlainGame):
    ruleset, position, bots = TiltedRules, TiltedPosition, (UNIFORM,)
    player_numbers: ClassVar = (PLAYERS,)


@lru_cache(maxsize=8)
def _luck(seed: int, chunk: int) -> NDArray[np.float64]:
    """The luck of some games: a number below 1 for every die that may be rolled."""
    return np.random.default_rng([seed, chunk]).random((CHUNK, PLAYERS, 9))


def scores(rules: Any, seed: int, first: int, count: int) -> NDArray[np.int64]:
    """The scores of many games at once, by game and player; common random numbers for all rules."""
    chunks = range(first // CHUNK, (first + count - 1) // CHUNK + 1)
    luck = np.concatenate([_luck(seed, chunk) for chunk in chunks])[first - chunks[0] * CHUNK :][:count]
    rolled = (1 + np.floor(luck[:, :, : rules.dice] * rules.faces)).astype(np.int64).sum(axis=2)
    return np.asarray(rolled + np.array([rules.head_start, *[rules.komi] * (PLAYERS - 1)]))


def serve(*args: Any) -> None:
    """A worker process that knows this game."""
    games._PACKAGES["tilted"] = "tests.tilted"
    worker.serve(*args)
