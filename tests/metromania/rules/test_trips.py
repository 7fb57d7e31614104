"""Rules TT1-TT5: the seven test trips, made or impossible."""

from typing import Any

import pytest

from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import PARK_LAKE, Network
from tests.metromania.positions import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    final,
    lay,
    make_city,
    mark,
    position,
    put_stations,
    trip,
)

# --- TT1-TT4: trips that can be made -------------------------------------------------------------------------


def a_trip(
    *stations: Vertex,
    a_r: Cell | None = (1, 0, "U"),
    a_c: Cell | None = (-2, 0, "U"),
    red: bool = True,
    **knobs: Any,
) -> Game:
    """Row 1 of a city of side 3, from Blue's A C in the west to Orange's A R in the east.

        Blue            Orange
    ----(-2,1)--x--x--(1,1)---- Red        x = (-1,1) and (0,1), in Red's way
        A C             A R
    """
    spots = [("A R", a_r), ("A C", a_c)]
    game = position(make_city(3, {cell: marker[-1] for marker, cell in spots if cell}), **knobs)
    lay(game, ORANGE, (0, 2), (1, -4), via=[a_r] if a_r else [])
    lay(game, BLUE, (1, 1), (-2, -2), via=[(-3, 1, "D"), *([a_c] if a_c else [])])
    if red:
        lay(game, RED, (0, 0), (-4, 1))
    for marker, cell in spots:
        if cell:
            mark(game, marker, cell)
    put_stations(game, (1, 1), (-2, 1), *stations)
    return game


@pytest.mark.rule("TT1")
def test_trips_run_from_a_to_f_and_then_from_park_to_lake() -> None:
    assert [trip.name for trip in final(a_trip()).trips] == ["A", "B", "C", "D", "E", "F", PARK_LAKE]


@pytest.mark.rule("TT2", "TT4")
def test_from_station_to_next_station_is_a_minute_however_long() -> None:
    a = trip(a_trip(), "A")
    assert a.minutes == 1
    assert [section.tunnels for section in a.used] == [3]
    assert a.scores == [0, 0, 3, 0]


@pytest.mark.rule("TT2")
@pytest.mark.parametrize(("between", "minutes"), [([(0, 1)], 2), ([(0, 1), (-1, 1)], 3)])
def test_every_station_on_the_way_costs_a_minute(between: list[Vertex], minutes: int) -> None:
    assert trip(a_trip(*between), "A").minutes == minutes


@pytest.mark.rule("TT2")
def test_start_and_end_of_a_line_are_no_stations() -> None:
    game = a_trip()
    assert [(s.start.station, s.end.station) for s in Network(game).sections] == [((1, 1), (-2, 1))]


def with_a_change(seat: int = GREEN, **knobs: Any) -> Game:
    """As `a_trip`, but Red's line stops at (0, 1), where another one takes over to (-2, 1)."""
    game = a_trip((0, 1), red=False, **knobs)
    lay(game, RED, (0, 0), (0, 1))
    lay(game, seat, (1, 0), (0, 3), (0, 1), (-3, 1))
    return game


@pytest.mark.rule("TT2", "TT3", "TT4")
def test_changing_lines_costs_three_minutes() -> None:
    a = trip(with_a_change(), "A")
    assert a.minutes == 1 + 3 + 1
    assert a.involved == [RED, GREEN]
    assert a.scores == [0, 0, 3, 3]


@pytest.mark.rule("TT2")
def test_changing_between_two_lines_of_one_company_costs_as_much() -> None:
    a = trip(with_a_change(RED), "A")
    assert a.minutes == 5
    assert a.scores == [0, 0, 3, 0]  # once


@pytest.mark.rule("TT2")
@pytest.mark.parametrize(("ride", "change", "minutes"), [(1, 0, 2), (2, 3, 7), (1, 5, 7), (4, 1, 9)])
def test_ride_and_change_minutes_are_knobs(ride: int, change: int, minutes: int) -> None:
    a = trip(with_a_change(ride_minutes=ride, change_minutes=change), "A")
    assert a.minutes == minutes
    assert a.involved == [RED, GREEN]


