"""Positions with known answers, in both engines: our own, and those of the shared file where it is present."""

import json
from pathlib import Path
from typing import Any

import pytest

from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import apply, legal_moves
from tests.metro.positions import cells, core_of, placements, table, tiles_of

SHARED = Path(__file__).parents[4] / "shared" / "metro" / "cases.json"
CASES: dict[str, Any] = json.loads(SHARED.read_text(encoding="utf-8")) if SHARED.is_file() else {}

OWN = (
    # Down the column into the centre: 3 tiles, doubled; the line of the other player waits.
    ("aaaa03aaaa13aaaa23", 2, [6, 0]),
    # From station 7 over two tiles to station 6.
    ("bbbb01cbcb02", 2, [2, 0]),
    # Station 10 over the edge tile to the turning tile and back: the edge tile counts twice.
    ("aaaa10dddd11", 2, [0, 3]),
    # A corner that crosses, then both lines go on round the next tiles: nobody arrives.
    ("aaaa00aaaa01aaaa10", 4, [0, 0, 0, 0]),
)


def both(players: int, text: str) -> tuple[Game, bool]:
    """Play placements in both engines as long as they are legal; whether all of them are."""
    game = table(players=players, first=tiles_of(text))
    core = core_of(game)
    for move in placements(text):
        moves = legal_moves(game)
        assert core.legal_moves() == moves
        if move not in moves:
            return game, False
        assert core.apply(move) == apply(game, move)
    assert core.view(core.seat).points == tuple(game.points)
    return game, True


@pytest.mark.rule("X11")
@pytest.mark.parametrize(("text", "players", "scores"), OWN)
def test_our_positions_score_as_counted_by_hand(text: str, players: int, scores: list[int]) -> None:
    game, legal = both(players, text)
    assert legal
    assert game.points == scores


@pytest.mark.rule("X9", "X10")
@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("aaaa00", True),
        ("aaaa11", False),  # neither at the edge nor beside a tile
        ("aaaa00aaaa00", False),  # taken
        ("aaaa23", False),  # the centre is not enough
        ("dada03", False),  # straight back
        ("dada30", True),  # turns back at the top and the bottom of an edge cell on the left
        ("bcbc07", False),  # a corner's stations joined
        ("bcbc00", True),
        ("dddd03", True),  # fits nowhere else
    ],
)
def test_our_placements_are_legal_or_not(text: str, legal: bool) -> None:
    tiles = tiles_of(text)
    assert both(2, text)[1] == legal, tiles


@pytest.mark.skipif(not CASES, reason="the shared cases are not here")
@pytest.mark.rule("X9", "X10")
@pytest.mark.parametrize("case", CASES.get("validity", []), ids=range(len(CASES.get("validity", []))))
def test_shared_placements_are_legal_or_not(case: dict[str, Any]) -> None:
    assert both(2, case["placement"])[1] == case["valid"]


@pytest.mark.skipif(not CASES, reason="the shared cases are not here")
@pytest.mark.rule("X11", "X7")
@pytest.mark.parametrize("case", CASES.get("scores", []), ids=range(len(CASES.get("scores", []))))
def test_shared_positions_score_as_known(case: dict[str, Any]) -> None:
    game, legal = both(case["players"], case["placement"])
    assert legal
    assert game.points == case["scores"]


@pytest.mark.skipif(not CASES, reason="the shared cases are not here")
@pytest.mark.rule("X9", "X10")
@pytest.mark.parametrize("case", CASES.get("legal_moves", []), ids=range(len(CASES.get("legal_moves", []))))
def test_shared_positions_have_the_known_legal_placements(case: dict[str, Any]) -> None:
    tiles = [*tiles_of(case["placement"]), case["tile"]]
    game = table(players=2, first=tiles)
    core = core_of(game)
    for move in placements(case["placement"]):
        assert core.apply(move) == apply(game, move)
    wanted = {(int(text[4]), int(text[5])) for text in case["legal_placements"]}
    assert cells(legal_moves(game), case["tile"]) == cells(core.legal_moves(), case["tile"]) == wanted
