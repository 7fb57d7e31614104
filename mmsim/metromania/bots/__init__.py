"""Scripted players: one file a bot, each a small declared object."""

from collections.abc import Sequence
from typing import Protocol

from mmsim.core.errors import UsageError, unknown
from mmsim.core.rng import Stream
from mmsim.metromania.bots.uniform import Uniform
from mmsim.metromania.reference import Move


class Bot(Protocol):
    """Chooses a move; all its chance comes from the stream of its seat."""

    name: str
    idea: str

    def choose(self, moves: Sequence[Move], draws: Stream) -> Move: ...


BOTS: dict[str, type[Bot]] = {bot.name: bot for bot in (Uniform,)}


def seat_bots(text: str, companies: int) -> list[Bot]:
    """The bots of a list like `uniform` (for every company) or `uniform,uniform,uniform,uniform`."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in BOTS:
            raise unknown("bot", name, BOTS)
    if len(names) == 1:
        names *= companies
    if len(names) != companies:
        raise UsageError(
            f"--bots names {len(names)} bots for {companies} companies; name one for all or {companies} of them"
        )
    return [BOTS[name]() for name in names]
