"""Memory of runs of very different length: `python -m benchmarks.flat_memory --games 100000 10000000`.

Samples the resident memory of the command and of its workers (`/proc/PID/status`) while `mmsim run` plays, and fails
when the longest run needs more than a tenth more than the shortest.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TOLERATED = 1.10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, nargs="+", default=[100_000, 10_000_000])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bots", default="uniform")
    parser.add_argument("--part-games", type=int, default=6000)
    asked = parser.parse_args()
    watched(1, asked)  # compiling, if need be, is not what is measured
    results = [watched(games, asked) for games in asked.games]
    growth = {who: round(results[-1][who] / results[0][who], 3) for who in ("parent_mb", "largest_worker_mb", "all_mb")}
    print(json.dumps({"runs": results, "longest_over_shortest": growth}, indent=1))
    if max(growth.values()) > TOLERATED:
        sys.exit("memory is not flat")


def watched(games: int, asked: argparse.Namespace) -> dict[str, Any]:
    """The most memory a run needs."""
    with TemporaryDirectory() as folder:
        words = ["run", "--rules", "print", "--games", games, "--bots", asked.bots, "--workers", asked.workers]
        words += ["--part-games", asked.part_games, "--out", f"{folder}/run", "--quiet"]
        began = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "mmsim", *map(str, words)])
        parent, worker, together, samples = 0.0, 0.0, 0.0, 0
        while process.poll() is None:
            own, others = resident(process.pid), [resident(child) for child in children(process.pid)]
            parent, worker = max(parent, own), max([worker, *others])
            together = max(together, own + sum(others))
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
        "parent_mb": round(parent, 1),
        "largest_worker_mb": round(worker, 1),
        "all_mb": round(together, 1),
        "tables_mb": round(size / 1e6, 1),
    }


def resident(pid: int) -> float:
    """The peak of a process so far, in MB; 0 when it is gone."""
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
