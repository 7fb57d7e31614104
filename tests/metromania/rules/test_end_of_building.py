"""Rules P1-P5: what ends the building phase, when it is noticed, and what is still played."""

from typing import Any

import pytest

from mmsim.core.rng import Seed
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.position import PASS, Game
from mmsim.metromania.rules.reference import apply, is_blocked, legal_moves, play_out, set_up
from mmsim.metromania.rules.rulesets import ruleset
from tests.metromania.positions import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    around,
    dig,
    kinds_of_moves,
    lay,
    make_city,
    play,
    play_on,
    position,
    put_stations,
    reachable,
    to_play,
)

PLAIN = make_city(3)
ROOMY = make_city(4)


def before_both_ends(**knobs: Any) -> Game:
    """Orange's line 0 is ended and line 1 stands one tunnel before an end."""
    game = position(PLAIN, **knobs)
    lay(game, ORANGE, (1, 1), (-2, -2))
    lay(game, ORANGE, (5, 0), (3, -3), (0, -3))
    return game


def end_both(game: Game) -> None:
    play(game, "end", line=1, cell=("F", 3, 2))


def last_station_ahead(**knobs: Any) -> Game:
    """Orange at (1, 1) may meet Blue at (0, 1) and so take the last station."""
    game = position(PLAIN, stations=1, **knobs)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, BLUE, (1, 0), (0, 3), (0, -1))
    return game


USED_UP = [(BLUE, (1, 0)), (RED, (1, 1)), (BLUE, (1, 2)), (RED, (1, 3)), (GREEN, (0, 2))]


def used_up_lines(number: int, **knobs: Any) -> Game:
    """That many lines of other companies are out of tunnels; Orange's line 0 has one left."""
    game = position(ROOMY, tunnels_per_line=2, **knobs)
    seats = game.rules.companies
    lines = [(seat, start) for seat, start in USED_UP if seat < seats][:number]
    assert len(lines) == number
    for seat, (side, i) in lines:
        q, r = ROOMY.lattice.portal(side, i)
        lay(game, seat, (side, i), (q, r - 2) if side == 1 else (q - 2, r))
    lay(game, ORANGE, (0, 0), (3, 1))
    return game


# --- P1: the triggers ----------------------------------------------------------------------------------------


@pytest.mark.rule("P1")
def test_a_company_that_has_ended_both_lines_ends_the_phase() -> None:
    game = before_both_ends(last_round="none")
    end_both(game)
    play(game, "decline")
    assert game.over
    assert game.end_reason == "both_lines"


@pytest.mark.rule("P1")
def test_two_ended_lines_of_two_companies_are_not_both_lines() -> None:
    game = position(PLAIN, last_round="none")
    lay(game, BLUE, (1, 1), (-2, -2))
    lay(game, ORANGE, (5, 0), (3, -3), (0, -3))
    play(game, "end", cell=("F", 3, 2))
    play(game, "decline")
    play_on(game, ORANGE)
    assert game.seat == BLUE
    assert game.end_reason is None


@pytest.mark.rule("P1")
def test_the_last_station_of_the_supply_ends_the_phase() -> None:
    game = last_station_ahead(last_round="none", dig=1)
    dig(game, (0, 1))
    assert game.over
    assert game.end_reason == "stations"


