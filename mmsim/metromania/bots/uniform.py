"""The bot that every other one has to beat."""

from collections.abc import Sequence

from mmsim.core.bots import Bot
from mmsim.core.rng import Stream
from mmsim.metromania.mind.memory import UNIFORM as KIND
from mmsim.metromania.reference import Move


def any_move(moves: Sequence[Move], draws: Stream) -> Move:
    """The same choice with the reference engine."""
    return moves[draws.below(len(moves))]


UNIFORM = Bot(
    name="uniform",
    idea="Any legal move, all equally likely.",
    looks_at="nothing",
    kind=KIND,
)
