"""The bot that every other one has to beat."""

from collections.abc import Sequence

from mmsim.core.rng import Stream
from mmsim.metromania.reference import Move


class Uniform:
    """Looks at nothing."""

    name = "uniform"
    idea = "Any legal move, all equally likely."

    def choose(self, moves: Sequence[Move], draws: Stream) -> Move:
        return moves[draws.below(len(moves))]
