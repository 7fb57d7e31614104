"""Metromania behind the seam: the fast core for whole shards, and step by step for Python."""

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmsim.core.errors import UsageError
from mmsim.core.game import Shard, Variant
from mmsim.core.warm import warm_up
from mmsim.metromania import boardfile, record, state, tables
from mmsim.metromania.boards import BoardSet, City, Layout
from mmsim.metromania.bots import Bot, seat_bots
from mmsim.metromania.deal import KINDS, LETTERS, Hands, Marker, arranged
from mmsim.metromania.lattice import Cell, Vertex
from mmsim.metromania.moves import BONUS, MOVE_KINDS, START, STATION
from mmsim.metromania.play import Seed
from mmsim.metromania.playout import CHOOSE, MOVES, PLAY, SCORE, SET_UP, play_shard, step
from mmsim.metromania.reference import IllegalMove, Move, Played
from mmsim.metromania.rules import RULES_VERSION, Ruleset, ruleset
from mmsim.metromania.state import FAULTS, HAND, NOWHERE, PATH, SEATS, TRIPS
from mmsim.metromania.trips import new_network

if TYPE_CHECKING:
    import polars as pl

_MOST_MOVES = 1024


@dataclass(frozen=True)
class Prepared:
    """A variant, ready to be played: its board, rules and deals as compiled code reads them."""

    board_set: BoardSet
    rules: Ruleset
    bots: tuple[Bot, ...]
    seed: int
    board: state.Record
    rule_record: state.Record
    deals: NDArray[np.uint8]
    name: str


@dataclass(frozen=True)
class View:
    """What one player may know of a position."""

    seat: int
    city: City
    rules: Ruleset
    turn: int
    hand: tuple[Marker, ...]  # what this company still holds
    hand_sizes: tuple[int, ...]
    open_hands: tuple[tuple[Marker, ...], ...] | None  # what everybody holds, where the rules lay it open
    paths: tuple[tuple[Vertex, ...], ...]  # of line 2 * seat + number
    ended: tuple[bool, ...]
    stations: tuple[Vertex, ...]
    supply: int
    placed: dict[Marker, tuple[int, Cell]]
    points: tuple[int, ...]


@dataclass(frozen=True)
class TripResult:
    """How a test trip went."""

    name: str
    minutes: int | None
    scores: list[int]
    involved: list[int]
    fault: str | None
    changes: int
    sections: int


@dataclass(frozen=True)
class CoreResult:
    """The end of a game; the same names as the reference engine's."""

    end_reason: str
    station_points: list[int]
    kept_points: list[int]
    trips: list[TripResult]
    scores: list[int]
    winners: list[int]


class Metromania:
    """The game object of the house."""

    name = "metromania"

    @property
    def tables(self) -> "dict[str, pl.Schema]":
        from mmsim.metromania.frames import (
            schema,
        )  # Polars takes a moment to import; a worker's first game does not wait

        return {table: schema(table) for table in tables.ROWS}

    def prepare(self, variant: Variant) -> Prepared:
        return prepare(boardfile.load(variant.board), ruleset(variant.rules, variant.players), variant)

    def play_shard(self, prepared: Prepared, first_game: int, count: int) -> Shard:
        start_up()
        return _play_rows(prepared, first_game, count)

    def rows_per_game(self, prepared: Prepared) -> dict[str, int]:
        return tables.rows_per_game(prepared.rules.companies)

    def describe(self, prepared: Prepared) -> dict[str, Any]:
        board_set, rules = prepared.board_set, prepared.rules
        return {
            "game": self.name,
            "name": prepared.name,
            "players": rules.players,
            "companies": rules.companies,
            "seat_player": list(rules.seat_player),
            "rules_version": RULES_VERSION,
            "ruleset": {"name": rules.name, **rules.knobs()},
            "board": {
                "set": board_set.name,
                "side": board_set.side,
                "pieces": [list(piece) for piece in board_set.pieces],
                "frame": list(board_set.frame),
            },
            "bots": [bot.name for bot in prepared.bots],
            "seed": prepared.seed,
        }

    def frame(self, prepared: Prepared, table: str, rows: NDArray[Any]) -> "pl.DataFrame":
        from mmsim.metromania.frames import frame

        return frame(table, rows, prepared.name, [bot.name for bot in prepared.bots])

    def new_game(self, prepared: Prepared, game: int) -> "Position":
        return Position(prepared, game)

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        position = Position(prepared, game)
        while not position.over:
            position.apply(position.bot_move())
        names = [bot.name for bot in prepared.bots]
        return record.record_of(position, position.result(), names, Seed(prepared.seed, game))

    def verify(self, told: dict[str, Any]) -> None:
        record.verify(told)


