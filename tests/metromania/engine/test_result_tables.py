"""The rows of the fast core, column by column, against rows computed from games of the reference engine."""

from functools import cache
from typing import Any

import polars as pl
import pytest

from mmsim.core.game import GameRows
from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metromania.bots.playable_variant import MetromaniaVariant
from mmsim.metromania.engine import result_tables
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.deal import markers
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import play_out, set_up
from mmsim.metromania.rules.reference_scoring import Network, Result, result
from mmsim.tables.columns import empty_rows
from tests.metromania.engine import naive_rows
from tests.metromania.engine.naive_rows import Row

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


@cache
def prepared(name: str) -> MetromaniaVariant:
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


@cache
def reference_rows(name: str, table: str) -> list[Row]:
    rows = []
    for number, game, outcome in played(name):
        if table == "games":
            rows.append(naive_rows.game_row(number, game, outcome))
        elif table == "seats":
            rows += [naive_rows.seat_row(number, game, outcome, seat) for seat in range(game.rules.companies)]
        elif table == "trips":
            network = Network(game)
            rows += [naive_rows.trip_row(number, game, trip, network, i) for i, trip in enumerate(outcome.trips)]
        else:
            rows += [naive_rows.line_row(number, game, seat, i, line) for seat, i, line in game.all_lines()]
    return rows


@pytest.mark.parametrize("table", ["games", "seats", "trips", "lines"])
@pytest.mark.parametrize("name", VARIANTS)
def test_every_column_is_what_the_reference_engine_played(name: str, table: str) -> None:
    assert as_dicts(core_rows(name)[table]) == reference_rows(name, table)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_is_counted(name: str) -> None:
    assert core_rows(name).decisions == sum(len(game.history) for _, game, _ in played(name))


def test_the_games_compared_are_of_many_kinds() -> None:
    games = [row for name in VARIANTS for row in reference_rows(name, "games")]
    assert {row["end_reason"] for row in games} >= {0, 1, 2}
    assert {row["decided_turn"] == row["turns"] + 1 for row in games} == {True, False}
    assert any(row["winner"] == -1 for row in games)
    assert len({row["lead_changes"] for row in games}) > 4
    seats = [row for name in VARIANTS for row in reference_rows(name, "seats")]
    assert {row["win_share"] for row in seats} >= {0.0, 0.5, 1.0}
    assert {row["rank"] for row in seats} == {1, 2, 3, 4}


# --- data frames -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["games", "seats", "trips", "lines"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_frame_has_the_declared_columns_and_every_row(name: str, table: str) -> None:
    rows = core_rows(name)[table]
    frame = METROMANIA.frame(prepared(name), table, rows)
    assert frame.schema == METROMANIA.tables[table]
    assert set(frame.columns) - {"variant", "level", "bot", "deal", "seating"} == set(rows.dtype.names or ())
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
        naive_rows.opening_text(game, seat) for _, game, _ in played(name) for seat in range(game.rules.companies)
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
    rows = empty_rows(result_tables.ROWS, result_tables.rows_per_game(4), 2)["seats"]
    rows["seat"] = [0, 1, 2, 3, 0, 1, 2, 3]
    assert METROMANIA.frame(four, "seats", rows)["bot"].to_list() == names * 2
