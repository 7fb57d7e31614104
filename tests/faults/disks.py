"""Disks that are too small: one sentence, nothing half written, and the same bytes after a resume with more room."""

import os
import random
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mmsim.batch.run import Run
from tests.batch.helpers import ROOT, Files, expected, mmsim, small, tables_of
from tests.faults import mounts
from tests.faults.counts import Counts
from tests.faults.runs import run_words

_GAMES, _PART = 3000, 300
_RUN = run_words(_GAMES, _PART)
_MMSIM = f"{sys.executable} -m mmsim"
_SENTENCE = r"mmsim: error: cannot write [^\n]+: No space left on device( \(os error 28\))?\n"
_ROOM = 64 << 10  # kilobytes: enough for anything here

# On one disk: a run, then with more room its resume, then a copy of the result.
_TWICE = """
{mmsim} run {run} --out "$DISK/run" --workers 1 --quiet; echo $? > "$COPY/code"
{larger}
if [ -e "$DISK/run/manifest.json" ]; then words="resume"; else words="run {run} --out"; fi
{mmsim} $words "$DISK/run" --workers 1 --quiet; echo $? > "$COPY/again"
cp -r "$DISK/run" "$COPY/run"
"""


def main(seconds: float, seed: int) -> Counts:
    """Fill disks until the time is up."""
    counts, chance = Counts("disks"), random.Random(seed)
    if not mounts.possible():
        counts.count("tried: nothing can be mounted here")
        return counts
    same = expected(small(games=_GAMES, part_games=_PART))
    room = sum(map(len, same.values())) >> 10
    with TemporaryDirectory() as place:
        with mmsim("run", *_RUN, "--out", "whole", "--workers", 1, "--quiet", cwd=Path(place)) as process:
            process.communicate()
        while counts.has_time(seconds):
            with TemporaryDirectory() as folder:
                _run_twice(Path(folder), 4 * chance.randint(1, room // 4), same, counts)
            _write(("export", Path(place) / "whole", "--table", "trips"), "out.csv", 4 * chance.randint(1, 30), counts)
            _write(("report", Path(place) / "whole", "--quiet"), "out", 4 * chance.randint(1, 30), counts)
    return counts


def _run_twice(folder: Path, kilobytes: int, same: Files, counts: Counts) -> None:
    disk, copy = folder / "disk", folder / "copy"
    disk.mkdir()
    copy.mkdir()
    script = _TWICE.format(mmsim=_MMSIM, run=" ".join(map(str, _RUN)), larger=mounts.larger(disk, _ROOM))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DISK": str(disk), "COPY": str(copy)}
    done = mounts.run(mounts.tiny(disk, kilobytes), ("sh", "-c", script), env=env, cwd=folder)
    counts.count("runs on a full disk")
    where = f"a run with {kilobytes} KB of disk"
    counts.expect((copy / "code").read_text() == "1\n", f"{where}: exit code {(copy / 'code').read_text().strip()}")
    counts.expect(re.fullmatch(_SENTENCE, done.stderr), f"{where} says: {done.stderr}")
    if counts.expect((copy / "again").read_text() == "0\n", f"{where} cannot be resumed: {done.stderr}"):
        counts.expect(tables_of(Run(copy / "run")) == same, f"{where}: other bytes when it was resumed")
        left = [path.name for path in copy.rglob("*") if path.name.endswith(".tmp")]
        counts.expect(not left, f"{where} leaves behind: {left}")


def _write(words: tuple[object, ...], out: str, kilobytes: int, counts: Counts) -> None:
    """Let a command write more than the disk can hold."""
    with TemporaryDirectory() as disk:
        command = (*_MMSIM.split(), *words, "--out", Path(disk) / out)
        done = mounts.run(mounts.tiny(disk, kilobytes), command, env={**os.environ, "PYTHONPATH": str(ROOT)})
    counts.count(f"{words[0]}s on a full disk")
    where = f"{words[0]} with {kilobytes} KB of disk"
    counts.expect(done.returncode == 1, f"{where}: exit code {done.returncode}")
    counts.expect(re.fullmatch(_SENTENCE, done.stderr), f"{where} says: {done.stderr}")
