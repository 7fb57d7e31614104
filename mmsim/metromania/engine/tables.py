"""The tables that games are played into, as rows that compiled code writes.

`games` has a row a game, `seats` one a company, `trips` one a trip, `lines` one a line.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.accel import count_bits, ix, jit
from mmsim.compiled.lead import write_lead
from mmsim.metromania.engine.ending import block_reason, blocked_lines
from mmsim.metromania.engine.scoring import lines_ended
from mmsim.metromania.engine.state import (
    BLOCK_REASONS,
    END_REASONS,
    FAULTS,
    HAND,
    NOWHERE,
    SEATS,
    TRIPS,
    Board,
    Rules,
    State,
)
from mmsim.metromania.rules.deal import LETTERS

_ONE, _ZERO = np.uint64(1), np.uint64(0)

STATUSES = ("finished", "bot_error")
TRIP_NAMES = (*LETTERS, "park_lake")

GAME_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("layout", np.uint32),  # its number, `Layout.from_index`
        ("status", np.uint8),
        ("end_reason", np.int8),  # -1: the game did not come to its end
        ("turns", np.uint16),
        ("tunnels", np.uint16),
        ("coverage", np.float32),  # of the cells that a tunnel may lie in
        ("stations_left", np.uint8),
        ("lines_ended", np.uint8),
        ("lines_blocked", np.uint8),
        ("winner", np.int8),  # a player; -1: the win is shared
        ("margin", np.int16),  # points of the winner over the next player
        ("lead_changes", np.uint16),
        ("decided_turn", np.int16),  # since when the winner led; turns + 1: only the scoring decided; -1: shared
        # situations the rule books leave open: how often they came up
        ("passes", np.uint16),
        ("start_overflows", np.uint8),
        ("end_overflows", np.uint8),
        ("short_supply", np.uint16),  # decisions with a tunnel that needs two stations, and one left
        ("two_reasons", np.uint8),  # 1: the building phase ended for two reasons at once
    ]
)
SEAT_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("seat", np.uint8),
        ("company", np.uint8),  # first or second of its player
        ("player", np.uint8),
        ("score", np.int16),
        ("station_points", np.int16),
        ("kept_points", np.int16),
        ("trip_points", np.int16),
        ("penalties", np.int16),  # points lost
        ("lines_ended", np.uint8),
        ("tunnels", np.uint8),
        ("stations", np.uint8),  # placed by this company
        ("markers_placed", np.uint8),
        ("rank", np.uint8),  # of its player; equal standings share the better one
        ("win_share", np.float32),  # of its player
    ]
)
TRIP_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("trip", np.uint8),
        ("minutes", np.int16),  # -1: impossible
        ("fault", np.int8),  # the worst of them; -1: possible
        ("involved", np.uint8),  # bits of seats
        ("changes", np.uint8),  # on the fastest route that has the fewest
        ("sections", np.uint16),  # on all fastest routes
    ]
)
LINE_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("seat", np.uint8),
        ("line", np.uint8),
        ("start_side", np.int8),  # -1: not started
        ("end_side", np.int8),  # -1: not ended
        ("tunnels", np.uint8),
        ("stations", np.uint8),
        ("ended", np.bool_),
        ("block_reason", np.int8),  # what a blocked line lacked; -1: not blocked
    ]
)
ROWS = {"games": GAME_ROW, "seats": SEAT_ROW, "trips": TRIP_ROW, "lines": LINE_ROW}
WORDS = {
    "status": STATUSES,
    "end_reason": END_REASONS,
    "trip": TRIP_NAMES,
    "fault": FAULTS,
    "block_reason": BLOCK_REASONS,
}
NULLABLE = {  # -1 for what there is not
    "games": ("end_reason", "winner", "decided_turn"),
    "trips": ("minutes", "fault"),
    "lines": ("start_side", "end_side", "block_reason"),
}


def rows_per_game(companies: int) -> dict[str, int]:
    return {"games": 1, "seats": companies, "trips": TRIPS, "lines": 2 * companies}


def empty_rows(companies: int, games: int) -> dict[str, NDArray[Any]]:
    """Room for the rows of so many games in every table."""
    counts = rows_per_game(companies)
    return {table: np.zeros(counts[table] * games, ROWS[table]).view(np.recarray) for table in ROWS}


def write_failure(
    rows: Mapping[str, NDArray[Any]], i: int, game: int, layout: int, turns: int, seat_player: Sequence[int]
) -> None:
    """The rows of a game that a bot's error stopped: who sat where, and nothing that only an end could tell."""
    companies = len(seat_player)
    of_game = {table: rows[table][i * count : (i + 1) * count] for table, count in rows_per_game(companies).items()}
    for part in of_game.values():
        part["game"] = game
    games, seats, trips, lines = (of_game[table] for table in ROWS)
    games["layout"], games["status"], games["turns"] = layout, STATUSES.index("bot_error"), turns
    games["end_reason"] = games["winner"] = games["decided_turn"] = -1
    seats["seat"], seats["player"] = range(companies), seat_player
    seats["company"] = [list(seat_player[:seat]).count(player) for seat, player in enumerate(seat_player)]
    trips["trip"], trips["minutes"], trips["fault"] = range(TRIPS), -1, -1
    lines["seat"], lines["line"] = np.divmod(np.arange(2 * companies), 2)
    lines["start_side"] = lines["end_side"] = lines["block_reason"] = -1


