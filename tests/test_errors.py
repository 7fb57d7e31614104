"""What a user reads when something is wrong."""

import pytest

from mmsim.errors import MmsimError, UsageError, full_name, unknown


def test_unknown_names_what_was_asked_for_the_nearest_and_all_there_are() -> None:
    error = unknown("board set", "rommy", ["roomy", "compact", "grand"])
    assert str(error) == ("unknown board set 'rommy'; did you mean 'roomy'? (known: roomy, compact, grand)")


@pytest.mark.parametrize(("typed", "nearest"), [("compct", "compact"), ("GRAND", "grand"), ("Rommy", "roomy")])
def test_unknown_finds_the_nearest_of_several(typed: str, nearest: str) -> None:
    assert f"did you mean '{nearest}'?" in str(unknown("board set", typed, ["roomy", "compact", "grand"]))


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


NAMES = ("print-4p", "print+loyal-4p", "print+no-corruption-4p", "v2@open")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("print-4p", "print-4p"),
        ("print", "print-4p"),
        ("print+loyal", "print+loyal-4p"),
        ("v2", "v2@open"),
        ("v", "v2@open"),
    ],
)
def test_the_beginning_of_a_name_is_enough_if_it_is_unique(name: str, found: str) -> None:
    assert full_name("variant", name, NAMES) == found


def test_the_beginning_of_several_names_is_refused_with_all_of_them() -> None:
    says = "several variants begin with 'print\\+': print\\+loyal-4p, print\\+no-corruption-4p; name one of them"
    with pytest.raises(UsageError, match=says):
        full_name("variant", "print+", NAMES)
    with pytest.raises(UsageError, match="unknown variant 'nl'"):
        full_name("variant", "nl", NAMES)