@pytest.mark.rule("TT2", "TT3")
@pytest.mark.parametrize(("change", "minutes", "involved"), [(3, 3, [RED]), (0, 2, [RED, GREEN]), (1, 3, [RED, GREEN])])
def test_a_change_pays_when_it_saves_enough_stations(change: int, minutes: int, involved: list[int]) -> None:
    """Red stops at (0, 1) and (-1, 1); Green, boarded at (0, 1), runs south of (-1, 1) without a stop."""
    game = a_trip((0, 1), (-1, 1), red=False, change_minutes=change)
    lay(game, RED, (0, 0), (-4, 1), via=[(-2, 1, "U")])
    lay(game, GREEN, (1, 0), (0, 3), (0, 0), (-1, 0), (-2, 1))
    a = trip(game, "A")
    assert a.minutes == minutes
    assert a.involved == involved


@pytest.mark.rule("TT1", "TT3")
def test_all_stations_at_a_markers_cell_are_terminals_and_the_nearest_two_count() -> None:
    game = a_trip(red=False)
    lay(game, RED, (5, 2), (3, 0), (-3, 0))  # along row 0, past two corners of either cell
    put_stations(game, (2, 0), (1, 0), (-1, 0), (-2, 0))
    a = trip(game, "A")
    assert a.minutes == 1
    assert [(s.start.station, s.end.station) for s in a.used] == [((1, 0), (-1, 0))]


@pytest.mark.rule("TT1")
def test_a_station_near_but_not_at_the_cell_is_no_terminal() -> None:
    a = trip(a_trip((1, -2), a_r=(1, -1, "U")), "A")  # between the stations (1, 1) and (1, -2)
    assert a.minutes is None
    assert a.guilty == {ORANGE: "no_station"}


@pytest.mark.rule("TT3", "TT4")
def test_two_equally_fast_routes_are_both_used() -> None:
    game = a_trip()
    lay(game, GREEN, (5, 2), (3, 0), (-3, 0))  # along row 0
    put_stations(game, (1, 0), (0, 0), (-2, 0))
    assert trip(game, "A").involved == [RED]  # 1 minute; Green takes 2
    put_stations(game, (0, 1))
    a = trip(game, "A")
    assert a.minutes == 2
    assert a.involved == [RED, GREEN]
    assert len(a.used) == 4
    assert a.scores == [0, 0, 3, 3]


@pytest.mark.rule("TT3", "TT4")
def test_placing_a_marker_scores_nothing_for_a_company_off_the_fastest_route() -> None:
    assert trip(a_trip(), "A").scores[ORANGE] == 0
    assert trip(a_trip(), "A").scores[BLUE] == 0


@pytest.mark.rule("TT4")
@pytest.mark.parametrize(("knobs", "points"), [({}, 6), ({"trip_points": 4}, 7), ({"own_marker_bonus": 1}, 4)])
def test_a_company_on_the_route_that_placed_a_marker_gets_the_bonus(knobs: dict[str, Any], points: int) -> None:
    game = a_trip(red=False, **knobs)
    lay(game, ORANGE, (0, 0), (-4, 1))
    assert trip(game, "A").scores == [points, 0, 0, 0]


@pytest.mark.rule("TT4")
def test_the_marker_of_another_letter_earns_no_bonus() -> None:
    game = a_trip(red=False)
    game.city = make_city(3, {(1, 0, "U"): "R", (-2, 0, "U"): "C", (0, 1, "U"): "E"})
    lay(game, RED, (0, 0), (-4, 1), via=[(0, 1, "U")])
    mark(game, "B E", (0, 1, "U"))
    assert trip(game, "A").scores == [0, 0, 3, 0]


# --- park and lake -------------------------------------------------------------------------------------------


def park_and_lake(**knobs: Any) -> Game:
    """Red's row 1 runs past a park at (1, 1) and a lake at (-2, 1)."""
    kinds = {(1, 0, "U"): "P", (1, -1, "D"): "P", (-2, 0, "U"): "L", (-2, -1, "D"): "L"}
    game = position(make_city(3, kinds), **knobs)
    lay(game, RED, (0, 0), (-4, 1))
    return game


@pytest.mark.rule("TT4", "TT1")
@pytest.mark.parametrize(("knobs", "points"), [({}, 5), ({"park_lake_points": 8}, 8)])
def test_companies_on_the_fastest_way_from_park_to_lake_get_five_points(knobs: dict[str, int], points: int) -> None:
    game = park_and_lake(**knobs)
    put_stations(game, (1, 1), (-2, 1))
    final_trip = trip(game, PARK_LAKE)
    assert final_trip.minutes == 1
    assert final_trip.scores == [0, 0, points, 0]


