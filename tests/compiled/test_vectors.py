"""Eight words at once, compiled and plain, compared with whole numbers of Python."""

import json

import pytest

from tests.compiled.test_accel import run, some_words

_EIGHTS = """
import json, sys
import numpy as np
from mmsim.compiled import accel
from mmsim.compiled.vectors import (
    both, either, filled, get_words, moved_down, moved_up, no_words, put_words, without, word_of
)

def work(words, out):
    for i in range(0, words.size - 16, 8):
        one, other = get_words(words, i), get_words(words, i + 8)
        put_words(out, 7 * i, both(one, other))
        put_words(out, 7 * i + 8, either(one, other))
        put_words(out, 7 * i + 16, without(one, other))
        put_words(out, 7 * i + 24, moved_up(one))
        put_words(out, 7 * i + 32, moved_down(one))
        put_words(out, 7 * i + 40, no_words())
        out[7 * i + 48] = filled(one)
        out[7 * i + 49] = word_of(one, i // 8 % 8)

if accel.COMPILES:
    import numba
    work = numba.njit(error_model="numpy")(work)
words = np.array(json.load(sys.stdin), np.uint64)
out = np.ones(7 * words.size, np.uint64)
work(words, out)
print(json.dumps(out.tolist()))
"""


def eights_by_hand(words: list[int]) -> list[int]:
    """What `_EIGHTS` prints."""
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
def test_eight_words_are_reckoned_with_at_once(jit: str) -> None:
    words = some_words()
    words[3::5] = [0] * len(words[3::5])
    assert json.loads(run(_EIGHTS, jit, given=json.dumps(words))) == eights_by_hand(words)
