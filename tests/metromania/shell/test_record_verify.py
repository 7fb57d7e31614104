"""Verifying records: no change in one goes unnoticed, and what differs is named by its place."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from mmsim.core import records
from mmsim.core.rng import Seed
from mmsim.metromania.rules import board_file, rulesets
from mmsim.metromania.rules.reference import play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.shell import record

Record = dict[str, Any]


@pytest.fixture(scope="module")
def whole() -> Record:
    """A game with every kind of move, a declined bonus station and a tunnel that makes two stations."""
    game = set_up(board_file.load("compact"), rulesets.ruleset("print", 3), Seed(0))
    play_out(game, Seed(0))
    recorded: Record = json.loads(records.dumps(record.record_of(game, result(game), ["uniform"] * 3, Seed(0))))
    assert {move["move"] for move in recorded["moves"]} == {"start", "dig", "end", "bonus", "station", "pass"}
    return recorded


@pytest.fixture
def recorded(whole: Record) -> Record:
    """A record to spoil."""
    return deepcopy(whole)


def complaint(recorded: Record) -> str:
    """What verify says about a spoiled record."""
    with pytest.raises(records.RecordError) as caught:
        record.verify(recorded)
    return str(caught.value)


def test_an_untouched_record_verifies(recorded: Record) -> None:
    assert record.verify(recorded).over


def test_the_order_within_a_hand_does_not_matter(recorded: Record) -> None:
    recorded["hands"] = [list(reversed(hand)) for hand in recorded["hands"]]
    record.verify(recorded)


def number_of(recorded: Record, suits: Callable[[Record], bool]) -> int:
    """The number, from 1, of the first move that suits."""
    return 1 + next(i for i, move in enumerate(recorded["moves"]) if suits(move))


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("start", "cell", ["F", 0, 1]),
        ("start", "to", [0, 0]),
        ("start", "line", 1),
        ("dig", "cell", [40, 0, "U"]),
        ("dig", "to", [0, 40]),
        ("dig", "marker", "F C"),
        ("end", "cell", ["F", 0, 1]),
        ("end", "to", [0, 0]),
        ("bonus", "at", [0, 40]),
        ("station", "at", [0, 40]),
    ],
)
def test_a_changed_move_is_named_with_the_nearest_legal_one(
    recorded: Record, kind: str, field: str, value: Any
) -> None:
    number = number_of(recorded, lambda move: move["move"] == kind and (field in move or field == "marker"))
    move = recorded["moves"][number - 1]
    move[field] = value
    text = complaint(recorded)
    assert text.startswith(f"move {number} (turn {move['turn']}, seat {move['seat'] + 1}): {kind} line {move['line']}")
    assert f"is not legal; the nearest legal move is {kind} line " in text
    assert "  " not in text


def test_a_taken_away_marker_is_found(recorded: Record) -> None:
    number = number_of(recorded, lambda move: "marker" in move)
    del recorded["moves"][number - 1]["marker"]
    assert complaint(recorded).startswith(f"move {number} ")


@pytest.mark.parametrize("field", ["turn", "seat"])
def test_a_wrong_turn_or_seat_is_named_with_the_right_one(recorded: Record, field: str) -> None:
    move = recorded["moves"][6]
    move[field] += 1
    now = move[field] if field == "seat" else move[field] - 1  # people count seats from 1, records from 0
    assert complaint(recorded) == f"move 7: the record says {field} {now + 1}, but it is {field} {now}"


def test_wrong_points_are_found_in_every_move_that_scores(recorded: Record) -> None:
    scoring = [i for i, move in enumerate(recorded["moves"]) if move["points"]]
    assert scoring
    for i in scoring:
        spoiled = deepcopy(recorded)
        now = spoiled["moves"][i]["points"]
        spoiled["moves"][i]["points"] = now + 1
        assert complaint(spoiled) == f"move {i + 1}: points: the record says {now + 1}, but it is {now}"


def test_a_forgotten_an_invented_and_a_moved_station_are_found(recorded: Record) -> None:
    number = number_of(recorded, lambda move: len(move["stations"]) == 2)
    made = recorded["moves"][number - 1]["stations"]
    for wrong in ([], made[:1], made[::-1], [*made, [0, 0]], [made[0], [40, 0]]):
        recorded["moves"][number - 1]["stations"] = wrong
        assert complaint(recorded).startswith(f"move {number}: stations")


def test_every_number_of_the_result_counts(recorded: Record) -> None:
    outcome = recorded["result"]
    for key in ("station_points", "kept_points", "scores"):
        for seat in range(3):
            spoiled = deepcopy(recorded)
            spoiled["result"][key][seat] += 1
            said, is_so = outcome[key][seat] + 1, outcome[key][seat]
            assert complaint(spoiled) == f"result.{key}[{seat}]: the record says {said}, but it is {is_so}"
    for i, trip in enumerate(outcome["trips"]):
        spoiled = deepcopy(recorded)
        spoiled["result"]["trips"][i]["minutes"] = 2 if trip["minutes"] is None else None
        assert complaint(spoiled).startswith(f"result.trips[{i}].minutes: the record says ")
        spoiled = deepcopy(recorded)
        spoiled["result"]["trips"][i]["scores"][1] += 3
        assert complaint(spoiled).startswith(f"result.trips[{i}].scores[1]: the record says ")


@pytest.mark.parametrize(("key", "value"), [("winners", [0]), ("winners", [1, 2]), ("end_reason", "deadlock")])
def test_a_wrong_winner_or_reason_is_found(recorded: Record, key: str, value: Any) -> None:
    recorded["result"][key] = value
    assert complaint(recorded).startswith(f"result.{key}")


def test_a_number_of_the_result_written_with_a_point_is_found(recorded: Record) -> None:
    recorded["result"]["scores"][0] = float(recorded["result"]["scores"][0])
    assert complaint(recorded).startswith("result.scores[0]")


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        (["A R", "B C"], "hands: this is not a deal the ruleset 'print' allows"),
        (["A R", "A R", "B C", "C E"], "hands: this is not a deal the ruleset 'print' allows"),
        (["A R", "B C", "C E", "Q R"], 'hands[0][3] = "Q R" is not a marker like "A R"'),
        ("A R", 'hands[0] = "A R" is not a list'),
        ([["A R"], "B C"], 'hands[0][0] = ["A R"] is not a marker like "A R"'),
        (None, "hands[0] = null is not a list"),
    ],
)
def test_an_impossible_hand_is_found(recorded: Record, hand: Any, why: str) -> None:
    recorded["hands"][0] = hand
    assert complaint(recorded).startswith(why)


def test_swapped_hands_are_found(recorded: Record) -> None:
    recorded["hands"] = recorded["hands"][1:] + recorded["hands"][:1]
    complaint(recorded)


def other_value(name: str, now: Any) -> Any:
    knob = rulesets.KNOBS[name]
    if words := knob.choices or knob.examples:
        return next(word for word in words if word != now)
    return not now if knob.is_switch else now + 1


@pytest.mark.parametrize("name", list(rulesets.KNOBS))
def test_a_changed_knob_is_found(recorded: Record, name: str) -> None:
    recorded["ruleset"][name] = other_value(name, recorded["ruleset"][name])
    complaint(recorded)


@pytest.mark.parametrize(("part", "key"), [("board", "sett"), ("seed", "masters"), ("seats", "players")])
def test_an_unknown_key_inside_a_part_is_named(recorded: Record, part: str, key: str) -> None:
    where = recorded[part][1] if part == "seats" else recorded[part]
    where[key] = 1
    nearest = {"sett": "set", "masters": "master", "players": "player"}[key]
    place = "seats[1]" if part == "seats" else part
    assert complaint(recorded).startswith(f"{place}: unknown key '{key}'; did you mean '{nearest}'?")


def test_a_record_from_before_there_was_a_knob_is_read_as_it_was_played(recorded: Record) -> None:
    del recorded["ruleset"]["dig_duty"]
    assert record.verify(recorded).rules.dig_duty == "next"


@pytest.mark.parametrize("name", sorted(rulesets.KNOBS.keys() - record.LATER_KNOBS.keys()))
def test_a_missing_and_an_impossible_knob_are_named(recorded: Record, name: str) -> None:
    recorded["ruleset"][name] = 1000
    assert name in complaint(recorded)
    del recorded["ruleset"][name]
    assert complaint(recorded) == f"ruleset: the knob '{name}' is missing"


def test_a_ruleset_of_another_name_is_judged_by_its_knobs(recorded: Record) -> None:
    recorded["ruleset"]["name"] = "our house rules"
    recorded["seed"]["variant"] = "our house rules-3p"
    record.verify(recorded)
    recorded["ruleset"]["penalty"] = 7
    assert complaint(recorded).startswith("result.trips[")


def test_the_name_of_a_ruleset_is_a_text(recorded: Record) -> None:
    recorded["ruleset"]["name"] = 3
    assert complaint(recorded) == "ruleset: name = 3 is not a text"
    del recorded["ruleset"]["name"]
    assert complaint(recorded) == "ruleset: 'name' is missing"


def test_an_unknown_knob_is_named_with_the_nearest(recorded: Record) -> None:
    recorded["ruleset"]["change_minute"] = 3
    assert complaint(recorded).startswith("ruleset: unknown knob 'change_minute'; did you mean 'change_minutes'?")


@pytest.mark.parametrize("key", ["format", "game", "board", "ruleset", "seats", "hands", "seed", "moves", "result"])
def test_a_missing_part_is_named(recorded: Record, key: str) -> None:
    del recorded[key]
    assert f"'{key}'" in complaint(recorded)


def test_a_part_that_does_not_belong_is_named(recorded: Record) -> None:
    recorded["comment"] = "a good game"
    assert "'comment'" in complaint(recorded)


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("layout", "1a-1b-2a-3a-4a-5a", "board: '1a-1b-2a-3a-4a-5a' is not a layout code: piece 1 is used twice"),
        ("side", 4, "board: side 0 of the frame has 5 cells but needs 4"),
        ("frame", ["S.ESE"], "board: the frame"),
        ("frame", ["SxESE"] * 6, "board: side 0 of the frame has 'x'"),
        ("pieces", [["."]] * 6, "board: piece 1 has 1 rows but needs 5"),
        ("pieces", "none", 'board: pieces = "none" is not a list'),
        ("pieces", [["."], ["."], [".", 3]], "board: pieces[2][1] = 3 is not a text"),
        ("side", True, "board: side = true is not a whole number"),
    ],
)
def test_an_impossible_board_is_named(recorded: Record, key: str, value: Any, where: str) -> None:
    recorded["board"][key] = value
    assert complaint(recorded).startswith(where)


def test_players_that_do_not_fit_the_seats_are_found(recorded: Record) -> None:
    recorded["seats"][2]["player"] = 1
    assert complaint(recorded).startswith("seats: ")


def test_players_in_another_order_than_the_ruleset_seats_them_are_found(recorded: Record) -> None:
    recorded["seats"][0]["player"], recorded["seats"][1]["player"] = 1, 0
    assert complaint(recorded).startswith("seats: players of '")


# --- moves too few, too many, unknown ----------------------------------------------------------------------


def test_a_dropped_last_move_is_found(recorded: Record) -> None:
    gone = recorded["moves"].pop()
    stop = f"the record stops after move {len(recorded['moves'])}, but the game goes on: "
    assert complaint(recorded) == f"{stop}seat {gone['seat'] + 1} is to move in turn {gone['turn']}"


def test_a_dropped_move_in_the_middle_is_found(recorded: Record) -> None:
    del recorded["moves"][9]
    assert complaint(recorded).startswith("move 10")


def test_a_move_after_the_end_is_found(recorded: Record) -> None:
    moves = len(recorded["moves"])
    recorded["moves"].append({"turn": 999, "seat": 0, "move": "pass", "stations": [], "points": 0})
    assert complaint(recorded) == f"move {moves + 1}: the game was over after move {moves}"


def test_an_unknown_move_is_named_with_the_nearest(recorded: Record) -> None:
    recorded["moves"][2]["move"] = "digg"
    text = complaint(recorded)
    assert text.startswith("move 3: unknown move 'digg'")
    assert "did you mean 'dig'?" in text


def test_a_recorded_decline_is_no_move(recorded: Record) -> None:
    recorded["moves"].insert(1, {"turn": 1, "seat": 0, "move": "decline", "stations": [], "points": 0})
    assert complaint(recorded).startswith("move 2: unknown move 'decline'")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"at": [0, 0]},
            "move 2: unknown key 'at'",
        ),
        ({"markers": "A R"}, "move 2: unknown key 'markers'; did you mean 'marker'?"),
        ({"line": 2}, "move 2: line = 2 is not 0 or 1"),
        ({"line": True}, "move 2: line = true is not 0 or 1"),
        ({"cell": [0, 0]}, 'move 2: cell = [0, 0] is not a cell [q, r, "U"|"D"] or ["F", side, index]'),
        ({"cell": [0, 0, "X"]}, 'move 2: cell = [0, 0, "X"] is not a cell '),
        ({"to": [0, "0"]}, 'move 2: to = [0, "0"] is not a vertex [q, r]'),
        ({"marker": "A Q"}, 'move 2: marker = "A Q" is not a marker like "A R"'),
        ({"marker": None}, 'move 2: marker = null is not a marker like "A R"'),
        ({"turn": "1"}, 'move 2: turn = "1" is not a whole number'),
        ({"turn": 1.0}, "move 2: turn = 1.0 is not a whole number"),
        ({"turn": float("nan")}, "move 2: turn = NaN is not a whole number"),
        ({"points": True}, "move 2: points = true is not a whole number"),
        ({"stations": [[0, 0], 7]}, "move 2: stations[1] = 7 is not a vertex [q, r]"),
        ({"move": ["dig"]}, "move 2: unknown move '['dig']'"),
    ],
)
def test_a_malformed_move_is_named(recorded: Record, change: Record, why: str) -> None:
    assert recorded["moves"][1]["move"] == "dig"
    recorded["moves"][1].update(change)
    assert complaint(recorded).startswith(why)


@pytest.mark.parametrize("key", ["turn", "seat", "move", "line", "cell", "to", "stations", "points"])
def test_a_missing_key_of_a_move_is_named(recorded: Record, key: str) -> None:
    assert recorded["moves"][1]["move"] == "dig"
    del recorded["moves"][1][key]
    assert complaint(recorded) == f"move 2: '{key}' is missing"


@pytest.mark.parametrize("wrong", [None, 7, "dig", ["dig"]])
def test_a_move_that_is_no_object_is_named(recorded: Record, wrong: Any) -> None:
    recorded["moves"][4] = wrong
    assert complaint(recorded) == f"move 5: {json.dumps(wrong)} is not a JSON object"


@pytest.mark.parametrize("wrong", [None, 7, "game", []])
def test_a_record_that_is_no_object_is_refused(wrong: Any) -> None:
    assert complaint(wrong) == "a record is a JSON object, this is not"


@pytest.mark.parametrize(("key", "value"), [("format", "mmsim-record/2"), ("game", "metro"), ("format", None)])
def test_another_format_is_refused(recorded: Record, key: str, value: Any) -> None:
    recorded[key] = value
    assert complaint(recorded).startswith(f"'{key}' is {json.dumps(value)}, not ")
