"""The comparison of execution modes: how the output of fresh processes is summarised."""

import json
from typing import Any

import pytest

from benchmarks import execution_modes


def test_both_modes_compile_once_and_then_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, str]] = []

    def run(task: str, **env: str) -> str:
        process = env["MMSIM_LINK"], env["MMSIM_CACHE_DIR"]
        assert json.loads(task)["rules"] == "print"
        cpu = 0.1 if process in started else {"1": 20.0, "0": 60.0}[process[0]]
        started.append(process)
        measured: dict[str, Any] = {"compile_cpu_s": cpu}
        return json.dumps({**measured, "games_per_s": {"uniform": {"1": 300.0, "0": 200.0}[process[0]]}})

    monkeypatch.setattr(execution_modes, "run_fresh_process", run)
    measured = execution_modes.compare("any", "print", ["uniform"], max_games=10, repeats=2)
    assert [link for link, _ in started] == ["1", "0"] * 3
    assert len(set(started)) == 2  # one cache per mode
    assert {mode: measured[mode]["compile_cpu_s"] for mode in ("library", "numba")} == {"library": 20, "numba": 60}
    assert measured["library_over_numba"] == {"compile_cpu": 3.0, "uniform": 1.5}
