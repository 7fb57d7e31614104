"""Counter-based random streams: (master seed, purpose, game index) -> draws.

Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns a
128-bit counter and a 64-bit key into 128 random bits. The key is the master seed; the counter holds the purpose,
the game index and the number of the block, so two streams never share a block and no stream depends on how many
draws another one made.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

_WORD = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10

T = TypeVar("T")


class Purpose(IntEnum):
    """The purpose of a stream; a seat's bot uses `BOT + seat`, playouts use `CHANCES + CHANCES_PER_TURN * turn`."""

    LAYOUT = 0
    DEAL = 1
    EXAMPLES = 3
    CHANCES = 4
    INTERVENTIONS = 5
    PIECES = 6
    BOT = 8


CHANCES_PER_TURN = 256  # purposes from one turn to the next, more than all others need


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """One block: four 32-bit words."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        p0 = _MULTIPLIERS[0] * c0
        p1 = _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _WORD, (p0 >> 32) ^ c3 ^ k1, p0 & _WORD
        k0 = (k0 + _WEYL[0]) & _WORD
        k1 = (k1 + _WEYL[1]) & _WORD
    return c0, c1, c2, c3


class Stream:
    """The draws of one purpose in one game, in order."""

    def __init__(self, master: int, purpose: int, game: int = 0) -> None:
        self._key = (master & _WORD, master >> 32 & _WORD)
        self._game = (game & _WORD, game >> 32 & _WORD)
        self._purpose = int(purpose)
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 32 random bits."""
        if not self._words:
            block = philox((self._block, self._purpose, *self._game), self._key)
            self._words = list(reversed(block))
            self._block += 1
        return self._words.pop()

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, all equally likely (Lemire, ACM TOMACS 2019)."""
        product = self.word() * n
        if product & _WORD < n:
            floor = (1 << 32) % n
            while product & _WORD < floor:
                product = self.word() * n
        return product >> 32


def games_per_deal(players: int, rotate: bool) -> int:
    """How many games in a row share a layout and a deal: with rotated seats, one for every rotation of the bots."""
    return players if rotate else 1


@dataclass(frozen=True)
class Seed:
    """What decides a game besides its ruleset and board; with rotated seats several games share layout and deal."""

    master: int
    game: int = 0
    rotate: bool = False

    def stream(self, purpose: int) -> Stream:
        """A stream that belongs to this game only."""
        return Stream(self.master, purpose, self.game)

    def deal_stream(self, purpose: int, players: int) -> Stream:
        return Stream(self.master, purpose, self.game // games_per_deal(players, self.rotate))

    def bot_draws(self, seat: int) -> Stream:
        return self.stream(Purpose.BOT + seat)


def shuffled(things: Iterable[T], draws: Stream) -> list[T]:
    """A random order, all equally likely (Fisher and Yates)."""
    order = list(things)
    for last in range(len(order) - 1, 0, -1):
        drawn = draws.below(last + 1)
        order[last], order[drawn] = order[drawn], order[last]
    return order