@pytest.mark.rule("TT1")
def test_any_cell_of_park_and_lake_is_a_terminal() -> None:
    game = park_and_lake()
    lay(game, GREEN, (5, 2), (-2, -1))  # along row -1, past the southern cells only
    put_stations(game, (2, -1), (-1, -1))
    assert trip(game, PARK_LAKE).scores == [0, 0, 0, 5]


@pytest.mark.rule("TT5")
@pytest.mark.parametrize("stations", [[], [(1, 1)], [(1, 1), (0, 1)]])
def test_nobody_loses_by_an_impossible_way_from_park_to_lake(stations: list[Vertex]) -> None:
    game = park_and_lake()
    put_stations(game, *stations)
    final_trip = trip(game, PARK_LAKE)
    assert final_trip.minutes is None
    assert final_trip.guilty == {}
    assert final_trip.scores == [0, 0, 0, 0]


@pytest.mark.rule("TT3")
def test_where_one_station_serves_park_and_lake_nobody_is_involved() -> None:
    game = position(make_city(3, {(0, 0, "U"): "P", (0, 0, "D"): "L"}))
    lay(game, RED, (0, 0), (-4, 1))
    put_stations(game, (0, 1), (1, 1))  # (0, 1) touches both, (1, 1) the lake
    final_trip = trip(game, PARK_LAKE)
    assert final_trip.minutes == 0
    assert final_trip.involved == []
    assert final_trip.scores == [0, 0, 0, 0]


# --- TT5: impossible trips -----------------------------------------------------------------------------------


@pytest.mark.rule("TT5")
def test_the_holder_of_a_marker_never_placed_is_guilty() -> None:
    a = trip(a_trip(a_c=None), "A")
    assert a.guilty == {BLUE: "not_placed"}
    assert a.scores == [0, -6, 0, 0]


@pytest.mark.rule("TT5")
def test_with_neither_marker_placed_both_holders_lose() -> None:
    a = trip(a_trip(a_r=None, a_c=None), "A")
    assert a.guilty == {ORANGE: "not_placed", BLUE: "not_placed"}
    assert a.scores == [-6, -6, 0, 0]


@pytest.mark.rule("TT5")
@pytest.mark.parametrize(("markers", "guilty"), [({"a_r": (1, -1, "U")}, ORANGE), ({"a_c": (-2, -1, "U")}, BLUE)])
def test_the_placer_of_a_marker_without_a_station_is_guilty(markers: dict[str, Any], guilty: int) -> None:
    a = trip(a_trip(**markers), "A")
    assert a.guilty == {guilty: "no_station"}
    assert [seat for seat in range(4) if a.scores[seat] == -6] == [guilty]
    assert sum(a.scores) == -6


@pytest.mark.rule("TT5")
def test_one_marker_unplaced_and_the_other_without_a_station_makes_two_guilty() -> None:
    game = a_trip(a_r=(1, -1, "U"), a_c=None)
    assert trip(game, "A").guilty == {ORANGE: "no_station", BLUE: "not_placed"}


@pytest.mark.rule("TT5")
def test_without_a_route_both_placers_are_guilty() -> None:
    a = trip(a_trip(red=False), "A")
    assert a.guilty == {ORANGE: "no_route", BLUE: "no_route"}
    assert a.scores == [-6, -6, 0, 0]


@pytest.mark.rule("TT5")
def test_a_company_guilty_twice_loses_once() -> None:
    hands = ("A R, A C", "B C, B E", "C E, C R, D R, D C", "E C, E E, F E, F R")
    assert trip(position(make_city(3), hands=hands), "A").scores == [-6, 0, 0, 0]


@pytest.mark.rule("TT5")
def test_the_penalty_is_a_knob() -> None:
    assert trip(a_trip(red=False, penalty=2), "A").scores == [-2, -2, 0, 0]


@pytest.mark.rule("TT5")
def test_a_trip_that_is_made_costs_nobody() -> None:
    a = trip(a_trip(), "A")
    assert a.guilty == {}
    assert min(a.scores) == 0
