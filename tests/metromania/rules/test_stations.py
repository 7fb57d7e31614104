"""Rules ST1-ST6: stations made by digging."""

from typing import Any

import pytest

from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.lattice import Cell, Vertex, lattice
from mmsim.metromania.rules.position import Game
from tests.metromania.positions import (
    BLUE,
    ORANGE,
    RED,
    choices,
    dig,
    lay,
    make_city,
    play,
    position,
    put_stations,
    to_play,
)

PLAIN = make_city(3)


# --- ST1: meeting --------------------------------------------------------------------------------------------


def before_column_0(city: City = PLAIN, bottom: Vertex = (0, -3), **knobs: Any) -> Game:
    """Orange at (1, 1) heading west; Blue runs down column 0, which Orange meets at (0, 1)."""
    game = position(city, **knobs)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, BLUE, (1, 0), (0, 3), bottom)
    return game


@pytest.mark.rule("ST1")
def test_meeting_a_line_that_passes_through_makes_a_station() -> None:
    game = before_column_0()
    (met,) = dig(game, (0, 1))
    assert met.stations == ((0, 1),)
    assert game.stations == [(0, 1)]
    assert game.supply == 29


@pytest.mark.rule("ST1")
def test_meeting_the_terminus_of_a_line_makes_a_station() -> None:
    game = before_column_0(bottom=(0, 1))
    assert dig(game, (0, 1))[0].stations == ((0, 1),)


@pytest.mark.rule("ST1")
def test_meeting_the_companys_own_other_line_makes_a_station() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, ORANGE, (1, 0), (0, 3), (0, -3))
    assert dig(game, (0, 1))[0].stations == ((0, 1),)


@pytest.mark.rule("ST1")
def test_meeting_an_ended_line_makes_a_station() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (0, 1))
    lay(game, BLUE, (1, 0), (-1, -3))
    assert game.lines[BLUE][0].ended
    assert dig(game, (-1, 1))[0].stations == ((-1, 1),)


@pytest.mark.rule("ST1", "B1")
def test_a_start_onto_another_line_makes_a_station() -> None:
    game = position(make_city(3, frame="S.E"))
    lay(game, BLUE, (2, 0), (-3, 3), (-1, 3))
    started = play(game, "start", cell=("F", 1, 0), to=(-1, 3))
    assert started.stations == ((-1, 3),)


@pytest.mark.rule("ST1")
def test_running_past_without_a_common_vertex_makes_none() -> None:
    game = before_column_0()
    assert dig(game, (1, 0))[0].stations == ()


@pytest.mark.rule("ST1")
def test_two_lines_at_one_vertex_make_one_station() -> None:
    game = before_column_0(bottom=(0, 1))
    lay(game, RED, (0, 2), (1, 2), (0, 2), (0, 1))  # beside Blue from (0, 2) on
    put_stations(game, (0, 2))
    assert dig(game, (0, 1))[0].stations == ((0, 1),)
    assert game.stations == [(0, 2), (0, 1)]


@pytest.mark.rule("ST1")
def test_running_alongside_makes_no_station_at_the_next_vertex() -> None:
    game = before_column_0()
    dig(game, (0, 1))
    assert dig(game, (0, 0))[0].stations == ()  # beside Blue, the same way


@pytest.mark.rule("ST1")
def test_running_alongside_the_opposite_way_makes_no_station_at_the_next_vertex() -> None:
    game = before_column_0()
    dig(game, (0, 1))
    assert dig(game, (0, 2))[0].stations == ()  # beside Blue, which came down here


# --- ST2: splitting ------------------------------------------------------------------------------------------


def alongside(blue_goes_on_to: Vertex | None, city: City = PLAIN) -> Game:
    """Orange and Blue both came from (0, 1) to (-1, 1); Blue has gone on from there or stopped."""
    game = position(city)
    lay(game, BLUE, (0, 0), (-1, 1), *([blue_goes_on_to] if blue_goes_on_to else []))
    lay(game, ORANGE, (1, 0), (0, 3), (0, 1), (-1, 1))
    put_stations(game, (0, 1))
    return game


@pytest.mark.rule("ST2")
@pytest.mark.parametrize("way", [(-2, 1), (-2, 2)])
def test_turning_off_from_a_line_makes_a_station_where_they_part(way: Vertex) -> None:
    game = alongside(blue_goes_on_to=(-1, 0))
    assert dig(game, way)[0].stations == ((-1, 1),)