def prepare(board_set: BoardSet, rules: Ruleset, variant: Variant) -> Prepared:
    """A variant whose board set and ruleset are at hand."""
    if not 0 <= variant.seed < 2**64:
        raise UsageError(f"a master seed is 0 to 2^64 - 1, not {variant.seed}")
    return Prepared(
        board_set,
        rules,
        tuple(seat_bots(variant.bots, rules.companies)),
        variant.seed,
        state.board_record(board_set),
        state.rules_record(rules),
        state.deal_table(rules),
        variant.name or rules.variant,
    )


@cache
def _ready() -> float:
    """Compile, or load what has been compiled; the seconds it took."""
    board_set = BoardSet("tiny", 3, (("." * 1, "." * 3, "." * 5),) * 6, ("S.E",) * 6)
    tiny = prepare(board_set, ruleset("print"), Variant("print"))

    def run() -> None:
        _play_rows(tiny, 0, 1)
        position = Position(tiny, 0, compiled=True)
        position.legal_moves()

    return warm_up("metromania", run)


def start_up() -> float:
    """Have the core ready; the seconds that took the first time."""
    return _ready()


def _play_rows(prepared: Prepared, first_game: int, count: int) -> Shard:
    rows = tables.empty_rows(prepared.rules.companies, count)
    decisions = play_shard(
        state.new_record(state.STATE),
        prepared.board,
        prepared.rule_record,
        prepared.deals,
        new_network(),
        np.uint64(prepared.seed),
        np.int64(first_game),
        rows["games"],
        rows["seats"],
        rows["trips"],
        rows["lines"],
    )
    return Shard(rows, int(decisions))


