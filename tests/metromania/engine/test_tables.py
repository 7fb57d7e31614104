"""The rows of the fast core, column by column, against rows reckoned from games of the reference engine."""

from copy import copy
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from mmsim.core.game import GameRows, Variant
from mmsim.metromania.bots.prepared import Prepared
from mmsim.metromania.engine import tables
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.deal import Marker, markers
from mmsim.metromania.rules.lattice import Vertex, direction_of, far_sides, is_frame
from mmsim.metromania.rules.play import Seed, play_out, set_up
from mmsim.metromania.rules.position import Game, Line
from mmsim.metromania.rules.reference import apply, dig_moves, is_blocked, triggers
from mmsim.metromania.rules.reference_scoring import Network, Result, Trip, result
from tests.metromania.twins import fault, fewest_changes

FIRST, COUNT = 3, 12
KNOBS = "print,stations=6,dig=5,change_minutes=0,markers_per_turn=2,half_kept=ceil,penalty=9,shared_trip=most_tunnels"
VARIANTS = {
    "print for four": Variant("print", 4),
    "v2 for three": Variant("v2", 3, seed=2**63 + 5),
    "nl for two, regular": Variant("nl+regular", 2, "compact", seed=7),
    "en1 for two, advanced": Variant("en1+advanced", 2, "open", seed=8),
    "knobs": Variant(KNOBS, 4, "compact", seed=9),
    "no corruption, long games": Variant("v2+no-corruption,tunnels_per_line=60,end_lines=8", 3, "grand", seed=10),
}
METROMANIA = Metromania()

Row = dict[str, Any]


@cache
def prepared(name: str) -> Prepared:
    return METROMANIA.prepare(VARIANTS[name])


@cache
def core_rows(name: str) -> GameRows:
    return METROMANIA.play_games(prepared(name), FIRST, COUNT)


@cache
def played(name: str) -> tuple[tuple[int, Game, Result], ...]:
    """The same games, by the reference engine."""
    games = []
    for number in range(FIRST, FIRST + COUNT):
        seed = Seed(VARIANTS[name].seed, number)
        game = set_up(prepared(name).board_set, prepared(name).rules, seed)
        play_out(game, seed)
        games.append((number, game, result(game)))
    return tuple(games)


def as_dicts(rows: Any) -> list[Row]:
    return [dict(zip(rows.dtype.names, row, strict=True)) for row in rows.tolist()]


# --- rows, reckoned from a game --------------------------------------------------------------------------------


def by_player(game: Game, values: list[int]) -> list[int]:
    """A number for every seat, as sums for every player."""
    totals = [0] * game.rules.players
    for player, value in zip(game.rules.seat_player, values, strict=True):
        totals[player] += value
    return totals


def standings(game: Game, outcome: Result) -> list[tuple[int, ...]]:
    ended = by_player(game, [sum(line.ended for line in pair) for pair in game.lines])
    tunnels = by_player(game, [sum(line.tunnels for line in pair) for pair in game.lines])
    return list(zip(by_player(game, outcome.scores), ended, tunnels, strict=True))


def leaders(game: Game) -> list[tuple[int, int]]:
    """(turn, player) whenever a player comes to be alone in front at the end of a turn who was not the last to be."""
    points, found = [0] * game.rules.companies, []
    for turn in range(1, game.turn + 1):
        for move in game.history:
            if move.turn == turn:
                points[move.seat] += move.points
        totals = by_player(game, points)
        in_front = [player for player, total in enumerate(totals) if total == max(totals)]
        if len(in_front) == 1 and (not found or found[-1][1] != in_front[0]):
            found.append((turn, in_front[0]))
    return found


