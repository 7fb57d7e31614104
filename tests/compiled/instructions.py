"""What bit tricks, words by the eight and indices come to when this process runs them, as JSON.

Compiled by Numba, or plain (`MMSIM_JIT=0`). To load Numba takes a process longer than to compile all of this, so one is
asked everything: also what it would do on an older processor, and where indices are checked.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from mmsim.compiled import accel, execution_mode
from mmsim.compiled.vectors import (
    both,
    either,
    filled,
    get_words,
    moved_down,
    moved_up,
    no_words,
    put_words,
    without,
    word_of,
)


def some_words() -> list[int]:
    """Words other than zero: single bits, runs, both ends, and random ones from sparse to dense."""
    rng = Random(64)
    found = {2**64 - 1, 1, 2**63, 2**63 + 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x0FFF, 0x0001000100010001}
    found |= {1 << k for k in range(64)} | {(1 << k) - 1 for k in range(1, 64)} | {2**64 - (1 << k) for k in range(64)}
    for _ in range(200):
        word = rng.getrandbits(64)
        found |= {word, word & rng.getrandbits(64), word & rng.getrandbits(64) & rng.getrandbits(64)}
    return sorted(found - {0})


def eights_of_words() -> list[int]:
    """The same, every fifth of them zero."""
    words = some_words()
    words[3::5] = [0] * len(words[3::5])
    return words


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """As the code of games is compiled, where this process compiles."""
    if not accel.COMPILES:
        return function
    import numba

    made: Callable[..., Any] = numba.njit(error_model="numpy")(function)
    return made


def bits() -> list[list[int]]:
    """[count, lowest, highest, *every set bit] of every word."""
    count_bits, lowest_bit = accel.count_bits, accel.lowest_bit
    highest_bit, kth_bit = accel.highest_bit, accel.kth_bit

    def tell(words: Any, out: Any) -> None:
        for i in range(words.size):
            out[i, 0], out[i, 1], out[i, 2] = count_bits(words[i]), lowest_bit(words[i]), highest_bit(words[i])
            for k in range(out[i, 0]):
                out[i, 3 + k] = kth_bit(words[i], np.int64(k))

    words = np.array(some_words(), np.uint64)
    out = np.zeros((words.size, 67), np.int64)
    compiled(tell)(words, out)
    return [row[: 3 + row[0]] for row in out.tolist()]


def eights() -> list[int]:
    """What comes of every eight words, with the next ones and alone, in 56 words each."""

    def work(words: Any, out: Any) -> None:
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

    words = np.array(eights_of_words(), np.uint64)
    out = np.ones(7 * words.size, np.uint64)
    compiled(work)(words, out)
    return [int(word) for word in out]


def indices() -> list[str]:
    """What comes of some indices into three numbers."""
    ix = accel.ix

    @accel.jit
    def add_one(record: Any, at: Any) -> None:
        record.numbers[ix(at)] += 1

    def call(records: Any, at: Any) -> None:
        add_one(records[0], at)

    records = np.zeros(1, [("numbers", np.int64, 3), ("after", np.int64, 9)]).view(np.recarray)
    call, came = compiled(call), []
    for at in (0, 2, 3, -1):
        try:
            call(records, np.int64(at))
            came.append("fine")
        except IndexError as error:
            came.append(str(error))
    return came


def answers() -> dict[str, Any]:
    found: dict[str, Any] = {"bits": bits(), "eights": eights()}
    if accel.COMPILES:
        from llvmlite import binding

        features = {**binding.get_host_cpu_features(), "bmi2": False}
        binding.get_host_cpu_features = lambda: features
        importlib.reload(accel)
        found["bits of an older processor"] = bits()
        os.environ["MMSIM_BOUNDSCHECK"] = "1"
        importlib.reload(execution_mode)
        importlib.reload(accel)
        found["checked indices"] = indices()
    else:
        found["bits of zero"] = int(accel.count_bits(np.uint64(0)))
    return found


if __name__ == "__main__":
    json.dump(answers(), sys.stdout)
