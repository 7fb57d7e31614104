"""A game of a fast core one decision after another: what is the same whatever the game."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from mmsim.core.bots import Bot
from mmsim.core.game import BotError, GameRows, IllegalMove
from mmsim.core.prepared_variant import PreparedVariant
from mmsim.core.seating import BotFailedError, PythonBot, PythonPlayers
from mmsim.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Move = TypeVar("Move")


class Steps(ABC, Generic[Move]):
    """Who is in turn, what may be played, and what the bot in turn chooses."""

    thinking: ClassVar[Any]  # the game's `bots/entry_points.py`: what Python asks of its bots
    prepared: PreparedVariant
    game: int  # its number
    bots: Sequence[Bot]  # seat by seat
    history: list[Any]  # the moves played
    _s: Any  # the record of the position, as compiled code has it

    def __init__(self) -> None:
        self._memory = self.thinking.new_memory()
        self._legal: dict[Move, int] | None = None
        self._python = PythonPlayers()
        self._scored = False
        self.failure: BotFailedError | None = None

    @property
    def seat(self) -> int:
        return int(self._s.seat)

    @property
    def turn(self) -> int:
        return int(self._s.turn)

    @property
    def over(self) -> bool:
        return bool(self._s.over)

    @abstractmethod
    def view(self, seat: int) -> Any:
        """What the player behind a seat may know."""

    @abstractmethod
    def apply(self, move: Move) -> Any:
        """Play a legal move."""

    @abstractmethod
    def write_rows(self, rows: "dict[str, NDArray[Any]]", i: int) -> None:
        """Put a game that is over, or whose bot has failed, into the i-th place of the rows of all tables."""

    @abstractmethod
    def _find_moves(self) -> dict[Move, int]:
        """Every legal move and its number."""

    @abstractmethod
    def _think(self) -> Move:
        """The move a bot of the fast core chooses, from its seat's own stream."""

    @abstractmethod
    def _score(self) -> None:
        """Have the fast core score a game that is over."""

    def legal_moves(self) -> list[Move]:
        """Every legal move, in the order of the reference engine."""
        return list(self._choices())

    def bot_move(self) -> Move:
        """The move the seat's own bot chooses."""
        bot = self.bots[self.seat]
        if not isinstance(bot, PythonBot):
            return self._think()
        try:
            return self._python.choose(bot, self.seat, self.turn, self.view(self.seat), self.legal_moves())
        except BotFailedError as failure:
            self.failure = failure
            raise

    def play_out(self) -> None:
        """Let the bots play to the end."""
        while not self.over:
            self.apply(self.bot_move())

    def sample_wins(self, wins: "NDArray[np.float64]") -> None:
        """Play a game at the beginning of a turn out for every row of an array: a share of the win a player."""
        self.thinking.sample_wins(self._memory, self.prepared.pool, wins.ravel())

    def _have_scored(self) -> None:
        """Score a game once it is over, and once only."""
        if not self.over:
            raise UsageError("the game is not over")
        if not self._scored:
            self._score()
            self._scored = True

    def _choices(self) -> dict[Move, int]:
        """The legal moves, found once a decision."""
        if self._legal is None:
            self._legal = {} if self.over else self._find_moves()
        return self._legal

    def _take(self, move: Move) -> int:
        """The number of a move that is about to be played."""
        code = self._choices().get(move)
        if code is None:
            raise IllegalMove.of(move, self.seat, self.turn)
        self._legal = None
        return code


def chances_by_turn(
    position: Steps[Any], history: Iterable[Any], playouts: int, players: int, winners: Sequence[int]
) -> "NDArray[np.float64]":
    """[turn, player]: the chance to win before the first turn and after every one, while a game is played again.

    After the last turn there is nothing left to chance.
    """
    wins = np.zeros((playouts, players))
    found: list[NDArray[np.float64]] = []
    for played in history:
        if played.turn > len(found):
            position.sample_wins(wins)
            found.append(wins.mean(axis=0))
        position.apply(played.move)
    found.append(np.array([(player in winners) / len(winners) for player in range(players)]))
    return np.array(found)


def play_step_by_step(games: Iterable[Steps[Any]], rows: "dict[str, NDArray[Any]]") -> GameRows:
    """Games with a bot written in Python into rows that have room for them; a bot that fails ends its game."""
    decisions, errors = 0, []
    for i, position in enumerate(games):
        try:
            position.play_out()
        except BotFailedError as failure:
            errors.append(BotError(position.game, failure.seat, failure.bot, failure.message))
        position.write_rows(rows, i)
        decisions += len(position.history)
    return GameRows(rows, decisions, errors)
