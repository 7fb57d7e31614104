"""The tables of results, and how compiled code writes their rows.

`games` has one row per game, `seats` one per company, `trips` one per trip, `lines` one per line.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits
from mmsim.compiled.standings import rank_of, two_best, win_share, write_lead
from mmsim.metromania.engine.ending import block_reason, blocked_lines
from mmsim.metromania.engine.scoring import lines_ended
from mmsim.metromania.engine.state import (
    BLOCK_REASONS,
    END_REASONS,
    FAULTS,
    HAND,
    NOWHERE,
    PATH,
    REVERSED,
    SEATS,
    TRIPS,
    Board,
    Rules,
    State,
)
from mmsim.metromania.rules.deal import LETTERS
from mmsim.tables.columns import Column, nullable, row_types

_ONE, _ZERO = np.uint64(1), np.uint64(0)

STATUSES = ("finished", "bot_error")
TRIP_NAMES = (*LETTERS, "park_lake")

TABLES = {
    "games": (
        Column("game", np.uint64, "number of the game in its run"),
        Column("layout", np.uint32, "which piece lies in which sector, and how it is turned: `1a-4c-2b-6a-3a-5b`"),
        Column("status", np.uint8, "whether the game was finished, or a bot's error stopped it"),
        Column("end_reason", np.int8, "why the building phase ended", "a bot's error stopped the game"),
        Column(
            "end_seat",
            np.int8,
            "seat whose turn triggered the end of the building phase",
            "no turn did, as in a deadlock",
        ),
        Column("turns", np.uint16, "turns of all companies together"),
        Column("tunnels", np.uint16, "tunnels dug"),
        Column("coverage", np.float32, "tunnels as a share of the cells that a tunnel may lie in"),
        Column("stations_left", np.uint8, "stations that nobody placed"),
        Column("lines_ended", np.uint8, "lines that came to an end on the frame"),
        Column("lines_blocked", np.uint8, "started lines that could not be dug on at the end"),
        Column("winner", np.int8, "player who won", "the win is shared"),
        Column("margin", np.int16, "points of the winner over the next player"),
        Column("lead_changes", np.uint16, "how often another player took the lead on the score track"),
        Column(
            "decided_turn",
            np.int16,
            "turn since which the winner led on the score track; `turns` + 1: decided only by the final scoring",
            "the win is shared",
        ),
        # situations the rule books leave open: how often they came up
        Column("passes", np.uint16, "turns in which a company could do nothing"),
        Column("start_overflows", np.uint8, "second lines started elsewhere because the far sides were full"),
        Column("end_overflows", np.uint8, "lines ended elsewhere because the far sides were full"),
        Column("short_supply", np.uint16, "decisions in which a tunnel needed two stations and only one was left"),
        Column("two_reasons", np.uint8, "1: the building phase ended for two reasons at once"),
    ),
    "seats": (
        Column("game", np.uint64, "number of the game"),
        Column("seat", np.uint8, "place in the playing order, the first is 0"),
        Column("company", np.uint8, "first (0) or second (1) company of its player"),
        Column("player", np.uint8, "player behind the seat"),
        Column("turns", np.uint8, "turns the company had"),
        Column("hand", np.uint32, "markers dealt to the company, letter and kind of spot: `A R, B C, C E`"),
        Column(
            "opening",
            np.int16,
            "start of the first line and its first tunnels, up to three: `2.3LSR` starts on side 2 in cell 3, goes to "
            "the left corner of the cell, then straight on, then right (X, Y: sharply left, right; U: back)",
            "no line was started",
        ),
        Column("score", np.int16, "points in the end"),
        Column("station_points", np.int16, "points scored for stations while building"),
        Column("kept_points", np.int16, "those of them that are kept for the lines ended"),
        Column("trip_points", np.int16, "points for trips"),
        Column("penalties", np.int16, "points lost for impossible trips"),
        Column("lines_ended", np.uint8, "lines of the company that ended"),
        Column("tunnels", np.uint8, "tunnels the company dug"),
        Column("stations", np.uint8, "stations the company placed"),
        Column("markers_placed", np.uint8, "markers the company laid"),
        Column("rank", np.uint8, "place of its player; equal standings share the better one"),
        Column("win_share", np.float32, "1 for a win of its player, a fraction for a shared win, else 0"),
    ),
    "trips": (
        Column("game", np.uint64, "number of the game"),
        Column("trip", np.uint8, "letter of the trip, or `park_lake`"),
        Column("minutes", np.int16, "how long it takes", "it is impossible"),
        Column("fault", np.int8, "what made it impossible, the worst of all", "it is possible"),
        Column("involved", np.uint8, "bits of the seats whose lines are on a fastest route, seat 0 is 1"),
        Column("changes", np.uint8, "changes of line on the fastest route that has the fewest"),
        Column("sections", np.uint16, "sections between stations on all fastest routes together"),
    ),
    "lines": (
        Column("game", np.uint64, "number of the game"),
        Column("seat", np.uint8, "seat of its company"),
        Column("line", np.uint8, "0: the line started first, 1: the other one"),
        Column("start_side", np.int8, "side of the city on which it starts, 0 to 5", "it was never started"),
        Column("start_cell", np.int8, "cell on that side, the first is 0", "it was never started"),
        Column("end_side", np.int8, "side on which it ends", "it did not end"),
        Column("end_cell", np.int8, "cell on that side", "it did not end"),
        Column("tunnels", np.uint8, "tunnels it has"),
        Column("stations", np.uint8, "stations on it"),
        Column("ended", np.bool_, "whether it came to an end on the frame"),
        Column("block_reason", np.int8, "what was missing to dig on", "it was not blocked"),
    ),
}
ROWS = row_types(TABLES)
WORDS = {
    "status": STATUSES,
    "end_reason": END_REASONS,
    "trip": TRIP_NAMES,
    "fault": FAULTS,
    "block_reason": BLOCK_REASONS,
}
OPENING = 3  # tunnels that an opening names
# A place on the frame, which corner, and the ways the next tunnels go: 3, 4, 1, and 3 bits each (NO_TUNNEL: none).
_CORNER, _FIRST_WAY, _WAY = 7, 8, 3
NO_TUNNEL = 6
_LEAST = -(1 << 40)  # fewer points than anybody can have


def opening_parts(code: int) -> tuple[int, int, int, list[int]]:
    """The number of an opening as side, place on it, corner, and the ways of the tunnels after the first."""
    ways = [code >> _FIRST_WAY + _WAY * i & 7 for i in range(OPENING - 1)]
    return code & 7, code >> 3 & 15, code >> _CORNER & 1, ways


def rows_per_game(companies: int) -> dict[str, int]:
    return {"games": 1, "seats": companies, "trips": TRIPS, "lines": 2 * companies}


def write_failure(
    rows: Mapping[str, NDArray[Any]], i: int, game: int, layout: int, turns: int, seat_player: Sequence[int]
) -> None:
    """The rows of a game that a bot's error stopped: the seating, but nothing that is decided only at the end."""
    companies = len(seat_player)
    game_rows = {table: rows[table][i * count : (i + 1) * count] for table, count in rows_per_game(companies).items()}
    for table, columns in nullable(TABLES).items():
        game_rows[table]["game"] = game
        for column in columns:
            game_rows[table][column] = -1
    games, seats, trips, lines = (game_rows[table] for table in ROWS)
    games["layout"], games["status"], games["turns"] = layout, STATUSES.index("bot_error"), turns
    seats["seat"], seats["player"] = range(companies), seat_player
    seats["company"] = [list(seat_player[:seat]).count(player) for seat, player in enumerate(seat_player)]
    trips["trip"] = range(TRIPS)
    lines["seat"], lines["line"] = np.divmod(np.arange(2 * companies), 2)


