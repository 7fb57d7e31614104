"""Rules I1-I3: intermediate stations and bonus stations."""

from typing import Any

import pytest

from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.lattice import Vertex, lattice
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import Network
from tests.metromania.positions import (
    BLUE,
    ORANGE,
    choices,
    dig,
    kinds_of_moves,
    lay,
    make_city,
    play,
    position,
    put_stations,
    to_play,
)

PLAIN = make_city(3)


# --- I1, I2: intermediate stations ---------------------------------------------------------------------------


def row_1(*stations: Vertex, city: City = PLAIN, **knobs: Any) -> Game:
    """Orange's line 0 along row 1 from (2, 1) to (-2, 1), with stations."""
    game = position(city, **knobs)
    lay(game, ORANGE, (0, 0), (-2, 1))
    put_stations(game, *stations)
    return game


def places(game: Game, kind: str = "station", **wanted: Any) -> set[Vertex | None]:
    return {move.at for move in choices(game, kind, **wanted)}


@pytest.mark.rule("I1")
def test_an_intermediate_station_lies_between_the_start_and_the_last_station() -> None:
    assert places(row_1((-1, 1))) == {(2, 1), (1, 1), (0, 1)}


@pytest.mark.rule("I1")
def test_an_intermediate_station_lies_between_two_stations() -> None:
    assert places(row_1((2, 1), (-1, 1))) == {(1, 1), (0, 1)}


@pytest.mark.rule("I1")
def test_a_line_without_a_station_takes_no_intermediate_one() -> None:
    game = row_1()
    put_stations(game, (0, 0))  # somebody else's
    assert places(game) == set()


@pytest.mark.rule("I1")
def test_nothing_lies_between_the_start_and_a_station_at_its_first_vertex() -> None:
    assert places(row_1((2, 1))) == set()


@pytest.mark.rule("I1")
def test_a_station_at_the_terminus_opens_the_whole_line() -> None:
    assert places(row_1((-2, 1))) == {(2, 1), (1, 1), (0, 1), (-1, 1)}


@pytest.mark.rule("I1")
def test_both_lines_of_a_company_take_intermediate_stations_and_no_other() -> None:
    game = row_1((0, 1))
    lay(game, ORANGE, (1, 1), (-2, 2))
    lay(game, BLUE, (5, 0), (2, -3))
    put_stations(game, (-2, 2), (2, -3))
    assert places(game, line=0) == {(2, 1), (1, 1)}
    assert places(game, line=1) == {(-2, 3)}


@pytest.mark.rule("I1")
def test_a_blocked_line_or_one_out_of_tunnels_takes_intermediate_stations() -> None:
    game = row_1((0, 1), tunnels_per_line=5)
    assert choices(game, "dig") == []
    assert places(game) == {(2, 1), (1, 1)}
    walled = make_city(3, {cell: "L" for cell in lattice(3).cells_at[-2, 1] if cell != (-2, 1, "U")})
    game = row_1((0, 1), city=walled)
    assert choices(game, "dig") == []
    assert places(game) == {(2, 1), (1, 1)}


@pytest.mark.rule("I1", "I3")
def test_an_ended_line_takes_no_intermediate_station() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-4, 1))
    put_stations(game, (0, 1))
    assert places(game) == set()


@pytest.mark.rule("I2")
def test_an_intermediate_station_scores_like_any_other() -> None:
    city = make_city(3, {(1, 1, "U"): "R", (0, 1, "D"): "C"})
    game = row_1((0, 1), city=city)
    built = play(game, "station", at=(1, 1))
    assert built.stations == ((1, 1),)
    assert built.points == 2
    assert game.points == [2, 0, 0, 0]
    assert game.supply == 28
    game = row_1((0, 1), city=city, spec="nl")
    assert play(game, "station", at=(1, 1)).points == 1


@pytest.mark.rule("I2")
def test_no_intermediate_station_without_one_in_the_supply() -> None:
    assert places(row_1((0, 1), stations=2)) == {(2, 1), (1, 1)}
    assert places(row_1((0, 1), stations=1)) == set()


