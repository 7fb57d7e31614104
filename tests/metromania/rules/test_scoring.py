"""Rules L1, TT6 and W1, and the books' worked examples: from station points and trips to the winner."""

from typing import Any

import pytest

from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import PARK_LAKE, winners
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

# --- L1: station points --------------------------------------------------------------------------------------


def with_ended_lines(ended: int, points: int, **knobs: Any) -> Game:
    """Orange has station points and two lines, some of them ended."""
    game = position(make_city(3), **knobs)
    lay(game, ORANGE, (0, 0), (-4, 1) if ended >= 1 else (-3, 1))
    lay(game, ORANGE, (5, 1), (-2, -2) if ended == 2 else (-1, -2))
    game.points[ORANGE] = points
    return game


@pytest.mark.rule("L1")
@pytest.mark.parametrize(("ended", "points", "kept"), [(2, 9, 9), (1, 8, 4), (1, 9, 4), (1, 1, 0), (0, 9, 0)])
def test_a_company_keeps_all_half_or_none_of_its_station_points(ended: int, points: int, kept: int) -> None:
    outcome = final(with_ended_lines(ended, points))
    assert outcome.station_points == [points, 0, 0, 0]
    assert outcome.kept_points == [kept, 0, 0, 0]


@pytest.mark.rule("L1")
@pytest.mark.parametrize(("points", "kept"), [(8, 4), (9, 5), (1, 1), (0, 0)])
def test_half_may_be_rounded_up(points: int, kept: int) -> None:
    assert final(with_ended_lines(1, points, half_kept="ceil")).kept_points[ORANGE] == kept


@pytest.mark.rule("L1", "TT5")
def test_the_score_is_the_points_kept_and_those_of_all_trips() -> None:
    outcome = final(with_ended_lines(1, 9))
    by_trips = [sum(trip.scores[seat] for trip in outcome.trips) for seat in range(4)]
    assert by_trips == [-18] * 4  # nobody placed any of its three markers
    assert outcome.scores == [4 - 18, -18, -18, -18]


# --- the books' worked examples ------------------------------------------------------------------------------


def first_example(red_to: Vertex = (-4, 1), green_to: Vertex = (-4, 2)) -> Game:
    """E-E between Red's commercial and Blue's entertainment marker: Red, Green, or Red and Orange make the way."""
    commercial, entertainment = (1, 1, "U"), (-2, 1, "U")
    game = position(make_city(4, {commercial: "C", entertainment: "E"}))
    lay(game, RED, (0, 0), red_to, via=[(2, 1, "U"), commercial])  # along row 1
    lay(game, GREEN, (0, 1), green_to)  # along row 2
    lay(game, BLUE, (1, 1), (-2, -1), via=[entertainment])  # down column -2
    lay(game, ORANGE, (5, 3), (4, 0), (3, 1), (3, 0), (0, 0), (-1, 1))
    mark(game, "E C", commercial)
    mark(game, "E E", entertainment)
    put_stations(game, (3, 1), (2, 1), (-1, 1), (-2, 1))  # on Red's line; Orange calls at the first and third
    put_stations(game, (1, 2), (0, 2), (-2, 2))  # on Green's line
    put_stations(game, (1, 0))  # on Orange's line
    return game


@pytest.mark.rule("TT2", "TT3", "TT4")
def test_book_example_e_e_the_red_route_of_one_minute_wins() -> None:
    e = trip(first_example(), "E")
    assert e.minutes == 1
    assert e.scores == [0, 0, 6, 0]  # 3, and 3 for the commercial marker


@pytest.mark.rule("TT3")
def test_book_example_e_e_the_green_route_takes_two_minutes() -> None:
    """With a station more on its way Red is as slow as Green."""
    game = first_example()
    put_stations(game, (0, 1))
    e = trip(game, "E")
    assert e.minutes == 2
    assert e.scores == [0, 0, 6, 3]


