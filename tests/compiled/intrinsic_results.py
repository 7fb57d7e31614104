"""Prints the results of bit instructions, vector operations and index checks as JSON.

Compiled by Numba, or plain (`MMSIM_JIT=0`). Importing Numba takes longer than compiling all of this, so one process
runs everything: also the variants for an older processor and for bounds checks.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from mmsim.compiled import decorators, execution_mode, intrinsics
from mmsim.compiled.vectors import (
    and_not_words,
    and_words,
    extract_word,
    load_words,
    nonzero_words,
    or_words,
    shift_down,
    shift_up,
    store_words,
    zero_words,
)


def some_words() -> list[int]:
    """Words other than zero: single bits, runs, both ends, and random ones from sparse to dense."""
    rng = Random(64)
    words = {2**64 - 1, 1, 2**63, 2**63 + 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x0FFF, 0x0001000100010001}
    words |= {1 << k for k in range(64)} | {(1 << k) - 1 for k in range(1, 64)} | {2**64 - (1 << k) for k in range(64)}
    for _ in range(200):
        word = rng.getrandbits(64)
        words |= {word, word & rng.getrandbits(64), word & rng.getrandbits(64) & rng.getrandbits(64)}
    return sorted(words - {0})


def words_with_zeros() -> list[int]:
    """The same words, every fifth of them replaced by zero."""
    words = some_words()
    words[3::5] = [0] * len(words[3::5])
    return words


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function compiled as those of games are, if this process compiles."""
    if not decorators.COMPILES:
        return function
    import numba

    result: Callable[..., Any] = numba.njit(error_model="numpy")(function)
    return result


def bits() -> list[list[int]]:
    """[count, lowest, highest, *every set bit] of every word."""
    count_bits, lowest_bit = intrinsics.count_bits, intrinsics.lowest_bit
    highest_bit, kth_bit = intrinsics.highest_bit, intrinsics.kth_bit

    def write_bits(words: Any, out: Any) -> None:
        for i in range(words.size):
            out[i, 0], out[i, 1], out[i, 2] = count_bits(words[i]), lowest_bit(words[i]), highest_bit(words[i])
            for k in range(out[i, 0]):
                out[i, 3 + k] = kth_bit(words[i], np.int64(k))

    words = np.array(some_words(), np.uint64)
    out = np.zeros((words.size, 67), np.int64)
    compiled(write_bits)(words, out)
    return [row[: 3 + row[0]] for row in out.tolist()]


def word_operations() -> list[int]:
    """The results for every eight words, alone and with the next eight, in 56 words each."""

    def write_results(words: Any, out: Any) -> None:
        for i in range(0, words.size - 16, 8):
            first, second = load_words(words, i), load_words(words, i + 8)
            store_words(out, 7 * i, and_words(first, second))
            store_words(out, 7 * i + 8, or_words(first, second))
            store_words(out, 7 * i + 16, and_not_words(first, second))
            store_words(out, 7 * i + 24, shift_up(first))
            store_words(out, 7 * i + 32, shift_down(first))
            store_words(out, 7 * i + 40, zero_words())
            out[7 * i + 48] = nonzero_words(first)
            out[7 * i + 49] = extract_word(first, i // 8 % 8)

    words = np.array(words_with_zeros(), np.uint64)
    out = np.ones(7 * words.size, np.uint64)
    compiled(write_results)(words, out)
    return [int(word) for word in out]


def indices() -> list[str]:
    """The effect of some indices into three numbers."""
    ix = decorators.ix

    @decorators.jit
    def add_one(record: Any, at: Any) -> None:
        record.numbers[ix(at)] += 1

    def call(records: Any, at: Any) -> None:
        add_one(records[0], at)

    records = np.zeros(1, [("numbers", np.int64, 3), ("after", np.int64, 9)]).view(np.recarray)
    call, effects = compiled(call), []
    for at in (0, 2, 3, -1):
        try:
            call(records, np.int64(at))
            effects.append("fine")
        except IndexError as error:
            effects.append(str(error))
    return effects


def results() -> dict[str, Any]:
    output: dict[str, Any] = {"bits": bits(), "word operations": word_operations()}
    if decorators.COMPILES:
        from llvmlite import binding

        features = {**binding.get_host_cpu_features(), "bmi2": False}
        binding.get_host_cpu_features = lambda: features
        importlib.reload(intrinsics)
        output["bits of an older processor"] = bits()
        os.environ["MMSIM_BOUNDSCHECK"] = "1"
        importlib.reload(execution_mode)
        importlib.reload(decorators)
        output["checked indices"] = indices()
    else:
        output["bits of zero"] = int(intrinsics.count_bits(np.uint64(0)))
    return output


if __name__ == "__main__":
    json.dump(results(), sys.stdout)
