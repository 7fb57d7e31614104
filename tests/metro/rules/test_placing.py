"""Rules X8-X14: hands, where tiles may go, what lines score, how a game ends."""

import pytest

from mmsim.metro.rules.board import CELLS, EDGE_CELLS
from mmsim.metro.rules.position import DRAW, Move
from mmsim.metro.rules.reference import IllegalMove, apply, legal_moves, trace
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.tiles import ways_to_lie
from tests.metro.positions import cells, kinds, place, play, table

# --- hands -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("X8")
def test_after_placing_from_the_hand_a_new_tile_is_drawn() -> None:
    game = table(first="aaaa bcbc cccc")
    assert game.hands == [["aaaa"], ["bcbc"]]
    apply(game, place("aaaa", 0, 0))
    assert game.hands == [["cccc"], ["bcbc"]]
    assert game.seat == 1


@pytest.mark.rule("X8")
def test_a_tile_that_is_drawn_is_placed_and_the_hand_is_kept() -> None:
    game = table(first="aaaa bcbc cccc")
    apply(game, DRAW)
    assert (game.seat, game.turn, game.drawn) == (0, 1, "cccc")
    assert {move.tile for move in legal_moves(game)} == {"cccc"}
    apply(game, place("cccc", 0, 3))
    assert game.hands == [["aaaa"], ["bcbc"]]
    assert (game.seat, game.drawn) == (1, None)


@pytest.mark.rule("X8")
def test_nothing_is_drawn_from_an_empty_supply() -> None:
    game = table(first="aaaa bcbc")
    game.supply = []
    assert DRAW not in legal_moves(game)
    apply(game, place("aaaa", 0, 0))
    assert game.hands[0] == []


@pytest.mark.rule("X14")
@pytest.mark.parametrize("hand", [2, 3])
def test_with_larger_hands_any_tile_of_the_hand_may_be_placed(hand: int) -> None:
    game = table(f"metro+hand{hand}", 2, "aaaa bcbc cbcb dacc")
    assert len(game.hands[0]) == hand
    tiles = {move.tile for move in legal_moves(game) if move.kind == "place"}
    assert tiles == {"aaaa", "bcbc", "cbcb"} if hand == 3 else {"aaaa", "bcbc"}
    apply(game, place("bcbc", 1, 0))
    assert len(game.hands[0]) == hand
    assert "bcbc" not in game.hands[0]


@pytest.mark.rule("X14")
def test_two_tiles_of_one_code_are_one_choice() -> None:
    game = table("metro+hand2", 2, "aaaa aaaa")
    assert len(legal_moves(game)) == len(EDGE_CELLS) + 1


# --- cells -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("X9")
def test_the_first_tile_goes_to_the_edge() -> None:
    assert cells(legal_moves(table(first="aaaa"))) == EDGE_CELLS


@pytest.mark.rule("X9")
def test_a_tile_may_go_beside_a_placed_one_but_not_beside_the_centre_alone() -> None:
    game = play(table(first="aaaa aaaa aaaa aaaa"), "aaaa03aaaa13")
    assert cells(legal_moves(game)) == EDGE_CELLS - {(0, 3)} | {(1, 2), (1, 4), (2, 3)}
    apply(game, place("aaaa", 2, 3))
    assert not {(3, 2), (3, 5), (5, 3)} & cells(legal_moves(game))


@pytest.mark.rule("X9")
def test_a_tile_lies_as_it_is_printed() -> None:
    game = table(first="aacb")
    assert {move.turns for move in legal_moves(game) if move.kind == "place"} == {0}
    with pytest.raises(IllegalMove):
        apply(game, place("aacb", 0, 3, turns=1))


@pytest.mark.rule("X13")
def test_with_free_orientation_a_tile_may_lie_in_any_turn() -> None:
    game = table("metro+free", 2, "aacb")
    ways = {
        turns: cells(move for move in legal_moves(game) if move.turns == turns) for turns in ways_to_lie("aacb", "free")
    }
    assert all(inner <= EDGE_CELLS for inner in ways.values())
    assert len(ways) == 4
    apply(game, place("aacb", 0, 3, turns=1))
    assert game.board[0, 3] == "baac"


# --- short lines -----------------------------------------------------------------------------------------------