@pytest.mark.rule("P1", "I2")
def test_the_last_station_may_be_an_intermediate_one() -> None:
    game = position(PLAIN, stations=2, last_round="none")
    lay(game, ORANGE, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    play(game, "station", at=(1, 1))
    assert game.end_reason == "stations"


@pytest.mark.rule("P1")
@pytest.mark.parametrize(("spec", "players", "lines"), [("print", 4, 5), ("v2", 4, 5), ("v2", 3, 4), ("v2", 2, 3)])
def test_so_many_blocked_lines_end_the_phase(spec: str, players: int, lines: int) -> None:
    game = used_up_lines(lines - 1, players=players, spec=spec, dig=1)
    dig(game, (2, 1))
    assert game.end_reason == "lines"
    game = used_up_lines(lines - 2, players=players, spec=spec, dig=1)
    dig(game, (2, 1))
    assert game.end_reason is None


@pytest.mark.rule("P1")
def test_ended_and_blocked_lines_count_together() -> None:
    game = position(PLAIN, end_lines=2, dig=1)
    lay(game, BLUE, (1, 0), (-1, -3))  # ended
    lay(game, ORANGE, (0, 0), (1, 1))
    for cell in around(3, (1, 0), (0, 0, "D")):  # what Orange can reach from (1, 0) is taken
        game.tunnels.setdefault(cell, (RED, 0))
    play(game, "dig", to=(1, 0), cell=(0, 0, "D"))
    assert is_blocked(game, ORANGE, 0)
    assert game.end_reason == "lines"


# --- P3: when a trigger is noticed, and its name -------------------------------------------------------------


@pytest.mark.rule("P3", "P4")
@pytest.mark.parametrize("spec", ["en1", "nl"])
def test_the_fifth_line_blocked_stops_the_turn(spec: str) -> None:
    game = used_up_lines(4, spec=spec, start_overflow=True)
    dig(game, (2, 1))  # the fifth line is used up
    assert game.end_reason == "lines"
    assert not game.lines[ORANGE][1].started
    assert game.over or game.seat == BLUE


@pytest.mark.rule("P3", "P4")
@pytest.mark.parametrize("spec", ["print", "v2"])
def test_where_the_turn_is_finished_blocked_lines_are_counted_when_it_is_over(spec: str) -> None:
    game = used_up_lines(4, spec=spec, start_overflow=True)
    dig(game, (2, 1))  # the fifth line is used up
    assert game.seat == ORANGE
    assert kinds_of_moves(game) == {"start"}
    play(game, "start")
    assert game.end_reason is None
    play(game, "dig", line=1)
    assert game.end_reason == "lines"


@pytest.mark.rule("P3", "P4")
def test_a_company_that_blocks_the_fifth_line_digs_no_further() -> None:
    seed = Seed(7336, 1)
    game = set_up(board_file.load("compact"), ruleset("en1+loyal+advanced,start_turn=free", 2), seed)
    play_out(game, seed)
    assert [(played.seat, played.move.to) for played in game.history if played.turn == 43] == [(RED, (1, -1))]
    assert game.turn == 43
    assert game.end_reason == "lines"
    assert sum(line.ended or is_blocked(game, seat, number) for seat, number, line in game.all_lines()) == 5


def before_a_freeing_bonus(**knobs: Any) -> Game:
    """Orange is about to end line 0; Blue's line is blocked where it came to Orange's, and one line has ended."""
    game = position(PLAIN, end_lines=3, **knobs)
    lay(game, RED, (1, 1), (-2, -2))  # ended
    lay(game, BLUE, (1, 0), (-1, 1), via=[(-1, 1, "U")])
    lay(game, ORANGE, (0, 0), (-3, 1))
    for cell in around(3, (-1, 1), (-2, 1, "D")):  # what is left is a sharp turn, for which it takes a station
        game.tunnels.setdefault(cell, (RED, 0))
    assert is_blocked(game, BLUE, 0)
    return game


@pytest.mark.rule("P3", "P2", "I3")
@pytest.mark.parametrize(("spec", "reason"), [("nl", "lines"), ("en1", "lines"), ("print", None), ("v2", None)])
def test_a_trigger_that_stops_the_turn_holds_though_the_bonus_station_frees_a_line(
    spec: str, reason: str | None
) -> None:
    game = before_a_freeing_bonus(spec=spec)
    play(game, "end", line=0)
    play(game, "bonus", at=(-1, 1))
    assert not is_blocked(game, BLUE, 0)
    if reason is None:  # the turn is finished, and then the line is free
        play_on(game, ORANGE)
    assert game.end_reason == reason


@pytest.mark.rule("P3", "I3")
def test_the_reason_is_named_when_the_bonus_station_is_placed() -> None:
    game = before_a_freeing_bonus(spec="nl", stations=1)
    play(game, "end", line=0)
    assert game.end_reason is None
    play(game, "bonus", at=(-1, 1))
    assert game.end_reason == "stations"  # lines came true before it, but stations is named first


@pytest.mark.rule("P3", "I2")
def test_lines_are_counted_after_a_turn_with_a_station_or_a_pass_too() -> None:
    game = used_up_lines(4, start_overflow=False, end_lines=4)
    put_stations(game, (-1, 3))  # Blue's terminus
    to_play(game, BLUE)
    play(game, "station")
    assert game.end_reason == "lines"
    game = used_up_lines(4, start_overflow=False, end_lines=4)
    apply(to_play(game, BLUE), PASS)
    assert game.end_reason == "lines"


@pytest.mark.rule("P3")
def test_both_lines_is_named_before_stations() -> None:
    game = before_both_ends(stations=1)
    end_both(game)
    play(game, "bonus", at=(3, -3))
    assert game.supply == 0
    assert game.end_reason == "both_lines"


@pytest.mark.rule("P3")
def test_both_lines_is_named_before_lines() -> None:
    game = before_both_ends(end_lines=2)
    end_both(game)
    play(game, "decline")
    assert game.end_reason == "both_lines"


@pytest.mark.rule("P3")
def test_stations_is_named_before_lines() -> None:
    game = last_station_ahead(end_lines=1, dig=1)
    lay(game, RED, (5, 1), (0, -2), (-1, -2), (-2, -2))  # ended
    dig(game, (0, 1))
    assert game.end_reason == "stations"


# --- P4: the rest of the turn --------------------------------------------------------------------------------


@pytest.mark.rule("P4")
@pytest.mark.parametrize("spec", ["en1", "nl"])
def test_where_the_trigger_stops_the_turn_no_more_is_dug(spec: str) -> None:
    game = last_station_ahead(spec=spec)
    dig(game, (0, 1))
    assert game.end_reason == "stations"
    assert game.lines[ORANGE][0].terminus == (0, 1)
    assert game.over or game.seat == BLUE


@pytest.mark.rule("P4")
@pytest.mark.parametrize("spec", ["print", "v2"])
def test_where_the_turn_is_finished_the_company_digs_on(spec: str) -> None:
    game = last_station_ahead(spec=spec)
    dig(game, (0, 1))
    assert game.end_reason is None
    assert game.seat == ORANGE
    dig(game, (-1, 1), (-2, 1))
    assert game.end_reason == "stations"
    assert game.seat == BLUE


@pytest.mark.rule("P4", "I3")
@pytest.mark.parametrize("spec", ["en1", "nl"])
def test_a_bonus_station_due_is_still_placed_when_the_turn_stops(spec: str) -> None:
    game = before_both_ends(spec=spec)
    end_both(game)
    assert game.seat == ORANGE
    assert not game.over
    assert kinds_of_moves(game) == {"bonus", "decline"}
    play(game, "bonus", at=(3, -3))
    assert game.end_reason == "both_lines"
    assert game.stations == [(3, -3)]


@pytest.mark.rule("P4", "I3")
@pytest.mark.parametrize(("spec", "goes_on"), [("nl", False), ("print", True)])
def test_a_bonus_station_that_is_the_last_one_stops_the_turn_or_not(spec: str, goes_on: bool) -> None:
    game = position(PLAIN, spec=spec, stations=1)
    lay(game, ORANGE, (5, 0), (3, -3), (0, -3))
    lay(game, ORANGE, (1, 2), (-3, 2))
    play(game, "end", line=0, cell=("F", 3, 2))
    play(game, "bonus", at=(3, -3))
    assert (game.seat == ORANGE) is goes_on
    assert (game.end_reason is None) is goes_on


# --- P5: the last round --------------------------------------------------------------------------------------


@pytest.mark.rule("P5")
def test_without_a_last_round_the_phase_is_over_at_once() -> None:
    game = last_station_ahead(spec="en1")
    dig(game, (0, 1))
    assert game.over
    assert legal_moves(game) == []


@pytest.mark.rule("P5")
@pytest.mark.parametrize("spec", ["print", "nl", "v2"])
@pytest.mark.parametrize("seat", range(4))
def test_every_other_company_has_one_more_turn_in_order(spec: str, seat: int) -> None:
    game = position(ROOMY, spec=spec, stations=2)
    lay(game, seat, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    play(to_play(game, seat), "station", at=(1, 1))
    assert not game.over
    seats = list(dict.fromkeys(played.seat for played in play_on(game)))
    assert seats == [(seat + k) % 4 for k in (1, 2, 3)]
    assert len({played.turn for played in game.history}) == 4
    assert game.end_reason == "stations"


@pytest.mark.rule("P5")
@pytest.mark.parametrize("seat", range(4))
def test_a_round_that_is_finished_gives_all_companies_equally_many_turns(seat: int) -> None:
    game = position(ROOMY, last_round="round", stations=2)
    game.turns_taken = [2 if earlier < seat else 1 for earlier in range(4)]
    lay(game, seat, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    play(to_play(game, seat), "station", at=(1, 1))
    seats = list(dict.fromkeys(played.seat for played in play_on(game)))
    assert seats == list(range(seat + 1, 4))
    assert game.turns_taken == [2] * 4
    assert game.over
    assert game.end_reason == "stations"


@pytest.mark.rule("P5")
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize(("spec", "seat_player"), [("print+advanced", "0101"), ("en1+advanced", "0011")])
@pytest.mark.parametrize("last_turns", ["companies", "players"])
def test_the_other_company_of_the_player_who_triggered_has_a_last_turn_or_not(
    spec: str, seat_player: str, seat: int, last_turns: str
) -> None:
    game = position(ROOMY, 2, spec=spec, last_round="others", last_turns=last_turns, stations=2)
    assert "".join(map(str, game.rules.seat_player)) == seat_player
    lay(game, seat, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    play(to_play(game, seat), "station", at=(1, 1))
    seats = list(dict.fromkeys(played.seat for played in play_on(game)))
    others = [(seat + k) % 4 for k in (1, 2, 3)]
    both = last_turns == "companies"
    assert seats == [other for other in others if both or seat_player[other] != seat_player[seat]]
    assert game.over


@pytest.mark.rule("P5")
@pytest.mark.parametrize("last_round", ["none", "round"])
def test_who_has_a_last_turn_is_no_question_when_the_round_is_finished_or_nothing_follows(last_round: str) -> None:
    for last_turns in ("companies", "players"):
        game = position(ROOMY, 2, spec="print+advanced", last_round=last_round, last_turns=last_turns, stations=2)
        lay(game, ORANGE, (0, 0), (-1, 1))
        put_stations(game, (0, 1))
        play(to_play(game, ORANGE), "station", at=(1, 1))
        seats = list(dict.fromkeys(played.seat for played in play_on(game)))
        assert seats == ([] if last_round == "none" else [1, 2, 3])


@pytest.mark.rule("P5", "P4")
def test_no_trigger_matters_in_the_last_round() -> None:
    game = before_both_ends(spec="nl", stations=1)
    lay(game, BLUE, (0, 0), (-1, 1))
    end_both(game)
    play(game, "decline")
    assert game.seat == BLUE
    dig(game, (-2, 1))  # the last station, where a turn would stop
    assert game.supply == 0
    assert game.seat == BLUE
    dig(game, (-3, 1))
    play(game, "end")
    assert game.seat == RED
    assert game.end_reason == "both_lines"
    assert game.last_seats == [GREEN]


@pytest.mark.rule("P5", "D5")
def test_without_stations_left_nobody_meets_a_line_in_the_last_round() -> None:
    game = last_station_ahead(spec="nl")
    lay(game, RED, (5, 1), (1, -2))  # next to Blue's terminus (0, -1)
    dig(game, (0, 1))
    assert game.seat == BLUE
    assert reachable(game) == {(-1, -1), (0, -2)}


@pytest.mark.rule("P5", "T4")
def test_passing_in_the_last_round_does_not_end_the_phase_again() -> None:
    game = position(make_city(3, frame="S.. ... ... EEE EEE ..."), stations=2)
    lay(game, ORANGE, (0, 0), (-1, 1))
    put_stations(game, (0, 1))
    play(game, "station", at=(1, 1))
    for seat in (BLUE, RED, GREEN):
        assert not game.over
        assert game.seat == seat
        apply(game, PASS)
    assert game.over
    assert game.end_reason == "stations"
