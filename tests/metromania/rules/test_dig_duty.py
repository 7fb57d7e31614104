"""Rule T3: the duty to dig, knob `dig_duty`."""

from typing import Any

import pytest

from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import IllegalMove, apply, legal_moves
from tests.metromania.positions import (
    BLUE,
    ORANGE,
    RED,
    around,
    dig,
    kinds_of_moves,
    lay,
    make_city,
    new_game,
    play,
    position,
    put_stations,
    reachable,
)

PLAIN = make_city(3)


DEAD_END, ONE_MORE = (0, 1, "U"), (-1, 1, "U")
SHAFT: list[Cell] = [(1, 0, "U"), (1, -1, "U"), (1, -2, "U")]


def by_a_dead_end(*free: Cell, second_line: bool = False, **knobs: Any) -> Game:
    """Orange stands at (1, 1) and nothing is free but some cells.

    By `DEAD_END` it comes to (0, 2) and no further, or to (0, 1) and by `ONE_MORE` one further; three tunnels down to
    (1, -2) lie in `SHAFT`. A second line, if it is there, has two tunnels ahead.
    """
    game = position(PLAIN, **knobs)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, BLUE, (0, 1), (-1, 2))
    left = {DEAD_END, *free}
    if second_line:
        lay(game, ORANGE, (5, 0), (2, -3))
        left |= {(1, -3, "U"), (0, -3, "U")}
    for cell in set(game.city.kind) - left:
        game.tunnels.setdefault(cell, (RED, 0))
    return game


@pytest.mark.rule("T3")
def test_usually_a_company_may_dig_into_a_corner_and_stop_early() -> None:
    game = by_a_dead_end(*SHAFT)
    assert reachable(game) == {(0, 1), (0, 2), (1, 0)}
    dig(game, (0, 1))
    assert game.seat == BLUE
    assert len(game.history) == 1


@pytest.mark.rule("T3")
@pytest.mark.parametrize("more", [[], [ONE_MORE]])
def test_under_the_strict_duty_a_tunnel_into_a_corner_is_refused(more: list[Cell]) -> None:
    game = by_a_dead_end(*SHAFT, *more, dig_duty="most")
    assert reachable(game) == {(1, 0)}
    with pytest.raises(IllegalMove):
        apply(game, Move("dig", 0, DEAD_END, (0, 1)))
    dig(game, (1, 0), (1, -1), (1, -2))
    assert game.seat == BLUE


@pytest.mark.rule("T3")
def test_under_the_strict_duty_the_most_there_can_be_may_be_fewer_than_three() -> None:
    game = by_a_dead_end(SHAFT[0], ONE_MORE, dig_duty="most")
    assert reachable(game) == {(0, 1)}
    dig(game, (0, 1), (-1, 1))
    assert game.seat == BLUE
    game = by_a_dead_end(SHAFT[0], dig_duty="most")
    assert reachable(game) == {(0, 1), (0, 2), (1, 0)}


@pytest.mark.rule("T3")
def test_under_the_strict_duty_a_corner_is_deep_enough_if_that_many_are_due() -> None:
    assert reachable(by_a_dead_end(*SHAFT, ONE_MORE, dig_duty="most", dig=2)) == {(0, 1), (1, 0)}
    assert reachable(by_a_dead_end(*SHAFT, dig_duty="most", dig=1)) == {(0, 1), (0, 2), (1, 0)}


@pytest.mark.rule("T3")
def test_under_the_strict_duty_the_other_line_may_make_up_for_the_corner() -> None:
    game = by_a_dead_end(dig_duty="most", second_line=True)
    assert reachable(game) == {(0, 1), (0, 2)}
    dig(game, (0, 2))
    dig(game, (1, -3), (0, -3), line=1)
    assert game.seat == BLUE


@pytest.mark.rule("T3", "P4")
@pytest.mark.parametrize(("trigger_turn", "legal"), [("stop", {(0, 2), (1, 0)}), ("finish", {(1, 0)})])
def test_a_turn_that_a_trigger_stops_has_done_its_duty(trigger_turn: str, legal: set[Vertex]) -> None:
    game = by_a_dead_end(*SHAFT, dig_duty="most", trigger_turn=trigger_turn, stations=1)
    assert reachable(game) == legal  # at (0, 2) Orange meets Blue and takes the last station


@pytest.mark.rule("T3", "I3")
def test_a_bonus_station_that_lets_the_other_line_go_on_counts_for_the_duty_but_may_be_declined() -> None:
    game = position(PLAIN, dig_duty="most")
    lay(game, ORANGE, (0, 0), (-3, 1))
    lay(game, ORANGE, (1, 0), (-1, 1), via=[(-1, 1, "U")])
    end = next(cell for cell in game.city.arrows["E"] if (-3, 1) in game.city.lattice.corners[cell])
    sharp, corner = (-2, 1, "D"), (-3, 0, "U")  # a sharp turn of the second line; a dead end for the first
    for cell in set(game.city.kind) - {end, sharp, corner}:
        game.tunnels.setdefault(cell, (RED, 0))
    assert [move.kind for move in legal_moves(game)] == ["end"]
    play(game, "end")
    assert len(legal_moves(game)) > 1
    play(game, "decline")
    assert game.seat == BLUE


@pytest.mark.rule("T3", "T2")
def test_under_the_strict_duty_a_first_line_does_not_start_into_a_corner() -> None:
    walled = make_city(3, dict.fromkeys(around(3, (-1, 3)), "L"))
    into = [move.to for move in legal_moves(new_game(walled)) if move.cell == ("F", 1, 0)]
    assert into == [(0, 3), (-1, 3)]
    dutiful = [move.to for move in legal_moves(new_game(walled, dig_duty="most")) if move.cell == ("F", 1, 0)]
    assert dutiful == [(0, 3)]


@pytest.mark.rule("T3", "T1")
def test_under_the_strict_duty_a_company_may_still_place_a_station_instead() -> None:
    game = position(PLAIN, dig_duty="most")
    lay(game, ORANGE, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    assert "station" in kinds_of_moves(game)
