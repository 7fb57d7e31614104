"""Who sits where: every way to seat the bots equally often, however they are listed."""

from collections import Counter
from itertools import permutations

import pytest

from mmsim.core.python_bots import PythonBot
from mmsim.core.seating import Seating, seat_orders


def cycle(listed: str) -> list[str]:
    """Who sits where in every game of a cycle, a letter a bot."""
    return ["".join(listed[place] for place in order) for order in seat_orders(listed, range(len(listed)), True)]


@pytest.mark.parametrize(
    ("listed", "games"),
    [
        *(("ab", 2), ("aaa", 3), ("aab", 3), ("abc", 6), ("aaab", 4), ("aabb", 12), ("aabc", 12), ("abcd", 24)),
        *(("aaabb", 10), ("abcde", 120), ("aaaaab", 6), ("aabbcc", 180), ("ababab", 60), ("abcdef", 720)),
    ],
)
def test_every_way_to_seat_the_bots_is_played_equally_often(listed: str, games: int) -> None:
    played = Counter(cycle(listed))
    assert {*played} == {"".join(way) for way in permutations(listed)}
    assert len({*played.values()}) == 1
    assert played.total() == games


@pytest.mark.parametrize("listed", ["aab", "abc", "aabb", "abcd", "aaabb"])
def test_the_same_bots_play_the_same_games_however_they_are_listed(listed: str) -> None:
    assert {tuple(cycle("".join(way))) for way in permutations(listed)} == {tuple(cycle(listed))}


@pytest.mark.parametrize("listed", ["abc", "aabb", "dbca"])
def test_bots_move_on_by_one_player_from_game_to_game_of_a_deal(listed: str) -> None:
    players, games = len(listed), cycle(listed)
    for first in range(0, len(games), players):
        deal = games[first : first + players]
        assert deal == [deal[0][by:] + deal[0][:by] for by in range(players)]


def test_fixed_seats_are_those_listed() -> None:
    assert seat_orders("dbca", range(4), False) == [(0, 1, 2, 3)]


def test_a_player_keeps_the_bots_of_both_companies() -> None:
    orders = seat_orders("prgu", (0, 1, 0, 1), True)
    assert ["".join("prgu"[place] for place in order) for order in orders] == ["prgu", "rpug"]


def test_two_bots_in_python_of_one_name_are_two() -> None:
    bots = tuple(PythonBot("first", "", "", code=code) for code in ("1", "2", "3"))
    assert len(Seating(bots, range(3), True).orders) == 6
    assert len(Seating((bots[0],) * 3, range(3), True).orders) == 3
