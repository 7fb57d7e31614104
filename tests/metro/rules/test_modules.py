"""Rules X15-X19: the four modules, and which of them go together."""

from dataclasses import replace

import pytest

from mmsim.errors import UsageError
from mmsim.metro.rules.board import CENTRE, CENTRE_STOPS, DEPARTURE
from mmsim.metro.rules.deal import central_tiles, number_colours
from mmsim.metro.rules.position import DRAW, PASS, Arrival, Move
from mmsim.metro.rules.reference import apply, legal_moves, trace
from mmsim.metro.rules.reference_scoring import company_values, result
from mmsim.metro.rules.rulesets import MODULES, ruleset
from mmsim.metro.rules.tiles import CODES, turned
from tests.metro.positions import cells, kinds, place, play, table

# --- companies (X15) -------------------------------------------------------------------------------------------


@pytest.mark.rule("X15")
def test_every_player_has_a_share_of_each_percentage_and_one_of_each_lies_open() -> None:
    game = table("metro+companies", 3)
    assert game.shares == [[0] * 4, [1] * 4, [2] * 4]
    assert game.open_shares == [3] * 4
    assert game.piles == [[4, 5, 6, 7]] * 4


@pytest.mark.rule("X15")
def test_the_open_share_is_taken_and_the_next_one_laid_open() -> None:
    game = table("metro+companies", 3)
    apply(game, Move("exchange", share=20, take="open"))
    assert game.shares[0] == [0, 3, 0, 0]
    assert game.open_shares == [3, 4, 3, 3]
    assert game.piles[1] == [5, 6, 7, 0]
    assert (game.seat, game.turn) == (1, 2)


@pytest.mark.rule("X15")
def test_or_the_top_hidden_one_is_taken() -> None:
    game = table("metro+companies", 3)
    apply(game, Move("exchange", share=40, take="hidden"))
    assert game.shares[0] == [0, 0, 0, 4]
    assert game.open_shares == [3] * 4
    assert game.piles[3] == [5, 6, 7, 0]


@pytest.mark.rule("X15")
def test_with_six_players_a_share_may_come_back_at_once() -> None:
    game = table("metro+companies", 6)
    assert game.piles[0] == [7]
    apply(game, Move("exchange", share=10, take="hidden"))
    assert (game.shares[0][0], game.piles[0]) == (7, [0])


@pytest.mark.rule("X15")
@pytest.mark.parametrize(("profit", "exchanges"), [(24, 8), (25, 0), (40, 0)])
def test_shares_are_exchanged_until_a_company_has_made_25(profit: int, exchanges: int) -> None:
    game = table("metro+companies", 2)
    game.points[5] = profit
    assert kinds(game)["exchange"] == exchanges


@pytest.mark.rule("X15")
def test_nobody_has_to_exchange_for_want_of_a_tile() -> None:
    game = table("metro+companies", 2)
    game.hands[0], game.supply = [], []
    assert kinds(game) == {"exchange": 8, "pass": 1}
    apply(game, PASS)
    assert game.seat == 1


@pytest.mark.rule("X15")
def test_companies_are_worth_8_to_1_and_ties_share_the_higher_value() -> None:
    assert company_values([8, 3, 1, 5, 2, 7, 4, 6]) == [8, 3, 1, 5, 2, 7, 4, 6]
    assert company_values([0] * 8) == [8] * 8


@pytest.mark.rule("X15")
def test_equal_majorities_all_have_the_bonus() -> None:
    game = table("metro+companies", 2)
    game.points = [59, 0, 0, 0, 0, 0, 0, 0]
    game.shares = [[0, 0, 1, 2], [3, 4, 0, 5]]
    game.end_reason = "tiles"
    assert result(game).bonus_points == [5, 5]


@pytest.mark.rule("X15")
def test_points_of_lines_are_profits_of_companies() -> None:
    game = play(table("metro+companies", 2, "aaaa aaaa aaaa"), "aaaa03aaaa13aaaa23")
    assert game.points == [0, 0, 0, 0, 6, 0, 0, 0]  # station 5 is purple


