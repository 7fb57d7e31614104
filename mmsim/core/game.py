"""The seam: what batch, analysis, report and the command line know of a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from mmsim.errors import UsageError, unknown

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from mmsim.tables.column_values import Columns


SEATINGS = ("fixed", "rotate")


def check_seating(seats: str) -> None:
    """An unknown seating is an error."""
    if seats not in SEATINGS:
        raise unknown("seating", seats, SEATINGS)


class IllegalMove(Exception):  # noqa: N818 - reads as what it is
    """The move is not among the legal ones."""

    @classmethod
    def of(cls, move: Any, seat: int, turn: int) -> "IllegalMove":
        """What somebody is told who tries it; people count seats from 1."""
        return cls(f"{move} is not legal for seat {seat + 1} in turn {turn}")


@dataclass(frozen=True)
class BotError:
    """A bot that raised an exception or chose an illegal move; its game ends there with status `bot_error`."""

    game: int
    seat: int
    bot: str
    message: str


class GameRows(dict[str, Any]):
    """Some games as rows: table -> rows, a structured array whose fields are columns, and what happened."""

    def __init__(self, rows: "Mapping[str, NDArray[Any]]", decisions: int, errors: Sequence[BotError] = ()) -> None:
        super().__init__(rows)
        self.decisions = decisions
        self.errors = tuple(errors)


@dataclass(frozen=True)
class Variant:
    """One cell of an experiment: which rules, board, players and bots, and the master seed of its games.

    With `seats="rotate"` as many games in a row as there are players share a layout and a deal, and the bots move on
    by one player from each to the next, in another order from deal to deal (`core/seating.py`); with `"fixed"` every
    game has a layout and a deal of its own.
    """

    rules: str
    players: int | None = None  # None: the usual number of the rules
    board: str | None = None  # None: the usual one of the game, or the only one
    bots: str = "uniform"
    seed: int = 1
    seats: str = "fixed"
    suffix: str = ""  # of its name in tables, which is that of the rules and players
    move_seconds: float | None = None  # bots in Python have processes of their own, and so long for a move
    interventions: tuple[str, ...] = ()  # what is changed in play by force, see `SimulatedGame.interventions`

    def __post_init__(self) -> None:
        check_seating(self.seats)
        if not 0 <= self.seed < 2**64:
            raise UsageError(f"a master seed is 0 to 2^64 - 1, not {self.seed}")

    @property
    def rotate(self) -> bool:
        return self.seats == "rotate"


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


class SimulatedGame(Protocol):
    """A game the house can simulate: a pure function of (master seed, variant, game index)."""

    name: str

    @property
    def tables(self) -> "dict[str, pl.Schema]":
        """The columns of every table."""

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """What every column of every table says, in a sentence."""

    def prepare(self, variant: Variant) -> Any:
        """Everything that games need, made once: arrays for compiled code."""

    def start_up(self) -> float:
        """Have what is compiled ready to be called; the seconds that took the first time."""

    def play_games(self, prepared: Any, first_game: int, count: int) -> GameRows:
        """Play games into the rows of all tables."""

    def rows_per_game(self, prepared: Any) -> dict[str, int]:
        """How many rows every table has for a game."""

    def describe(self, prepared: Any) -> dict[str, Any]:
        """What a manifest says of a variant: its name, players, every knob, the board's text, the bots; plain JSON."""

    def values(self, prepared: Any, table: str, rows: "NDArray[Any]") -> "Columns":
        """Rows of a table as columns of values."""

    def frame(self, prepared: Any, table: str, rows: "NDArray[Any]") -> "pl.DataFrame":
        """Rows of a table as a data frame."""

    def interventions(self, prepared: Any) -> dict[str, str]:
        """What can be changed by force in games of a variant, to see what it does: name -> what is changed."""

    def elements(self, prepared: Any) -> dict[str, str]:
        """The elements of the game that a variant has and some bots can do without: name -> what it is."""

    def play_reference(self, prepared: Any, first_game: int, count: int) -> int:
        """Let `uniform` bots play games with the reference engine, to see how fast that is; the decisions made."""

    def new_game(self, prepared: Any, game: int) -> Position:
        """A game at its first decision."""

    def record(self, prepared: Any, game: int) -> dict[str, Any]:
        """The record of a game, played by its bots."""

    def verify(self, record: dict[str, Any]) -> None:
        """Replay a record with the reference engine; raises an error that says what differs."""


@runtime_checkable
class Teaches(Protocol):
    """A game that has bots with nets, and decisions for them to learn from."""

    def lessons(self, prepared: Any, first_game: int, count: int, learner: str) -> "NDArray[Any]":
        """Some decisions of the bots called `learner` in some games, each several rows one after another.

        A row is a turn that was compared: `game`, `decision` of the game, `result` of the turn's playout, and the
        `inputs` of a net. Of the turns of a decision the one that is best by weight comes first.
        """


@runtime_checkable
class Foresees(Protocol):
    """A game that can say who is likely to win."""

    def chances(self, written: dict[str, Any], playouts: int) -> "NDArray[Any]":
        """[turn, player] of a record: the chance to win before the first turn and after every one.

        A pure function of the record and the number of playouts, whose mean it is: the standard error of a chance p is
        sqrt(p * (1 - p) / playouts). Playouts know what lies open on the table, and no hidden hand.
        """
