"""Eight words at once, compiled and plain, compared with whole numbers of Python."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compiled.instructions import eights_of_words


def eights_by_hand(words: list[int]) -> list[int]:
    """What `instructions.eights` must find."""
    out = [1] * (7 * len(words))
    for i in range(0, len(words) - 16, 8):
        one, other = words[i : i + 8], words[i + 8 : i + 16]
        pairs = list(zip(one, other, strict=True))
        made = [[a & b for a, b in pairs], [a | b for a, b in pairs], [a & ~b for a, b in pairs]]
        made += [[a << 1 & 2**64 - 1 for a in one], [a >> 1 for a in one], [0] * 8]
        made += [[sum(1 << k for k, a in enumerate(one) if a), one[i // 8 % 8]]]
        flat = [word for row in made for word in row]
        out[7 * i : 7 * i + len(flat)] = flat
    return out


@pytest.mark.parametrize("jit", ["1", "0"], ids=["compiled", "plain"])
def test_eight_words_are_reckoned_with_at_once(jit: str, instructions: Callable[[str], dict[str, Any]]) -> None:
    assert instructions(jit)["eights"] == eights_by_hand(eights_of_words())
