"""The tables of results, and how compiled code writes their rows.

`games` has one row per game, `seats` one per player, `lines` one per stop from which a line may depart.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import count_bits
from mmsim.compiled.standings import rank_of, two_best, win_share, write_lead
from mmsim.metro.engine.lines import line_points
from mmsim.metro.engine.state import END_REASONS, GRID, KINDS, NOBODY, TOO_LONG, Rules, State
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import Ruleset
from mmsim.tables.columns import Column, row_types

_ONE, _ZERO = np.uint64(1), np.uint64(0)

STATUSES = ("finished", "turn_limit", "bot_error")
FINISHED, _TURN_LIMIT, BOT_ERROR = range(3)

TABLES = {
    "games": (
        Column("game", np.uint64, "number of the game in its run"),
        Column(
            "layout",
            np.int32,
            "tiles of the centre as they lie, row by row: `acba-bbbb-dada-ccda`",
            "no tiles lie there",
        ),
        Column(
            "status", np.uint8, "whether the game was finished, cut off by the turn limit, or stopped by a bot's error"
        ),
        Column("end_reason", np.int8, "why the game ended", "a bot's error stopped the game"),
        Column("end_seat", np.int8, "seat that had the last turn", "a bot's error stopped the game"),
        Column("turns", np.uint16, "turns of all players together"),
        Column("tiles", np.uint8, "tiles placed"),
        Column("draws", np.uint8, "turns in which a player drew instead of placing from the hand"),
        Column("exchanges", np.uint16, "shares exchanged"),
        Column("lines_ended", np.uint8, "lines that reached a station or the centre"),
        Column("lines_to_centre", np.uint8, "lines that reached the centre"),
        Column("longest_line", np.uint8, "length of the longest line, in tiles passed"),
        Column("winner", np.int8, "player who won", "the win is shared"),
        Column("margin", np.int16, "points of the winner over the next player"),
        Column(
            "lead_changes", np.int16, "how often another player took the lead", "with companies nobody sees who leads"
        ),
        Column(
            "decided_turn",
            np.int16,
            "turn since which the winner led; `turns` + 1: decided only by the final scoring",
            "the win is shared, or with companies nobody sees who leads",
        ),
    ),
    "seats": (
        Column("game", np.uint64, "number of the game"),
        Column("seat", np.uint8, "place in the playing order, the first is 0"),
        Column("player", np.uint8, "player in the seat, who has the same number"),
        Column("turns", np.uint16, "turns the player had"),
        Column("hand", np.int32, "tiles dealt to the player: `acba`, or `acba bbbb` for a hand of two"),
        Column(
            "opening",
            np.int32,
            "first tile the player laid, as it lies, and its cell: `acba 0.3` lies in row 0, column 3",
            "the player laid none",
        ),
        Column("score", np.int16, "points in the end"),
        Column("line_points", np.int16, "points of the player's own lines"),
        Column("number_points", np.int16, "points for station numbers"),
        Column("share_points", np.int16, "points for shares of companies"),
        Column("bonus_points", np.int16, "points of the bonus for shares"),
        Column("lines_ended", np.uint8, "lines of the player that ended"),
        Column("lines_to_centre", np.uint8, "those of them that reached the centre"),
        Column("tiles", np.uint8, "tiles the player placed"),
        Column("draws", np.uint8, "turns in which the player drew instead of placing from the hand"),
        Column("exchanges", np.uint16, "shares the player exchanged"),
        Column("wagons", np.uint8, "wagons the player put into the centre"),
        Column("rank", np.uint8, "place of the player; equal scores share the better one"),
        Column("win_share", np.float32, "1 for a win, a fraction for a shared win, else 0"),
    ),
    "lines": (
        Column("game", np.uint64, "number of the game"),
        Column("line", np.uint8, "stop from which it departs"),
        Column("seat", np.int8, "seat that owns the line", "nobody or a company owns it"),
        Column("company", np.int8, "company that owns the line, with module 1", "nobody or a player owns it"),
        Column("to", np.int8, "stop it reached", "it did not end"),
        Column("tiles", np.uint8, "tiles it passed"),
        Column("points", np.int16, "points it scored"),
        Column("turn", np.int16, "turn in which it arrived", "it did not end"),
        Column("ended", np.bool_, "whether it reached a station or the centre"),
    ),
}
ROWS = row_types(TABLES)
WORDS = {"status": STATUSES, "end_reason": END_REASONS}
TILE_DIGITS = KINDS + 1  # of a hand: no tile, or its kind


def rows_per_game(rules: Ruleset) -> dict[str, int]:
    return {"games": 1, "seats": rules.players, "lines": STOPS if rules.stations else STATIONS}


# --- writing rows, compiled ------------------------------------------------------------------------------------


@jit
def write_game(s: State, r: Rules, game: Any, status: Any, row: Any) -> None:
    best, second = np.int64(-1), np.int64(-1)
    tiles, draws, exchanges = np.int64(0), np.int64(0), np.int64(0)
    for seat in range(r.players):
        best, second = two_best(best, second, s.scores[ix(seat)])
        tiles += s.tiles_placed[ix(seat)]
        draws += s.draws[ix(seat)]
        exchanges += s.exchanges[ix(seat)]
    centre, longest = np.int64(0), np.int64(0)
    for line in range(STOPS):
        centre += np.int64(s.end_stop[ix(line)] > STATIONS)
        longest = max(longest, np.int64(s.line_tiles[ix(line)]))
    row.game = game
    row.layout = s.layout
    row.status = _TURN_LIMIT if s.end_reason == TOO_LONG else status
    row.end_reason = s.end_reason
    row.end_seat = s.seat if s.over else -1
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
def hand_code(s: State, r: Rules, seat: Any) -> np.int64:
    """The tiles dealt to a player as digits, kind + 1 of each, the first one lowest."""
    code = np.int64(0)
    for i in range(r.hand):
        code = TILE_DIGITS * code + np.int64(s.supply[ix(r.hand * seat + r.hand - 1 - i)]) + 1
    return code


@jit
def opening(s: State, seat: Any) -> np.int64:
    """The first tile a player laid, as turned, and its cell; -1 for none."""
    if s.tiles_placed[ix(seat)] == 0:
        return np.int64(-1)
    cell = np.int64(s.first_cell[ix(seat)])
    return GRID * np.int64(s.tile[ix(cell)]) + cell


@jit
def write_seat(s: State, r: Rules, game: Any, seat: Any, row: Any) -> None:
    ended, centre = np.int64(0), np.int64(0)
    if not r.companies:
        for line in range(STOPS):
            if s.owner[ix(line)] == seat and s.end_stop[ix(line)] > 0:
                ended += 1
                centre += np.int64(s.end_stop[ix(line)] > STATIONS)
    row.game = game
    row.seat = seat
    row.player = seat
    row.turns = (s.turn + r.players - 1 - seat) // r.players
    row.hand = hand_code(s, r, seat)
    row.opening = opening(s, seat)
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
    row.rank = rank_of(s.scores, r.players, seat)
    row.win_share = win_share(s.winners, seat)


@jit
def write_line(s: State, r: Rules, game: Any, line: Any, row: Any) -> None:
    owner = np.int64(s.owner[ix(line)])
    owned = owner != NOBODY
    ended = s.arrived >> np.uint64(line) & _ONE != _ZERO
    row.game = game
    row.line = line + 1
    row.seat = owner if owned and not r.companies else -1
    row.company = owner if owned and r.companies else -1
    row.to = np.int64(s.end_stop[ix(line)]) if ended else -1
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
    stops = np.int64(STOPS if r.stations else STATIONS)  # X16: with module 2 lines also depart in the centre
    for line in range(stops):
        write_line(s, r, game, line, lines[ix(i * stops + line)])
