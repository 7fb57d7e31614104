"""The worked examples of the rule book, with its numbers.

The book shows the positions of its examples in pictures only. These are positions of ours that agree with everything
its text says about them.
"""

import pytest

from mmsim.metro.rules.board import COLOURS, WAGONS
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import apply, legal_moves, trace
from mmsim.metro.rules.reference_scoring import company_values, result
from tests.metro.positions import core_of, placements, table, tiles_of

YELLOW, BLUE, ORANGE, GREEN, PURPLE, BLACK, RED, WHITE = range(8)


def played(game: Game, text: str) -> Game:
    """Place tiles in both engines, which must agree."""
    core = core_of(game)
    for move in placements(text):
        assert core.legal_moves() == legal_moves(game)
        assert core.apply(move) == apply(game, move)
    assert core.view(core.seat).points == tuple(game.points)
    return game


@pytest.mark.rule("X11")
def test_green_scores_14_for_seven_passes_into_the_centre() -> None:
    """Seven passes, one tile among them crossed twice, and the centre doubles them."""
    text = "accd67dbba57aaaa56dada55cbaa54dddd64"
    game = played(table(players=4, first=tiles_of(text)), text)
    passed, to = trace(game, 26)
    assert 26 in WAGONS[4][GREEN]
    assert (len(passed), len(set(passed)), to) == (7, 6, 36)
    assert game.arrivals[26].points == 7 * 2
    assert game.points == [0, 0, 0, 14]


@pytest.mark.rule("X18", "X11")
def test_yellow_scores_12_with_number_28_as_green_did_for_the_line() -> None:
    """Green's line of 12 ends at station 28, whose number Yellow holds; both have 12 for it."""
    text = "adad75dacc65dada66cbcb67aaaa57acba47badb46cdac45ccda36"
    numbers = ((1, 9, 17, 28), (2, 10, 18, 25), (3, 11, 19, 26), (4, 12, 20, 27))
    game = played(table("metro+numbers", 4, tiles_of(text), numbers=numbers), text)
    assert 22 in WAGONS[4][GREEN]
    assert (game.arrivals[22].to, game.arrivals[22].points) == (28, 12)
    game.end_reason = "tiles"  # as if the game were over here
    outcome = result(game)
    assert outcome.line_points == [0, 0, 0, 12]
    assert outcome.number_points == [12, 0, 0, 0]


@pytest.mark.rule("X15")
def test_companies_that_tie_for_the_third_rank_are_worth_6_and_the_next_4() -> None:
    profits = [38, 20, 30, 20, 1, 2, 10, 3]
    worth = dict(zip(COLOURS, company_values(profits), strict=True))
    assert [worth[colour] for colour in ("Yellow", "Orange", "Blue", "Green", "Red")] == [8, 7, 6, 6, 4]


@pytest.mark.rule("X15")
def test_nina_has_68() -> None:
    """40 % and 20 % of Yellow at 8, 10 % of Blue at 5, 30 % of Green at 4, and most of Yellow, which has made 38.

    Blue and Green have other values than in the example before, so this is another game. Somebody else must hold more
    of Blue and of Green, as she has a bonus for Yellow only.
    """
    game = table("metro+companies", 2)
    game.points = [38, 22, 30, 20, 25, 1, 2, 3]
    values = company_values(game.points)
    assert (values[YELLOW], values[BLUE], values[GREEN]) == (8, 5, 4)
    game.shares = [[BLUE, YELLOW, GREEN, YELLOW], [BLACK, BLUE, WHITE, GREEN]]  # of 10, 20, 30 and 40 %
    game.end_reason = "tiles"
    outcome = result(game)
    assert outcome.share_points[0] == 4 * 8 + 2 * 8 + 1 * 5 + 3 * 4 == 65
    assert outcome.bonus_points[0] == 38 // 10 == 3
    assert outcome.scores[0] == 68
    assert outcome.line_points == [0, 0]
