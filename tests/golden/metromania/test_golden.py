"""The golden games: they verify, they are what the command writes, and they cover what there is."""

import json
from typing import Any

import pytest

from mmsim.metromania.rules.rulesets import EDITIONS, KNOBS, parse
from mmsim.metromania.shell import record
from tests.golden.metromania.regenerate import FOLDER, contents

FILES = sorted(FOLDER.glob("*.json"))
SMALL = 40_000  # bytes


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return contents()


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in FILES]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_game_verifies(file: Any) -> None:
    record.verify(json.loads(file.read_text(encoding="utf-8")))


def test_the_folder_holds_exactly_the_files_the_command_writes(written: dict[str, str]) -> None:
    assert [file.name for file in FILES] == sorted(written)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_game_is_byte_for_byte_what_the_command_writes(file: Any, written: dict[str, str]) -> None:
    assert file.read_bytes() == written[file.name].encode(), "if this change is meant: make golden"


def test_there_are_enough_games_and_they_are_small() -> None:
    assert len(FILES) >= 24
    assert max(file.stat().st_size for file in FILES) < SMALL


def test_every_edition_is_there_for_every_number_of_players(records: list[dict[str, Any]]) -> None:
    there = {(parse(r["ruleset"]["name"]).edition, len({s["player"] for s in r["seats"]})) for r in records}
    assert there == {(edition, players) for edition in EDITIONS for players in (2, 3, 4)}


def test_every_modifier_is_there(records: list[dict[str, Any]]) -> None:
    there = {modifier for r in records for modifier in parse(r["ruleset"]["name"]).modifiers}
    assert there == {"loyal", "hidden", "no-corruption", "regular", "advanced"}


def test_several_board_sets_and_knobs_are_there(records: list[dict[str, Any]]) -> None:
    assert {r["board"]["set"] for r in records} == {"box", "roomy", "compact", "grand", "open", "random:4"}
    values = {knob: {r["ruleset"][knob] for r in records} for knob in KNOBS}
    changed = [knob for knob, seen in values.items() if len(seen) > 1]
    assert len(changed) >= 15


def test_every_way_to_end_is_there(records: list[dict[str, Any]]) -> None:
    assert {r["result"]["end_reason"] for r in records} == {"both_lines", "stations", "lines", "deadlock"}


def test_every_kind_of_move_is_there(records: list[dict[str, Any]]) -> None:
    kinds = {move["move"] for r in records for move in r["moves"]}
    assert kinds == {"start", "dig", "end", "bonus", "station", "pass"}


def test_routes_are_found_and_missed(records: list[dict[str, Any]]) -> None:
    trips = [trip for r in records for trip in r["result"]["trips"]]
    assert any(trip["minutes"] is not None and max(trip["scores"]) > 0 for trip in trips)
    assert any(trip["minutes"] is None and min(trip["scores"]) < 0 for trip in trips)
