"""Small runs, and what their tables must be to the byte."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mmsim import games
from mmsim.batch import worker
from mmsim.batch.experiment import Experiment, from_mapping, variants_of
from mmsim.batch.plan import RunPlan
from mmsim.batch.run import Run
from mmsim.batch.worker import PartPlayer

ROOT = Path(__file__).parent.parent.parent
TOY = {"name": "toy", "game": "toy", "variants": ["dice"], "players": 3, "games": 420, "seed": 7, "part_games": 60}
SMALL = {"name": "small", "variants": ["print", "print+loyal"], "games": 420, "seed": 7, "part_games": 60}

Files = dict[str, bytes]  # path inside the run -> content


def small(**changes: Any) -> Experiment:
    return from_mapping({**SMALL, **_players(changes), **changes})


def toy(**changes: Any) -> Experiment:
    return from_mapping({**TOY, **_players(changes), **changes})


def _players(changes: dict[str, Any]) -> dict[str, str]:
    """The quickest bot there is, unless others are named."""
    return {} if {"bots", "levels"} & set(changes) else {"bots": "uniform"}


def tables_of(run: Run) -> Files:
    """Every Parquet file of a run."""
    return {str(path.relative_to(run.folder)): path.read_bytes() for path in sorted(run.folder.glob("*/*.parquet"))}


def expected(experiment: Experiment) -> Files:
    """The tables of an experiment, played in this process without any run."""
    made = variants_of(experiment)
    player = PartPlayer(experiment.game)
    plan = RunPlan(len(made), experiment.games, experiment.part_games)
    files = {}
    for number in range(plan.parts):
        part = plan.part(number)
        played = player.play(part, made[part.variant])
        files.update({f"{table}/{part.file}": data for table, data in played.files.items()})
    return dict(sorted(files.items()))


def mmsim(*words: object, cwd: Path, **options: Any) -> "subprocess.Popen[str]":
    """The command line in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "mmsim", *map(str, words)],
        cwd=cwd,
        env=env,
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def wait_until(ready: Callable[[], object], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


def journal_lines(folder: Path) -> int:
    path = folder / "parts.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def serve(*args: Any) -> None:
    """A worker process that knows the toy."""
    games._PACKAGES["toy"] = "tests.toy"
    worker.serve(*args)
