"""Training examples: decisions that a neural net learns from, collected from games."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mmsim.core.seating import Seating

MARGIN = 0.5  # weight of the final margin beside a win, in the result of an example


ASKED = np.dtype(  # the request to compiled code
    [
        ("master", np.uint64),
        ("game", np.int64),
        ("games_per_deal", np.int64),
        ("learners", np.uint64),  # bits of the seats whose decisions are collected
        ("every", np.int64),  # one decision in this many
        ("most", np.int64),  # moves or turns compared
    ]
)


class ExampleSampling(NamedTuple):
    """How a game samples examples: one decision in `every`, at most `most` moves of each, `rows` per game."""

    every: int
    most: int
    kind: np.dtype[Any]
    rows: int


class SeatedVariant(Protocol):
    """A variant with a seating and a master seed."""

    @property
    def seed(self) -> int: ...

    @property
    def seating(self) -> Seating: ...


def example_rows(inputs: int) -> np.dtype[Any]:
    """The dtype of examples: one row per move that was compared, with the inputs of the net and the result."""
    return np.dtype(
        [
            ("game", np.int64),
            ("decision", np.int64),  # of the game
            ("result", np.float32),  # of the playout: 1 for a win, and something for the margin
            ("inputs", np.float32, inputs),
        ]
    )


def collect_examples(
    prepared: SeatedVariant, games: Iterable[int], learner: str, sampling: ExampleSampling, play: Callable[..., Any]
) -> NDArray[Any]:
    """The examples of the bots called `learner` in some games; `play(rows, request)` fills rows, returns how many."""
    rows = np.zeros(sampling.rows, sampling.kind).view(np.recarray)
    request, examples = np.zeros(1, ASKED).view(np.recarray), [rows[:0].copy()]
    for game in games:
        learners = sum(1 << seat for seat, bot in enumerate(prepared.seating.at(game)) if bot.spec == learner)
        request[0] = prepared.seed, game, prepared.seating.games_per_deal, learners, sampling.every, sampling.most
        examples.append(rows[: int(play(rows, request))].copy())
    return np.concatenate(examples)