def game_row(number: int, game: Game, outcome: Result) -> Row:
    lines = [line for _, _, line in game.all_lines()]
    totals = sorted(by_player(game, outcome.scores), reverse=True)
    lead = leaders(game)
    leader = lead[-1][1] if lead else None
    alone = outcome.winners[0] if len(outcome.winners) == 1 else None
    changes = max(0, len(lead) - 1)
    decided = -1
    if alone is not None:
        decided = lead[-1][0] if leader == alone else game.turn + 1
        changes += leader not in (None, alone)
    return {
        "game": number,
        "layout": game.city.layout.index,
        "status": 0,
        "end_reason": ("both_lines", "stations", "lines", "deadlock").index(outcome.end_reason),
        "end_seat": end_seat(game),
        "turns": game.history[-1].turn,
        "tunnels": len(game.tunnels),
        "coverage": float(np.float32(len(game.tunnels) / diggable(game))),
        "stations_left": game.supply,
        "lines_ended": sum(line.ended for line in lines),
        "lines_blocked": sum(is_blocked(game, seat, i) for seat, i, _ in game.all_lines()),
        "winner": -1 if alone is None else alone,
        "margin": totals[0] - totals[1],
        "lead_changes": changes,
        "decided_turn": decided,
        **gaps(game),
    }


def end_seat(game: Game) -> int:
    """Whose turn it was when the building phase was found to end, from a replay; -1 in a deadlock."""
    replay = Game(game.city, game.rules, game.dealt)
    for played in game.history:
        apply(replay, played.move)
        if replay.end_reason:
            return -1 if replay.end_reason == "deadlock" else played.seat
    raise AssertionError("the game has not ended")


def diggable(game: Game) -> int:
    """How many cells a tunnel may lie in."""
    kinds = game.city.kind
    return sum(kinds[cell] in "SE" if is_frame(cell) else kinds[cell] not in "LP" for cell in kinds)


def gaps(game: Game) -> Row:
    """How often situations came up that the books leave open, from a replay."""
    replay, short, two_reasons = Game(game.city, game.rules, game.dealt), 0, 0
    for played in game.history:
        if replay.bonus_line is None and replay.supply == 1:
            short += more_with_two_stations(replay)
        open_before, noticed = replay.end_reason is None, set(replay.come_true)
        apply(replay, played.move)
        if open_before and replay.end_reason in ("both_lines", "stations"):
            two_reasons = len(noticed.union(triggers(replay))) > 1
    second_starts = [pair[1].start_side for pair in game.lines]
    lines = [line for _, _, line in game.all_lines()]
    return {
        "passes": sum(played.move.kind == "pass" for played in game.history),
        "start_overflows": sum(
            second is not None and second not in far_sides(pair[0].start_side or 0)
            for second, pair in zip(second_starts, game.lines, strict=True)
        ),
        "end_overflows": sum(line.ended and line.end_side not in far_sides(line.start_side or 0) for line in lines),
        "short_supply": short,
        "two_reasons": int(two_reasons),
    }


def more_with_two_stations(game: Game) -> bool:
    """Whether a second station left would open further ways to dig."""
    richer = copy(game)
    richer.rules = replace(game.rules, stations=game.rules.stations + 1)
    markers_left = game.rules.markers_per_turn - game.markers_laid
    poor, rich = (
        sum(len(dig_moves(table, game.seat, number, markers_left)) for number in range(2)) for table in (game, richer)
    )
    return rich > poor


def seat_row(number: int, game: Game, outcome: Result, seat: int) -> Row:
    player = game.rules.seat_player[seat]
    mine = [move for move in game.history if move.seat == seat]
    trips = [trip.scores[seat] for trip in outcome.trips]
    standing = standings(game, outcome)
    won = player in outcome.winners
    return {
        "game": number,
        "seat": seat,
        "company": game.rules.seat_player[:seat].count(player),
        "player": player,
        "turns": len({move.turn for move in mine}),
        "hand": sum(1 << 3 * "ABCDEF".index(marker.letter) + "RCE".index(marker.kind) for marker in game.dealt[seat]),
        "opening": opening_code(game, seat),
        "score": outcome.scores[seat],
        "station_points": sum(move.points for move in mine),
        "kept_points": outcome.kept_points[seat],
        "trip_points": sum(score for score in trips if score > 0),
        "penalties": -sum(score for score in trips if score < 0),
        "lines_ended": sum(line.ended for line in game.lines[seat]),
        "tunnels": sum(owner == seat for owner, _ in game.tunnels.values()),
        "stations": sum(len(move.stations) for move in mine),
        "markers_placed": sum(owner == seat for owner, _ in game.placed.values()),
        "rank": 1 + sum(other > standing[player] for other in standing),
        "win_share": float(np.float32(1 / len(outcome.winners))) if won else 0.0,
    }


