"""One of the turns a bot weighed, and why."""

from dataclasses import dataclass

from mmsim.metromania.reference import Move


@dataclass(frozen=True)
class Reason:
    """One of the turns a bot had in mind."""

    move: Move  # its first move
    tunnels: int  # how many moves of the turn were planned
    value: float  # what the bot goes by
    features: dict[str, float]  # name -> part of the value; a bot that searches has the mean of its playouts instead
    playouts: int = 0
