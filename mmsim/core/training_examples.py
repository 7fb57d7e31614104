"""Decisions for a net to learn from: the rows they are, and games that are played for them."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mmsim.core.seating import Seating

MARGIN = 0.5  # what being far ahead counts beside a win, in the result of a lesson


ASKED = np.dtype(  # what compiled code is asked for
    [
        ("master", np.uint64),
        ("game", np.int64),
        ("games_a_deal", np.int64),
        ("learners", np.uint64),  # bits of the seats whose decisions are collected
        ("every", np.int64),  # one of so many
        ("most", np.int64),  # moves or turns compared
    ]
)


class Lessons(NamedTuple):
    """How a game collects lessons: one decision in `every`, `most` moves or turns of each, `rows` of a game."""

    every: int
    most: int
    kind: np.dtype[Any]
    rows: int


class Seats(Protocol):
    """A variant that says who plays in a game, and of which master seed its games are."""

    @property
    def seed(self) -> int: ...

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
    prepared: Seats, games: Iterable[int], learner: str, lessons: Lessons, play: Callable[..., Any]
) -> NDArray[Any]:
    """The lessons of the bots called `learner` in some games: `play(rows, asked)` fills rows and says how many."""
    rows = np.zeros(lessons.rows, lessons.kind).view(np.recarray)
    asked, found = np.zeros(1, ASKED).view(np.recarray), [rows[:0].copy()]
    for game in games:
        learners = sum(1 << seat for seat, bot in enumerate(prepared.seating.at(game)) if bot.spec == learner)
        asked[0] = prepared.seed, game, prepared.seating.games_a_deal, learners, lessons.every, lessons.most
        found.append(rows[: int(play(rows, asked))].copy())
    return np.concatenate(found)