# --- writing rows, compiled ------------------------------------------------------------------------------------


@jit
def write_game(s: State, b: Board, r: Rules, blocked: Any, game: Any, row: Any) -> None:
    best, second = np.int64(_LEAST), np.int64(_LEAST)
    for player in range(r.players):
        points = np.int64(0)
        for seat in range(r.companies):
            if r.seat_player[ix(seat)] == player:
                points += s.scores[ix(seat)]
        best, second = two_best(best, second, points)
    tunnels = np.int64(0)
    for line in range(2 * r.companies):
        tunnels += s.tunnels[ix(line)]
    row.game = game
    row.layout = s.layout
    row.status = 0
    row.end_reason = s.end_reason
    row.end_seat = s.end_seat
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
def hand_code(s: State, r: Rules, seat: Any) -> np.int64:
    """The markers dealt to a company: bit 3 * letter + kind of each."""
    bits = np.int64(0)
    for i in range(r.hand_size):
        at = HAND * seat + i
        bits |= np.int64(1) << (3 * (s.hand_marker[ix(at)] >> 1) + s.hand_kind[ix(at)] - 1)
    return bits


@inlined
def place_on_side(b: Board, portal: Any, side: Any) -> np.int64:
    """The place on a side of the frame cell that a portal belongs to."""
    return np.int64(portal) - b.city_vertices - side * b.side