@pytest.mark.rule("TT2")
def test_book_example_e_e_the_red_and_orange_route_takes_six_minutes() -> None:
    """With Red and Green stopping short only the way round by Orange's line is left."""
    game = first_example(red_to=(1, 1), green_to=(1, 2))
    e = trip(game, "E")
    assert e.minutes == 6
    assert e.involved == [ORANGE, RED]
    assert e.scores == [3, 0, 6, 0]


@pytest.mark.rule("TT3", "TT4")
def test_book_example_d_d_two_equally_fast_routes() -> None:
    """Blue's solid line and Green, Blue's striped line and Orange: 6 minutes each."""
    residential, commercial = (-3, 1, "U"), (1, 2, "U")
    game = position(make_city(4, {residential: "R", commercial: "C"}))
    lay(game, BLUE, (0, 0), (-5, 1), via=[residential])  # solid: along row 1
    lay(game, BLUE, (1, 0), (-1, 2), (-5, 2))  # striped: down column -1, then along row 2
    lay(game, GREEN, (0, 1), (0, 2), (0, 1), via=[commercial])  # along row 2, then down to Blue's solid line
    lay(game, ORANGE, (0, 2), (-2, 3))  # along row 3, across Blue's striped line
    mark(game, "D R", residential)
    mark(game, "D C", commercial)
    put_stations(game, (-2, 1), (0, 1))  # Blue solid: one ride
    put_stations(game, (0, 2), (1, 2))  # Green: two rides from (0, 1)
    put_stations(game, (-3, 2), (-2, 2), (-1, 3))  # Blue striped: two rides
    put_stations(game, (1, 3))  # Orange: one ride from (-1, 3)
    d = trip(game, "D")
    assert d.minutes == 6
    assert d.involved == [ORANGE, BLUE, GREEN]
    assert d.scores == [3, 6, 0, 6]  # Blue once, though both its lines are used


@pytest.mark.rule("TT5")
def test_book_example_c_c_no_station_at_the_entertainment_marker() -> None:
    residential, entertainment = (-3, 1, "U"), (1, 2, "U")
    game = position(make_city(4, {residential: "R", entertainment: "E"}))
    lay(game, GREEN, (0, 0), (-5, 1), via=[residential])
    lay(game, ORANGE, (0, 1), (0, 2), (0, 1), via=[entertainment])
    mark(game, "C R", residential)
    mark(game, "C E", entertainment)
    put_stations(game, (0, 1), (-2, 1))  # a way to Green's marker, but not from Orange's
    c = trip(game, "C")
    assert c.minutes is None
    assert c.guilty == {ORANGE: "no_station"}
    assert c.scores == [-6, 0, 0, 0]


# --- TT6: two players ----------------------------------------------------------------------------------------


def shared_a_trip(meeting: Vertex, spec: str = "v2", **knobs: Any) -> Game:
    """Orange brings A R at (1, 1) and Blue A C at (-2, 1) together: they meet on row 1."""
    kinds: dict[Cell, str] = {(1, 0, "U"): "R", (-2, 0, "U"): "C"}
    game = position(make_city(3, kinds, frame="SSS SSS SSS EEE EEE SSS"), players=2, spec=spec, **knobs)
    lay(game, ORANGE, (0, 2), (1, -4), via=[(1, 0, "U")])
    lay(game, BLUE, (1, 1), (-2, -2), via=[(-2, 0, "U")])
    if meeting != (1, 1):
        lay(game, ORANGE, (0, 0), meeting)
        put_stations(game, (1, 1))
    lay(game, BLUE, (2, 2), meeting)
    mark(game, "A R", (1, 0, "U"))
    mark(game, "A C", (-2, 0, "U"))
    put_stations(game, (-2, 1), meeting)
    return game


@pytest.mark.rule("TT6")
@pytest.mark.parametrize(
    ("meeting", "orange", "blue"), [((0, 1), 0, 6), ((-1, 1), 6, 0)], ids=["one tunnel to two", "two to one"]
)
def test_of_two_involved_the_one_with_more_tunnels_on_the_route_scores(meeting: Vertex, orange: int, blue: int) -> None:
    assert trip(shared_a_trip(meeting), "A").scores == [orange, blue]


