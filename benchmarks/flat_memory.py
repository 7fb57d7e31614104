"""Memory use of short and long runs: `python -m benchmarks.flat_memory --games 100000 10000000`.

Samples the resident memory of the command and of its workers (`/proc/PID/status`) while `mmsim run` plays, and fails
when the longest run needs over a tenth more than the shortest.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MAX_GROWTH = 1.10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, nargs="+", default=[100_000, 10_000_000])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bots", default="uniform")
    parser.add_argument("--part-games", type=int, default=6000)
    options = parser.parse_args()
    measure(1, options)  # compiles the core if needed, which is not what is measured
    results = [measure(games, options) for games in options.games]
    growth = {key: round(results[-1][key] / results[0][key], 3) for key in ("parent_mb", "largest_worker_mb", "all_mb")}
    print(json.dumps({"runs": results, "longest_over_shortest": growth}, indent=1))
    if max(growth.values()) > MAX_GROWTH:
        sys.exit("memory is not flat")


def measure(games: int, options: argparse.Namespace) -> dict[str, Any]:
    """The peak memory of a run."""
    with TemporaryDirectory() as folder:
        words = ["run", "--rules", "print", "--games", games, "--bots", options.bots, "--workers", options.workers]
        words += ["--part-games", options.part_games, "--out", f"{folder}/run", "--quiet"]
        began = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "mmsim", *map(str, words)])
        parent_mb, worker_mb, all_mb, samples = 0.0, 0.0, 0.0, 0
        while process.poll() is None:
            parent, workers = peak_mb(process.pid), [peak_mb(child) for child in children(process.pid)]
            parent_mb, worker_mb = max(parent_mb, parent), max([worker_mb, *workers])
            all_mb = max(all_mb, parent + sum(workers))
            samples += 1
            time.sleep(0.05)
        if process.returncode:
            sys.exit(process.returncode)
        seconds = time.perf_counter() - began
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
    return {
        "games": games,
        "seconds": round(seconds, 1),
        "samples": samples,
        "parent_mb": round(parent_mb, 1),
        "largest_worker_mb": round(worker_mb, 1),
        "all_mb": round(all_mb, 1),
        "tables_mb": round(size / 1e6, 1),
    }


def peak_mb(pid: int) -> float:
    """The peak memory of a process so far, in MB; 0 when it has ended."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


if __name__ == "__main__":
    main()
