"""Functions below an entry are linked into it and compiled once, and still do what Numba would have them do."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mmsim.compiled import accel

if not accel.ENABLED:
    pytest.skip("there is nothing to link without the compiler", allow_module_level=True)

import numba

from mmsim.compiled.linking import PartCompiler, WholeCompiler

part = numba.njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)
whole = numba.njit(pipeline_class=WholeCompiler)


@part
def double(n: int) -> int:
    if n < 0:
        raise ValueError("nothing below zero")
    return 2 * n


@part
def sum_of_doubles(n: int) -> int:
    total = 0
    for i in range(n):
        total += double(i)
    return total


def test_an_entry_has_everything_below_it() -> None:
    @whole
    def entry(n: int) -> int:
        return sum_of_doubles(n) + double(n)

    assert entry(10) == 90 + 20
    (code,) = entry.inspect_asm().values()
    assert "sum_of_doubles" not in [line.split(":")[0] for line in code.splitlines()]  # no symbol of its own is left


def test_two_entries_share_their_parts() -> None:
    @whole
    def one(n: int) -> int:
        return double(n)

    @whole
    def other(n: int) -> int:
        return double(n) + 1

    assert (one(4), other(4)) == (8, 9)


def test_errors_come_through() -> None:
    @whole
    def entry(n: int) -> int:
        return double(n) + double(n + 1)

    with pytest.raises(ValueError, match="nothing below zero"):
        entry(-3)


def test_a_function_compiled_the_usual_way_may_call_a_part() -> None:
    @numba.njit
    def usual(n: int) -> int:
        return sum_of_doubles(n)

    assert usual(10) == 90


_PROGRAM = """
import numba
from mmsim.compiled.linking import PartCompiler, WholeCompiler

@numba.njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def part(n):
    if n < 0:
        raise ValueError("nothing below zero")
    return 2 * n

@numba.njit(pipeline_class=WholeCompiler, cache=True)
def entry(n):
    return part(n) + 1

print(entry(20))
try:
    entry(-1)
except ValueError as error:
    print(error)
print(sum(entry.stats.cache_hits.values()))
"""


def test_machine_code_is_kept_and_loaded_again(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)

    def told() -> Any:
        return subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout.split("\n")

    assert told()[:3] == ["41", "nothing below zero", "0"]
    assert told()[:3] == ["41", "nothing below zero", "1"]