def frame_cell(game: Game, vertex: Vertex) -> tuple[int, int]:
    """Side and place of the frame cell with a portal."""
    return divmod(game.city.lattice.portals.index(vertex), game.city.board_set.side)


def opening_steps(game: Game, seat: int) -> list[tuple[Vertex, Vertex]]:
    """The tunnels of the first turn of a seat, up to three."""
    path = game.lines[seat][0].path
    return list(pairwise(path))[: min(3, game.rules.dig)]


def opening_code(game: Game, seat: int) -> int:
    """Side, place, corner, then sixths of a circle turned to the left before each further tunnel, 6 for none."""
    steps = opening_steps(game, seat)
    if not steps:
        return -1
    side, place = frame_cell(game, steps[0][0])
    right = game.city.lattice.corners["F", side, place][1] == steps[0][1]
    ways = [direction_of(*step) for step in steps]
    turns = [(after - before) % 6 for before, after in pairwise(ways)] + [6, 6]
    return side | place << 3 | right << 7 | turns[0] << 8 | turns[1] << 11


def opening_text(game: Game, seat: int) -> str | None:
    steps = opening_steps(game, seat)
    if not steps:
        return None
    side, place = frame_cell(game, steps[0][0])
    text = f"{side}.{place}" + "LR"[game.city.lattice.corners["F", side, place].index(steps[0][1])]
    for before, after in pairwise(steps):
        text += {0: "S", 1: "L", 2: "X", 3: "U", 4: "Y", 5: "R"}[(direction_of(*after) - direction_of(*before)) % 6]
    return text


def trip_row(number: int, game: Game, trip: Trip, network: Network, index: int) -> Row:
    wrong = fault(game, trip)
    return {
        "game": number,
        "trip": index,
        "minutes": -1 if trip.minutes is None else trip.minutes,
        "fault": -1 if wrong is None else ("not_placed", "no_station", "no_route").index(wrong),
        "involved": sum(1 << seat for seat in trip.involved),
        "changes": fewest_changes(game, network, trip),
        "sections": len(trip.used),
    }


def line_row(number: int, game: Game, seat: int, i: int, line: Line) -> Row:
    return {
        "game": number,
        "seat": seat,
        "line": i,
        "start_side": -1 if line.start_side is None else line.start_side,
        "start_cell": frame_cell(game, line.path[0])[1] if line.path else -1,
        "end_side": -1 if line.end_side is None else line.end_side,
        "end_cell": frame_cell(game, line.path[-1])[1] if line.ended else -1,
        "tunnels": line.tunnels,
        "stations": len(set(line.path) & set(game.stations)),
        "ended": line.ended,
        "block_reason": -1 if not is_blocked(game, seat, i) else why_blocked(game, seat, i),
    }


def why_blocked(game: Game, seat: int, i: int) -> int:
    """Which of a tunnel, a station, a marker a blocked line lacked, as a number; if none would have helped: a cell."""
    if game.lines[seat][i].tunnels == game.rules.tunnels_per_line:
        return 0
    richer = copy(game)
    richer.rules = replace(game.rules, stations=game.rules.stations + 2)
    if dig_moves(richer, seat, i, game.rules.markers_per_turn):
        return 1
    richer.hands = [[Marker("A", kind) for kind in "RCE"]] * game.rules.companies
    richer.placed = {}
    return 2 if dig_moves(richer, seat, i, 1) else 3


def naive_rows(name: str, table: str) -> list[Row]:
    rows = []
    for number, game, outcome in played(name):
        if table == "games":
            rows.append(game_row(number, game, outcome))
        elif table == "seats":
            rows += [seat_row(number, game, outcome, seat) for seat in range(game.rules.companies)]
        elif table == "trips":
            network = Network(game)
            rows += [trip_row(number, game, trip, network, i) for i, trip in enumerate(outcome.trips)]
        else:
            rows += [line_row(number, game, seat, i, line) for seat, i, line in game.all_lines()]
    return rows


