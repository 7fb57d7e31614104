"""The seam: what batch, analysis, report and the command line know of a game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Rows = dict[str, NDArray[Any]]  # table -> rows, a structured array; a field is a column


@dataclass(frozen=True)
class Variant:
    """One cell of an experiment: which rules, board, players and bots, and the master seed of its games."""

    rules: str
    players: int | None = None  # None: the usual number of the rules
    board: str = "classic"
    bots: str = "uniform"
    seed: int = 1


class Position(Protocol):
    """A game in progress, one decision after another."""

    seat: int
    over: bool

    def legal_moves(self) -> Sequence[Any]:
        """Every move open to the seat in turn, in a fixed order."""

    def apply(self, move: Any) -> Any:
        """Play a legal move and tell what came of it."""

    def view(self, seat: int) -> Any:
        """What the player behind a seat may know."""

    def result(self) -> Any:
        """The outcome of a game that is over."""


class Game(Protocol):
    """A game the house can simulate: a pure function of (master seed, variant, game index)."""

    name: str

    @property
    def tables(self) -> "dict[str, pl.Schema]":
        """The columns of every table."""

    def prepare(self, variant: Variant) -> Any:
        """Everything a shard needs, made once: arrays for compiled code."""

    def play_shard(self, prepared: Any, first_game: int, count: int) -> Rows:
        """Play games into the rows of all tables."""

    def frame(self, prepared: Any, table: str, rows: NDArray[Any]) -> "pl.DataFrame":
        """Rows of a table as a data frame."""

    def new_game(self, prepared: Any, game: int) -> Position:
        """A game at its first decision."""

    def record(self, prepared: Any, game: int) -> dict[str, Any]:
        """The record of a game, played by its bots."""
