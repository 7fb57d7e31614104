"""Training examples: the decisions that a neural net learns from, as compiled code collects them from games."""

from typing import Any, NamedTuple

import numpy as np

MARGIN = 0.5  # weight of the final margin beside a win, in the result of an example

SAMPLING_REQUEST = np.dtype(  # the request to compiled code
    [
        ("master", np.uint64),
        ("game", np.int64),
        ("games_per_deal", np.int64),
        ("learners", np.uint64),  # bits of the seats whose decisions are collected
        ("every", np.int64),  # one decision or turn in this many
        ("most", np.int64),  # moves or turns compared
        ("rounds", np.int64),  # of a playout before the value net judges it; 0: played out to the end
    ]
)


class ExampleSampling(NamedTuple):
    """How a game samples examples: one decision in `every`, at most `most` moves of each, `rows` per game.

    Playouts are judged by the value net after some `rounds`; 0: they are played out to the end.
    """

    every: int
    most: int
    rounds: int
    kind: np.dtype[Any]
    rows: int


class PositionSampling(NamedTuple):
    """How a game samples positions: after one turn in `every`, at most `rows` per game.

    Where all bots have nets it is one turn in `judged_every`, and the value nets judge the game again `rounds` later.
    """

    every: int
    kind: np.dtype[Any]
    rows: int
    judged_every: int = 0  # 0: positions are never judged later
    rounds: int = 0


def example_rows(inputs: int) -> np.dtype[Any]:
    """The dtype of examples: one row per move that was compared, with the inputs of the net and the result."""
    return np.dtype(
        [
            ("game", np.int64),
            ("decision", np.int64),  # of the game
            ("result", np.float32),  # of the playout: 1 for a win, plus a part for the margin
            ("inputs", np.float32, inputs),
        ]
    )


def position_rows(inputs: int, most_features: int) -> np.dtype[Any]:
    """The dtype of positions: what a value net is given for one player, and how the game ended for that player."""
    return np.dtype(
        [
            ("game", np.int64),
            ("seat", np.int64),
            ("turn", np.int64),
            ("result", np.float32),  # 1 for a win, plus a part for the margin
            ("judged", np.float32),  # what the value net expected some rounds later; the result if nobody was asked
            ("inputs", np.float32, inputs),
            ("features", np.int64),  # how many there are
            ("feature", np.uint16, most_features),
        ]
    )
