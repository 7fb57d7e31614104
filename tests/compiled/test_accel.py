"""Bit tricks against plain Python, and indices that are checked."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[2]


def some_words() -> list[int]:
    """Words other than zero: single bits, runs, both ends, and random ones from sparse to dense."""
    rng = Random(64)
    found = {2**64 - 1, 1, 2**63, 2**63 + 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x0FFF, 0x0001000100010001}
    found |= {1 << k for k in range(64)} | {(1 << k) - 1 for k in range(1, 64)} | {2**64 - (1 << k) for k in range(64)}
    for _ in range(200):
        word = rng.getrandbits(64)
        found |= {word, word & rng.getrandbits(64), word & rng.getrandbits(64) & rng.getrandbits(64)}
    return sorted(found - {0})


def by_hand(words: list[int]) -> list[list[int]]:
    """[count, lowest, highest, *every set bit] of every word."""
    expected = []
    for word in words:
        bits = [k for k in range(64) if word >> k & 1]
        expected.append([len(bits), bits[0], bits[-1], *bits])
    return expected


_TELL = """
import json, sys
import numpy as np
{before}
from mmsim.compiled import accel
from mmsim.compiled.accel import count_bits, highest_bit, kth_bit, lowest_bit

def tell(words, out):
    for i in range(words.size):
        out[i, 0], out[i, 1], out[i, 2] = count_bits(words[i]), lowest_bit(words[i]), highest_bit(words[i])
        for k in range(out[i, 0]):
            out[i, 3 + k] = kth_bit(words[i], np.int64(k))

if accel.COMPILES:
    import numba
    tell = numba.njit(error_model="numpy")(tell)
words = np.array(json.load(sys.stdin), np.uint64)
out = np.zeros((words.size, 67), np.int64)
tell(words, out)
print(json.dumps([row[: 3 + row[0]] for row in out.tolist()]))
"""
_WITHOUT_BMI2 = """
from llvmlite import binding
features = binding.get_host_cpu_features()
features["bmi2"] = False
binding.get_host_cpu_features = lambda: features
"""


def run(script: str, jit: str, *arguments: str, given: str = "") -> str:
    """What a script prints in a process of its own, with Numba (`1`) or as plain Python (`0`)."""
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", script, *arguments],
        input=given,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "MMSIM_JIT": jit, "MMSIM_LINK": "0"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("jit", "before"),
    [("1", ""), ("1", _WITHOUT_BMI2), ("0", "")],
    ids=["compiled", "compiled for an older processor", "plain"],
)
def test_bits_are_counted_and_found(jit: str, before: str) -> None:
    words = some_words()
    assert json.loads(run(_TELL.format(before=before), jit, given=json.dumps(words))) == by_hand(words)


def test_zero_has_no_bits() -> None:
    script = "import numpy as np\nfrom mmsim.compiled.accel import count_bits\nprint(count_bits(np.uint64(0)))"
    assert run(script, "0").strip() == "0"


_INDICES = """
import numba, numpy as np
from mmsim.compiled.accel import ix, jit

@jit
def add_one(record, at):
    record.numbers[ix(at)] += 1

@numba.njit
def call(records, at):
    add_one(records[0], at)

records = np.zeros(1, [("numbers", np.int64, 3), ("after", np.int64, 9)]).view(np.recarray)
for at in (0, 2, 3, -1):
    try:
        call(records, np.int64(at))
        print("fine")
    except IndexError as error:
        print(error)
"""


def test_an_index_out_of_bounds_is_an_error_where_indices_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMSIM_BOUNDSCHECK", "1")
    assert run(_INDICES, "1").splitlines() == ["fine", "fine", *["index is out of bounds"] * 2]
