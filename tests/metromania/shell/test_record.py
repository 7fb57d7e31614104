"""Game records: written exactly as the format's page says, and read from files of one or of many."""

import json
from typing import Any

import pytest

from mmsim.core import records
from mmsim.core.rng import Seed
from mmsim.metromania.rules import board_file, rulesets
from mmsim.metromania.rules.position import DECLINE, Game
from mmsim.metromania.rules.reference import play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.shell import record
from tests.metromania.rules.test_rules import KNOB_NAMES

Record = dict[str, Any]

MOVE_FIELDS = {
    "start": ["turn", "seat", "move", "line", "cell", "to", "stations", "points"],
    "dig": ["turn", "seat", "move", "line", "cell", "to", "stations", "points"],
    "end": ["turn", "seat", "move", "line", "cell", "to", "stations", "points"],
    "bonus": ["turn", "seat", "move", "line", "at", "stations", "points"],
    "station": ["turn", "seat", "move", "line", "at", "stations", "points"],
    "pass": ["turn", "seat", "move", "stations", "points"],
}


def play(spec: str, players: int, board: str, seed: Seed) -> Game:
    ruleset = rulesets.ruleset(spec, players)
    game = set_up(board_file.load(board), ruleset, seed)
    play_out(game, seed)
    return game


def make_record(game: Game, seed: Seed) -> Record:
    return record.record_of(game, result(game), ["uniform"] * game.rules.companies, seed)


@pytest.fixture(scope="module")
def game() -> Game:
    """A game with every kind of move, a declined bonus station and a tunnel that makes two stations."""
    played = play("print", 3, "compact", Seed(0))
    assert {p.move.kind for p in played.history} == {*MOVE_FIELDS, "decline"}
    assert any(len(p.stations) == 2 for p in played.history)
    return played


@pytest.fixture(scope="module")
def whole(game: Game) -> Record:
    return json.loads(records.dumps(make_record(game, Seed(0))))


# --- what is written ---------------------------------------------------------------------------------------


def test_keys_come_in_the_order_of_the_format(whole: Record) -> None:
    assert list(whole) == ["format", "game", "board", "ruleset", "seats", "hands", "seed", "moves", "result"]
    assert (whole["format"], whole["game"]) == ("mmsim-record/1", "metromania")
    assert list(whole["board"]) == ["set", "side", "layout", "pieces", "frame"]
    assert [list(seat) for seat in whole["seats"]] == [["seat", "player", "bot"]] * 3
    assert list(whole["seed"]) == ["master", "variant", "game"]
    assert list(whole["result"]) == ["end_reason", "station_points", "kept_points", "trips", "scores", "winners"]


def test_the_board_is_told_in_full(whole: Record) -> None:
    board_set = board_file.load("compact")
    board = whole["board"]
    assert (board["set"], board["side"]) == ("compact", 5)
    assert board["pieces"] == [list(rows) for rows in board_set.pieces]
    assert [[len(row) for row in rows] for rows in board["pieces"]] == [[1, 3, 5, 7, 9]] * 6
    assert board["frame"] == ["S.ESE"] * 6


def test_the_ruleset_is_its_name_and_every_knob(whole: Record) -> None:
    assert next(iter(whole["ruleset"])) == "name"
    assert sorted(whole["ruleset"]) == sorted(["name", *KNOB_NAMES])
    assert whole["ruleset"]["name"] == "print"


def test_the_seed_says_how_to_play_the_game_again() -> None:
    seed = Seed(2**64 - 1, 12)
    recorded = make_record(play("v2,end_lines=2", 2, "compact", seed), seed)
    assert recorded["seed"] == {"master": 2**64 - 1, "variant": "v2,end_lines=2-2p", "game": 12}


def test_a_move_has_the_fields_of_its_kind_and_a_marker_only_when_placed(game: Game, whole: Record) -> None:
    made = [played for played in game.history if played.move != DECLINE]
    for played, recorded in zip(made, whole["moves"], strict=True):
        fields = list(MOVE_FIELDS[recorded["move"]])
        if played.move.marker is not None:
            fields.insert(fields.index("stations"), "marker")
            assert recorded["marker"] == str(played.move.marker)
        assert list(recorded) == fields
        assert recorded["stations"] == [list(vertex) for vertex in played.stations]
    assert any("marker" in recorded for recorded in whole["moves"])