@pytest.mark.rule("ST2")
def test_going_straight_on_where_the_other_turned_off_is_a_split_too() -> None:
    game = alongside(blue_goes_on_to=(-2, 2))
    assert dig(game, (-2, 1))[0].stations == ((-1, 1),)


@pytest.mark.rule("ST2")
def test_staying_alongside_is_no_split() -> None:
    game = alongside(blue_goes_on_to=(-1, 0))
    assert dig(game, (-1, 0))[0].stations == ()


@pytest.mark.rule("ST2")
def test_a_line_that_stops_has_not_split() -> None:
    game = alongside(blue_goes_on_to=None)
    assert dig(game, (-2, 2))[0].stations == ()


@pytest.mark.rule("ST2")
def test_a_line_that_stopped_splits_when_it_is_dug_on_elsewhere() -> None:
    game = alongside(blue_goes_on_to=None)
    dig(game, (-2, 2))
    to_play(game, BLUE)
    split = dig(game, (-1, 0))[0]
    assert split.seat == BLUE
    assert split.stations == ((-1, 1),)


@pytest.mark.rule("ST2")
def test_a_line_that_stopped_may_follow_the_other_without_a_station() -> None:
    game = alongside(blue_goes_on_to=None)
    dig(game, (-2, 2))
    to_play(game, BLUE)
    assert dig(game, (-2, 2))[0].stations == ()


@pytest.mark.rule("ST2")
def test_a_line_met_at_a_vertex_only_is_not_split_from() -> None:
    """Crossing: Orange meets Blue at (0, 1) and goes straight on; only the meeting makes a station."""
    game = before_column_0()
    dig(game, (0, 1))
    assert dig(game, (-1, 1))[0].stations == ()


@pytest.mark.rule("ST2")
def test_parting_from_a_line_that_ran_the_opposite_way_is_a_split() -> None:
    game = before_column_0()
    dig(game, (0, 1), (0, 2))
    assert dig(game, (-1, 3))[0].stations == ((0, 2),)


@pytest.mark.rule("ST2")
def test_parting_at_the_first_vertex_of_a_line_is_a_split_from_its_start() -> None:
    game = position(PLAIN)
    lay(game, BLUE, (0, 0), (1, 1))
    lay(game, ORANGE, (5, 2), (2, -1), (1, 0), (1, 1), (2, 1))  # from below, then east beside Blue's second tunnel
    put_stations(game, (1, 1))
    assert dig(game, (3, 0))[0].stations == ((2, 1),)


@pytest.mark.rule("ST2")
def test_parting_from_the_companys_own_other_line_is_a_split() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-1, 1), (-1, 0))
    lay(game, ORANGE, (1, 0), (0, 3), (0, 1), (-1, 1))
    put_stations(game, (0, 1))
    assert dig(game, (-2, 1), line=1)[0].stations == ((-1, 1),)


@pytest.mark.rule("ST2", "D4")
def test_ending_a_line_can_be_a_split() -> None:
    game = position(PLAIN)
    lay(game, BLUE, (0, 0), (-3, 1), (-3, 0))
    lay(game, ORANGE, (0, 1), (-2, 2), (-2, 1), (-3, 1))
    put_stations(game, (-2, 1))
    assert play(game, "end", cell=("F", 2, 2)).stations == ((-3, 1),)


# --- ST3, ST4 ------------------------------------------------------------------------------------------------


@pytest.mark.rule("ST3")
def test_changing_sides_makes_no_station() -> None:
    game = position(PLAIN)
    north_then_south: list[Cell] = [(-1, 1, "U"), (-2, 0, "D")]
    lay(game, BLUE, (0, 0), (-2, 1), via=north_then_south)
    lay(game, ORANGE, (1, 0), (0, 3), (0, 1), via=[(0, 1, "U")])
    put_stations(game, (0, 1))
    first, second = dig(game, (-1, 1), (-2, 1))
    assert first.move.cell == (-1, 0, "D")  # south of the edge
    assert second.move.cell == (-2, 1, "U")  # north of it
    assert game.stations == [(0, 1)]


@pytest.mark.rule("ST4")
def test_joining_an_existing_station_makes_no_second_one_and_scores_nothing() -> None:
    game = before_column_0(make_city(3, {(-1, 1, "U"): "R", (0, 1, "U"): "C"}))
    put_stations(game, (0, 1))
    (joined,) = dig(game, (0, 1))
    assert joined.stations == ()
    assert joined.points == 0
    assert game.stations == [(0, 1)]
    assert game.points == [0, 0, 0, 0]


