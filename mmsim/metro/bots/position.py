"""A game of the fast core, one decision after another: for bots in Python, for records, for people."""

from typing import Any, ClassVar

from numpy.typing import NDArray

from mmsim.compiled.stepwise import Steps
from mmsim.metro.bots import entry_points as bot_entry_points
from mmsim.metro.bots.playable_variant import MetroVariant
from mmsim.metro.bots.thinking.memory import VIEW
from mmsim.metro.engine import entry_points, result_tables, state
from mmsim.metro.engine.moves import MOVE_KINDS, WAGON, decode_move
from mmsim.metro.engine.state import EMPTY, HAND, NOBODY, SHARES, UNKNOWN, cell_number, cell_of
from mmsim.metro.rules.board import CENTRE, STATIONS, STOPS
from mmsim.metro.rules.deal import PERCENTS, Deal
from mmsim.metro.rules.position import TAKES, Arrival, Move, PlayedMove, View
from mmsim.metro.rules.reference_scoring import Result
from mmsim.metro.rules.rulesets import COMPANIES
from mmsim.metro.rules.tiles import CODES, TILES


class Position(Steps[Move]):
    """A game of the fast core at its current decision, with all moves played so far."""

    bot_entry_points: ClassVar[Any] = bot_entry_points
    prepared: MetroVariant
    history: list[PlayedMove]

    def __init__(self, prepared: MetroVariant, game: int = 0, deal: Deal | None = None) -> None:
        """A game at its first decision, with a deal or, by default, the one of its seed."""
        super().__init__(prepared, game)
        self.prepared, self.game, self.rules, self.history = prepared, game, prepared.rules, []
        positions, board, rules = self._memory.positions, prepared.setting.board, prepared.setting.rules
        master, games_per_deal = prepared.seed, prepared.seating.games_per_deal
        entry_points.set_up(positions, board, rules, self._memory.streams, master, game, games_per_deal)
        if deal is not None:
            entry_points.clear_table(positions, board)
            state.lay_deal(self._s, deal)
            entry_points.begin_game(positions, board, rules)
        self.deal = deal or self._read_deal()

    def _find_moves(self) -> dict[Move, int]:
        count = entry_points.list_moves(self._memory.positions, self.prepared.setting.rules, self._moves)
        return {self._decode(code): code for code in self._moves[:count].tolist()}

    def apply(self, move: Move) -> PlayedMove:
        code = self._take(move)
        turn, seat, before = self.turn, self.seat, int(self._s.arrived)
        entry_points.play(self._memory.positions, self.prepared.setting.board, self.prepared.setting.rules, code)
        new = int(self._s.arrived) & ~before
        arrived = tuple(self._arrival(self._s, stop) for stop in range(1, STOPS + 1) if new >> (stop - 1) & 1)
        played = PlayedMove(turn, seat, move, arrived)
        self.history.append(played)
        return played

    def view(self, seat: int) -> View:
        bot_entry_points.show(self._memory, self.prepared.setting, seat)
        v, rules = self._memory.positions[VIEW], self.rules
        cells = (cell_of(number) for number in range(state.GRID))
        players, share_numbers = range(rules.players), range(SHARES if rules.companies else 0)
        return View(
            seat=seat,
            rules=rules,
            turn=self.turn,
            hand=tuple(CODES[kind] for kind in v.hand[HAND * seat : HAND * seat + int(v.held[seat])]),
            drawn=CODES[v.drawn] if v.drawn >= 0 else None,
            hand_sizes=tuple(int(v.held[player]) for player in players),
            supply=len(TILES) - int(v.next),
            board={cell: CODES[v.tile[cell_number(cell)]] for cell in cells if v.tile[cell_number(cell)] != EMPTY},
            owner={stop: int(v.owner[stop - 1]) for stop in range(1, STOPS + 1) if v.owner[stop - 1] != NOBODY},
            arrivals={stop: self._arrival(v, stop) for stop in range(1, STOPS + 1) if int(v.arrived) >> (stop - 1) & 1},
            points=tuple(int(points) for points in v.points[: rules.owners]),
            shares=tuple(
                tuple(_company(v.share[SHARES * player + i]) for i in range(SHARES))
                for player in range(rules.players if rules.companies else 0)
            ),
            open_shares=tuple(int(v.open_share[i]) for i in share_numbers),
            piles=tuple(
                tuple(_company(v.pile[COMPANIES * i + j]) for j in range(v.pile_size[i])) for i in share_numbers
            ),
            numbers=tuple(stop for stop in range(1, STATIONS + 1) if int(v.numbers[seat]) >> (stop - 1) & 1),
            draws=self._draws[seat],
        )

    def _read_deal(self) -> Deal:
        """The deal of a game that has just begun."""
        s, rules = self._s, self.rules
        piles = tuple(
            (
                *(int(s.share[SHARES * seat + i]) for seat in range(rules.players)),
                int(s.open_share[i]),
                *(int(company) for company in s.pile[COMPANIES * i : COMPANIES * i + int(s.pile_size[i])]),
            )
            for i in range(SHARES if rules.companies else 0)
        )
        return Deal(
            tuple(CODES[kind] for kind in s.supply),
            tuple(CODES[s.tile[cell_number(cell)]] for cell in CENTRE) if rules.central else (),
            piles,
            tuple(
                tuple(n for n in range(1, STATIONS + 1) if int(s.numbers[seat]) >> (n - 1) & 1)
                for seat in range(rules.players if rules.numbers else 0)
            ),
        )

    def result(self) -> Result:
        """The outcome of a game that is over."""
        self._have_scored()
        s, rules = self._s, self.rules

        def by_player(numbers: Any) -> list[int]:
            return [int(n) for n in numbers[: rules.players]]

        companies = COMPANIES if rules.companies else 0
        return Result(
            state.END_REASONS[s.end_reason],
            [0] * rules.players if rules.companies else by_player(s.points),
            by_player(s.number_points),
            by_player(s.share_points),
            by_player(s.bonus_points),
            [int(n) for n in s.points[:companies]],
            [int(n) for n in s.value[:companies]],
            by_player(s.scores),
            [seat for seat in range(rules.players) if int(s.winners) >> seat & 1],
        )

    def _score(self) -> None:
        entry_points.score(self._memory.positions, self.prepared.setting.rules)

    def write_rows(self, rows: dict[str, NDArray[Any]], i: int) -> None:
        status = result_tables.FINISHED if self.failure is None else result_tables.BOT_ERROR
        rules, into = self.prepared.setting.rules, entry_points.Rows(**rows)
        entry_points.write_rows(self._memory.positions, rules, into, self.game, i, status)

    def _arrival(self, s: Any, stop: int) -> Arrival:
        line = stop - 1
        to, tiles, owned = int(s.end_stop[line]), int(s.line_tiles[line]), s.owner[line] != NOBODY
        double = to > STATIONS and stop <= STATIONS
        return Arrival(stop, to, tiles, tiles * (2 if double else 1) if owned else 0)

    def _tile(self, slot: int) -> str:
        """The tile that may be placed from a slot of the hand, or the one that was drawn."""
        drawn = int(self._s.drawn)
        return CODES[drawn if drawn >= 0 else self._s.hand[HAND * self.seat + slot]]

    def _decode(self, code: int) -> Move:
        kind, index, turns, where = decode_move(code)
        name = MOVE_KINDS[kind]
        if name == "place":
            return Move(name, self._tile(index), turns, cell_of(where))
        if name == "exchange":
            return Move(name, share=PERCENTS[index], take=TAKES[turns])
        if kind == WAGON:
            share = PERCENTS[index] if self.rules.companies else None
            return Move(name, share=share, edge=STATIONS + 1 + where)
        return Move(name)


def _company(number: int) -> int | None:
    return None if number == UNKNOWN else int(number)
