"""Rules S6 and T1-T4: what a company begins with and does in a turn."""

from typing import Any

import pytest

from mmsim.metromania.rules.deal import Marker
from mmsim.metromania.rules.position import PASS, Game, Move
from mmsim.metromania.rules.reference import IllegalMove, apply, legal_moves
from tests.metromania.positions import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    around,
    choices,
    dig,
    kinds_of_moves,
    lay,
    make_city,
    new_game,
    play,
    play_on,
    position,
    put_stations,
    to_play,
)

PLAIN = make_city(3)
MIXED = make_city(3, frame="S.E")
ONE_START = make_city(3, frame="S.. ... ... EEE EEE ...")


@pytest.mark.rule("S6")
def test_every_company_begins_with_two_unbuilt_lines_no_points_and_its_hand() -> None:
    game = new_game(PLAIN)
    assert [[line.started for line in pair] for pair in game.lines] == [[False, False]] * 4
    assert game.rules.tunnels_per_line == 18
    assert game.points == [0, 0, 0, 0]
    assert game.supply == 30
    assert game.hands[BLUE] == [Marker("D", "R"), Marker("A", "C"), Marker("E", "E")]


# --- T1: turns -----------------------------------------------------------------------------------------------


@pytest.mark.rule("T1", "T3")
def test_seats_play_in_order_three_tunnels_each() -> None:
    game = new_game(make_city(4))
    seats: list[int] = []
    while len(seats) < 15:
        seats.append(game.seat)
        apply(game, legal_moves(game)[0])
    assert seats == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0]
    assert [played.turn for played in game.history] == [1 + i // 3 for i in range(15)]


def with_a_station() -> Game:
    """Orange's line along row 1 has a station at (0, 1) and can be dug on."""
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    return game


@pytest.mark.rule("T1")
def test_an_intermediate_station_is_the_whole_turn() -> None:
    game = with_a_station()
    assert kinds_of_moves(game) == {"dig", "start", "station"}
    play(game, "station", at=(1, 1))
    assert game.seat == BLUE
    assert len(game.history) == 1


@pytest.mark.rule("T1")
def test_a_company_that_has_begun_to_dig_places_no_intermediate_station() -> None:
    game = with_a_station()
    dig(game, (-2, 1))
    assert game.seat == ORANGE
    assert choices(game, "station") == []


@pytest.mark.rule("T1")
def test_the_next_company_may_place_a_station_as_its_turn() -> None:
    game = with_a_station()
    dig(game, (-2, 1), (-2, 0), (-2, -1))
    lay(game, BLUE, (1, 1), (-2, 2))
    put_stations(game, (-2, 2))
    assert game.seat == BLUE
    assert [move.at for move in choices(game, "station")] == [(-2, 3)]


# --- T2: the first turn --------------------------------------------------------------------------------------


@pytest.mark.rule("T2")
def test_the_first_turn_begins_with_a_start() -> None:
    assert kinds_of_moves(new_game(PLAIN)) == {"start"}


@pytest.mark.rule("T2")
def test_only_one_line_is_started_in_the_first_turn() -> None:
    game = new_game(PLAIN)
    play(game, "start", cell=("F", 1, 0))
    assert kinds_of_moves(game) == {"dig"}
    play(game, "dig")
    assert kinds_of_moves(game) == {"dig"}


@pytest.mark.rule("T2")
def test_the_second_line_may_be_started_from_the_second_turn_on() -> None:
    game = new_game(PLAIN, players=2, spec="v2", start_overflow=True)
    for cell in (("F", 0, 0), ("F", 1, 2)):
        play(game, "start", cell=cell)
        play(game, "dig")
        play(game, "dig")
    assert game.seat == ORANGE
    assert choices(game, "start")


@pytest.mark.rule("T2", "T3")
def test_a_first_line_that_gets_stuck_ends_the_first_turn() -> None:
    walled = make_city(3, dict.fromkeys(around(3, (-1, 3)), "L"))
    game = new_game(walled)
    play(game, "start", cell=("F", 1, 0), to=(-1, 3))
    assert game.seat == BLUE
    assert not game.lines[ORANGE][1].started


@pytest.mark.rule("T2")
def test_no_intermediate_station_in_the_first_turn() -> None:
    game = with_a_station()
    assert "station" in kinds_of_moves(game)
    game.turns_taken[ORANGE] = 0
    assert "station" not in kinds_of_moves(game)


def one_start_for_two() -> Game:
    """Two players and one start, which Orange has just used."""
    game = new_game(ONE_START, players=2, spec="v2")
    play(game, "start", to=(2, 1))
    dig(game, (1, 1), (0, 1))
    return game


@pytest.mark.rule("T2", "T4")
def test_without_a_free_start_a_company_passes_its_first_turn() -> None:
    game = one_start_for_two()
    assert game.seat == BLUE
    assert legal_moves(game) == [PASS]
    apply(game, PASS)
    assert game.seat == ORANGE
    assert not game.over


@pytest.mark.rule("T2")
def test_a_passed_first_turn_was_the_first_turn_all_the_same() -> None:
    game = one_start_for_two()
    apply(game, PASS)
    game.city = make_city(3, frame="SS. SSS SSS EEE EEE SSS")  # were there starts again
    to_play(game, BLUE)
    play(game, "start", cell=("F", 5, 0))
    assert {move.line for move in choices(game, "start")} == {1}  # both lines in one turn, so not a first turn


# --- T3: digging ---------------------------------------------------------------------------------------------


def two_lines(**knobs: Any) -> Game:
    """Orange has two lines with room ahead of both."""
    game = position(PLAIN, **knobs)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, ORANGE, (5, 0), (2, -3))
    return game


