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
