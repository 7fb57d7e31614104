"""The table of what seats and wagons of Metro are worth."""

import numpy as np
import pytest

from benchmarks.wagon_tables import BLOCK, PAGE, effects
from mmsim.metro.rules.board import WAGONS, wagon_table
from mmsim.metro.rules.rulesets import ruleset


def test_what_seats_and_columns_are_worth_is_separated() -> None:
    order, columns = np.array([3.0, 0.0, -3.0]), np.array([1.0, 1.0, -2.0])
    wins = np.array([[33 + order[seat] + columns[(seat + shift) % 3] for seat in range(3)] for shift in range(3)])
    assert effects(wins) == (pytest.approx(order), pytest.approx(columns))


def test_a_shift_gives_a_seat_the_column_that_the_table_takes_it_for() -> None:
    for shift in range(5):
        table = wagon_table(ruleset(f"metro,wagon_shift={shift}", 5))
        assert list(table) == [WAGONS[5][(seat + shift) % 5] for seat in range(5)]


def test_the_page_has_the_table() -> None:
    assert f"<!-- figures of {BLOCK} -->" in PAGE.read_text(encoding="utf-8")
