"""Runs that are killed at random moments: resumed, they have the same bytes and leave nothing behind."""

import os
import random
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from mmsim.batch.run import Run
from tests.batch.helpers import Files, expected, journal_lines, mmsim, small, tables_of
from tests.faults.counts import Counts
from tests.faults.runs import run_words

_GAMES, _PART = 3000, 60
_FLAGS = ("run", *run_words(_GAMES, _PART))
_PARTS = 2 * _GAMES // _PART
_KILLS = 6  # at most, of one run
_WAIT_S = 60


def main(seconds: float, seed: int) -> Counts:
    """Kill runs until the time is up; the last run is finished."""
    counts, chance = Counts("kills"), random.Random(seed)
    same = expected(small(games=_GAMES, part_games=_PART))
    while counts.has_time(seconds):
        with TemporaryDirectory() as folder:
            _one_run(Path(folder), chance, same, counts)
    return counts


def _one_run(folder: Path, chance: random.Random, same: Files, counts: Counts) -> None:
    run = folder / "run"
    for _ in range(chance.randint(1, _KILLS)):
        if journal_lines(run) < _PARTS:
            _start_and_kill(folder, chance, counts)
    words = _words(run)
    with mmsim(*words, cwd=folder) as process:
        _, err = process.communicate()
    counts.count("runs")
    if not counts.expect(process.returncode == 0, f"{words[0]} after the last kill: {err.strip()}"):
        return
    whole = Run(run)
    counts.expect(tables_of(whole) == same, f"other bytes in a run that was killed (run {counts.counted['runs']})")
    left = [path.name for path in run.rglob("*") if path.name.endswith(".tmp")]
    counts.expect(not left, f"left behind: {left}")
    with mmsim("check", "run", "--sample", 0, cwd=folder) as process:
        out, err = process.communicate()
    counts.expect(process.returncode == 0, f"check: {out}{err}")


def _words(run: Path) -> tuple[object, ...]:
    if (run / "manifest.json").exists():
        return ("resume", "run", "--workers", 2, "--quiet")
    return (*_FLAGS, "--out", "run", "--workers", 2, "--quiet")


def _start_and_kill(folder: Path, chance: random.Random, counts: Counts) -> None:
    """Start or resume the run; kill all of it, its parent or a worker after some parts or after some time."""
    run, whom = folder / "run", chance.choice(["everything", "the parent", "a worker"])
    goal, delay = journal_lines(run) + chance.randint(0, _PARTS // 3), chance.random() * 0.1
    until = time.monotonic() + (chance.uniform(0, 4) if chance.random() < 0.3 else _WAIT_S)
    began = (run / "run.log").stat().st_size if (run / "run.log").exists() else 0
    with mmsim(*_words(run), cwd=folder, start_new_session=True) as process:
        while process.poll() is None and journal_lines(run) < goal and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(delay)
        workers = _workers(run, began)
        if whom == "a worker" and workers:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)
            counts.count("workers killed")  # the run goes on with another one
            _, err = process.communicate()
            counts.expect(process.returncode == 0, f"after a worker was killed: {err.strip()}")
            return
        if process.poll() is None:
            counts.count("runs killed")
            if whom == "everything":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.communicate()
        _wait_for_the_end(workers, counts)


def _workers(run: Path, began: int) -> list[int]:
    """The worker processes of this session that its log names."""
    try:
        log = (run / "run.log").read_bytes()[began:].decode()
    except OSError:
        return []
    return [int(worker) for worker in re.findall(r"worker ready, process (\d+)", log)]


def _wait_for_the_end(workers: list[int], counts: Counts) -> None:
    """Workers end with their parent."""
    until = time.monotonic() + _WAIT_S
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        if not counts.expect(time.monotonic() < until, "workers outlive their parent"):
            return
        time.sleep(0.01)


if __name__ == "__main__":
    print(main(float(sys.argv[1]), int(sys.argv[2])))
