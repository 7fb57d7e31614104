"""What a player may know of a position, as bots written in Python see it."""

from dataclasses import dataclass

from mmsim.core.rng import Stream
from mmsim.metro.rules.board import Cell
from mmsim.metro.rules.position import Arrival
from mmsim.metro.rules.rulesets import Ruleset


@dataclass(frozen=True)
class View:
    """What one player may know of a position; companies the player does not know are None."""

    seat: int
    rules: Ruleset
    turn: int
    hand: tuple[str, ...]
    drawn: str | None
    hand_sizes: tuple[int, ...]
    supply: int  # how many tiles are left to be drawn
    board: dict[Cell, str]  # every tile as it lies
    owner: dict[int, int]  # stop -> whose wagon departs there
    arrivals: dict[int, Arrival]
    points: tuple[int, ...]
    shares: tuple[tuple[int | None, ...], ...]  # [player][percentage]
    open_shares: tuple[int, ...]
    piles: tuple[tuple[int | None, ...], ...]
    numbers: tuple[int, ...]  # the own ones
    draws: Stream  # the chance of this player's bot
