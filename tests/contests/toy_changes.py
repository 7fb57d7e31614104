"""Changes of the toy game, played once for all tests."""

from functools import cache

from mmsim.contests.interventions import Change, ChangedGames, as_played, play_changes, possible_changes
from mmsim.core.variant import Variant

BOLD = Variant("dice", 3, bots="bold", seed=3)


def play(*changes: Change, games: int = 1200) -> ChangedGames:
    return play_changes("toy", changes, games, 1, lambda status: None)


def toy_changes() -> list[Change]:
    changes, fixed = possible_changes("toy", BOLD)
    assert not fixed
    return changes


@cache
def all_changes() -> ChangedGames:
    """The games as played and with every change, played once."""
    return play(as_played(BOLD), *toy_changes())
