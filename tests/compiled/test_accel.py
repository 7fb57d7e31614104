"""Bit tricks against plain Python, and indices that are checked."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compiled.instructions import some_words

Ask = Callable[[str], dict[str, Any]]


def by_hand(words: list[int]) -> list[list[int]]:
    """[count, lowest, highest, *every set bit] of every word."""
    expected = []
    for word in words:
        bits = [k for k in range(64) if word >> k & 1]
        expected.append([len(bits), bits[0], bits[-1], *bits])
    return expected


@pytest.mark.parametrize(
    ("jit", "asked"),
    [("1", "bits"), ("1", "bits of an older processor"), ("0", "bits")],
    ids=["compiled", "compiled for an older processor", "plain"],
)
def test_bits_are_counted_and_found(jit: str, asked: str, instructions: Ask) -> None:
    assert instructions(jit)[asked] == by_hand(some_words())


def test_zero_has_no_bits(instructions: Ask) -> None:
    assert instructions("0")["bits of zero"] == 0


def test_an_index_out_of_bounds_is_an_error_where_indices_are_checked(instructions: Ask) -> None:
    assert instructions("1")["checked indices"] == ["fine", "fine", *["index is out of bounds"] * 2]
