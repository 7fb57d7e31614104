"""Bots that do without an element of the game never use it, unless the rules leave them nothing else."""

import pytest

from mmsim.core.variant import Variant
from mmsim.metro.game import Metro

METRO = Metro()
RULES = "metro+companies+stations+hand2"


def seat_row(bots: str, column: str) -> int:
    """What seat 0 has in a column, in some games together."""
    prepared = METRO.prepare(Variant(RULES, 4, bots=bots, seed=5))
    seats = METRO.play_games(prepared, 0, 12)["seats"]
    return int(seats[seats["seat"] == 0][column].sum())


@pytest.mark.parametrize("bot", ["planner", "expert"])
@pytest.mark.parametrize(("element", "column"), [("draws", "draws"), ("wagons", "wagons"), ("exchanges", "exchanges")])
def test_an_element_that_a_bot_does_without_is_not_used(bot: str, element: str, column: str) -> None:
    assert seat_row(bot, column) > 0
    assert seat_row(f"{bot}:without={element},{bot},{bot},{bot}", column) == 0


def test_who_does_not_spoil_plays_as_if_the_points_of_others_did_not_count() -> None:
    rows = [
        METRO.play_games(METRO.prepare(Variant("metro", 4, bots=bots, seed=5)), 0, 12)["seats"]
        for bots in ("planner:without=spoiling", "planner:others=0", "planner")
    ]
    assert (rows[0] == rows[1]).all()
    assert (rows[0] != rows[2]).any()
