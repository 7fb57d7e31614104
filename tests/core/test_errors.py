"""What a user reads when something is wrong."""

import pytest

from mmsim.core.errors import MmsimError, UsageError, unknown


def test_unknown_names_what_was_asked_for_the_nearest_and_all_there_are() -> None:
    error = unknown("board set", "clasic", ["classic", "compact", "grand"])
    assert str(error) == ("unknown board set 'clasic'; did you mean 'classic'? (known: classic, compact, grand)")


@pytest.mark.parametrize(("typed", "nearest"), [("compct", "compact"), ("GRAND", "grand"), ("Clasic", "classic")])
def test_unknown_finds_the_nearest_of_several(typed: str, nearest: str) -> None:
    assert f"did you mean '{nearest}'?" in str(unknown("board set", typed, ["classic", "compact", "grand"]))


def test_unknown_spells_the_nearest_as_it_is_known() -> None:
    assert "did you mean 'Old Town'?" in str(unknown("piece", "old twon", ["Lakeside", "Old Town"]))


def test_unknown_guesses_nothing_when_nothing_is_near() -> None:
    error = unknown("knob", "zzz", ["dig", "stations"])
    assert str(error) == "unknown knob 'zzz' (known: dig, stations)"


def test_unknown_takes_any_iterable_once() -> None:
    assert "(known: a, b)" in str(unknown("letter", "a1", (letter for letter in "ab")))


def test_unknown_is_a_usage_error_and_leaves_with_code_two() -> None:
    error = unknown("knob", "zzz", [])
    assert isinstance(error, UsageError)
    assert error.exit_code == 2


def test_any_other_failure_leaves_with_code_one() -> None:
    assert issubclass(UsageError, MmsimError)
    assert MmsimError("the disk is full").exit_code == 1
