"""Rules P2 and P3: which lines are blocked, judged afresh whenever it matters."""

from typing import Any

import pytest

from mmsim.metromania.rules.lattice import Cell
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import is_blocked
from tests.metromania.positions import (
    BLUE,
    ORANGE,
    RED,
    around,
    dig,
    kinds_of_moves,
    lay,
    make_city,
    play,
    position,
    put_stations,
    reachable,
    to_play,
    with_knobs,
)

PLAIN = make_city(3)


def dead_end(*ahead: Cell) -> Game:
    """Orange stands at (1, 1) on row 1; of the four cells ahead only the given ones are not lake."""
    cells = [(0, 1, "D"), (0, 1, "U"), (0, 0, "D"), (1, 0, "U")]
    game = position(make_city(3, {cell: "L" for cell in cells if cell not in ahead}))
    lay(game, ORANGE, (0, 0), (1, 1))
    return game


@pytest.mark.rule("P2")
def test_a_line_with_no_cell_ahead_is_blocked() -> None:
    assert is_blocked(dead_end(), ORANGE, 0)
    assert not is_blocked(dead_end((0, 0, "D")), ORANGE, 0)


@pytest.mark.rule("P2")
def test_a_line_out_of_tunnels_is_blocked() -> None:
    game = position(PLAIN, tunnels_per_line=2)
    lay(game, ORANGE, (0, 0), (2, 1))
    lay(game, BLUE, (1, 2), (-3, 2))
    assert is_blocked(game, BLUE, 0)
    assert not is_blocked(game, ORANGE, 0)


@pytest.mark.rule("P2")
def test_a_line_not_started_or_ended_is_not_blocked() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (1, 0), (-1, -3))
    assert game.lines[ORANGE][0].ended
    assert not is_blocked(game, ORANGE, 0)
    assert not is_blocked(game, BLUE, 0)


@pytest.mark.rule("P2")
def test_unstarted_lines_do_not_count_even_without_a_start_left() -> None:
    game = position(make_city(3, frame="SSS ... ... ... ... ..."), end_lines=1, dig=1)
    lay(game, ORANGE, (0, 0), (1, 1))
    lay(game, BLUE, (0, 1), (1, 2))
    lay(game, RED, (0, 2), (0, 3))
    dig(game, (0, 1))
    assert game.end_reason is None


@pytest.mark.rule("P2", "D4")
def test_a_line_that_can_only_end_is_not_blocked() -> None:
    walled = make_city(3, dict.fromkeys(around(3, (-3, 1), (-3, 1, "U")), "L"))
    game = position(walled)
    lay(game, ORANGE, (0, 0), (-3, 1))
    assert kinds_of_moves(game) == {"end", "start"}
    assert not is_blocked(game, ORANGE, 0)


SPOT_AHEAD = {(0, 1, "D"): "L", (0, 1, "U"): "L", (0, 0, "D"): "C", (1, 0, "U"): "L"}


@pytest.mark.rule("P2", "M1")
@pytest.mark.parametrize(("hand", "blocked"), [("A R, B C", False), ("A R", True)])
def test_a_spot_ahead_blocks_a_line_without_a_marker_for_it(hand: str, blocked: bool) -> None:
    game = position(make_city(3, SPOT_AHEAD), hands=(hand, "", "", ""))
    lay(game, ORANGE, (0, 0), (1, 1))
    assert is_blocked(game, ORANGE, 0) is blocked


@pytest.mark.rule("P2", "M1", "P3")
def test_the_marker_laid_this_turn_does_not_block_a_line_before_a_second_spot() -> None:
    spots = {**SPOT_AHEAD, (1, 1, "U"): "R"}
    game = position(make_city(3, spots), hands=("A R, B C", "", "", ""), end_lines=1)
    lay(game, ORANGE, (5, 0), (2, -3))
    lay(game, ORANGE, (0, 0), (2, 1))
    play(game, "dig", line=1, to=(1, 1), marker="A R")
    assert reachable(game, line=1) == set()  # one marker a turn
    assert not is_blocked(game, ORANGE, 1)
    dig(game, (1, -3), (0, -3))
    assert game.seat == BLUE
    assert game.end_reason is None


@pytest.mark.rule("P2", "D5")
def test_a_line_that_would_need_two_stations_is_blocked_with_one_left() -> None:
    """Orange ran beside Blue to (-1, 1); what is left leads away from Blue and onto Red."""
    lakes: list[Cell] = [(-2, 1, "D"), (-2, 0, "D")]
    for left, blocked in ((2, False), (1, True)):
        game = position(make_city(3, dict.fromkeys(lakes, "L")), stations=left + 1)
        lay(game, BLUE, (0, 0), (-1, 1), (-1, -1), via=[(-1, 0, "U")])
        lay(game, ORANGE, (1, 0), (0, 3), (0, 1), (-1, 1))
        lay(game, RED, (1, 1), (-2, 1), via=[(-3, 1, "D")])
        put_stations(game, (0, 1))
        assert is_blocked(game, ORANGE, 0) is blocked


def stuck_until_met(**knobs: Any) -> Game:
    """Orange is stuck at (1, 1): before it are lakes and a spot it has no marker for, open only a sharp turn back.

    Blue, to play at (0, 2), can come through the spot and meet it.
    """
    ahead: dict[Cell, str] = {(0, 1, "D"): "L", (0, 1, "U"): "C", (0, 0, "D"): "L", (1, 0, "U"): "L"}
    game = position(make_city(3, ahead), hands=("A R", "A C", "", ""), **knobs)
    lay(game, ORANGE, (0, 0), (1, 1), via=[(1, 1, "U")])
    lay(game, BLUE, (1, 0), (0, 3), (0, 2))
    return to_play(game, BLUE)


@pytest.mark.rule("P2")
def test_a_station_made_at_its_terminus_by_another_line_frees_a_blocked_line() -> None:
    game = stuck_until_met()
    assert is_blocked(game, ORANGE, 0)
    assert dig(game, (1, 1))[0].stations == ((1, 1),)
    assert not is_blocked(game, ORANGE, 0)
    assert reachable(to_play(game, ORANGE)) == {(2, 0)}


@pytest.mark.rule("P2", "P3")
def test_a_freed_line_is_no_longer_counted() -> None:
    game = stuck_until_met(end_lines=1, dig=1)
    dig(game, (1, 1))
    assert game.end_reason is None
    game = stuck_until_met(end_lines=1, dig=1)
    dig(game, (-1, 2))  # Blue goes elsewhere: Orange stays stuck
    assert game.end_reason == "lines"


@pytest.mark.rule("P3", "P2")
def test_a_line_blocked_by_another_companys_tunnel_counts() -> None:
    game = dead_end((0, 0, "D"))
    lay(game, BLUE, (1, 0), (0, 3), (0, 1))
    with_knobs(to_play(game, BLUE), end_lines=1, dig=1)
    play(game, "dig", to=(1, 0), cell=(0, 0, "D"))
    assert is_blocked(game, ORANGE, 0)
    assert not is_blocked(game, BLUE, 0)
    assert game.end_reason == "lines"