@pytest.mark.rule("ST4")
def test_parting_at_an_existing_station_makes_no_second_one() -> None:
    game = alongside(blue_goes_on_to=(-1, 0))
    put_stations(game, (-1, 1))
    assert dig(game, (-2, 1))[0].stations == ()
    assert game.stations == [(0, 1), (-1, 1)]


@pytest.mark.rule("ST4", "I1", "I3")
def test_portals_never_carry_a_station() -> None:
    game = position(PLAIN)
    line = lay(game, ORANGE, (0, 0), (-3, 1))
    put_stations(game, (-3, 1))
    assert {move.at for move in choices(game, "station")} == set(line.path[1:-1])
    assert play(game, "end", cell=("F", 2, 2)).stations == ()
    assert not {move.at for move in choices(game, "bonus")} & set(lattice(3).portals)


# --- ST5: points ---------------------------------------------------------------------------------------------

WEST, SOUTH_WEST, SOUTH, EAST = (-1, 1, "U"), (-1, 0, "D"), (0, 0, "U"), (0, 1, "U")  # cells at (0, 1)
BLUE_CELL, ORANGE_CELL = (-1, 1, "D"), (0, 0, "D")  # the other two, through which the lines come


def meet_at_0_1(kinds: dict[Cell, str], **knobs: Any) -> Game:
    """Orange has just met Blue at (0, 1), each having come through its own cell."""
    game = position(make_city(3, kinds), **knobs)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, BLUE, (1, 0), (0, 3), (0, 1), via=[BLUE_CELL])
    play(game, "dig", to=(0, 1), cell=ORANGE_CELL)
    assert game.stations == [(0, 1)]
    return game


SPOTS_AND_POINTS = [
    pytest.param({}, 0, id="none"),
    pytest.param({WEST: "R"}, 1, id="one"),
    pytest.param({WEST: "R", SOUTH: "R"}, 2, id="two of a kind"),
    pytest.param({WEST: "R", SOUTH_WEST: "C", SOUTH: "E", EAST: "E"}, 4, id="four"),
    pytest.param({WEST: "L", SOUTH: "P"}, 0, id="lake and park"),
    pytest.param({WEST: "L", SOUTH: "P", EAST: "C"}, 1, id="lake, park and one spot"),
    pytest.param({(1, 1, "U"): "R"}, 0, id="a spot at a neighbouring vertex"),
]


@pytest.mark.rule("ST5")
@pytest.mark.parametrize(("kinds", "points"), SPOTS_AND_POINTS)
def test_a_station_scores_a_point_for_every_spot_at_it(kinds: dict[Cell, str], points: int) -> None:
    game = meet_at_0_1(kinds)
    assert game.history[-1].points == points
    assert game.points == [points, 0, 0, 0]  # for the digging company alone


@pytest.mark.rule("ST5")
@pytest.mark.parametrize(("kinds", "points"), SPOTS_AND_POINTS)
def test_flat_station_points_are_one_for_any_number_of_spots(kinds: dict[Cell, str], points: int) -> None:
    game = meet_at_0_1(kinds, spec="nl")
    assert game.points == [min(points, 1), 0, 0, 0]


@pytest.mark.rule("ST5")
def test_covered_spots_count_as_well() -> None:
    game = meet_at_0_1({BLUE_CELL: "R", ORANGE_CELL: "C", WEST: "E"})
    assert game.points == [3, 0, 0, 0]


@pytest.mark.rule("ST5")
def test_points_of_several_stations_add_up() -> None:
    game = meet_at_0_1({WEST: "R", SOUTH_WEST: "C", (-2, 1, "U"): "E"})
    lay(game, RED, (1, 1), (-2, 1))
    dig(game, (-1, 1))
    dig(game, (-2, 1))
    assert [played.points for played in game.history] == [2, 0, 1]
    assert game.points == [3, 0, 0, 0]


# --- ST6: both at once ---------------------------------------------------------------------------------------


@pytest.mark.rule("ST6", "ST5")
def test_a_split_and_a_meeting_by_one_tunnel_come_in_that_order() -> None:
    split, meeting = (-1, 1), (-2, 1)
    at_the_split, at_both, at_the_meeting = (-2, 1, "D"), (-2, 1, "U"), (-2, 0, "U")
    spots = {at_the_split: "R", at_both: "C", at_the_meeting: "E"}
    game = alongside((-1, 0), make_city(3, spots))
    lay(game, RED, (1, 2), (-3, 2), (-2, 1))
    (both,) = dig(game, (-2, 1))
    assert both.stations == (split, meeting)
    assert game.stations == [(0, 1), split, meeting]
    assert both.points == 4
    assert game.points == [4, 0, 0, 0]
