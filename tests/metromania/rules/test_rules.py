"""Sections 10 and 11: what every ruleset says, edition by edition, and where each value comes from."""

from dataclasses import FrozenInstanceError
from itertools import combinations

import pytest

from mmsim.errors import UsageError
from mmsim.metromania.rules.rulesets import EDITIONS, KNOBS, MODIFIERS, DealMode, Ruleset, explain, parse, ruleset

# The knobs of a record, as the page of records lists them.
KNOB_NAMES = [
    "tunnels_per_line",
    "stations",
    "dig",
    "dig_duty",
    "start_turn",
    "markers_per_turn",
    "ride_minutes",
    "change_minutes",
    "trip_points",
    "own_marker_bonus",
    "park_lake_points",
    "penalty",
    "end_lines",
    "station_points",
    "half_kept",
    "trigger_turn",
    "last_round",
    "last_turns",
    "shared_trip",
    "shared_fault",
    "start_overflow",
    "end_overflow",
    "hands",
    "marker_set",
    "seat_points",
    "first_dig",
    "first_round",
    "first_sides",
]

# Section 10.
NUMBERS = {
    "tunnels_per_line": 18,
    "stations": 30,
    "dig": 3,
    "dig_duty": "next",
    "markers_per_turn": 1,
    "ride_minutes": 1,
    "change_minutes": 3,
    "trip_points": 3,
    "own_marker_bonus": 3,
    "park_lake_points": 5,
    "penalty": 6,
    "half_kept": "floor",
    "end_overflow": True,
    "last_turns": "companies",
    "seat_points": "0",
    "first_dig": 0,
    "first_round": "normal",
    "first_sides": 6,
}

# Section 11, one column per edition. The rows that depend on players and mode are in `GAMES`.
COLUMNS = {
    "en1": {
        "start_turn": "whole",
        "marker_set": "as_printed",
        "trigger_turn": "stop",
        "last_round": "none",
        "station_points": "per_spot",
        "start_overflow": False,
    },
    "print": {
        "start_turn": "free",
        "marker_set": "as_printed",
        "trigger_turn": "finish",
        "last_round": "others",
        "station_points": "per_spot",
        "start_overflow": True,
    },
    "nl": {
        "start_turn": "free",
        "marker_set": "as_printed",
        "trigger_turn": "stop",
        "last_round": "others",
        "station_points": "flat",
        "start_overflow": True,
    },
    "v2": {
        "start_turn": "free",
        "marker_set": "standard",
        "trigger_turn": "finish",
        "last_round": "others",
        "station_points": "per_spot",
        "start_overflow": False,
    },
}

# edition, mode, players: deal, player behind each company, end_lines, shared_trip, shared_fault
GAMES = {
    ("en1", "", 4): ("random", (0, 1, 2, 3), 5, "all", "all"),
    ("en1", "", 3): ("random", (0, 1, 2), 5, "all", "all"),
    ("en1", "", 2): ("columns", (0, 1), 5, "none", "none"),
    ("en1", "+regular", 2): ("columns", (0, 1), 5, "none", "none"),
    ("en1", "+advanced", 2): ("companies", (0, 0, 1, 1), 5, "all", "all"),
    ("en1", "+no-corruption", 4): ("no-corruption", (0, 1, 2, 3), 5, "all", "all"),
    ("print", "", 4): ("random", (0, 1, 2, 3), 5, "all", "all"),
    ("print", "", 3): ("random", (0, 1, 2), 5, "all", "all"),
    ("print", "", 2): ("companies", (0, 1, 0, 1), 5, "all", "all"),
    ("print", "+advanced", 2): ("companies", (0, 1, 0, 1), 5, "all", "all"),
    ("print", "+no-corruption", 4): ("no-corruption", (0, 1, 2, 3), 5, "all", "all"),
    ("nl", "", 4): ("random", (0, 1, 2, 3), 5, "all", "all"),
    ("nl", "", 3): ("random", (0, 1, 2), 5, "all", "all"),
    ("nl", "", 2): ("columns", (0, 1), 5, "none", "none"),
    ("nl", "+regular", 2): ("columns", (0, 1), 5, "none", "none"),
    ("nl", "+advanced", 2): ("companies", (0, 1, 0, 1), 5, "all", "all"),
    ("nl", "+no-corruption", 4): ("no-corruption", (0, 1, 2, 3), 5, "all", "all"),
    ("v2", "", 4): ("random", (0, 1, 2, 3), 5, "all", "all"),
    ("v2", "", 3): ("random", (0, 1, 2), 4, "all", "all"),
    ("v2", "", 2): ("columns", (0, 1), 3, "most_tunnels", "none"),
    ("v2", "+regular", 2): ("columns", (0, 1), 3, "most_tunnels", "none"),
    ("v2", "+no-corruption", 4): ("no-corruption", (0, 1, 2, 3), 5, "all", "all"),
    ("v2", "+no-corruption", 3): ("no-corruption", (0, 1, 2), 4, "all", "all"),
}


