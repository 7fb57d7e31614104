"""Rules M1 and M2: destination markers are placed by digging through spots."""

from typing import Any

import pytest

from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.deal import Marker
from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import legal_moves
from tests.metromania.positions import (
    BLUE,
    ORANGE,
    choices,
    draw_city,
    lay,
    make_city,
    mark,
    play,
    position,
    reachable,
)

AHEAD: Cell = (0, 1, "U")  # corners (0, 1), (1, 1), (0, 2): beside the way of a line going west from (1, 1)


def going_west(city: City, hands: tuple[str, ...] = (), players: int = 4, **knobs: Any) -> Game:
    """Orange to dig on from (1, 1), having come west along row 1."""
    game = position(city, players, hands, **knobs)
    lay(game, ORANGE, (0, 0), (1, 1))
    return game


@pytest.mark.rule("M1")
def test_a_tunnel_in_a_spot_puts_a_marker_of_its_kind_on_it_at_once() -> None:
    game = going_west(make_city(3, {AHEAD: "R"}))
    assert all(move.marker == Marker("A", "R") for move in choices(game, "dig", cell=AHEAD))
    assert {move.to for move in choices(game, "dig", cell=AHEAD)} == {(0, 1), (0, 2)}
    play(game, "dig", cell=AHEAD, to=(0, 1))
    assert game.placed == {Marker("A", "R"): (ORANGE, AHEAD)}
    assert game.hands[ORANGE] == [Marker("B", "C"), Marker("C", "E")]


@pytest.mark.rule("M1")
@pytest.mark.parametrize("hand", ["", "A C, B E", "A C"])
def test_without_a_marker_of_the_kind_a_spot_may_not_be_dug(hand: str) -> None:
    game = going_west(make_city(3, {AHEAD: "R"}), (hand, "", "", ""))
    assert choices(game, "dig", cell=AHEAD) == []
    assert {move.cell for move in choices(game, "dig", to=(0, 1))} == {(0, 0, "D")}


@pytest.mark.rule("M1")
def test_blank_cells_take_no_marker() -> None:
    game = going_west(make_city(3))
    assert len(choices(game, "dig")) == 6  # three directions, a cell on either side
    assert {move.marker for move in choices(game, "dig")} == {None}


@pytest.mark.rule("M1")
def test_another_companys_marker_is_of_no_use() -> None:
    game = going_west(make_city(3, {AHEAD: "R"}), ("A C", "A R, B R", "", ""))
    assert choices(game, "dig", cell=AHEAD) == []


SPOTS_IN_A_ROW = """
      .......
     .........
    ....CER....
    ...........
     .........
      .......
"""  # C at (-1, 0, U), E at (-1, 0, D), R at (0, 0, U)


def before_a_row_of_spots(players: int = 4, spec: str = "print", **knobs: Any) -> Game:
    """Orange at (1, 0), where it may turn west along row 0."""
    game = position(draw_city(SPOTS_IN_A_ROW), players, spec=spec, **knobs)
    lay(game, ORANGE, (5, 2), (2, -1), (1, 0))
    return game


@pytest.mark.rule("M1")
def test_one_marker_a_turn() -> None:
    game = before_a_row_of_spots()
    play(game, "dig", to=(0, 0), marker="A R")
    assert all(move.marker is None for move in legal_moves(game))
    assert {move.cell for move in choices(game, "dig", to=(-1, 0))} == {(-1, -1, "D")}  # not the C of row 0


@pytest.mark.rule("M1")
def test_the_marker_limit_is_the_companys_not_the_lines() -> None:
    game = before_a_row_of_spots()
    lay(game, ORANGE, (1, 0), (-1, 1))
    assert choices(game, "dig", line=1, marker="C E")
    play(game, "dig", line=0, to=(0, 0), marker="A R")
    assert choices(game, "dig", line=1)
    assert choices(game, "dig", line=1, marker="C E") == []


@pytest.mark.rule("M1")
def test_more_markers_a_turn_when_the_ruleset_says_so() -> None:
    game = before_a_row_of_spots(markers_per_turn=2)
    play(game, "dig", to=(0, 0), marker="A R")
    play(game, "dig", to=(-1, 0), marker="B C")
    assert len(game.placed) == 2


@pytest.mark.rule("M1")
def test_every_turn_allows_a_marker_again() -> None:
    game = before_a_row_of_spots(players=2, spec="v2", dig=1)
    play(game, "dig", to=(0, 0), marker="A R")
    assert game.seat == BLUE
    play(game, "start", cell=("F", 1, 2))
    assert game.seat == ORANGE
    play(game, "dig", to=(-1, 0), marker="B C")


@pytest.mark.rule("M1")
def test_a_company_with_two_markers_of_a_kind_chooses() -> None:
    game = going_west(make_city(3, {AHEAD: "R"}), players=3)  # holds A R and D R
    offered = {str(move.marker) for move in choices(game, "dig", cell=AHEAD, to=(0, 1))}
    assert offered == {"A R", "D R"}
    play(game, "dig", cell=AHEAD, to=(0, 1), marker="D R")
    assert Marker("A", "R") in game.hands[ORANGE]
    assert Marker("D", "R") not in game.hands[ORANGE]


# Blue ways past AHEAD, the cell of its A C marker, and whether that cell shares a corner with AHEAD.
SAME_WAY = ((-1, 1), (0, 0))
NEIGHBOURHOOD = [
    pytest.param(((0, 3), (0, 1), (1, 0)), (0, 0, "D"), True, id="by a side"),
    pytest.param(SAME_WAY, (-1, 0, "D"), True, id="by a corner"),
    pytest.param(SAME_WAY, (-1, 0, "U"), False, id="apart"),
]


def beside_blues_marker(waypoints: tuple[Vertex, ...], cell: Cell, marker: str, players: int = 4) -> Game:
    kind = marker[-1]
    hands = ("A R, D R", marker, "", "")[:players]
    game = going_west(make_city(3, {AHEAD: "R", cell: kind}), hands, players)
    lay(game, BLUE, (1, 0), *waypoints, via=[cell])
    mark(game, marker, cell)
    game.hands[ORANGE] = [Marker("A", "R")]
    return game


@pytest.mark.rule("M2")
@pytest.mark.parametrize(("waypoints", "cell", "touching"), NEIGHBOURHOOD)
def test_two_markers_of_a_letter_may_not_touch(waypoints: tuple[Vertex, ...], cell: Cell, touching: bool) -> None:
    game = beside_blues_marker(waypoints, cell, "A C")
    assert bool(choices(game, "dig", cell=AHEAD)) is not touching
    assert (0, 2) in reachable(game)  # by the blank cell on the other side


@pytest.mark.rule("M2")
@pytest.mark.parametrize(("waypoints", "cell"), [case.values[:2] for case in NEIGHBOURHOOD])
def test_markers_of_different_letters_may_touch(waypoints: tuple[Vertex, ...], cell: Cell) -> None:
    game = beside_blues_marker(waypoints, cell, "B C")
    assert choices(game, "dig", cell=AHEAD, marker="A R")


@pytest.mark.rule("M1", "M2")
def test_beside_a_marker_of_its_letter_only_the_other_marker_of_the_kind_fits() -> None:
    game = beside_blues_marker(SAME_WAY, (-1, 0, "D"), "A C", players=3)
    game.hands[ORANGE] = [Marker("A", "R"), Marker("D", "R")]
    assert {str(move.marker) for move in choices(game, "dig", cell=AHEAD)} == {"D R"}
