"""The tables that games are played into, as rows that compiled code writes; `core/frames` makes frames of them.

`games` has a row a game, `seats` one a player, `lines` one a stop from which a line may depart.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.accel import count_bits, ix, jit
from mmsim.compiled.lead import write_lead
from mmsim.metro.engine.lines import line_points
from mmsim.metro.engine.state import END_REASONS, NOBODY, TOO_LONG, Rules, State
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import Ruleset

_ONE, _ZERO = np.uint64(1), np.uint64(0)

STATUSES = ("finished", "turn_limit", "bot_error")
FINISHED, _TURN_LIMIT, BOT_ERROR = range(3)

GAME_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("layout", np.int32),  # of the central tiles, five bits each: 4 * which + turns; -1: none
        ("status", np.uint8),
        ("end_reason", np.int8),  # -1: a bot did not let it end
        ("turns", np.uint16),
        ("tiles", np.uint8),
        ("draws", np.uint8),  # turns in which a player drew instead of placing from the hand
        ("exchanges", np.uint16),
        ("lines_ended", np.uint8),
        ("lines_to_centre", np.uint8),
        ("longest_line", np.uint8),  # in tiles passed
        ("winner", np.int8),  # a player; -1: the win is shared
        ("margin", np.int16),  # points of the winner over the next player
        ("lead_changes", np.int16),  # -1: with companies nobody sees who leads
        (
            "decided_turn",
            np.int16,
        ),  # since when the winner led; turns + 1: only the scoring decided; -1: untold
    ]
)
SEAT_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("seat", np.uint8),
        ("player", np.uint8),
        ("score", np.int16),
        ("line_points", np.int16),  # of its own lines
        ("number_points", np.int16),
        ("share_points", np.int16),
        ("bonus_points", np.int16),
        ("lines_ended", np.uint8),
        ("lines_to_centre", np.uint8),
        ("tiles", np.uint8),  # placed by this player
        ("draws", np.uint8),
        ("exchanges", np.uint16),
        ("wagons", np.uint8),  # put into the centre
        ("rank", np.uint8),  # equal scores share the better one
        ("win_share", np.float32),
    ]
)
LINE_ROW = np.dtype(
    [
        ("game", np.uint64),
        ("line", np.uint8),  # the stop from which it departs
        ("seat", np.int8),  # whose it is; -1: nobody's, or a company's
        ("company", np.int8),  # with module 1; -1: nobody's
        ("to", np.int8),  # the stop it reached; -1: none
        ("tiles", np.uint8),
        ("points", np.int16),
        ("turn", np.int16),  # when it arrived; -1: never
        ("ended", np.bool_),
    ]
)
ROWS = {"games": GAME_ROW, "seats": SEAT_ROW, "lines": LINE_ROW}
WORDS = {"status": STATUSES, "end_reason": END_REASONS}
NULLABLE = {  # -1 for what there is not
    "games": ("layout", "end_reason", "winner", "lead_changes", "decided_turn"),
    "lines": ("seat", "company", "to", "turn"),
}


def rows_per_game(rules: Ruleset) -> dict[str, int]:
    return {"games": 1, "seats": rules.players, "lines": STOPS if rules.stations else STATIONS}


def empty_rows(rules: Ruleset, games: int) -> dict[str, NDArray[Any]]:
    """Room for the rows of so many games in every table."""
    counts = rows_per_game(rules)
    return {table: np.zeros(counts[table] * games, ROWS[table]).view(np.recarray) for table in ROWS}


# --- writing rows, compiled ------------------------------------------------------------------------------------


@jit
def write_game(s: State, r: Rules, game: Any, status: Any, row: Any) -> None:
    """The row of `games`."""
    best, second = np.int64(-1), np.int64(-1)
    tiles, draws, exchanges = np.int64(0), np.int64(0), np.int64(0)
    for seat in range(r.players):
        points = s.scores[ix(seat)]
        if points > best:
            best, second = points, best
        elif points > second:
            second = points
        tiles += s.tiles_placed[ix(seat)]
        draws += s.draws[ix(seat)]
        exchanges += s.exchanges[ix(seat)]
    centre, longest = np.int64(0), np.int64(0)
    for line in range(STOPS):
        centre += np.int64(s.to[ix(line)] > STATIONS)
        longest = max(longest, np.int64(s.line_tiles[ix(line)]))
    row.game = game
    row.layout = s.layout
    row.status = _TURN_LIMIT if s.end_reason == TOO_LONG else status
    row.end_reason = s.end_reason
    row.turns = s.turn
    row.tiles = tiles
    row.draws = draws
    row.exchanges = exchanges
    row.lines_ended = count_bits(s.arrived)
    row.lines_to_centre = centre
    row.longest_line = longest
    row.margin = best - second
    write_lead(s, row)
    if r.companies:  # nobody knows who leads before shares are shown
        row.lead_changes = row.decided_turn = -1


@jit
def write_seat(s: State, r: Rules, game: Any, seat: Any, row: Any) -> None:
    """A row of `seats`."""
    rank = np.int64(1)
    for other in range(r.players):
        rank += np.int64(s.scores[ix(other)] > s.scores[ix(seat)])
    ended, centre = np.int64(0), np.int64(0)
    if not r.companies:
        for line in range(STOPS):
            if s.owner[ix(line)] == seat and s.to[ix(line)] > 0:
                ended += 1
                centre += np.int64(s.to[ix(line)] > STATIONS)
    row.game = game
    row.seat = seat
    row.player = seat
    row.score = s.scores[ix(seat)]
    row.line_points = np.int64(0) if r.companies else s.points[ix(seat)]
    row.number_points = s.number_points[ix(seat)]
    row.share_points = s.share_points[ix(seat)]
    row.bonus_points = s.bonus_points[ix(seat)]
    row.lines_ended = ended
    row.lines_to_centre = centre
    row.tiles = s.tiles_placed[ix(seat)]
    row.draws = s.draws[ix(seat)]
    row.exchanges = s.exchanges[ix(seat)]
    row.wagons = s.wagons[ix(seat)]
    row.rank = rank
    won = s.winners >> np.uint64(seat) & _ONE != _ZERO
    row.win_share = 1.0 / count_bits(s.winners) if won else 0.0


@jit
def write_line(s: State, r: Rules, game: Any, line: Any, row: Any) -> None:
    """A row of `lines`."""
    owner = np.int64(s.owner[ix(line)])
    owned = owner != NOBODY
    ended = s.arrived >> np.uint64(line) & _ONE != _ZERO
    row.game = game
    row.line = line + 1
    row.seat = owner if owned and not r.companies else -1
    row.company = owner if owned and r.companies else -1
    row.to = np.int64(s.to[ix(line)]) if ended else -1
    row.tiles = s.line_tiles[ix(line)]
    row.points = line_points(s, line) if ended and owned else 0
    row.turn = np.int64(s.line_turn[ix(line)]) if ended else -1
    row.ended = ended


@jit
def write_rows(s: State, r: Rules, game: Any, i: Any, status: Any, games: Any, seats: Any, lines: Any) -> None:
    """All rows of the i-th game."""
    write_game(s, r, game, status, games[ix(i)])
    for seat in range(r.players):
        write_seat(s, r, game, seat, seats[ix(i * r.players + seat)])
    each = np.int64(STOPS if r.stations else STATIONS)
    for line in range(each):
        write_line(s, r, game, line, lines[ix(i * each + line)])
