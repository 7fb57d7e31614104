"""Playing a compiled game one decision at a time: the part that all games share."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from mmsim.core.bots import Bot
from mmsim.core.game import BotError, GameRows, IllegalMove
from mmsim.core.python_bots import BotFailedError, PythonBot, PythonPlayers
from mmsim.core.rng import Seed
from mmsim.core.variant import PlayableVariant
from mmsim.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Move = TypeVar("Move")
MAX_MOVES = 1024  # of a decision


@dataclass(frozen=True)
class CompiledVariant(PlayableVariant, ABC):
    """A variant with its rules, board and bots in the form that compiled code reads."""

    setting: Any  # a named tuple of arrays

    @property
    @abstractmethod
    def pool(self) -> Any:
        """The setting with the bots of playouts instead of those of the variant."""


class Steps(ABC, Generic[Move]):
    """A compiled game at its current decision: who is in turn, the legal moves, and the choice of the bot in turn."""

    bot_entry_points: ClassVar[Any]  # the game's module `bots/entry_points.py`
    prepared: CompiledVariant
    game: int  # its number
    bots: Sequence[Bot]  # seat by seat
    history: list[Any]  # the moves played

    def __init__(self, prepared: CompiledVariant, game: int) -> None:
        self.bots, seed = prepared.seating.at(game), Seed(prepared.seed, game)
        self._draws = [seed.bot_draws(seat) for seat in range(len(self.bots))]
        self._memory = self.bot_entry_points.new_memory()
        self._s = self._memory.positions[0]
        self._moves = np.zeros(MAX_MOVES, np.int64)
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
        """Write a game that is over, or whose bot has failed, as the i-th game into the rows of all tables."""

    @abstractmethod
    def _find_moves(self) -> dict[Move, int]:
        """Every legal move and its number."""

    @abstractmethod
    def _decode(self, code: int) -> Move:
        """The reference engine's move for a number."""

    @abstractmethod
    def _score(self) -> None:
        """Score a game that is over, in compiled code."""

    def _think(self) -> Move:
        """The move a compiled bot chooses, with its seat's own random stream."""
        seating = self.prepared.seating.number(self.game)
        return self._decode(int(self.bot_entry_points.choose(self._memory, self.prepared.setting, seating)))

    def legal_moves(self) -> list[Move]:
        """Every legal move, in the order of the reference engine."""
        return list(self._choices())

    def bot_move(self) -> Move:
        bot = self.bots[self.seat]
        if not isinstance(bot, PythonBot):
            return self._think()
        try:
            return self._python.choose(bot, self.seat, self.turn, self.view(self.seat), self.legal_moves())
        except BotFailedError as failure:
            self.failure = failure
            raise

    def play_out(self) -> None:
        while not self.over:
            self.apply(self.bot_move())

    def sample_wins(self, wins: "NDArray[np.float64]") -> None:
        """Play the game to its end once for every row of an array, and write each player's share of the win."""
        self.bot_entry_points.sample_wins(self._memory, self.prepared.pool, wins.ravel())

    def _have_scored(self) -> None:
        """Score a game that is over, once."""
        if not self.over:
            raise UsageError("the game is not over")
        if not self._scored:
            self._score()
            self._scored = True

    def _choices(self) -> dict[Move, int]:
        """The legal moves, computed once per decision."""
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


def win_chances_by_turn(
    position: Steps[Any], history: Iterable[Any], playouts: int, players: int, winners: Sequence[int]
) -> "NDArray[np.float64]":
    """[turn, player]: the chance to win before the first turn and after every turn, while a game is replayed.

    After the last turn, the winner is known.
    """
    wins = np.zeros((playouts, players))
    chances: list[NDArray[np.float64]] = []
    for played in history:
        if played.turn > len(chances):
            position.sample_wins(wins)
            chances.append(wins.mean(axis=0))
        position.apply(played.move)
    chances.append(np.array([(player in winners) / len(winners) for player in range(players)]))
    return np.array(chances)


def play_step_by_step(games: Iterable[Steps[Any]], rows: "dict[str, NDArray[Any]]") -> GameRows:
    """Play games with bots in Python into rows; a bot that fails ends its game."""
    decisions, errors = 0, []
    for i, position in enumerate(games):
        try:
            position.play_out()
        except BotFailedError as failure:
            errors.append(BotError(position.game, failure.seat, failure.bot, failure.message))
        position.write_rows(rows, i)
        decisions += len(position.history)
    return GameRows(rows, decisions, errors)