# --- metro stations (X16) --------------------------------------------------------------------------------------


@pytest.mark.rule("X16")
def test_each_player_may_put_one_wagon_on_a_free_edge_of_the_centre() -> None:
    game = table("metro+stations", 2, "aaaa aaaa")
    assert kinds(game)["wagon"] == 8
    apply(game, Move("wagon", edge=35))
    assert (game.owner[35], game.seat) == (0, 1)
    assert kinds(game)["wagon"] == 7
    apply(game, Move("wagon", edge=33))
    assert kinds(game)["wagon"] == 0


@pytest.mark.rule("X16")
def test_no_wagon_goes_where_the_neighbouring_cell_has_a_tile() -> None:
    game = play(table("metro+stations", 2, "aaaa aaaa aaaa"), "aaaa03aaaa13aaaa23")
    assert {move.edge for move in legal_moves(game) if move.kind == "wagon"} == set(CENTRE_STOPS) - {33}


@pytest.mark.rule("X16")
def test_a_wagon_opens_no_cell_for_tiles() -> None:
    game = table("metro+stations", 2, "aaaa aaaa")
    before = cells(legal_moves(game))
    apply(game, Move("wagon", edge=33))
    assert cells(legal_moves(game)) == before


@pytest.mark.rule("X16", "X10")
def test_a_line_from_the_centre_must_pass_more_than_one_tile() -> None:
    game = table("metro+stations", 2, "aaaa aaaa dddd dddd")
    apply(game, Move("wagon", edge=33))
    play(game, "aaaa03aaaa13")
    game.hands[game.seat] = ["dada"]
    assert (2, 3) not in cells(legal_moves(game))
    assert (1, 2) in cells(legal_moves(game))
    del game.owner[33]
    assert (2, 3) in cells(legal_moves(game))


@pytest.mark.rule("X16")
def test_a_line_from_the_centre_is_not_doubled_wherever_it_ends() -> None:
    game = table("metro+stations", 2, "aaaa aaaa aaaa aaaa")
    apply(game, Move("wagon", edge=33))
    play(game, "aaaa03aaaa13")
    apply(game, place("aaaa", 2, 3))
    arrived = {found.line: found for found in game.history[-1].arrivals}
    assert (arrived[33].to, arrived[33].tiles, arrived[33].points) == (5, 3, 3)
    assert (arrived[5].to, arrived[5].tiles, arrived[5].points) == (33, 3, 6)
    turning = table("metro+stations", 2, "aaaa aaaa aaaa dddd")
    apply(turning, Move("wagon", edge=33))
    turning.board.update({(1, 3): "dddd", (2, 3): "aaaa"})
    assert trace(turning, 33) == ([(2, 3), (1, 3), (2, 3)], 33)


@pytest.mark.rule("X16", "X15")
def test_with_companies_a_wagon_needs_a_share_which_is_shown_and_stays() -> None:
    game = table("metro+companies+stations", 2)
    assert kinds(game)["wagon"] == 4 * 8
    apply(game, Move("wagon", share=30, edge=36))
    assert game.owner[36] == 0
    assert game.shown == [{2}, set()]
    apply(game, DRAW)
    apply(game, legal_moves(game)[0])
    assert {move.share for move in legal_moves(game) if move.kind == "exchange"} == {10, 20, 40}
    assert kinds(game)["wagon"] == 0  # all four shares are of the company whose wagon is placed


# --- central tracks (X17) --------------------------------------------------------------------------------------


@pytest.mark.rule("X17")
def test_our_eight_central_tiles_are_known_tiles_and_no_two_the_same() -> None:
    tiles = central_tiles()
    assert len(tiles) == 8
    assert set(tiles) <= set(CODES)
    assert len({min(turned(tile, turns) for turns in range(4)) for tile in tiles}) == 8


