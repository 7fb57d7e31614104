"""The interface of a game to batches, analysis, reports and the command line."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from msgspec import Struct

from mmsim.core.variant import PlayableVariant, Variant
from mmsim.errors import MmsimError
from mmsim.system.validation import Count, Text

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


class IllegalMove(Exception):  # noqa: N818 - reads as what it is
    """The move is not among the legal ones."""

    @classmethod
    def of(cls, move: Any, seat: int, turn: int) -> "IllegalMove":
        """The error for a player who tries it; people count seats from 1."""
        return cls(f"{move} is not legal for seat {seat + 1} in turn {turn}")


class BotError(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that raised an exception or chose an illegal move; its game ends there with status `bot_error`."""

    game: Count
    seat: Count
    bot: Text
    message: Text


class GameRows(dict[str, Any]):
    """The rows of some games: table -> structured array whose fields are the columns."""

    def __init__(self, rows: "Mapping[str, NDArray[Any]]", decisions: int, errors: Sequence[BotError] = ()) -> None:
        super().__init__(rows)
        self.decisions = decisions
        self.errors = tuple(errors)


class Position(Protocol):
    """A game in progress, one decision after another."""

    seat: int
    over: bool

    def legal_moves(self) -> Sequence[Any]:
        """Every move open to the seat in turn, in a fixed order."""

    def apply(self, move: Any) -> Any:
        """Play a legal move; raises `IllegalMove` for any other."""

    def view(self, seat: int) -> Any:
        """What the player behind a seat may know."""

    def result(self) -> Any:
        """The outcome of a game that is over."""


class SimulatedGame(ABC):
    """A game that can be simulated: a pure function of (master seed, variant, game number)."""

    name: str = ""  # `mmsim.games` sets it to the name the game is registered by

    @property
    @abstractmethod
    def tables(self) -> "dict[str, pl.Schema]":
        """The columns of every table; `mmsim.tables.frames.TabledGame` derives them from declared columns."""

    @property
    @abstractmethod
    def columns(self) -> dict[str, dict[str, str]]:
        """The meaning of every column of every table, in a sentence."""

    @abstractmethod
    def frame(self, prepared: Any, table: str, rows: "NDArray[Any]") -> "pl.DataFrame":
        """Rows of a table as a data frame."""

    @abstractmethod
    def prepare(self, variant: Variant) -> PlayableVariant:
        """Everything that its games need, computed once."""

    @abstractmethod
    def play_games(self, prepared: Any, first_game: int, count: int) -> GameRows:
        """Play games into the rows of all tables."""

    @abstractmethod
    def rows_per_game(self, prepared: Any) -> dict[str, int]:
        """The number of rows that a game has in every table."""

    @abstractmethod
    def new_game(self, prepared: Any, game: int) -> Position:
        """A game at its first decision."""

    @abstractmethod
    def record(self, prepared: Any, game: int) -> dict[str, Any]:
        """The record of a game, played by its bots."""

    @abstractmethod
    def verify(self, record: dict[str, Any]) -> None:
        """Replay a record with the reference engine; raises an error that says what differs."""

    def start_up(self) -> float:
        """Compile the engine unless that is done; returns the seconds it took."""
        return 0.0

    def play_reference(self, prepared: Any, first_game: int, count: int) -> int:
        """Play games of `uniform` bots with the reference engine, to measure its speed; returns the decisions made."""
        return self.play_games(prepared, first_game, count).decisions

    def interventions(self, prepared: Any) -> dict[str, str]:
        """The interventions of the game: name -> what each changes in play."""
        return {}

    def interventions_by_seat(self, prepared: Any) -> Collection[str]:
        """Those of the interventions that can be limited to some seats: `random_starts@1`."""
        return ()

    def outcomes(self, prepared: Any, rows: "Mapping[str, NDArray[Any]]") -> "dict[str, NDArray[np.int64]]":
        """What an atlas sums up besides wins: whole numbers by game, or by game and player."""
        return {}

    def check_rows(self, prepared: PlayableVariant, rows: "Mapping[str, NDArray[Any]]", games: int) -> None:
        """Check that a game has written the rows it promises: later the mistake would look like a damaged file."""
        promised = self.rows_per_game(prepared)
        if {*rows} != {*promised}:
            raise MmsimError(
                f"{self.name} has a mistake: play_games returns the tables {', '.join(sorted(rows))}, "
                f"rows_per_game names {', '.join(sorted(promised))}"
            )
        for table, count in promised.items():
            if len(rows[table]) != count * games:
                raise MmsimError(
                    f"{self.name} has a mistake: play_games returns {len(rows[table])} rows of '{table}' for {games} "
                    f"games, rows_per_game says {count} per game"
                )


def check_prepared(game: SimulatedGame, prepared: Any) -> None:
    """Check that a prepared variant is what the rest of the package relies on."""
    if not isinstance(prepared, PlayableVariant):
        raise MmsimError(
            f"{game.name} has a mistake: prepare() must return a PlayableVariant, not a {type(prepared).__name__}"
        )
    seat_player = list(prepared.seating.seat_player)
    if {*seat_player} != {*range(len({*seat_player}))} or len(seat_player) != len(prepared.bots):
        raise MmsimError(
            f"{game.name} has a mistake: '{prepared.name}' seats {len(prepared.bots)} bots, and its seat_player is "
            f"{seat_player}; it must name a player 0, 1, ... for every seat"
        )
    if (promised := {*game.rows_per_game(prepared)}) != {*game.tables} or not {"games", "seats"} <= promised:
        raise MmsimError(
            f"{game.name} has a mistake: rows_per_game names the tables {', '.join(sorted(promised))}, and its tables "
            f"are {', '.join(sorted(game.tables))}; both must be the same, with games and seats among them"
        )


@runtime_checkable
class SupportsTraining(Protocol):
    """A game that has bots with neural nets, and training examples and positions for them."""

    def training_examples(self, prepared: Any, first_game: int, count: int, learner: str) -> "NDArray[Any]":
        """Some decisions of the bots called `learner` in some games, each as several rows one after another.

        A row is a turn that was compared: `game`, `decision` in the game, `result` of the turn's playout, and the
        `inputs` of a net. The first turn of a decision is the best by the bot's weights.
        """

    def training_positions(
        self, prepared: Any, first_game: int, count: int
    ) -> "tuple[NDArray[Any], NDArray[np.uint16]]":
        """Some positions of some games, and the features of the board that hold in them, one after another.

        A row is a position as one player sees it: `game`, `result` of the game for that player, the `inputs` of a value
        net, and the number of `features`.
        """

    def mirrored_features(self, prepared: Any) -> "NDArray[np.int64]":
        """For every feature of the variant's board the same feature of its mirror image; empty if it has none."""


@runtime_checkable
class EstimatesWinChances(Protocol):
    """A game that can estimate who will win."""

    def win_chances(self, record: dict[str, Any], playouts: int) -> "NDArray[Any]":
        """[turn, player]: the chance to win before the first turn of a record and after every turn.

        A pure function of the record and the number of playouts, whose mean it is: the standard error of a chance p is
        sqrt(p * (1 - p) / playouts). Playouts know what is open on the table, and no hidden hand.
        """
