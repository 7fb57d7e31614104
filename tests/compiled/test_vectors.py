"""Eight words at once, compiled and plain, compared with Python integers."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compiled.intrinsic_results import words_with_zeros


def expected_words(words: list[int]) -> list[int]:
    """The result that `intrinsic_results.word_operations` must have."""
    out = [1] * (7 * len(words))
    for i in range(0, len(words) - 16, 8):
        first, second = words[i : i + 8], words[i + 8 : i + 16]
        pairs = list(zip(first, second, strict=True))
        results = [[a & b for a, b in pairs], [a | b for a, b in pairs], [a & ~b for a, b in pairs]]
        results += [[a << 1 & 2**64 - 1 for a in first], [a >> 1 for a in first], [0] * 8]
        results += [[sum(1 << k for k, a in enumerate(first) if a), first[i // 8 % 8]]]
        flat = [word for row in results for word in row]
        out[7 * i : 7 * i + len(flat)] = flat
    return out


@pytest.mark.parametrize("jit", ["1", "0"], ids=["compiled", "plain"])
def test_operations_on_eight_words_at_once(jit: str, intrinsic_results: Callable[[str], dict[str, Any]]) -> None:
    assert intrinsic_results(jit)["word operations"] == expected_words(words_with_zeros())