@dataclass
class Position:
    """A game of the fast core, one decision after another."""

    prepared: Prepared
    game: int = 0
    layout: Layout | None = None
    hands: Hands | None = None  # None: dealt from the seed
    compiled: bool = field(default=False, repr=False)  # whether the core is known to be ready

    def __post_init__(self) -> None:
        if not self.compiled:
            start_up()
        self._state = state.new_record(state.STATE)
        self._network = new_network()
        self._moves = np.zeros(_MOST_MOVES, np.int64)
        self._deals = self.prepared.deals
        if self.hands is not None:
            self._deals = state.hands_row(tuple(arranged(hand) for hand in self.hands))
        self.history: list[Played] = []
        self._scored = False
        self._legal: dict[Move, int] | None = None
        self._step(SET_UP, self.game, -1 if self.layout is None else self.layout.index)
        self._s = self._state[0]
        self.rules = self.prepared.rules
        self.city = self.prepared.board_set.city(Layout.from_index(int(self._s.layout)))
        self.dealt = tuple(
            tuple(self._marker(seat, i) for i in range(12 // self.rules.companies))
            for seat in range(self.rules.companies)
        )

    def _step(self, what: int, number: int = 0, layout: int = -1) -> int:
        return int(
            step(
                self._state,
                self.prepared.board,
                self.prepared.rule_record,
                self._deals,
                self._network,
                np.int64(what),
                np.uint64(self.prepared.seed),
                np.int64(number),
                np.int64(layout),
                self._moves,
            )
        )

    @property
    def seat(self) -> int:
        return int(self._s.seat)

    @property
    def turn(self) -> int:
        return int(self._s.turn)

    @property
    def over(self) -> bool:
        return bool(self._s.over)

    def _choices(self) -> dict[Move, int]:
        """Every legal move and its number, found once a decision."""
        if self._legal is None:
            codes = [] if self.over else self._moves[: self._step(MOVES)].tolist()
            self._legal = {self._decode(code): code for code in codes}
        return self._legal

    def legal_moves(self) -> list[Move]:
        """Every legal move, in the order of the reference engine."""
        return list(self._choices())

    def bot_move(self) -> Move:
        """The move the seat's own bot chooses, from the seat's own stream."""
        return self._decode(self._step(CHOOSE))

    def apply(self, move: Move) -> Played:
        """Play a legal move."""
        code = self._choices().get(move)
        if code is None:
            raise IllegalMove(f"{move} is not legal for seat {self.seat} in turn {self.turn}")
        self._legal = None
        turn, seat, points = self.turn, self.seat, int(self._s.points[self.seat])
        stations = self.rules.stations - int(self._s.supply)
        self._step(PLAY, code)
        made = self._stations()[stations:]
        played = Played(turn, seat, move, made, int(self._s.points[seat]) - points)
        self.history.append(played)
        return played

    def view(self, seat: int) -> View:
        """What the player behind a seat may know."""
        s, companies = self._s, self.rules.companies
        held = tuple(self._held(other) for other in range(companies))
        return View(
            seat=seat,
            city=self.city,
            rules=self.rules,
            turn=self.turn,
            hand=held[seat],
            hand_sizes=tuple(len(hand) for hand in held),
            open_hands=held if self.rules.hands == "open" else None,
            paths=tuple(self._path(line) for line in range(2 * companies)),
            ended=tuple(bool(int(s.ended) >> line & 1) for line in range(2 * companies)),
            stations=self._stations(),
            supply=int(s.supply),
            placed={
                self._marker(other, i): (other, self.city.lattice.cells[cell])
                for other in range(companies)
                for i in range(len(self.dealt[other]))
                if (cell := self._marker_cell(other, i)) != NOWHERE
            },
            points=tuple(int(points) for points in s.points[:companies]),
        )

    def result(self) -> CoreResult:
        """The outcome of a game that is over."""
        if not self.over:
            raise UsageError("the game is not over")
        if not self._scored:
            self._step(SCORE)
            self._scored = True
        s, companies = self._s, self.rules.companies
        return CoreResult(
            state.END_REASONS[s.end_reason],
            [int(n) for n in s.points[:companies]],
            [int(n) for n in s.kept[:companies]],
            [self._trip(trip) for trip in range(TRIPS)],
            [int(n) for n in s.scores[:companies]],
            [player for player in range(self.rules.players) if int(s.winners) >> player & 1],
        )

    def _trip(self, trip: int) -> TripResult:
        s, companies = self._s, self.rules.companies
        minutes, fault = int(s.minutes[trip]), int(s.fault[trip])
        return TripResult(
            tables.TRIP_NAMES[trip],
            None if minutes < 0 else minutes,
            [int(n) for n in s.trip_scores[SEATS * trip : SEATS * trip + companies]],
            [seat for seat in range(companies) if int(s.involved[trip]) >> seat & 1],
            None if fault < 0 else FAULTS[fault],
            int(s.changes[trip]),
            int(s.sections[trip]),
        )

    def _marker(self, seat: int, i: int) -> Marker:
        at = HAND * seat + i
        return Marker(LETTERS[self._s.hand_marker[at] // 2], KINDS[self._s.hand_kind[at] - 1])

    def _marker_cell(self, seat: int, i: int) -> int:
        return int(self._s.marker_cell[self._s.hand_marker[HAND * seat + i]])

    def _held(self, seat: int) -> tuple[Marker, ...]:
        hand = range(len(self.dealt[seat]))
        return tuple(self._marker(seat, i) for i in hand if self._marker_cell(seat, i) == NOWHERE)

    def _path(self, line: int) -> tuple[Vertex, ...]:
        if not int(self._s.started) >> line & 1:
            return ()
        ids = self._s.path[PATH * line : PATH * line + int(self._s.tunnels[line]) + 1]
        return tuple(self.city.lattice.vertices[i] for i in ids)

    def _stations(self) -> tuple[Vertex, ...]:
        made = self.rules.stations - int(self._s.supply)
        return tuple(self.city.lattice.vertices[i] for i in self._s.station_at[:made])

    def _decode(self, code: int) -> Move:
        """A move's number as the reference engine's move."""
        kind, number, what, extra = code & 7, code >> 3 & 1, code >> 4 & 255, code >> 12
        name, grid, seat = MOVE_KINDS[kind], self.city.lattice, self.seat
        line = 2 * seat + number
        if kind in (BONUS, STATION):
            return Move(name, number, at=grid.vertices[self._s.path[PATH * line + what]])
        if kind > STATION or name == "decline":
            return Move(name)
        if kind == START:
            cell = grid.frame_cells[what]
            return Move(name, number, cell, grid.corners[cell][extra])
        u = int(self._s.terminus[line])
        cell = grid.cells[grid.slot_cells[u, what]]
        to = grid.vertices[grid.neighbours[u, what >> 1]]
        return Move(name, number, cell, to, self._marker(seat, extra - 1) if extra else None)
