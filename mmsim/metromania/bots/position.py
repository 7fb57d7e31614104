"""A game of the fast core, one decision after another: for bots in Python, for records, for people."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mmsim.compiled.stepwise import Steps
from mmsim.metromania.bots import entry_points as bot_entry_points
from mmsim.metromania.bots.playable_variant import MetromaniaVariant
from mmsim.metromania.bots.reasons import Reason, reasons
from mmsim.metromania.engine import entry_points, result_tables, state
from mmsim.metromania.engine.moves import BONUS, MOVE_KINDS, START, STATION, decode_move
from mmsim.metromania.engine.state import FAULTS, HAND, MARKERS, NOWHERE, PATH, SEATS, TRIPS
from mmsim.metromania.rules.board import Layout
from mmsim.metromania.rules.deal import KINDS, LETTERS, Hands, Marker, arranged
from mmsim.metromania.rules.lattice import Vertex
from mmsim.metromania.rules.position import Move, PlayedMove, View


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
    """The end of a game, with the same names as in the reference engine."""

    end_reason: str
    station_points: list[int]
    kept_points: list[int]
    trips: list[TripResult]
    scores: list[int]
    winners: list[int]


class Position(Steps[Move]):
    """A game of the fast core at its current decision, with all moves played so far."""

    bot_entry_points: ClassVar[Any] = bot_entry_points
    prepared: MetromaniaVariant
    history: list[PlayedMove]

    def __init__(
        self, prepared: MetromaniaVariant, game: int = 0, layout: Layout | None = None, hands: Hands | None = None
    ) -> None:
        """A game at its first decision; without a layout or hands it has those of its board and seed."""
        super().__init__(prepared, game)
        self.prepared, self.game, self.rules, self.history = prepared, game, prepared.rules, []
        board, rules, deals = prepared.setting.board, prepared.setting.rules, prepared.setting.deals
        if hands is not None:
            deals = state.hands_row(tuple(arranged(hand) for hand in hands))
        layout, games_per_deal = layout or prepared.board_set.layout_at(game), prepared.games_per_deal
        number = -1 if layout is None else layout.index
        positions, streams, master = self._memory.positions, self._memory.streams, prepared.seed
        entry_points.set_up(positions, board, rules, streams, deals, master, game, games_per_deal, number)
        self.city = prepared.board_set.city(Layout.from_index(int(self._s.layout)))
        self.dealt = tuple(
            tuple(self._marker(seat, i) for i in range(MARKERS // self.rules.companies))
            for seat in range(self.rules.companies)
        )

    def _find_moves(self) -> dict[Move, int]:
        count = entry_points.list_moves(self._memory.positions, self.prepared.setting.board, self._moves)
        return {self._decode(code): code for code in self._moves[:count].tolist()}

    def apply(self, move: Move) -> PlayedMove:
        code = self._take(move)
        turn, seat, points = self.turn, self.seat, int(self._s.points[self.seat])
        stations = self.rules.stations - int(self._s.supply)
        entry_points.play(self._memory.positions, self.prepared.setting.board, self.prepared.setting.rules, code)
        new_stations = self._stations()[stations:]
        played = PlayedMove(turn, seat, move, new_stations, int(self._s.points[seat]) - points)
        self.history.append(played)
        return played

    def view(self, seat: int) -> View:
        s, companies = self._s, self.rules.companies
        held = tuple(self._held(company) for company in range(companies))
        players, is_open = self.rules.seat_player, self.rules.hands == "open"
        return View(
            seat=seat,
            city=self.city,
            rules=self.rules,
            turn=self.turn,
            dug=int(s.dug),
            hands=tuple(
                hand if is_open or players[company] == players[seat] else None for company, hand in enumerate(held)
            ),
            hand_sizes=tuple(len(hand) for hand in held),
            paths=tuple(self._path(line) for line in range(2 * companies)),
            ended=tuple(bool(int(s.ended) >> line & 1) for line in range(2 * companies)),
            stations=self._stations(),
            supply=int(s.supply),
            placed={
                self._marker(company, i): (company, self.city.lattice.cells[cell])
                for company in range(companies)
                for i in range(len(self.dealt[company]))
                if (cell := self._marker_cell(company, i)) != NOWHERE
            },
            points=tuple(int(points) for points in s.points[:companies]),
            draws=self._draws[seat],
        )

    def explain(self) -> list[Reason]:
        """The turns that the bot in turn weighed for the move it has just chosen, the best first."""

        def explain_turn(turn: int) -> None:
            seating = self.prepared.seating.number(self.game)
            bot_entry_points.explain_turn(self._memory, self.prepared.setting, seating, turn)

        return reasons(self._s, self._memory.thoughts[0], self.bots[self.seat], self._decode, explain_turn)

    def result(self) -> CoreResult:
        """The outcome of a game that is over."""
        self._have_scored()
        s, companies = self._s, self.rules.companies
        return CoreResult(
            state.END_REASONS[s.end_reason],
            [int(n) for n in s.points[:companies]],
            [int(n) for n in s.kept[:companies]],
            [self._trip(trip) for trip in range(TRIPS)],
            [int(n) for n in s.scores[:companies]],
            [player for player in range(self.rules.players) if int(s.winners) >> player & 1],
        )

    def _score(self) -> None:
        setting = self.prepared.setting
        entry_points.score(self._memory.positions, setting.board, setting.rules, self._memory.network)

    def write_rows(self, rows: dict[str, Any], i: int) -> None:
        if self.failure is None:
            self.result()
            setting = self.prepared.setting
            entry_points.write_rows(
                self._memory.positions, setting.board, setting.rules, entry_points.Rows(**rows), self.game, i
            )
        else:
            result_tables.write_failure(rows, i, self.game, int(self._s.layout), self.turn, self.rules.seat_player)

    def _trip(self, trip: int) -> TripResult:
        s, companies = self._s, self.rules.companies
        minutes, fault = int(s.minutes[trip]), int(s.fault[trip])
        return TripResult(
            result_tables.TRIP_NAMES[trip],
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
        stations = self.rules.stations - int(self._s.supply)
        return tuple(self.city.lattice.vertices[i] for i in self._s.station_at[:stations])

    def _decode(self, code: int) -> Move:
        kind, number, place, extra = decode_move(code)
        name, grid, seat = MOVE_KINDS[kind], self.city.lattice, self.seat
        line = 2 * seat + number
        if kind in (BONUS, STATION):
            return Move(name, number, at=grid.vertices[self._s.path[PATH * line + place]])
        if kind > STATION or name == "decline":
            return Move(name)
        if kind == START:
            cell = grid.frame_cells[place]
            return Move(name, number, cell, grid.corners[cell][extra])
        u = int(self._s.terminus[line])
        cell = grid.cells[grid.slot_cells[u, place]]
        to = grid.vertices[grid.neighbours[u, place >> 1]]
        return Move(name, number, cell, to, self._marker(seat, extra - 1) if extra else None)
