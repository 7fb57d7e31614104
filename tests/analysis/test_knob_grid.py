"""Grids of knobs: ranges, lists, what a change costs, neighbours."""

import pytest

from mmsim.analysis.knob_grid import KnobGrid, Vary, parse_vary
from mmsim.errors import UsageError


def test_a_knob_takes_a_range_or_a_list() -> None:
    assert parse_vary("change_minutes=1:4") == Vary("change_minutes", ("1", "2", "3", "4"))
    assert parse_vary("change_minutes=1:9:4") == Vary("change_minutes", ("1", "5", "9"))
    assert parse_vary("change_minutes=3:1:-1") == Vary("change_minutes", ("3", "2", "1"))
    assert parse_vary("half_kept=floor,ceil") == Vary("half_kept", ("floor", "ceil"))


@pytest.mark.parametrize(
    "word", ["change_minutes", "=1:3", "dig=", "dig=1:x", "dig=3", "dig=3,3", "dig=5:1", "dig=1:5:0", "dig=1:5:1:9"]
)
def test_anything_else_is_a_sentence(word: str) -> None:
    with pytest.raises(UsageError):
        parse_vary(word)


def test_a_grid_is_every_combination() -> None:
    sweep = KnobGrid("print+loyal", (Vary("dig", ("2", "3")), Vary("end_lines", ("4", "5", "6"))))
    assert sweep.cells == 6
    assert sweep.specs()[0] == "print+loyal,dig=2,end_lines=4"
    assert len(set(sweep.specs())) == 6
    assert sweep.lines(0) == {"end_lines = 4": (0, 3), "end_lines = 5": (1, 4), "end_lines = 6": (2, 5)}
    assert sweep.lines(1) == {"dig = 2": (0, 1, 2), "dig = 3": (3, 4, 5)}
    assert KnobGrid("print", (Vary("dig", ("2", "3")),)).lines(0) == {"print": (0, 1)}


def test_a_sweep_that_makes_no_sense_is_refused_with_a_sentence() -> None:
    dig = Vary("dig", ("2", "3"))
    with pytest.raises(UsageError, match="at least one knob"):
        KnobGrid("print", ())
    with pytest.raises(UsageError, match="dig is varied twice"):
        KnobGrid("print", (dig, dig))
    with pytest.raises(UsageError, match="not from the file"):
        KnobGrid("mine.toml", (dig,))
    with pytest.raises(UsageError, match="81 variants"):
        KnobGrid("print", tuple(Vary(name, ("1", "2", "3")) for name in "abcd"))
