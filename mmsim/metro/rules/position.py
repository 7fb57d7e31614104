"""The data of the reference engine: moves, a game, and a player's view of it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from mmsim.core.rng import Stream
from mmsim.metro.rules.board import CELLS, CENTRE, Cell, wagon_table
from mmsim.metro.rules.deal import Deal
from mmsim.metro.rules.rulesets import Ruleset

TAKES = ("open", "hidden")


class Move(NamedTuple):
    """One decision: place, draw, exchange, wagon or pass."""

    kind: str
    tile: str | None = None  # place: as printed
    turns: int | None = None  # place: quarter turns clockwise
    cell: Cell | None = None  # place
    share: int | None = None  # exchange, wagon with module 1: the percentage of the player's share
    take: str | None = None  # exchange: the open share or the hidden one
    edge: int | None = None  # wagon: the stop in the centre


DRAW = Move("draw")
PASS = Move("pass")


class Arrival(NamedTuple):
    """A line that has reached a stop: where from, where to, over how many tiles, for how many points."""

    line: int
    to: int
    tiles: int
    points: int


class PlayedMove(NamedTuple):
    """A move with its effects."""

    turn: int
    seat: int
    move: Move
    arrivals: tuple[Arrival, ...]


@dataclass
class Game:
    """A game of the reference engine in its current state, with all moves played so far."""

    rules: Ruleset
    deal: Deal
    supply: list[str] = field(init=False)  # the next tile to be drawn comes first
    hands: list[list[str]] = field(init=False)
    drawn: str | None = None  # a tile drawn instead of placing one from the hand; it must be placed
    board: dict[Cell, str] = field(default_factory=dict)  # every tile as it lies
    owner: dict[int, int] = field(default_factory=dict)  # stop -> whose wagon departs there
    arrivals: dict[int, Arrival] = field(default_factory=dict)  # stop of departure -> how its line ended
    points: list[int] = field(init=False)  # of the players, with module 1 the profits of the companies
    shares: list[list[int]] = field(init=False)  # [player][percentage]: a company
    piles: list[list[int]] = field(init=False)  # [percentage]: companies, the top one first
    open_shares: list[int] = field(init=False)  # [percentage]
    shown: list[set[int]] = field(init=False)  # [player]: places of the shares that lie open for a centre wagon
    turn: int = 1
    seat: int = 0
    end_reason: str | None = None
    history: list[PlayedMove] = field(default_factory=list)

    def __post_init__(self) -> None:
        rules = self.rules
        self.supply = list(self.deal.supply)
        self.hands = [[self.supply.pop(0) for _ in range(rules.hand)] for _ in range(rules.players)]  # X8, X14
        self.points = [0] * rules.owners
        for owner, stations in enumerate(wagon_table(rules)):  # X7
            self.owner.update(dict.fromkeys(stations, owner))
        if rules.central:  # X17
            self.board.update(zip(CENTRE, self.deal.central, strict=True))
        # X15: one share of each pile to every player, then the top one of each is laid open
        self.piles = [list(pile) for pile in self.deal.piles]
        self.shares = [[pile.pop(0) for pile in self.piles] for _ in range(rules.players)]
        self.open_shares = [pile.pop(0) for pile in self.piles]
        self.shown = [set() for _ in range(rules.players)]

    @property
    def over(self) -> bool:
        return self.end_reason is not None

    @property
    def tiles_left(self) -> int:
        """Tiles that are not on the board yet."""
        return len(CELLS) - sum(cell in self.board for cell in CELLS)


@dataclass(frozen=True)
class View:
    """What one player may know of a game, as bots in Python see it; companies the player does not know are None."""

    seat: int
    rules: Ruleset
    turn: int
    hand: tuple[str, ...]
    drawn: str | None
    hand_sizes: tuple[int, ...]
    supply: int  # number of tiles left to draw
    board: dict[Cell, str]  # every tile as it lies
    owner: dict[int, int]  # stop -> whose wagon departs there
    arrivals: dict[int, Arrival]
    points: tuple[int, ...]
    shares: tuple[tuple[int | None, ...], ...]  # [player][percentage]
    open_shares: tuple[int, ...]
    piles: tuple[tuple[int | None, ...], ...]
    numbers: tuple[int, ...]  # this player's station numbers
    draws: Stream  # the random stream of this player's bot