@pytest.mark.rule("TT6")
def test_with_as_many_tunnels_on_the_route_nobody_scores() -> None:
    kinds: dict[Cell, str] = {(1, 0, "U"): "R", (-2, 0, "D"): "C"}
    game = position(make_city(3, kinds, frame="SSS SSS SSS EEE EEE SSS"), players=2, spec="v2")
    lay(game, ORANGE, (0, 2), (1, -4), via=[(1, 0, "U")])
    lay(game, BLUE, (1, 0), (-1, -3), via=[(-2, 0, "D")])
    lay(game, ORANGE, (0, 0), (0, 1))
    lay(game, BLUE, (1, 1), (-2, 2), (-1, 1), (0, 1))
    mark(game, "A R", (1, 0, "U"))
    mark(game, "A C", (-2, 0, "D"))
    put_stations(game, (1, 1), (0, 1), (-1, 1))
    a = trip(game, "A")
    assert a.minutes == 5
    assert a.involved == [ORANGE, BLUE]
    assert a.scores == [0, 0]


@pytest.mark.rule("TT6")
@pytest.mark.parametrize("spec", ["en1", "nl"])
def test_a_shared_trip_scores_for_nobody(spec: str) -> None:
    a = trip(shared_a_trip((0, 1), spec), "A")
    assert a.minutes == 5
    assert a.scores == [0, 0]


@pytest.mark.rule("TT6")
def test_a_shared_trip_may_score_for_all() -> None:
    assert trip(shared_a_trip((0, 1), shared_trip="all"), "A").scores == [6, 6]


@pytest.mark.rule("TT6")
@pytest.mark.parametrize("spec", ["en1", "nl", "v2"])
def test_a_trip_on_ones_own_lines_alone_scores(spec: str) -> None:
    a = trip(shared_a_trip((1, 1), spec), "A")
    assert a.involved == [BLUE]
    assert a.scores == [0, 6]


@pytest.mark.rule("TT6")
@pytest.mark.parametrize(("shared_trip", "scores"), [("none", [0, 0]), ("most_tunnels", [0, 5]), ("all", [5, 5])])
def test_a_shared_way_from_park_to_lake_goes_by_the_same_rule(shared_trip: str, scores: list[int]) -> None:
    kinds: dict[Cell, str] = {(1, 0, "U"): "P", (-2, 0, "U"): "L"}
    city = make_city(3, kinds, frame="SSS SSS SSS EEE EEE SSS")
    game = position(city, players=2, spec="v2", shared_trip=shared_trip)
    lay(game, ORANGE, (0, 0), (0, 1))
    lay(game, BLUE, (2, 2), (0, 1))
    put_stations(game, (1, 1), (0, 1), (-2, 1))
    assert trip(game, PARK_LAKE).scores == scores


@pytest.mark.rule("TT6")
def test_all_used_sections_count_for_the_most_tunnels() -> None:
    """Blue has one tunnel on each of two used sections, Orange one on one."""
    game = shared_a_trip((0, 1))
    put_stations(game, (-1, 1))
    a = trip(game, "A")
    assert sorted((s.seat, s.tunnels) for s in a.used) == [(ORANGE, 1), (BLUE, 1), (BLUE, 1)]
    assert a.scores == [0, 6]


@pytest.mark.rule("TT6", "TT5")
@pytest.mark.parametrize("spec", ["en1", "nl", "v2"])
def test_a_fault_of_both_costs_nobody(spec: str) -> None:
    a = trip(position(make_city(3), players=2, spec=spec), "A")
    assert a.guilty == {ORANGE: "not_placed", BLUE: "not_placed"}
    assert a.scores == [0, 0]