@pytest.mark.rule("X10")
def test_no_tile_may_send_a_wagon_straight_back() -> None:
    game = table(first="dada")  # turns back at the top and at the bottom
    assert cells(legal_moves(game)) == {cell for cell in EDGE_CELLS if 0 < cell[0] < 7}


@pytest.mark.rule("X10")
def test_in_a_corner_no_track_may_lead_from_station_to_station() -> None:
    game = table(first="bcbc")
    corners = {(0, 0), (0, 7), (7, 0), (7, 7)}
    # From the top to the right and back; from the bottom to the left and back.
    assert corners - cells(legal_moves(game)) == {(0, 7), (7, 0)}


@pytest.mark.rule("X10")
def test_stations_of_nobody_count_as_well() -> None:
    game = table(players=3, first="dddd")
    assert 16 not in game.owner
    assert cells(place_of(game)) == EDGE_CELLS  # only the exception lets it lie anywhere
    game = table(players=3, first="cddb")
    assert (7, 0) not in cells(place_of(game))


def place_of(game: object) -> list[Move]:
    return [move for move in legal_moves(game) if move.kind == "place"]  # type: ignore[arg-type]


@pytest.mark.rule("X10")
def test_a_tile_that_fits_nowhere_else_may_make_a_short_line() -> None:
    game = table(first="dddd aaaa dddd")
    assert cells(legal_moves(game)) == EDGE_CELLS
    (arrived, *others) = apply(game, place("dddd", 0, 3)).arrivals
    assert (arrived.line, arrived.to, arrived.tiles, others) == (5, 5, 1, [])
    apply(game, place("aaaa", 1, 0))
    assert cells(legal_moves(game), "dddd") == {(1, 1), (1, 3)}  # now there are cells where nothing is wrong


# --- scoring ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("X11")
def test_a_line_scores_a_point_for_every_tile_when_it_reaches_a_station() -> None:
    game = play(table(first="bbbb cbcb"), "bbbb01cbcb02")
    (arrived,) = game.history[-1].arrivals
    assert (arrived.line, arrived.to, arrived.tiles, arrived.points) == (7, 6, 2, 2)
    assert game.points == [2, 0]


@pytest.mark.rule("X11")
def test_a_tile_passed_twice_counts_twice() -> None:
    game = play(table(first="aaaa dddd"), "aaaa10dddd11")
    (arrived,) = game.history[-1].arrivals
    assert trace(game, 10) == ([(1, 0), (1, 1), (1, 0)], 10)
    assert (arrived.tiles, game.points) == (3, [0, 3])


@pytest.mark.rule("X11")
def test_a_line_into_the_centre_scores_double() -> None:
    game = play(table(first="aaaa aaaa aaaa"), "aaaa03aaaa13aaaa23")
    arrived = {found.line: found for found in game.history[-1].arrivals}
    assert (arrived[5].to, arrived[5].tiles, arrived[5].points) == (33, 3, 6)
    assert game.points[game.owner[5]] == 6


@pytest.mark.rule("X11", "X7")
def test_a_line_of_nobody_scores_nobody_and_its_station_is_an_arrival() -> None:
    game = table(players=3, first="aacb bbbb")
    assert 16 not in game.owner
    play(game, "aacb70bbbb60")
    arrived = {found.line: found for found in game.history[-1].arrivals}
    assert arrived[16].points == 0
    assert arrived[16].to == 15
    assert sum(game.points) == 0


@pytest.mark.rule("X12")
def test_the_game_ends_with_the_last_tile_and_most_points_win() -> None:
    game = table()
    while not game.over:
        apply(game, legal_moves(game)[-1])
    assert (game.end_reason, game.turn, set(game.board)) == ("tiles", 60, set(CELLS))
    outcome = result(game)
    assert outcome.scores == game.points
    assert outcome.winners == [seat for seat in (0, 1) if outcome.scores[seat] == max(outcome.scores)]


@pytest.mark.rule("X12")
def test_equal_scores_share_the_win() -> None:
    game = table(players=3)
    game.points, game.end_reason = [7, 9, 9], "tiles"
    assert result(game).winners == [1, 2]


@pytest.mark.rule("X12")
def test_a_game_that_nobody_ends_stops_at_the_turn_limit() -> None:
    game = table("metro+companies,turn_limit=60", 2)
    while not game.over:
        apply(game, next(move for move in legal_moves(game) if move.kind == "exchange"))
    assert (game.end_reason, game.turn, kinds(game)) == ("turn_limit", 60, {})
