"""The comparison of the two ways to compile: what is made of what fresh processes tell."""

import json
import time
from typing import Any

import pytest

from benchmarks import compiling
from mmsim.core.game import Variant


def test_both_ways_are_compiled_once_and_then_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    def process(program: str, given: str, **changed: str) -> str:
        link, first = changed["MMSIM_LINK"], (changed["MMSIM_LINK"], changed["MMSIM_CACHE_DIR"]) not in seen
        seen.append((link, changed["MMSIM_CACHE_DIR"]))
        assert json.loads(given)["variant"]["seed"] == 5
        cpu = {"1": 20.0, "0": 60.0}[link] if first else 0.1
        measured: dict[str, Any] = {"compile_s": cpu, "compile_cpu_s": cpu, "first_game_at": time.time() + cpu}
        return json.dumps({**measured, "games_per_s": {"uniform": {"1": 300.0, "0": 200.0}[link]}})

    monkeypatch.setattr(compiling, "in_fresh_process", process)
    found = compiling.compare_ways("any", Variant("print", seed=5), ["uniform"], most=10, repeats=2)
    assert [link for link, _ in seen] == ["1", "0"] * 3
    assert len(set(seen)) == 2  # a cache for each way
    assert found["library"]["compile_cpu_s"] == 20
    assert found["numba"]["cold_first_game_s"] == pytest.approx(60, abs=1)
    assert found["library_over_numba"] == {"compile_cpu": 3.0, "uniform": 1.5}