@pytest.mark.rule("T3")
def test_tunnels_are_spread_over_both_lines_as_the_company_likes() -> None:
    game = two_lines()
    dig(game, (0, 1), line=0)
    dig(game, (1, -3), line=1)
    dig(game, (-1, 1), line=0)
    assert [line.tunnels for line in game.lines[ORANGE]] == [4, 3]
    assert game.seat == BLUE


@pytest.mark.rule("T3")
def test_all_three_tunnels_may_go_to_one_line() -> None:
    game = two_lines()
    dig(game, (0, 1), (-1, 1), (-2, 1))
    assert [line.tunnels for line in game.lines[ORANGE]] == [5, 2]
    assert game.seat == BLUE


@pytest.mark.rule("T3")
def test_a_company_goes_on_digging_while_it_can() -> None:
    game = two_lines()
    for _ in range(3):
        assert game.seat == ORANGE
        assert kinds_of_moves(game) == {"dig"}
        with pytest.raises(IllegalMove):
            apply(game, PASS)
        play(game, "dig")
    assert game.seat == BLUE


@pytest.mark.rule("T3")
def test_a_turn_ends_early_when_nothing_more_can_be_dug() -> None:
    game = two_lines(tunnels_per_line=3)
    dig(game, (0, 1), line=0)
    assert {move.line for move in legal_moves(game)} == {1}
    dig(game, (1, -3), line=1)
    assert game.seat == BLUE


@pytest.mark.rule("T3")
def test_starting_a_line_counts_as_a_tunnel() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (1, 1))
    dig(game, (0, 1))
    play(game, "start", cell=("F", 1, 2))
    assert game.seat == ORANGE
    play(game, "dig", line=1)
    assert game.seat == BLUE


@pytest.mark.rule("T3", "B2")
def test_both_lines_may_be_started_in_a_later_turn() -> None:
    game = position(MIXED)
    play(game, "start", cell=("F", 0, 0))
    play(game, "start", cell=("F", 3, 0))
    assert [line.start_side for line in game.lines[ORANGE]] == [0, 3]
    assert game.seat == ORANGE