def hands_of(edition: str, seen: str, mode: str, players: int) -> str | None:
    """S7: who sees the hands with a modifier (`seen`); None when it is not offered for the mode or the players."""
    if (edition, seen, players) == ("v2", "+hidden", 2):
        return None
    if mode == "+no-corruption":
        return None if seen == "+hidden" else "open"
    usual = {"en1": "hidden", "print": "hidden", "nl": "hidden", "v2": "open"}[edition]
    return {"": usual, "+loyal": "open", "+hidden": "hidden"}[seen]


OFFERED = [
    (edition, seen, mode, players)
    for edition, mode, players in GAMES
    for seen in ("", "+loyal", "+hidden")
    if hands_of(edition, seen, mode, players)
]


@pytest.mark.rule("S7")
@pytest.mark.parametrize(("edition", "seen", "mode", "players"), OFFERED)
def test_ruleset_is_the_column_of_its_edition(edition: str, seen: str, mode: str, players: int) -> None:
    deal, seats, end_lines, shared_trip, shared_fault = GAMES[edition, mode, players]
    spec = edition + seen + mode
    rules = ruleset(spec, players)
    assert (rules.name, rules.players, rules.deal, rules.seat_player) == (spec, players, deal, seats)
    assert rules.companies == len(seats)
    assert rules.variant == f"{spec}-{players}p"
    assert rules.knobs() == {
        **NUMBERS,
        **COLUMNS[edition],
        "end_lines": end_lines,
        "shared_trip": shared_trip,
        "shared_fault": shared_fault,
        "hands": hands_of(edition, seen, mode, players),
    }


def is_offered(spec: str, players: int) -> bool:
    try:
        ruleset(spec, players)
    except UsageError:
        return False
    return True


def test_nothing_is_offered_that_the_page_does_not_list() -> None:
    words = ["loyal", "hidden", "no-corruption", "regular", "advanced"]
    assert sorted(MODIFIERS) == sorted(words)
    assert sorted(EDITIONS) == sorted(COLUMNS)
    chosen = [choice for size in range(6) for choice in combinations(words, size)]
    found = {
        ("+".join((edition, *choice)), players)
        for edition in COLUMNS
        for choice in chosen
        for players in range(7)
        if is_offered("+".join((edition, *choice)), players)
    }
    assert found == {(edition + seen + mode, players) for edition, seen, mode, players in OFFERED}


