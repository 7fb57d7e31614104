"""A program is compiled into one library whose entry points behave like their Python source."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.compiled import execution_mode

if not execution_mode.can_build():
    pytest.skip("no library can be built here", allow_module_level=True)

_PROGRAM = """
import ctypes, json, subprocess, sys
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
from mmsim.compiled import execution_mode
execution_mode.choose(execution_mode.BUILDING)
from mmsim.compiled import decorators, linking
from mmsim.compiled.entry_points import array_of, declared_entry_points, group
from mmsim.compiled.decorators import entry_point, inlined, ix, jit

__name__ = "mmsim.small.bots.entry_points"
RECORD = np.dtype([("total", np.int64), ("numbers", np.uint8, 3)])

class Pair(NamedTuple):
    records: Any
    moves: Any

@jit
def double(n):
    return 2 * n

@inlined
def sum_of_doubles(moves):
    total = np.int64(0)
    for i in range(moves.size):
        total += double(moves[ix(i)])
    return total

@entry_point(pair=group(Pair, records=RECORD, moves=array_of(np.int64)), which=np.int64)
def add_up(pair, which):
    pair.records[which].total += sum_of_doubles(pair.moves)
    return np.int64(pair.records.size)

@entry_point(records=RECORD, at=np.int64, large=np.uint64)
def count(records, at, large):
    records[0].numbers[ix(at)] += large >> np.uint64(63)

target = Path(sys.argv[1])
compiled = [(entry, decorators.compile_entry_point(entry)) for entry in declared_entry_points("small")]
linking.build_library(compiled, target)

execution_mode.choose(execution_mode.LIBRARY)
execution_mode.current.cache_clear()
from mmsim.compiled import entry_points
from mmsim.compiled import startup
startup.warm_up = lambda program: entry_points.load_library(program, target.parent)
records, moves = np.zeros(2, RECORD).view(np.recarray), np.arange(10)
answer = [add_up(Pair(records, moves), 1), add_up(Pair(records, moves[:3].copy()), 1), records.total.tolist()]
count(records, 2, 2**64 - 1)
answer.append(records[0].numbers.tolist())
try:
    count(records, -1, 0)
    answer.append("fine")
except IndexError as error:
    answer.append(str(error))
for wrong in (np.zeros(2, np.int32), moves[::2]):
    try:
        add_up(Pair(records, wrong), 0)
    except TypeError as error:
        answer.append(str(error))
print(json.dumps(answer))
"""


def run(library: Path, **changed: str) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, library],
        capture_output=True,
        text=True,
        env={**os.environ, **changed},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: list[object] = json.loads(done.stdout)
    return answer


WRONG = ["an array of int32 instead of int64", "an array of int64 instead of int64"]


def test_entry_points_take_records_arrays_groups_and_numbers_of_the_declared_types(tmp_path: Path) -> None:
    library = tmp_path / "library.so"
    assert run(library) == [2, 2, [0, 96], [0, 0, 1], "fine", *WRONG]
    listing = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in listing.splitlines()]
    assert [name for kind, name in symbols if kind == "T"] == ["mmsim_add_up", "mmsim_count"]  # the only exports
    assert [name for kind, name in symbols if kind == "U" and "@GLIBC" not in name] == []  # no other imports


def test_an_index_out_of_bounds_is_an_error_where_indices_are_checked(tmp_path: Path) -> None:
    answer = run(tmp_path / "library.so", MMSIM_BOUNDSCHECK="1")
    assert answer == [2, 2, [0, 96], [0, 0, 1], "an index is out of bounds in small's count", *WRONG]