@pytest.mark.rule("T3", "I3")
def test_a_line_that_ends_leaves_the_rest_of_the_turn_to_the_other() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-3, 1))
    lay(game, ORANGE, (5, 0), (2, -3))
    play(game, "end", cell=("F", 2, 2))
    play(game, "bonus", at=(0, 1))
    dig(game, (1, -3), (0, -3), line=1)
    assert game.seat == BLUE
    assert game.dug == 0


@pytest.mark.rule("T3", "I3")
def test_a_line_ended_by_the_last_tunnel_still_gets_its_bonus_station() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-1, 1))
    dig(game, (-2, 1), (-3, 1))
    play(game, "end", cell=("F", 2, 2))
    assert game.seat == ORANGE
    play(game, "bonus", at=(0, 1))
    assert game.seat == BLUE


@pytest.mark.rule("T3")
@pytest.mark.parametrize("tunnels", [1, 2, 5])
def test_the_number_of_tunnels_in_a_turn_is_a_knob(tunnels: int) -> None:
    game = two_lines(dig=tunnels)
    assert len(play_on(game, ORANGE)) == tunnels
    assert game.seat == BLUE


# --- T4: passing ---------------------------------------------------------------------------------------------


@pytest.mark.rule("T4")
def test_a_company_that_can_do_anything_does_not_pass() -> None:
    game = two_lines()
    assert PASS not in legal_moves(game)
    with pytest.raises(IllegalMove):
        apply(game, PASS)


@pytest.mark.rule("T4")
def test_a_company_that_can_only_place_a_station_places_it() -> None:
    game = position(ONE_START, tunnels_per_line=3)
    lay(game, ORANGE, (0, 0), (0, 1))
    put_stations(game, (1, 1))
    assert legal_moves(game) == [Move("station", 0, at=(2, 1))]


@pytest.mark.rule("T4")
def test_a_company_with_nothing_to_do_passes() -> None:
    game = two_lines(tunnels_per_line=2)
    assert legal_moves(game) == [PASS]
    played = apply(game, PASS)
    assert played.stations == ()
    assert played.points == 0
    assert game.seat == BLUE


@pytest.mark.rule("T4", "P3", "P5")
def test_when_all_pass_in_a_row_the_phase_ends_without_a_last_round() -> None:
    game = position(make_city(3, frame="..."))
    for seat in (ORANGE, BLUE, RED, GREEN):
        assert not game.over
        assert game.seat == seat
        apply(game, PASS)
    assert game.over
    assert game.end_reason == "deadlock"
    assert game.last_seats is None
    assert legal_moves(game) == []


@pytest.mark.rule("T4", "T2")
def test_passes_in_first_turns_count_towards_the_deadlock() -> None:
    game = new_game(make_city(3, frame="..."))
    for _ in range(4):
        apply(game, PASS)
    assert game.end_reason == "deadlock"


@pytest.mark.rule("T4")
def test_a_company_that_plays_breaks_the_row_of_passes() -> None:
    game = position(ONE_START, players=2, spec="v2", tunnels_per_line=3, end_lines=8)
    lay(game, BLUE, (0, 0), (1, 1))
    apply(game, PASS)
    dig(game, (0, 1))  # Blue's last tunnel
    apply(game, PASS)
    assert not game.over
    apply(game, PASS)
    assert game.end_reason == "deadlock"


@pytest.mark.rule("T4")
def test_a_station_breaks_the_row_of_passes_too() -> None:
    game = position(ONE_START, players=2, spec="v2", tunnels_per_line=3, end_lines=8)
    lay(game, BLUE, (0, 0), (0, 1))
    put_stations(game, (1, 1))
    apply(game, PASS)
    play(game, "station", at=(2, 1))
    apply(game, PASS)
    assert not game.over
    apply(game, PASS)
    assert game.end_reason == "deadlock"