@pytest.mark.rule("S7")
@pytest.mark.parametrize("edition", ["en1", "print", "nl", "v2"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_loyal_opens_and_hidden_hides_the_hands_in_every_edition(edition: str, players: int) -> None:
    assert ruleset(f"{edition}+loyal", players).hands == "open"
    if (edition, players) != ("v2", 2):
        assert ruleset(f"{edition}+hidden", players).hands == "hidden"
        assert ruleset(f"{edition}+unfair", players).hands == "hidden"
    assert ruleset(edition, players).hands == ("open" if edition == "v2" else "hidden")


@pytest.mark.rule("S7")
def test_hands_may_be_set_by_hand() -> None:
    assert ruleset("v2,hands=hidden").hands == "hidden"
    assert ruleset("en1+loyal,hands=hidden").hands == "hidden"


# --- knobs ------------------------------------------------------------------------------------------------


def test_knobs_are_those_of_the_records() -> None:
    assert sorted(KNOBS) == sorted(KNOB_NAMES)


@pytest.mark.parametrize("name", KNOB_NAMES)
def test_knob_says_what_it_means_where_it_stands_and_what_it_takes(name: str) -> None:
    knob = KNOBS[name]
    assert knob.text.endswith(".")
    assert len(knob.text.split()) >= 3
    assert knob.rules
    for rule in knob.rules.split():
        letters = rule.rstrip("0123456789")
        assert letters in {"S", "T", "B", "D", "M", "ST", "I", "P", "L", "TT", "W", "H"}
        assert rule[len(letters) :].isdigit()
    assert knob.values


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("station_points", "per_spot | flat"),
        ("half_kept", "floor | ceil"),
        ("trigger_turn", "stop | finish"),
        ("last_round", "none | others | round"),
        ("last_turns", "companies | players"),
        ("start_turn", "free | whole"),
        ("shared_trip", "none | most_tunnels | all"),
        ("hands", "hidden | open"),
        ("marker_set", "standard | as_printed"),
        ("start_overflow", "true | false"),
        ("end_overflow", "true | false"),
        ("dig", "1 to 9"),
        ("dig_duty", "next | most"),
        ("seat_points", "0 to 50 for each seat, like 0/1/2/3"),
        ("first_round", "normal | reversed"),
    ],
)
def test_knob_takes_the_values_of_the_page(name: str, values: str) -> None:
    assert KNOBS[name].values == values


@pytest.mark.parametrize("spec", ["en1", "print", "nl", "v2"])
def test_every_value_of_an_edition_is_one_its_knob_takes(spec: str) -> None:
    for name, value in ruleset(spec).knobs().items():
        assert KNOBS[name].check(name, value) == value


def test_a_ruleset_cannot_be_changed() -> None:
    rules = ruleset("print")
    with pytest.raises(FrozenInstanceError):
        rules.dig = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        parse("print").edition = "nl"  # type: ignore[misc]
    assert rules.dig == 3


def test_a_bare_ruleset_has_the_numbers_of_section_ten() -> None:
    rules = Ruleset("mine", 4, DealMode.RANDOM, (0, 1, 2, 3))
    assert {name: rules.knobs()[name] for name in NUMBERS} == NUMBERS
    assert rules.end_lines == 5


# --- where a value comes from -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "players", "sources"),
    [
        ("print", 4, {"marker_set": "edition print"}),
        (
            "en1",
            4,
            {
                "start_turn": "edition en1",
                "trigger_turn": "edition en1",
                "last_round": "edition en1",
                "start_overflow": "edition en1",
                "marker_set": "edition en1",
            },
        ),
        (
            "nl",
            2,
            {
                "trigger_turn": "edition nl",
                "station_points": "edition nl",
                "marker_set": "edition nl",
                "shared_trip": "edition nl, two players regular",
                "shared_fault": "edition nl, two players regular",
            },
        ),
        (
            "v2+hidden",
            3,
            {
                "start_overflow": "edition v2",
                "end_lines": "edition v2, 3 players",
                "hands": "modifier hidden",
            },
        ),
        (
            "print+loyal,dig=4,marker_set=standard",
            4,
            {"hands": "modifier loyal", "dig": "set by hand", "marker_set": "set by hand"},
        ),
        (
            "v2+no-corruption,end_lines=6",
            3,
            {"start_overflow": "edition v2", "hands": "modifier no-corruption", "end_lines": "set by hand"},
        ),
    ],
)
def test_explain_says_where_every_value_comes_from(spec: str, players: int, sources: dict[str, str]) -> None:
    rules, found = explain(parse(spec), players)
    assert rules == ruleset(spec, players)
    assert list(found) == list(KNOBS)
    assert found == {**dict.fromkeys(KNOB_NAMES, "default"), **sources}


def test_what_is_set_by_hand_wins_over_edition_and_modifier() -> None:
    rules = ruleset("v2+no-corruption,end_lines=6,hands=hidden,start_overflow=true", 3)
    assert (rules.end_lines, rules.hands, rules.start_overflow) == (6, "hidden", True)
