"""What can be changed: knobs, play, both at once."""

import pytest

from mmsim.contests.interventions import alternative_values, as_played
from mmsim.core.knobs import Knob
from mmsim.games import find_game
from tests.contests.toy_changes import BOLD, toy_changes

pytestmark = pytest.mark.usefixtures("toy_game")


def test_a_knob_is_moved_to_all_its_other_choices_or_some_up_and_down() -> None:
    assert alternative_values(Knob("", "", choices=("a", "b", "c")), "b") == ["a", "c"]
    assert alternative_values(Knob("", ""), True) == [False]
    assert alternative_values(Knob("", "", 1, 60), 30) == [24, 36]
    assert alternative_values(Knob("", "", 1, 9), 1) == [2]


def test_every_knob_and_every_intervention_is_a_change_of_one_thing() -> None:
    changes = toy_changes()
    assert [change.name for change in changes] == ["hold=2", "hold=4", "longest=3", "longest=5", "first_holds"]
    assert [change.variant.rules for change in changes] == [
        *("dice,hold=2", "dice,hold=4", "dice,longest=3", "dice,longest=5", "dice")
    ]
    assert [change.variant.interventions for change in changes] == [()] * 4 + [("first_holds",)]
    assert len({find_game("toy").prepare(change.variant).name for change in [as_played(BOLD), *changes]}) == 6


def test_two_changes_at_once_are_both_made() -> None:
    hold, longest, *_, first = (toy_changes()[i] for i in (0, 2, 4))
    assert hold.combined_with(first).variant.rules == "dice,hold=2"
    assert first.combined_with(hold).variant.interventions == ("first_holds",)
    assert hold.combined_with(longest).variant.rules == "dice,hold=2,longest=3"
