"""What a whole run costs over the bare games: `python -m benchmarks.end_to_end --bots uniform --games 600000`.

Bare: as many processes as there are workers play at the same time and keep nothing (the code `mmsim bench` times).
Whole: `mmsim run` with all tables on disk, from the start of the workers to the last line of the journal. Both are wall
time and take turns, so that a machine with other work on it is slow to both. `cpu_of_bare` compares CPU seconds, of
the whole run with everything that starts and ends it. `stages_us` are CPU microseconds a game of one process that does
with a part what a worker does: play it, make columns of its rows, Parquet of those, digests of rows and files.
"""

import argparse
import compileall
import hashlib
import json
import os
import resource
import shutil
import time
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import mmsim
from benchmarks import timing
from mmsim.batch.digest import row_digest
from mmsim.batch.experiment import from_mapping
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.batch.worker import empty_files
from mmsim.core.game import Variant
from mmsim.games import find_game
from mmsim.tables.parquet import parquet

_AT_ONCE = 6000
_STAGED = 9  # parts that stages are measured with


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bots", default="uniform")
    parser.add_argument("--games", type=int, default=600_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="where to write the tables; if not given, a temporary folder")
    asked = parser.parse_args()
    compileall.compile_dir(str(Path(mmsim.__file__).parent), quiet=2)  # as Python does the first time it runs a program
    with TemporaryDirectory(dir=asked.out) as folder:
        print(json.dumps(compare(asked, Path(folder)), indent=1))


def compare(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Both speeds, in turns, and their ratio."""
    question = {
        "name": "bench",
        "variants": ["print"],
        "players": 4,
        "bots": asked.bots,
        "games": asked.games,
        "seed": 1,
    }
    turns = []
    with get_context("spawn").Pool(asked.workers) as players:
        for repeat in range(asked.repeats):
            run = Run.create(folder / str(repeat), from_mapping(question))
            before = bare(players, asked)
            used = cpu_seconds()
            status = Session(run, asked.workers).carry_out()
            used = cpu_seconds() - used
            after = bare(players, asked)
            raw, cpu = (before[0] + after[0]) / 2, (before[1] + after[1]) / 2
            finished = run.finished
            turns.append(
                {
                    "bare_games_per_s": round(raw),
                    "run_games_per_s": round(status.games_per_s),
                    "of_bare": round(status.games_per_s / raw, 3),
                    "cpu_of_bare": round(asked.games / used / cpu, 3),
                    "bytes_a_row": round(finished.bytes / sum(finished.rows.values()), 2),
                }
            )
            shutil.rmtree(run.folder)
        staged = players.apply(stages, (asked.bots, run.plan.part(0).count))
    return {
        "machine": timing.machine(),
        "load": os.getloadavg()[0],
        "bots": asked.bots,
        "games": asked.games,
        "workers": asked.workers,
        "turns": turns,
        "stages_us": staged,
        "median_of_bare": median(turn["of_bare"] for turn in turns),
        "median_cpu_of_bare": median(turn["cpu_of_bare"] for turn in turns),
    }


def bare(players: Any, asked: argparse.Namespace) -> tuple[float, float]:
    """Games a second of all processes together by the clock, and of one of them by its CPU seconds."""
    share = max(100, asked.games // asked.workers // 4)
    players.map(play_bare, [(asked.bots, 0, 100)] * asked.workers, chunksize=1)  # nothing of a first time is measured
    began = time.perf_counter()
    used = players.map(play_bare, [(asked.bots, share * i, share) for i in range(asked.workers)], chunksize=1)
    return share * asked.workers / (time.perf_counter() - began), share / median(used)


def play_bare(task: tuple[str, int, int]) -> float:
    """Play games and keep nothing; the CPU seconds they took."""
    bots, first, count = task
    game = find_game("metromania")
    prepared = game.prepare(Variant("print", 4, bots=bots))
    began = time.process_time()
    for start in range(first, first + count, _AT_ONCE):
        game.play_games(prepared, start, min(_AT_ONCE, first + count - start))
    return time.process_time() - began


def stages(bots: str, games: int) -> dict[str, float]:
    """CPU microseconds a game of what a worker does with a part, the median of several parts."""
    game = find_game("metromania")
    prepared, empty = game.prepare(Variant("print", 4, bots=bots)), empty_files(game)
    used: dict[str, list[float]] = {"play": [], "columns": [], "parquet": [], "digests": []}
    for part in range(_STAGED):
        times = [time.process_time()]
        rows = game.play_games(prepared, part * games, games)
        times.append(time.process_time())
        columns = {table: game.values(prepared, table, rows[table]) for table in rows}
        times.append(time.process_time())
        files = {table: parquet(empty[table], columns[table]) for table in rows}
        times.append(time.process_time())
        for table in rows:
            row_digest(columns[table])
            hashlib.sha256(files[table])
        times.append(time.process_time())
        for stage, began, ended in zip(used, times, times[1:], strict=False):
            used[stage].append(ended - began)
    return {stage: round(1e6 * median(seconds) / games, 2) for stage, seconds in used.items()}


def cpu_seconds() -> float:
    """Of this process and all that it has waited for."""
    whose = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in whose)


if __name__ == "__main__":
    main()