@pytest.mark.rule("TT6", "TT5")
def test_a_fault_of_one_is_punished() -> None:
    game = position(make_city(3, {(1, 0, "U"): "R"}), players=2, spec="v2")
    lay(game, ORANGE, (0, 2), (1, -4), via=[(1, 0, "U")])
    mark(game, "A R", (1, 0, "U"))
    put_stations(game, (1, 0))
    assert trip(game, "A").scores == [0, -6]  # Blue's A C was never placed


@pytest.mark.rule("TT6", "TT5")
def test_a_shared_fault_may_cost_all() -> None:
    game = position(make_city(3), players=2, spec="v2", shared_fault="all")
    assert trip(game, "A").scores == [-6, -6]


# --- W1: the winner ------------------------------------------------------------------------------------------


def standing(lines: dict[int, tuple[int, bool]], players: int = 4, spec: str = "print") -> Game:
    """Seats with one line each, of given lengths, ended or not (nothing else matters here)."""
    game = position(make_city(5), players, spec=spec)
    for seat, (tunnels, ended) in lines.items():
        line = game.lines[seat][0]
        line.path = [(q, seat) for q in range(tunnels + 1)]
        line.start_side, line.end_side = 0, 3 if ended else None
    return game


@pytest.mark.rule("W1")
def test_most_points_win_whatever_the_lines() -> None:
    game = standing({ORANGE: (9, True), BLUE: (1, False)})
    assert winners(game, [5, 6, 3, -20]) == [BLUE]


@pytest.mark.rule("W1")
def test_all_scores_may_be_negative() -> None:
    assert winners(standing({}), [-18, -12, -18, -15]) == [BLUE]


@pytest.mark.rule("W1")
def test_a_tie_goes_to_the_one_with_more_lines_ended() -> None:
    game = standing({ORANGE: (9, False), BLUE: (3, True), GREEN: (12, True)})
    assert winners(game, [6, 6, 6, 5]) == [BLUE]


@pytest.mark.rule("W1")
def test_a_further_tie_goes_to_the_one_with_more_tunnels() -> None:
    game = standing({ORANGE: (7, True), BLUE: (8, True), GREEN: (12, False)})
    assert winners(game, [6, 6, 6, 6]) == [BLUE]


@pytest.mark.rule("W1")
def test_a_full_tie_is_shared() -> None:
    game = standing({ORANGE: (7, True), RED: (7, True), GREEN: (6, True)})
    assert winners(game, [6, 2, 6, 6]) == [ORANGE, RED]


@pytest.mark.rule("W1")
@pytest.mark.parametrize(
    ("spec", "scores", "winner"),
    [("print+advanced", [5, 9, 5, 0], 0), ("en1+advanced", [5, 5, 9, 0], 0), ("en1+advanced", [5, 3, 9, 0], 1)],
)
def test_a_players_two_companies_score_together(spec: str, scores: list[int], winner: int) -> None:
    assert winners(standing({}, 2, spec), scores) == [winner]


@pytest.mark.rule("W1")
def test_tie_breaks_of_a_player_are_sums_over_both_companies() -> None:
    """Seats 0 and 2 are player 0's, seats 1 and 3 player 1's."""
    two_ended = standing({0: (3, True), 2: (3, True), 3: (15, True)}, 2, "print+advanced")
    assert winners(two_ended, [10, 4, 0, 6]) == [0]
    more_tunnels = standing({0: (9, True), 1: (5, True), 3: (5, False)}, 2, "print+advanced")
    assert winners(more_tunnels, [10, 4, 0, 6]) == [1]
    all_alike = standing({0: (9, True), 1: (5, True), 3: (4, False)}, 2, "print+advanced")
    assert winners(all_alike, [10, 4, 0, 6]) == [0, 1]


@pytest.mark.rule("W1")
def test_the_result_of_a_game_names_its_winners() -> None:
    outcome = final(with_ended_lines(2, 9))
    assert outcome.scores[ORANGE] > max(outcome.scores[1:])
    assert outcome.winners == [ORANGE]