@pytest.mark.rule("X17")
@pytest.mark.parametrize(("knob", "tiles"), [("", 6), (",central_points=true", 8)])
def test_lines_run_through_the_centre_and_score_there_only_by_the_knob(knob: str, tiles: int) -> None:
    game = table(f"metro+central{knob}", 2, ["aaaa"] * 3, central=("aaaa",) * 4)
    assert set(game.board) == set(CENTRE)
    play(game, "aaaa03aaaa13aaaa23")
    assert game.points == [0, 0]
    for row in (5, 6, 7):
        game.board[row, 3] = "aaaa"
    game.board.pop((0, 3))
    game.hands[game.seat] = ["aaaa"]
    (down, up) = sorted(apply(game, place("aaaa", 0, 3)).arrivals)
    assert (down.line, down.to, down.tiles, down.points) == (5, 20, tiles, tiles)
    assert (up.line, up.to, up.tiles, up.points) == (20, 5, tiles, tiles)


@pytest.mark.rule("X17", "X9")
def test_no_tile_is_placed_beside_the_central_tiles_alone() -> None:
    game = table("metro+central", 2, "aaaa", central=("aaaa",) * 4)
    assert not {DEPARTURE[stop][0] for stop in CENTRE_STOPS} & cells(legal_moves(game))


# --- station numbers (X18) -------------------------------------------------------------------------------------


@pytest.mark.rule("X18")
def test_our_colours_share_out_the_stations() -> None:
    colours = number_colours()
    assert [len(stations) for stations in colours.values()] == [8] * 4
    assert sorted(station for stations in colours.values() for station in stations) == list(range(1, 33))


@pytest.mark.rule("X18")
def test_a_line_gives_its_points_to_the_holder_of_the_number_where_it_ends() -> None:
    game = table("metro+stations+numbers", 2, numbers=((6, 9, 17, 25), (1, 10, 18, 26)))
    game.owner[33] = 1
    game.arrivals = {
        7: Arrival(7, 6, 5, 5),  # to a number of the first player
        11: Arrival(11, 33, 4, 8),  # into the centre: nobody's number
        33: Arrival(33, 10, 3, 3),  # from the centre: double
        12: Arrival(12, 30, 9, 9),  # to a number nobody holds
    }
    game.end_reason = "tiles"
    assert result(game).number_points == [5, 6]
    game.points = [4, 7]
    assert result(game).scores == [9, 13]


@pytest.mark.rule("X18")
def test_a_line_of_nobody_gives_nothing() -> None:
    game = table("metro+numbers", 3, numbers=((6, 9, 17, 25), (1, 10, 18, 26), (2, 11, 19, 27)))
    game.arrivals = {16: Arrival(16, 6, 5, 0)}
    game.end_reason = "tiles"
    assert result(game).number_points == [0, 0, 0]


@pytest.mark.rule("X18")
@pytest.mark.parametrize(("players", "most"), [(2, 4), (3, 2), (4, 2), (5, 1), (6, 1)])
def test_there_are_eight_numbers_of_a_colour(players: int, most: int) -> None:
    ruleset(f"metro+numbers,numbers_per_colour={most}", players)
    if most < 4:
        with pytest.raises(UsageError, match=f"numbers_per_colour is at most {8 // players}"):
            ruleset(f"metro+numbers,numbers_per_colour={most + 1}", players)


# --- together (X19) --------------------------------------------------------------------------------------------


@pytest.mark.rule("X19")
def test_only_the_books_pairs_of_modules_are_played_together() -> None:
    allowed = {("companies", "stations"), ("companies", "central"), ("stations", "numbers"), ("central", "numbers")}
    for i, one in enumerate(MODULES):
        ruleset(f"metro+{one}")
        for other in MODULES[i + 1 :]:
            if (one, other) in allowed:
                assert replace(ruleset(f"metro+{other}+{one}")).name == f"metro+{one}+{other}"
            else:
                with pytest.raises(UsageError, match=f"'{one}' and '{other}' cannot be combined"):
                    ruleset(f"metro+{one}+{other}")


@pytest.mark.rule("X19")
def test_three_modules_are_never_played_together() -> None:
    with pytest.raises(UsageError, match="cannot be combined"):
        ruleset("metro+companies+stations+numbers")
    with pytest.raises(UsageError, match="cannot be combined"):
        ruleset("metro+companies,numbers=true")