# --- writing rows, compiled ------------------------------------------------------------------------------------


@jit
def write_game(s: State, b: Board, r: Rules, blocked: Any, game: Any, row: Any) -> None:
    """The row of `games`."""
    best, second = np.int64(-(1 << 40)), np.int64(-(1 << 40))
    for player in range(r.players):
        points = np.int64(0)
        for seat in range(r.companies):
            if r.seat_player[ix(seat)] == player:
                points += s.scores[ix(seat)]
        if points > best:
            best, second = points, best
        elif points > second:
            second = points
    tunnels = np.int64(0)
    for line in range(2 * r.companies):
        tunnels += s.tunnels[ix(line)]
    row.game = game
    row.layout = s.layout
    row.status = 0
    row.end_reason = s.end_reason
    row.turns = s.turn
    row.tunnels = tunnels
    row.coverage = tunnels / b.diggable
    row.stations_left = s.supply
    row.lines_ended = count_bits(s.ended)
    row.lines_blocked = count_bits(blocked)
    row.margin = best - second
    write_lead(s, row)
    row.passes = s.passes_made
    row.start_overflows = s.start_overflows
    row.end_overflows = s.end_overflows
    row.short_supply = s.short_supply
    row.two_reasons = s.two_reasons


@jit
def write_seat(s: State, r: Rules, game: Any, seat: Any, row: Any) -> None:
    """A row of `seats`."""
    player = r.seat_player[ix(seat)]
    company = np.int64(0)
    for before in range(seat):
        company += np.int64(r.seat_player[ix(before)] == player)
    gained, lost = np.int64(0), np.int64(0)
    for trip in range(TRIPS):
        points = s.trip_scores[ix(SEATS * trip + seat)]
        if points > 0:
            gained += points
        else:
            lost -= points
    placed = np.int64(0)
    for i in range(r.hand_size):
        placed += np.int64(s.marker_cell[ix(s.hand_marker[ix(HAND * seat + i)])] != NOWHERE)
    rank = np.int64(1)
    own = s.standings[ix(player)]
    for other in range(r.players):
        rank += np.int64(s.standings[ix(other)] > own)
    row.game = game
    row.seat = seat
    row.company = company
    row.player = player
    row.score = s.scores[ix(seat)]
    row.station_points = s.points[ix(seat)]
    row.kept_points = s.kept[ix(seat)]
    row.trip_points = gained
    row.penalties = lost
    row.lines_ended = lines_ended(s, seat)
    row.tunnels = s.tunnels[ix(2 * seat)] + s.tunnels[ix(2 * seat + 1)]
    row.stations = s.stations_made[ix(seat)]
    row.markers_placed = placed
    row.rank = rank
    row.win_share = 1.0 / count_bits(s.winners) if rank == 1 else 0.0


@jit
def write_trip(s: State, game: Any, trip: Any, row: Any) -> None:
    """A row of `trips`."""
    row.game = game
    row.trip = trip
    row.minutes = s.minutes[ix(trip)]
    row.fault = s.fault[ix(trip)]
    row.involved = s.involved[ix(trip)]
    row.changes = s.changes[ix(trip)]
    row.sections = s.sections[ix(trip)]


@jit
def write_line(s: State, b: Board, r: Rules, blocked: Any, game: Any, line: Any, row: Any) -> None:
    """A row of `lines`."""
    row.game = game
    row.seat = line >> 1
    row.line = line & 1
    row.start_side = s.start_side[ix(line)]
    row.end_side = s.end_side[ix(line)]
    row.tunnels = s.tunnels[ix(line)]
    row.stations = count_bits(s.stops[ix(line)])
    row.ended = s.ended >> np.uint64(line) & _ONE != _ZERO
    is_blocked = blocked >> np.uint64(line) & _ONE != _ZERO
    row.block_reason = block_reason(s, b, r, line) if is_blocked else np.int64(-1)


@jit
def write_rows(s: State, b: Board, r: Rules, game: Any, i: Any, games: Any, seats: Any, trips: Any, lines: Any) -> None:
    """All rows of the i-th game; nine arguments, because a table is an array of its own."""
    companies = r.companies
    blocked = blocked_lines(s, b, r)
    write_game(s, b, r, blocked, game, games[ix(i)])
    for seat in range(companies):
        write_seat(s, r, game, seat, seats[ix(i * companies + seat)])
    for trip in range(TRIPS):
        write_trip(s, game, trip, trips[ix(i * TRIPS + trip)])
    for line in range(2 * companies):
        write_line(s, b, r, blocked, game, line, lines[ix(i * 2 * companies + line)])
