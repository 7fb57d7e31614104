"""What is changed to find out why: knobs, play, both, and elements that a bot does without."""

import polars as pl
import pytest

from mmsim.analysis.elements import element_values
from mmsim.analysis.why import biggest_two, conclusions, interaction, weigh_changes
from mmsim.contests.interventions import (
    AS_PLAYED,
    Change,
    Played,
    changes_of,
    other_values,
    play_changes,
    unchanged,
    without_elements,
)
from mmsim.core.errors import UsageError
from mmsim.core.game import Variant
from mmsim.core.knobs import Knob
from mmsim.games import find_game

pytestmark = pytest.mark.usefixtures("toy_game")
BOLD = Variant("dice", 3, bots="bold", seed=3)


def play(*changes: Change, games: int = 1200) -> Played:
    return play_changes("toy", changes, games, 1, lambda status: None)


def test_a_knob_is_moved_to_all_its_other_choices_or_some_up_and_down() -> None:
    assert other_values(Knob("", "", choices=("a", "b", "c")), "b") == ["a", "c"]
    assert other_values(Knob("", ""), True) == [False]
    assert other_values(Knob("", "", 1, 60), 30) == [24, 36]
    assert other_values(Knob("", "", 1, 9), 1) == [2]


def test_every_knob_and_every_intervention_is_a_change_of_one_thing() -> None:
    changes = changes_of("toy", BOLD)
    assert [change.name for change in changes] == ["hold=2", "hold=4", "longest=3", "longest=5", "first_holds"]
    assert [change.variant.rules for change in changes] == [
        *("dice,hold=2", "dice,hold=4", "dice,longest=3", "dice,longest=5", "dice")
    ]
    assert [change.variant.interventions for change in changes] == [()] * 4 + [("first_holds",)]
    assert len({find_game("toy").prepare(change.variant).name for change in [unchanged(BOLD), *changes]}) == 6


def test_two_changes_at_once_are_both_made() -> None:
    hold, longest, *_, first = (changes_of("toy", BOLD)[i] for i in (0, 2, 4))
    assert hold.and_also(first).variant.rules == "dice,hold=2"
    assert first.and_also(hold).variant.interventions == ("first_holds",)
    assert hold.and_also(longest).variant.rules == "dice,hold=2,longest=3"


def test_what_holds_the_first_player_back_is_found_and_what_changes_nothing_is_said_to() -> None:
    played = play(unchanged(BOLD), *changes_of("toy", BOLD))
    why = weigh_changes(played, "win_share")
    assert why.effects[0].change.name == "first_holds"
    assert why.effects[0].groups[0].value < 0.28 < why.before_groups[0].value
    same = {effect.change.name for effect in why.effects if effect.same}
    assert same == {"hold=2", "hold=4"}  # nobody holds
    assert sum(one.value for one in why.before_groups) == pytest.approx(1)


def test_both_changes_together_are_set_against_the_sum_of_each() -> None:
    hold, _, longest, _, first = changes_of("toy", BOLD)
    why = weigh_changes(play(unchanged(BOLD), hold, longest, first), "win_share")
    two = biggest_two(why)
    chosen = two or (longest, first)
    played = play(unchanged(BOLD), *chosen, chosen[0].and_also(chosen[1]))
    both = interaction(played, "win_share")
    alone = both.one.difference.value + both.other.difference.value
    assert both.beyond.value == pytest.approx(both.both.difference.value - alone)
    assert both.beyond.low < both.beyond.value < both.beyond.high
    assert conclusions(why, both)[0].startswith("As played: ")


def test_rolling_is_worth_something_to_who_always_rolls() -> None:
    changes = [unchanged(Variant("dice", 3, bots="bold", seed=3, seats="rotate")), *without_elements("toy", BOLD)]
    assert changes[1].variant.bots == "bold:without=rolling,bold,bold"
    played = play(*changes)
    (rolling,) = element_values(played)
    assert rolling.value.low > 0.05
    assert len(rolling.by_seat) == 3
    assert rolling.value.value == pytest.approx(sum(seat.value for seat in rolling.by_seat) / 3)
    restricted = played.tables["seats"].filter(pl.col("bot").cast(str) == "bold:without=rolling")
    assert rolling.share.value == pytest.approx(restricted["win_share"].mean())
    assert restricted.group_by("seat").len()["len"].to_list() == [400] * 3


def test_a_bot_that_can_do_without_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="one bot that can do without elements of the game: bold"):
        without_elements("toy", Variant("dice", bots="uniform"))


def test_the_games_as_played_come_first() -> None:
    assert unchanged(BOLD).name == AS_PLAYED
    with pytest.raises(AssertionError):
        weigh_changes(play(*changes_of("toy", BOLD)[:2], games=30), "win_share")
