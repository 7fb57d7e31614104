"""Decisions for a net to learn from: the rows they are, and games that are played for them."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mmsim.core.seating import Seating

MARGIN = 0.5  # what being far ahead counts beside a win, in the result of a lesson


class Lesson(NamedTuple):
    """Which game decisions are collected from, and which: one in `every` of the seats in the bits `learners`."""

    master: int
    game: int
    games_a_deal: int
    learners: int
    every: int
    most: int  # moves or turns compared


class Seats(Protocol):
    """A variant that says who plays in a game."""

    @property
    def seating(self) -> Seating: ...


def lesson_rows(inputs: int) -> np.dtype[Any]:
    """A row for every move that is compared: what a net with so many inputs is told of it, and what came of it."""
    return np.dtype(
        [
            ("game", np.int64),
            ("decision", np.int64),  # of the game
            ("result", np.float32),  # of the playout: 1 for a win, and something for the margin
            ("inputs", np.float32, inputs),
        ]
    )


def collect_lessons(
    prepared: Seats,
    games: Iterable[int],
    learner: str,
    room: NDArray[Any],
    play: Callable[[int, int], int],
) -> NDArray[Any]:
    """The lessons of some games: `play(game, learners)` fills rows of `room` and says how many.

    The learners are seats, as bits: those of the bots called `learner`.
    """
    found = [room[:0].copy()]
    for game in games:
        learners = sum(1 << seat for seat, bot in enumerate(prepared.seating.at(game)) if bot.spec == learner)
        found.append(room[: play(game, learners)].copy())
    return np.concatenate(found)
