"""Bit instructions against plain Python, and bounds checks."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compiled.intrinsic_results import some_words

Results = Callable[[str], dict[str, Any]]


def expected_bits(words: list[int]) -> list[list[int]]:
    """[count, lowest, highest, *every set bit] of every word."""
    expected = []
    for word in words:
        bits = [k for k in range(64) if word >> k & 1]
        expected.append([len(bits), bits[0], bits[-1], *bits])
    return expected


@pytest.mark.parametrize(
    ("jit", "key"),
    [("1", "bits"), ("1", "bits of an older processor"), ("0", "bits")],
    ids=["compiled", "compiled for an older processor", "plain"],
)
def test_bits_are_counted_and_found(jit: str, key: str, intrinsic_results: Results) -> None:
    assert intrinsic_results(jit)[key] == expected_bits(some_words())


def test_zero_has_no_bits(intrinsic_results: Results) -> None:
    assert intrinsic_results("0")["bits of zero"] == 0


def test_an_index_out_of_bounds_is_an_error_where_indices_are_checked(intrinsic_results: Results) -> None:
    assert intrinsic_results("1")["checked indices"] == ["fine", "fine", *["index is out of bounds"] * 2]