def test_cells_and_vertices_are_spelled_as_in_the_format(whole: Record) -> None:
    for recorded in whole["moves"]:
        if recorded["move"] in ("start", "end"):
            assert recorded["cell"][0] == "F"
            assert all(type(number) is int for number in recorded["cell"][1:])
        elif recorded["move"] == "dig":
            assert recorded["cell"][2] in ("U", "D")
            assert all(type(number) is int for number in recorded["cell"][:2])


def test_a_declined_bonus_station_is_no_move(game: Game, whole: Record) -> None:
    assert DECLINE in [played.move for played in game.history]
    assert {recorded["move"] for recorded in whole["moves"]} == set(MOVE_FIELDS)


def test_turns_count_up_from_one_over_all_companies(whole: Record) -> None:
    turns = [recorded["turn"] for recorded in whole["moves"]]
    assert turns == sorted(turns)
    assert sorted(set(turns)) == list(range(1, turns[-1] + 1))
    assert all(recorded["seat"] == (recorded["turn"] - 1) % 3 for recorded in whole["moves"])


def test_the_result_has_seven_trips_with_a_score_per_company(game: Game, whole: Record) -> None:
    trips = whole["result"]["trips"]
    assert [trip["trip"] for trip in trips] == ["A", "B", "C", "D", "E", "F", "park_lake"]
    assert all(list(trip) == ["trip", "minutes", "scores"] and len(trip["scores"]) == 3 for trip in trips)
    assert {trip["minutes"] is None for trip in trips} == {True, False}
    assert whole["result"]["scores"] == result(game).scores


def test_winners_are_players_where_a_player_has_two_companies() -> None:
    recorded = make_record(play("print", 2, "compact", Seed(389)), Seed(389))
    assert [(seat["seat"], seat["player"]) for seat in recorded["seats"]] == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert recorded["result"]["scores"] == [-6, -12, -12, -6]
    assert recorded["result"]["winners"] == [0, 1]


def test_the_companies_of_en1_sit_side_by_side() -> None:
    recorded = make_record(play("en1+advanced", 2, "compact", Seed(1)), Seed(1))
    assert [seat["player"] for seat in recorded["seats"]] == [0, 0, 1, 1]
    assert set(recorded["result"]["winners"]) <= {0, 1}
    record.verify(recorded)


def test_a_record_is_one_line_of_text(whole: Record) -> None:
    text = records.dumps(whole)
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    assert json.loads(text) == whole


# --- files -------------------------------------------------------------------------------------------------


def test_a_file_is_one_record_over_many_lines_or_one_a_line(whole: Record) -> None:
    assert [(s.line, s.problem) for s in records.read_records(json.dumps(whole, indent=2))] == [(1, None)]
    text = records.dumps(whole) + "\n" + records.dumps(whole)
    assert [(s.line, s.problem) for s in records.read_records(text)] == [(1, None), (3, None)]


def test_a_truncated_record_is_said_to_be_cut_off(whole: Record) -> None:
    text = records.dumps(whole)
    for length in range(1, len(text) - 1, 97):
        (source,) = records.read_records(text[:length])
        assert source.problem is not None
        assert source.problem.startswith("the record is cut off at column "), text[:length][-20:]


def test_an_empty_file_is_no_record() -> None:
    assert [s.problem for s in records.read_records(" \n")] == ["it is empty, not a game record"]


@pytest.mark.parametrize("bad", ["oops", '{"format": "mmsim-record/1", "moves": [', '{"format" "mmsim-record/1"}'])
def test_one_bad_line_of_many_is_named_and_the_others_are_read(whole: Record, bad: str) -> None:
    good = records.dumps(whole)
    sources = list(records.read_records(f"{good}{good}{bad}\n{good}"))
    assert [(s.line, s.problem is None) for s in sources] == [(1, True), (2, True), (3, False), (4, True)]
    assert sources[2].problem is not None
    assert "line 1" not in sources[2].problem


@pytest.mark.parametrize("text", ["[" * 100_000, '{"seed": ' + "1" * 5000 + "}"], ids=["deep", "long number"])
def test_json_beyond_reading_is_a_problem_and_not_a_crash(text: str) -> None:
    assert [s.problem is None for s in records.read_records(text)] == [False]