@pytest.mark.rule("I1", "ST4", "TT2")
def test_where_two_lines_run_alongside_one_station_serves_both() -> None:
    game = row_1((0, 1), (-2, 1))
    lay(game, BLUE, (1, 0), (0, 3), (0, 1), (-2, 1))  # beside Orange from (0, 1) on
    assert (-1, 1) in places(game)
    assert (-1, 1) in places(to_play(game, BLUE))
    play(to_play(game, ORANGE), "station", at=(-1, 1))
    assert game.seat == BLUE
    assert places(game) == {(0, 3), (0, 2)}
    assert [section.tunnels for section in Network(game).sections] == [1, 1, 1, 1]


# --- I3: the bonus station -----------------------------------------------------------------------------------


def before_the_end(*stations: Vertex, **knobs: Any) -> Game:
    """Orange's line 0 along row 1 stands at (-3, 1), one tunnel before its end."""
    game = position(make_city(3, {(1, 1, "U"): "R"}), **knobs)
    lay(game, ORANGE, (0, 0), (-3, 1))
    put_stations(game, *stations)
    return game


def end_it(game: Game) -> Game:
    play(game, "end", cell=("F", 2, 2))
    return game


@pytest.mark.rule("I3")
def test_a_line_that_ends_may_get_a_station_anywhere_between_start_and_end() -> None:
    game = end_it(before_the_end())
    assert places(game, "bonus") == {(2, 1), (1, 1), (0, 1), (-1, 1), (-2, 1), (-3, 1)}
    assert kinds_of_moves(game) == {"bonus", "decline"}
    built = play(game, "bonus", at=(1, 1))
    assert built.stations == ((1, 1),)
    assert game.stations == [(1, 1)]
    assert game.points == [1, 0, 0, 0]


@pytest.mark.rule("I3", "ST4")
def test_the_bonus_station_goes_where_there_is_none() -> None:
    game = end_it(before_the_end((0, 1), (-3, 1)))
    assert places(game, "bonus") == {(2, 1), (1, 1), (-1, 1), (-2, 1)}


@pytest.mark.rule("I3")
def test_the_bonus_station_may_be_declined() -> None:
    game = end_it(before_the_end())
    play(game, "decline")
    assert game.stations == []
    assert game.seat == ORANGE
    assert kinds_of_moves(game) == {"start"}  # the turn goes on


@pytest.mark.rule("I3")
def test_only_one_bonus_station_and_never_later() -> None:
    game = end_it(before_the_end((-1, 1)))
    play(game, "bonus", at=(2, 1))
    assert kinds_of_moves(game) == {"start"}
    assert kinds_of_moves(to_play(game, ORANGE)) == {"start"}


@pytest.mark.rule("I3")
def test_the_bonus_station_needs_one_in_the_supply() -> None:
    game = end_it(before_the_end((0, 1), stations=1))
    assert game.bonus_line is None
    assert "bonus" not in kinds_of_moves(game)


@pytest.mark.rule("I3")
def test_a_line_full_of_stations_is_asked_for_no_bonus() -> None:
    game = end_it(before_the_end((2, 1), (1, 1), (0, 1), (-1, 1), (-2, 1), (-3, 1)))
    assert kinds_of_moves(game) == {"start"}


@pytest.mark.rule("I3")
def test_the_bonus_station_goes_on_the_line_that_ended() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (1, 2), (-3, 3))
    lay(game, ORANGE, (0, 0), (-3, 1))
    end_it(game)
    assert {move.line for move in choices(game, "bonus")} == {1}
    assert (-3, 3) not in places(game, "bonus")


@pytest.mark.rule("I3", "ST1")
def test_other_lines_still_make_stations_on_an_ended_line() -> None:
    game = end_it(before_the_end())
    play(game, "bonus", at=(2, 1))
    lay(game, BLUE, (1, 0), (-1, 2))
    to_play(game, BLUE)
    assert dig(game, (-1, 1))[0].stations == ((-1, 1),)
