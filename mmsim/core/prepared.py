"""A variant ready to be played: what every game with compiled code has of it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from mmsim.core.bots import Bot
from mmsim.core.seating import Seating


@dataclass(frozen=True, kw_only=True)
class PreparedVariant(ABC):
    """Rules and bots at hand, and all of it as compiled code reads it."""

    rules: Any  # the ruleset of the game
    seating: Seating
    seed: int
    name: str  # in tables
    setting: Any  # a named tuple of arrays
    interventions: tuple[str, ...] = ()  # what is changed by force

    @property
    def bots(self) -> tuple[Bot, ...]:
        return self.seating.bots

    @property
    @abstractmethod
    def pool(self) -> Any:
        """The setting with the bots of playouts in it, whoever plays the variant."""
