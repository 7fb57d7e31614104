"""What a whole run costs compared with the bare games: `python -m benchmarks.end_to_end --bots uniform --games 600000`.

Bare: as many processes as there are workers play in parallel and keep nothing. Whole: `mmsim run` with all tables on
disk, from the start of the workers to the last line of the journal. Both are wall time and take turns, so that a busy
machine slows both. `cpu_of_bare` compares CPU seconds, including the start and the end of the run. `stages_us` are CPU
microseconds per game of what a worker does with a part: play it, convert its rows to frames, write them as Parquet,
and take digests of rows and files.
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
from mmsim.batch.experiment import from_mapping
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.core.variant import Variant
from mmsim.games import find_game
from mmsim.system.machine import machine
from mmsim.tables.frames import parquet_bytes, row_digest

_BATCH_GAMES = 6000
_STAGE_PARTS = 9  # parts over which stages are measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bots", default="uniform")
    parser.add_argument("--games", type=int, default=600_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="where to write the tables, instead of a temporary folder")
    options = parser.parse_args()
    compileall.compile_dir(str(Path(mmsim.__file__).parent), quiet=2)  # so that no worker has to
    with TemporaryDirectory(dir=options.out) as folder:
        print(json.dumps(compare(options, Path(folder)), indent=1))


def compare(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Both speeds, in turns, and their ratio."""
    experiment = {
        "name": "bench",
        "variants": ["print"],
        "players": 4,
        "bots": options.bots,
        "games": options.games,
        "seed": 1,
    }
    turns = []
    with get_context("spawn").Pool(options.workers) as players:
        for repeat in range(options.repeats):
            run = Run.create(folder / str(repeat), from_mapping(experiment))
            before = bare(players, options)
            used = cpu_seconds()
            status = Session(run, options.workers).carry_out()
            used = cpu_seconds() - used
            after = bare(players, options)
            raw, cpu = (before[0] + after[0]) / 2, (before[1] + after[1]) / 2
            finished = run.finished
            turns.append(
                {
                    "bare_games_per_s": round(raw),
                    "run_games_per_s": round(status.games_per_s),
                    "of_bare": round(status.games_per_s / raw, 3),
                    "cpu_of_bare": round(options.games / used / cpu, 3),
                    "bytes_per_row": round(finished.bytes / sum(finished.rows.values()), 2),
                }
            )
            shutil.rmtree(run.folder)
        staged = players.apply(stages, (options.bots, run.plan.part(0).count))
    return {
        "machine": machine(),
        "load": os.getloadavg()[0],
        "bots": options.bots,
        "games": options.games,
        "workers": options.workers,
        "turns": turns,
        "stages_us": staged,
        "median_of_bare": median(turn["of_bare"] for turn in turns),
        "median_cpu_of_bare": median(turn["cpu_of_bare"] for turn in turns),
    }


def bare(players: Any, options: argparse.Namespace) -> tuple[float, float]:
    """Games per second of all processes together by wall time, and of one of them by CPU time."""
    share = max(100, options.games // options.workers // 4)
    players.map(
        play_bare, [(options.bots, 0, 100)] * options.workers, chunksize=1
    )  # the first games pay for the start-up
    began = time.perf_counter()
    used = players.map(play_bare, [(options.bots, share * i, share) for i in range(options.workers)], chunksize=1)
    return share * options.workers / (time.perf_counter() - began), share / median(used)


def play_bare(task: tuple[str, int, int]) -> float:
    """Play games and keep nothing; returns the CPU seconds they took."""
    bots, first, count = task
    game = find_game("metromania")
    prepared = game.prepare(Variant("print", 4, bots=bots))
    began = time.process_time()
    for start in range(first, first + count, _BATCH_GAMES):
        game.play_games(prepared, start, min(_BATCH_GAMES, first + count - start))
    return time.process_time() - began


def stages(bots: str, games: int) -> dict[str, float]:
    """CPU microseconds per game of each thing that a worker does with a part: medians of several parts."""
    game = find_game("metromania")
    prepared = game.prepare(Variant("print", 4, bots=bots))
    used: dict[str, list[float]] = {"play": [], "frames": [], "parquet": [], "digests": []}
    for part in range(_STAGE_PARTS):
        times = [time.process_time()]
        rows = game.play_games(prepared, part * games, games)
        times.append(time.process_time())
        frames = {table: game.frame(prepared, table, rows[table]) for table in rows}
        times.append(time.process_time())
        files = {table: parquet_bytes(frames[table]) for table in rows}
        times.append(time.process_time())
        for table in rows:
            row_digest(frames[table])
            hashlib.sha256(files[table])
        times.append(time.process_time())
        for stage, began, ended in zip(used, times, times[1:], strict=False):
            used[stage].append(ended - began)
    return {stage: round(1e6 * median(seconds) / games, 2) for stage, seconds in used.items()}


def cpu_seconds() -> float:
    """CPU seconds of this process and of all that it has waited for."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in usages)


if __name__ == "__main__":
    main()