@inlined
def _direction(b: Board, u: Any, w: Any) -> np.int64:
    """The direction from a vertex to its neighbour."""
    direction = np.int64(0)
    for d in range(6):  # without branches, which the processor could not predict
        direction += d * np.int64(b.neighbour[ix(6 * u + d)] == w)
    return direction


@jit
def opening(s: State, b: Board, r: Rules, seat: Any) -> np.int64:
    """Where the first line starts and which ways its first tunnels go; -1 if there is none."""
    line = 2 * seat
    side = s.start_side[ix(line)]
    if side < 0:
        return np.int64(-1)
    at = PATH * line
    place = place_on_side(b, s.path[ix(at)], side)
    cell = b.city_cells + side * b.side + place
    corner = np.int64(s.path[ix(at + 1)] == b.corner[ix(3 * cell + 1)])
    code = side | place << 3 | corner << _CORNER
    direction = (side + 4 - corner) % 6
    is_first = seat == (r.companies - 1 if r.first_round == REVERSED else 0)
    tunnels = min(s.tunnels[ix(line)], r.first_dig if is_first and r.first_dig > 0 else r.dig)  # H2
    for i in range(1, OPENING):
        way = np.int64(NO_TUNNEL)
        if i < tunnels:
            before, direction = direction, _direction(b, np.int64(s.path[ix(at + i)]), s.path[ix(at + i + 1)])
            way = direction - before + (6 if direction < before else 0)
        code |= way << (_FIRST_WAY + _WAY * (i - 1))
    return code


@jit
def write_seat(s: State, b: Board, r: Rules, game: Any, seat: Any, row: Any) -> None:
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
    row.game = game
    row.seat = seat
    row.company = company
    row.player = player
    row.turns = s.turns_taken[ix(seat)]
    row.hand = hand_code(s, r, seat)
    row.opening = opening(s, b, r, seat)
    row.score = s.scores[ix(seat)]
    row.station_points = s.points[ix(seat)]
    row.kept_points = s.kept[ix(seat)]
    row.trip_points = gained
    row.penalties = lost
    row.lines_ended = lines_ended(s, seat)
    row.tunnels = s.tunnels[ix(2 * seat)] + s.tunnels[ix(2 * seat + 1)]
    row.stations = s.stations_made[ix(seat)]
    row.markers_placed = placed
    row.rank = rank_of(s.standings, r.players, player)
    row.win_share = win_share(s.winners, player)


@jit
def write_trip(s: State, game: Any, trip: Any, row: Any) -> None:
    row.game = game
    row.trip = trip
    row.minutes = s.minutes[ix(trip)]
    row.fault = s.fault[ix(trip)]
    row.involved = s.involved[ix(trip)]
    row.changes = s.changes[ix(trip)]
    row.sections = s.sections[ix(trip)]


@jit
def write_line(s: State, b: Board, r: Rules, blocked: Any, game: Any, line: Any, row: Any) -> None:
    row.game = game
    row.seat = line >> 1
    row.line = line & 1
    row.start_cell = row.end_cell = -1
    row.start_side = s.start_side[ix(line)]
    row.end_side = s.end_side[ix(line)]
    if s.start_side[ix(line)] >= 0:
        row.start_cell = place_on_side(b, s.path[ix(PATH * line)], s.start_side[ix(line)])
    if s.end_side[ix(line)] >= 0:
        row.end_cell = place_on_side(b, s.terminus[ix(line)], s.end_side[ix(line)])
    row.tunnels = s.tunnels[ix(line)]
    row.stations = count_bits(s.stops[ix(line)])
    row.ended = s.ended >> np.uint64(line) & _ONE != _ZERO
    is_blocked = blocked >> np.uint64(line) & _ONE != _ZERO
    row.block_reason = block_reason(s, b, r, line) if is_blocked else np.int64(-1)


@jit
def write_rows(s: State, b: Board, r: Rules, game: Any, i: Any, games: Any, seats: Any, trips: Any, lines: Any) -> None:
    """All rows of the i-th game; nine arguments, because each table is its own array."""
    companies = r.companies
    blocked = blocked_lines(s, b, r)
    write_game(s, b, r, blocked, game, games[ix(i)])
    for seat in range(companies):
        write_seat(s, b, r, game, seat, seats[ix(i * companies + seat)])
    for trip in range(TRIPS):
        write_trip(s, game, trip, trips[ix(i * TRIPS + trip)])
    for line in range(2 * companies):
        write_line(s, b, r, blocked, game, line, lines[ix(i * 2 * companies + line)])
