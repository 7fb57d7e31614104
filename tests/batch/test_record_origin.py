"""Records: other types and other pieces are refused; bots asked again come to the same game."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from mmsim.batch.check import prove_origin
from mmsim.core.records import RecordError
from mmsim.core.variant import Variant
from mmsim.games import find_game, find_shell


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    game = find_game("metromania")
    return game.record(game.prepare(Variant("print", 4, "compact", "uniform,greedy,uniform,uniform", 3)), 5)


def put(record: dict[str, Any], value: Any, *path: Any) -> dict[str, Any]:
    changed = deepcopy(record)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize("value", ["text", "switch"])
def test_a_knob_of_another_type_is_refused(record: dict[str, Any], value: str) -> None:
    rules = record["ruleset"]
    knob = next(knob for knob in rules if type(rules[knob]) is (int if value == "text" else bool))
    wrong = str(rules[knob]) if value == "text" else str(rules[knob]).lower()
    with pytest.raises(RecordError, match=f"ruleset.{knob}: the record says"):
        find_shell("metromania").verify(put(record, wrong, "ruleset", knob))


def test_other_pieces_under_the_name_of_a_shipped_board_are_refused(record: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=r"board 'roomy': pieces"):
        find_shell("metromania").verify(put(record, "roomy", "board", "set"))
    frame = record["board"]["frame"]
    with pytest.raises(RecordError, match=r"board 'compact': frame\[0\]"):
        find_shell("metromania").verify(put(record, frame[0][::-1], "board", "frame", 0))


def test_bots_asked_again_come_to_the_same_game(record: dict[str, Any]) -> None:
    prove_origin(record)
    prove_origin(json.loads(json.dumps(record)))
    game = find_game("metromania")
    turned = Variant("print", 4, "compact", "uniform,greedy,uniform,uniform", 3, "rotate")
    prove_origin(game.record(game.prepare(turned), 6))


def test_a_record_of_another_seed_or_of_other_moves_is_no_game_of_its_seed(record: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="replaying its seed gives a different game: the record"):
        prove_origin(put(record, 4, "seed", "master"))
    with pytest.raises(RecordError, match=r"replaying its seed gives a different game: the record\.moves\[0\]\.line"):
        prove_origin(put(record, 1 - record["moves"][0]["line"], "moves", 0, "line"))


def test_a_bot_that_a_record_names_is_never_loaded(record: dict[str, Any], tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass Bot:\n def choose(self, v, m): return m[0]")
    with pytest.raises(RecordError, match="is not one of mmsim's bots, so its game cannot be played again"):
        prove_origin(put(record, f"{trap}:Bot", "seats", 0, "bot"))
    assert not (tmp_path / "sprung").exists()


def test_a_changed_letter_in_a_cell_is_refused_and_where_another_legal_game_comes_of_it_by_its_origin(
    record: dict[str, Any],
) -> None:
    other, refused = {"U": "D", "D": "U"}, 0
    cells = {number: move["cell"] for number, move in enumerate(record["moves"]) if move.get("cell", "F")[-1] in other}
    for number, cell in cells.items():
        changed = put(record, other[cell[-1]], "moves", number, "cell", 2)
        try:
            find_shell("metromania").verify(changed)
        except RecordError:
            refused += 1
        else:
            with pytest.raises(RecordError, match=rf"a different game: the record.moves\[{number}\].cell"):
                prove_origin(changed)
    assert refused > len(cells) / 2
