"""Rules B1 and B2: starting a line."""

import pytest

from mmsim.metromania.rules.lattice import lattice
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import apply, legal_moves
from tests.metromania.positions import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    around,
    choices,
    lay,
    make_city,
    new_game,
    play,
    position,
    put_stations,
    to_play,
    with_knobs,
)

MIXED = make_city(3, frame="S.E")  # a start and an end on every side


@pytest.mark.rule("B1")
def test_every_free_start_and_no_other_frame_cell_can_be_started_on() -> None:
    game = new_game(MIXED)
    assert {move.cell for move in legal_moves(game)} == {("F", side, 0) for side in range(6)}
    assert len(legal_moves(game)) == 12


@pytest.mark.rule("B1")
def test_a_start_taken_by_another_company_is_gone() -> None:
    game = new_game(MIXED)
    lay(game, BLUE, (2, 0), (-3, 3))
    assert {move.cell for move in legal_moves(game)} == {("F", side, 0) for side in (0, 1, 3, 4, 5)}


@pytest.mark.rule("B1")
def test_the_first_line_started_is_line_0_and_the_second_line_1() -> None:
    game = new_game(MIXED)
    assert {move.line for move in choices(game, "start")} == {0}
    lay(game, ORANGE, (0, 0), (1, 1))
    game.turns_taken = [1] * 4
    assert {move.line for move in choices(game, "start")} == {1}


def second_start(start_turn: str) -> Game:
    """Orange has begun its second turn by starting its second line; its first can be dug on."""
    game = position(MIXED, start_turn=start_turn)
    lay(game, ORANGE, (0, 0), (1, 1))
    play(game, "start", cell=("F", 3, 0), to=(-2, -1))
    return game


@pytest.mark.rule("B1")
def test_a_turn_that_starts_a_line_may_dig_on_both_if_it_is_free() -> None:
    assert {move.line for move in choices(second_start("free"), "dig")} == {0, 1}


@pytest.mark.rule("B1")
def test_a_whole_turn_that_starts_a_line_digs_on_no_other() -> None:
    game = second_start("whole")
    for _ in range(2):
        assert game.seat == ORANGE
        assert {move.line for move in legal_moves(game)} == {1}
        apply(game, legal_moves(game)[0])
    assert game.seat == BLUE
    to_play(game, ORANGE)
    game.has_started = False
    assert {move.line for move in choices(game, "dig")} == {0, 1}  # in a later turn on both again


@pytest.mark.rule("B1")
def test_a_whole_turn_is_over_when_the_line_it_starts_can_not_be_dug_on() -> None:
    game = position(make_city(3, dict.fromkeys(around(3, (-2, -1)), "L"), frame="S.E"), start_turn="whole")
    lay(game, ORANGE, (0, 0), (1, 1))
    play(game, "start", cell=("F", 3, 0), to=(-2, -1))
    assert game.seat == BLUE


@pytest.mark.rule("B1")
def test_a_whole_turn_starts_a_line_with_its_first_tunnel_or_not_at_all() -> None:
    for start_turn, may_start in (("free", True), ("whole", False)):
        game = position(MIXED, start_turn=start_turn)
        lay(game, ORANGE, (0, 0), (1, 1))
        assert choices(game, "start")
        apply(game, choices(game, "dig")[0])
        assert bool(choices(game, "start")) is may_start


@pytest.mark.rule("B1", "S6")
def test_a_company_has_no_third_line() -> None:
    game = position(MIXED)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, ORANGE, (3, 0), (-2, -1))
    assert choices(game, "start") == []


@pytest.mark.rule("B2")
@pytest.mark.parametrize("side", range(6))
def test_the_second_line_starts_neither_on_the_first_ones_side_nor_next_to_it(side: int) -> None:
    game = position(MIXED)
    net = lattice(3)
    lay(game, ORANGE, (side, 0), net.border_vertex(side, 0))
    opposite = {("F", (side + k) % 6, 0) for k in (2, 3, 4)}
    assert {move.cell for move in choices(game, "start")} == opposite


@pytest.mark.rule("B2")
def test_only_sides_count_even_when_the_first_line_is_ended() -> None:
    game = position(MIXED)
    lay(game, ORANGE, (1, 0), (-1, -3))  # from side 1 to the end on side 3
    assert game.lines[ORANGE][0].ended
    assert {move.cell for move in choices(game, "start")} == {("F", side, 0) for side in (3, 4, 5)}


def far_sides_full(overflow: bool, free_far_side: bool = False) -> Game:
    """Orange started on side 0; the starts of sides 2, 3 and 4 are taken (or side 4's is left)."""
    game = position(MIXED, start_overflow=overflow)
    lay(game, ORANGE, (0, 0), (2, 1))
    lay(game, BLUE, (2, 0), (-3, 3))
    lay(game, RED, (3, 0), (-3, 0))
    if not free_far_side:
        lay(game, GREEN, (4, 0), (0, -3))
    return game


@pytest.mark.rule("B2")
def test_with_the_far_sides_full_the_second_line_may_start_anywhere() -> None:
    game = far_sides_full(overflow=True)
    assert {move.cell for move in choices(game, "start")} == {("F", 1, 0), ("F", 5, 0)}


@pytest.mark.rule("B2")
def test_one_free_start_on_a_far_side_keeps_the_near_ones_closed() -> None:
    game = far_sides_full(overflow=True, free_far_side=True)
    assert {move.cell for move in choices(game, "start")} == {("F", 4, 0)}


@pytest.mark.rule("B2")
def test_without_start_overflow_a_second_line_waits_for_a_far_start() -> None:
    assert choices(far_sides_full(overflow=False), "start") == []


@pytest.mark.rule("B2", "D5")
def test_a_free_far_start_that_lacks_a_station_still_keeps_the_near_ones_closed() -> None:
    game = far_sides_full(overflow=True, free_far_side=True)
    lay(game, GREEN, (5, 0), (3, -3), (0, -3))  # along the bottom: a start on side 4 would meet it
    put_stations(game, (2, 1))
    with_knobs(game, stations=1)
    assert game.supply == 0
    assert choices(game, "start") == []
