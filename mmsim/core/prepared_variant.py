"""A variant ready to be played: what every game with compiled code has of it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from mmsim.core.bots import Bot
from mmsim.core.game import Variant
from mmsim.core.seating import Seating


@dataclass(frozen=True)
class PreparedVariant(ABC):
    """Rules and bots at hand, and all of it as compiled code reads it."""

    variant: Variant
    rules: Any  # the ruleset of the game
    seating: Seating
    setting: Any  # a named tuple of arrays

    @property
    def name(self) -> str:
        """What the variant is called in tables."""
        return f"{self.rules.variant}{self.variant.suffix}"

    @property
    def seed(self) -> int:
        return self.variant.seed

    @property
    def bots(self) -> tuple[Bot, ...]:
        return self.seating.bots

    @property
    @abstractmethod
    def pool(self) -> Any:
        """The setting with the bots of playouts in it, whoever plays the variant."""
