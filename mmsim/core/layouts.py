"""All layouts of a board, as an atlas lists them: what a game with boards that are laid out answers about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Layouts(Protocol):
    """The layouts of a board set, numbered from 0; those that look the same turned or moved count once."""

    count: int

    def code(self, number: int) -> str:
        """The canonical code of a layout."""

    def number(self, code: str) -> int:
        """The number of a layout by any of its codes; UsageError if it has none."""

    def at(self, place: int) -> int:
        """The number of a layout in an order whose first layouts are an even sample of all."""

    def board(self, games_per_layout: int) -> str:
        """The board whose games go through all layouts in that order, this many on each."""

    def features(self, numbers: Sequence[int]) -> "Mapping[str, NDArray[np.float64]]":
        """What may make some layouts fair and others not, as numbers: feature -> one per layout."""

    def neighbours(self, numbers: Sequence[int]) -> "NDArray[np.int64]":
        """[layout, i]: codes of everything that lies side by side, for a model that knows all of it."""

    def with_feature(self, number: int, feature: str) -> tuple[int, int] | None:
        """Two layouts that differ only in a feature, first without it; None if it cannot be changed alone."""


@dataclass(frozen=True)
class Ranking:
    """An order of all layouts: which come first, and the outcome it goes by."""

    name: str
    outcome: str  # of the game; "" for the unevenness of the seats
    highest_first: bool


@dataclass(frozen=True)
class AtlasAllocation:
    """How often every layout is played at each level, fixed before anything is played, and how they are ranked."""

    games_per_layout: Mapping[str, int]  # level -> games
    seed: int
    rankings: tuple[Ranking, ...] = ()  # besides the fairest and the most lopsided