@pytest.mark.parametrize("table", ["games", "seats", "trips", "lines"])
@pytest.mark.parametrize("name", VARIANTS)
def test_every_column_is_what_the_reference_engine_played(name: str, table: str) -> None:
    assert as_dicts(core_rows(name)[table]) == naive_rows(name, table)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_is_counted(name: str) -> None:
    assert core_rows(name).decisions == sum(len(game.history) for _, game, _ in played(name))


def test_the_games_compared_are_of_many_kinds() -> None:
    games = [row for name in VARIANTS for row in naive_rows(name, "games")]
    assert {row["end_reason"] for row in games} >= {0, 1, 2}
    assert {row["decided_turn"] == row["turns"] + 1 for row in games} == {True, False}
    assert any(row["winner"] == -1 for row in games)
    assert len({row["lead_changes"] for row in games}) > 4
    seats = [row for name in VARIANTS for row in naive_rows(name, "seats")]
    assert {row["win_share"] for row in seats} >= {0.0, 0.5, 1.0}
    assert {row["rank"] for row in seats} == {1, 2, 3, 4}


# --- data frames -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["games", "seats", "trips", "lines"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_frame_has_the_declared_columns_and_every_row(name: str, table: str) -> None:
    rows = METROMANIA.play_games(prepared(name), FIRST, COUNT)[table]
    frame = METROMANIA.frame(prepared(name), table, rows)
    assert frame.schema == METROMANIA.tables[table]
    assert set(frame.columns) - {"variant", "member", "bot", "deal", "seating"} == set(rows.dtype.names or ())
    assert set(frame.columns) == set(METROMANIA.columns[table])
    assert frame["variant"].unique().to_list() == [prepared(name).rules.variant]
    assert ("bot" in frame.columns) == (table == "seats")
    assert frame.height == len(rows)


WORDS = {
    "games": {
        "status": ["finished", "bot_error"],
        "end_reason": ["both_lines", "stations", "lines", "deadlock"],
    },
    "seats": {},
    "trips": {"trip": [*"ABCDEF", "park_lake"], "fault": ["not_placed", "no_station", "no_route"]},
    "lines": {"block_reason": ["no_tunnel", "no_station", "no_marker", "no_cell"]},
}
NULLABLE = {
    "games": {"end_reason", "end_seat", "winner", "decided_turn"},
    "seats": set(),
    "trips": {"minutes", "fault"},
    "lines": {"start_side", "start_cell", "end_side", "end_cell", "block_reason"},
}
SPELLED = {"layout", "hand", "opening"}  # see the next test but one


@pytest.mark.parametrize("table", WORDS)
def test_codes_have_names_and_what_there_is_not_is_null(table: str) -> None:
    words: dict[str, list[str]] = WORDS[table]
    for name in VARIANTS:
        rows = core_rows(name)[table]
        frames_of = METROMANIA.frame(prepared(name), table, rows).to_dicts()
        for row, coded in zip(frames_of, as_dicts(rows), strict=True):
            for column, value in coded.items():
                expected = words[column][value] if column in words and value >= 0 else value
                if column in NULLABLE[table] and value < 0:
                    expected = None
                assert column in SPELLED or row[column] == expected
    for column, names in words.items():
        assert METROMANIA.tables[table][column] == pl.Enum(names)


@pytest.mark.parametrize("name", VARIANTS)
def test_layouts_hands_and_openings_are_spelled(name: str) -> None:
    games, seats = (METROMANIA.frame(prepared(name), table, core_rows(name)[table]) for table in ("games", "seats"))
    assert games["layout"].to_list() == [game.city.layout.code for _, game, _ in played(name)]
    assert [markers(hand) for hand in seats["hand"]] == [
        tuple(sorted(hand)) for _, game, _ in played(name) for hand in game.dealt
    ]
    assert seats["opening"].to_list() == [
        opening_text(game, seat) for _, game, _ in played(name) for seat in range(game.rules.companies)
    ]


