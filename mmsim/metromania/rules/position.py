"""The data of the reference engine: moves, lines, a game, and a player's view of it."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mmsim.core.rng import Stream
from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.deal import Hands, Marker
from mmsim.metromania.rules.lattice import Cell, Vertex, far_sides
from mmsim.metromania.rules.rulesets import Ruleset


class Move(NamedTuple):
    """One atomic decision: start, dig, end, bonus, decline, station or pass."""

    kind: str
    line: int | None = None
    cell: Cell | None = None
    to: Vertex | None = None  # the vertex a tunnel reaches
    marker: Marker | None = None
    at: Vertex | None = None  # where a bonus or intermediate station goes


PASS = Move("pass")
DECLINE = Move("decline")
TUNNELS = ("start", "dig", "end")
MAX_STATIONS_PER_TUNNEL = 2  # one where a tunnel ends (ST1), one where it begins (ST2)
TRIGGERS = ("both_lines", "stations", "lines")


class PlayedMove(NamedTuple):
    """A move with its effects."""

    turn: int
    seat: int
    move: Move
    stations: tuple[Vertex, ...]
    points: int


@dataclass
class Line:
    """A subway line: the path of vertices from its portal to its terminus (G9)."""

    path: list[Vertex] = field(default_factory=list)
    start_side: int | None = None
    end_side: int | None = None

    @property
    def started(self) -> bool:
        return bool(self.path)

    @property
    def ended(self) -> bool:
        return self.end_side is not None

    @property
    def terminus(self) -> Vertex:
        return self.path[-1]

    @property
    def tunnels(self) -> int:
        return max(0, len(self.path) - 1)

    def neighbours_on_line(self, vertex: Vertex) -> list[Vertex]:
        """The vertices before and after a vertex on this line."""
        if vertex not in self.path:
            return []
        i = self.path.index(vertex)
        return self.path[max(0, i - 1) : i] + self.path[i + 1 : i + 2]

    def runs_along(self, u: Vertex, w: Vertex) -> bool:
        return w in self.neighbours_on_line(u)


@dataclass
class Game:
    """A game of the reference engine in its current state, with all moves played so far."""

    city: City
    rules: Ruleset
    dealt: Hands
    hands: list[list[Marker]] = field(init=False)  # what every company still holds
    lines: list[tuple[Line, Line]] = field(init=False)
    tunnels: dict[Cell, tuple[int, int]] = field(default_factory=dict)  # cell -> (seat, line)
    stations: list[Vertex] = field(default_factory=list)
    placed: dict[Marker, tuple[int, Cell]] = field(default_factory=dict)
    points: list[int] = field(init=False)  # from stations
    turn: int = 1
    seat: int = field(init=False)
    dug: int = 0  # tunnels dug this turn
    markers_laid: int = 0  # markers placed this turn
    has_started: bool = False  # whether this turn has started a line (B1)
    bonus_line: int | None = None  # a line that has just ended and may get its bonus station
    turns_taken: list[int] = field(init=False)
    passes: int = 0  # in a row
    triggers_met: set[str] = field(default_factory=set)  # triggers that were met in this turn (P3)
    last_seats: list[int] | None = None  # the companies still to play in the last round, once it has begun
    end_reason: str | None = None
    over: bool = False
    history: list[PlayedMove] = field(default_factory=list)

    def __post_init__(self) -> None:
        companies = self.rules.companies
        self.hands = [list(hand) for hand in self.dealt]
        self.lines = [(Line(), Line()) for _ in range(companies)]  # S6
        self.points = [0] * companies
        self.turns_taken = [0] * companies
        self.seat = companies - 1 if self.rules.first_round == "reversed" else 0  # H3

    @property
    def supply(self) -> int:
        """Stations left."""
        return self.rules.stations - len(self.stations)

    @property
    def first_turn(self) -> bool:
        """Whether the company to play is in its first turn (T2)."""
        return self.turns_taken[self.seat] == 0

    def all_lines(self) -> Iterator[tuple[int, int, Line]]:
        for seat, pair in enumerate(self.lines):
            for number, line in enumerate(pair):
                yield seat, number, line


def copy_of(game: Game) -> Game:
    """A copy of a game to try moves on, without its history."""
    twin = copy(game)
    twin.hands = [list(hand) for hand in game.hands]
    twin.lines = [(replace(a, path=[*a.path]), replace(b, path=[*b.path])) for a, b in game.lines]
    twin.tunnels, twin.placed = dict(game.tunnels), dict(game.placed)
    twin.stations, twin.points = [*game.stations], [*game.points]
    twin.triggers_met, twin.history = set(game.triggers_met), []
    return twin


@dataclass(frozen=True)
class View:
    """What one player may know of a game, as bots see it; line `2 * seat + number` is 0 or 1 of a company."""

    seat: int
    city: City
    rules: Ruleset
    turn: int
    dug: int  # tunnels placed in this turn
    hands: tuple[tuple[Marker, ...] | None, ...]  # what each company still holds; None: hidden
    hand_sizes: tuple[int, ...]
    paths: tuple[tuple[Vertex, ...], ...]  # of every line, its portal first; () before it starts
    ended: tuple[bool, ...]  # of every line
    stations: tuple[Vertex, ...]
    supply: int
    placed: dict[Marker, tuple[int, Cell]]  # marker -> who placed it, and where
    points: tuple[int, ...]  # station points of every company
    draws: Stream  # the random stream of this player's bot: `draws.below(6)`

    @property
    def hand(self) -> tuple[Marker, ...]:
        """What this company still holds."""
        hand = self.hands[self.seat]
        assert hand is not None
        return hand

    def tunnels_left(self, line: int) -> int:
        """How many tunnels a line has left."""
        return self.rules.tunnels_per_line - max(len(self.paths[line]) - 1, 0)

    def far_ends(self, line: int) -> list[Vertex]:
        """The portals at which a started line may end: on the far sides, whether free or not (D4)."""
        grid, side = self.city.lattice, self.start_side(line)
        frame = self.city.board_set.frame
        return [grid.portal(k, i) for k in far_sides(side) for i, arrow in enumerate(frame[k]) if arrow == "E"]

    def start_side(self, line: int) -> int:
        """The side of the city on which a started line began."""
        return self.city.lattice.portals.index(self.paths[line][0]) // self.city.lattice.side