def test_games_of_a_deal_have_its_number_and_each_a_seating_of_its_own() -> None:
    rotated = METROMANIA.prepare(Variant("print", 3, bots="uniform", seats="rotate"))
    games = METROMANIA.frame(rotated, "games", METROMANIA.play_games(rotated, 3, 6)["games"])
    assert games["deal"].to_list() == [1, 1, 1, 2, 2, 2]
    assert games["seating"].to_list() == [0, 1, 2] * 2
    assert games.group_by("deal").agg(pl.col("layout").n_unique())["layout"].to_list() == [1, 1]


def test_a_frame_of_no_rows_has_the_declared_columns() -> None:
    four = prepared("print for four")
    rows = METROMANIA.play_games(four, 0, 0)
    for table in rows:
        frame = METROMANIA.frame(four, table, rows[table])
        assert frame.height == 0
        assert frame.schema == METROMANIA.tables[table]


def all_frames(name: str, count: int) -> dict[str, pl.DataFrame]:
    rows = METROMANIA.play_games(prepared(name), 1000, count)
    return {table: METROMANIA.frame(prepared(name), table, rows[table]) for table in rows}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_tables_add_up(name: str) -> None:
    rules, count = prepared(name).rules, 500
    frames_of = all_frames(name, count)
    games, seats, trips, lines = (frames_of[table].sort("game", maintain_order=True) for table in frames_of)
    assert games["game"].to_list() == list(range(1000, 1000 + count))
    assert [seats.height, trips.height, lines.height] == [
        rules.companies * count,
        7 * count,
        2 * rules.companies * count,
    ]
    one_seat_a_player = seats.unique(["game", "player"]).group_by("game").agg(pl.col("win_share").sum())
    assert ((one_seat_a_player["win_share"] - 1).abs() < 1e-6).all()
    assert (seats["score"] == seats["kept_points"] + seats["trip_points"] - seats["penalties"]).all()
    by_seat = seats.group_by("game").agg(pl.col("tunnels", "lines_ended", "stations").cast(pl.Int64).sum())
    by_line = lines.group_by("game").agg(
        pl.col("tunnels", "ended").cast(pl.Int64).sum(), blocked=pl.col("block_reason").count()
    )
    both = games.join(by_seat, on="game", suffix="_of_seats").join(by_line, on="game", suffix="_of_lines")
    assert (both["tunnels"] == both["tunnels_of_seats"]).all()
    assert (both["tunnels"] == both["tunnels_of_lines"]).all()
    assert (both["lines_ended"] == both["lines_ended_of_seats"]).all()
    assert (both["lines_ended"] == both["ended"]).all()
    assert (both["lines_blocked"] == both["blocked"]).all()
    assert (both["stations"] + both["stations_left"] == rules.stations).all()
    won = games.join(seats.filter(pl.col("rank") == 1).unique(["game", "player"]), on="game")
    assert (won.filter(pl.col("winner").is_not_null())["winner"] == won.drop_nulls("winner")["player"]).all()
    assert games.filter(pl.col("winner").is_null())["decided_turn"].is_null().all()
    assert not (lines["ended"] & lines["block_reason"].is_not_null()).any()
    assert (lines["ended"] == lines["end_side"].is_not_null()).all()
    assert (lines["start_side"].is_null() == (lines["tunnels"] == 0)).all()
    assert (trips["minutes"].is_null() == trips["fault"].is_not_null()).all()
    assert (trips.filter(pl.col("minutes").is_null())["involved"] == 0).all()
    assert (trips["sections"] > 0).sum() == (trips["involved"] > 0).sum()


def test_seats_name_their_bots_in_playing_order() -> None:
    names = ["planner", "greedy", "runner", "uniform"]
    four = METROMANIA.prepare(Variant("print", 4, bots=",".join(names)))
    rows = tables.empty_rows(4, 2)["seats"]
    rows["seat"] = [0, 1, 2, 3, 0, 1, 2, 3]
    assert METROMANIA.frame(four, "seats", rows)["bot"].to_list() == names * 2
