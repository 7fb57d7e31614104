"""Every command, killed at a random moment: run again it gives the same, and nothing is left behind.

They work in folders with files named like modules, none of which may be imported. A round kills every command once,
each in a folder of its own. What they should give, and what they give after the kill, is found out by two processes
that run one command after the other.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from mmsim.compiled import cache
from tests.faults.counts import Counts
from tests.test_current_folder import BOT, COMMANDS, EXPERIMENT, PLANTED

ROOT = Path(__file__).parents[2]
_MEMORY = Path("/dev/shm")
# What the clock changes in the output of a command, and the names of temporary folders.
_TIMES = re.compile(rb'"(at|started|seconds|created)": ?("[^"]*"|[\d.e-]+)|\d[\d.,]* (s|games/s)\b|mmsim-\d+-\d+-\w+')
_UNCOMPARED = ("run.log", "lock", "parts.jsonl", "manifest.json")  # they have times; the tables are compared
_NEVER_THE_SAME = ("bench", "resume")  # by the clock, or by what is left to do
_LEFT_OUT = ("runs rm", "experiments new", "boards new", "cluster certificates")  # the second time they refuse, rightly
_LINES = [line for line in COMMANDS.strip().splitlines() if not line.startswith(_LEFT_OUT)]
_PLAY = next(line for line in _LINES if line.startswith("run "))
_RESUME = next(line for line in _LINES if line.startswith("resume "))
_ONE_AFTER_THE_OTHER = """
import json, os, sys, time
from mmsim.cli.app import main
answers, results = os.fdopen(os.dup(1), "w"), []
for line, folder in json.loads(sys.argv[1]):
    os.chdir(folder)
    for number in (1, 2):
        os.dup2(os.open(f"../{os.path.basename(folder)}.{number}", os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    sys.argv[1:], began, code = line.split(), time.monotonic(), None
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    results.append([code, time.monotonic() - began])
json.dump(results, answers)
"""


def main(seconds: float, seed: int) -> Counts:
    """Kill all commands, again and again until the time is up."""
    counts, chance = Counts("killed_commands"), random.Random(seed)
    while counts.has_time(seconds):
        with TemporaryDirectory(prefix="f", dir="/tmp") as place:  # the names of sockets must be short
            _Round(Path(place), counts).play(chance)
    return counts


class _Round:
    def __init__(self, base: Path, counts: Counts) -> None:
        self.base, self.counts = base, counts
        self.temporary, self.cache = base / "temporary", base / "cache"
        for folder in (self.temporary, self.cache):
            folder.mkdir(0o700)
        for library in filter(None, map(cache.find_library, cache.programs())):
            shutil.copytree(library, self.cache / library.name)
        paths = {"TMPDIR": str(self.temporary), "MMSIM_CACHE_DIR": str(self.cache), "PYTHONPATH": str(ROOT)}
        self.env = {**os.environ, **paths}
        self.start = base / "start"
        self.start.mkdir()
        (self.start / "own.toml").write_text(EXPERIMENT)
        (self.start / "mine.py").write_text(BOT)
        for module in PLANTED:
            (self.start / f"{module}.py").write_text(f"open({str(base / 'planted')!r}, 'a').write('{module} ')")

    def play(self, chance: random.Random) -> None:
        memory = {*os.listdir(_MEMORY)}
        began = time.monotonic()
        record = next(line for line in _LINES if "--record" in line)
        self._run([(_PLAY, self.start), (record, self.start)])
        start_up = (time.monotonic() - began) / 2
        folders = {line: self._folder(f"whole-{number}", line) for number, line in enumerate(_LINES)}
        whole = self._run([*folders.items()])
        expected = {line: self._results(folder, line) for line, folder in folders.items()}
        for line, (code, _) in zip(_LINES, whole, strict=True):
            self.counts.expect(code == 0, f"{line}: exit code {code}: {self._text(folders[line], 2)}")
        again = []
        for number, (line, (_, took)) in enumerate(zip(_LINES, whole, strict=True)):
            folder = self._folder(f"killed-{number}", line)
            self.counts.count("commands killed", self._kill(folder, line, chance.random() * (start_up + took)))
            self.counts.count("commands run again")
            is_run = line == _PLAY and (folder / "theirs" / "manifest.json").exists()
            again.append((_RESUME if is_run else line, folder))
        for line, (words, folder), (code, _) in zip(_LINES, again, self._run(again), strict=True):
            if not self.counts.expect(code == 0, f"{line}, killed, then {words}: {self._text(folder, 2)}"):
                continue
            results = self._results(folder, line)
            keys = (expected[line].keys() | results.keys()) - ({"stdout"} if words != line else set())
            different = sorted(key for key in keys if expected[line].get(key) != results.get(key))
            self.counts.expect(not different, f"{line}, killed and run again: other {different}")
        left = [*os.listdir(self.temporary), *(path.name for path in self.base.rglob("*.tmp"))]
        left += [name for name in os.listdir(self.cache) if not re.fullmatch(r"\w+\.lock|\w+-[0-9a-f]{16}", name)]
        left += [name for name in {*os.listdir(_MEMORY)} - memory if _is_left(name)]
        self.counts.expect(not left, f"left behind: {left}")
        self.counts.count("planted modules", len(PLANTED))
        self.counts.expect(not (self.base / "planted").exists(), "a module of the current folder was imported")

    def _folder(self, name: str, line: str) -> Path:
        """What a command starts with: a run that is missing to `run`, and damaged for `resume`."""
        folder = self.base / name
        shutil.copytree(self.start, folder)
        if line == _PLAY:
            shutil.rmtree(folder / "theirs")
        elif line == _RESUME:
            for path in (folder / "theirs").glob("*/*.parquet"):
                path.unlink()
        return folder

    def _run(self, commands: list[tuple[str, Path]]) -> list[tuple[int, float]]:
        """Exit codes and seconds of commands, one after the other in one process."""
        words = json.dumps([(line, str(folder)) for line, folder in commands])
        process = [sys.executable, "-P", "-c", _ONE_AFTER_THE_OTHER, words]
        done = subprocess.run(process, env=self.env, stdout=subprocess.PIPE, check=True)
        return [(code, took) for code, took in json.loads(done.stdout)]

    def _kill(self, folder: Path, line: str, after: float) -> bool:
        """Kill a command with all its processes after some seconds; False if it has ended before."""
        command, nowhere = [sys.executable, "-P", "-m", "mmsim", *line.split()], subprocess.DEVNULL
        with subprocess.Popen(
            command, cwd=folder, env=self.env, stdout=nowhere, stderr=nowhere, start_new_session=True
        ) as process:
            try:
                process.wait(after)
                return False
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return True

    def _text(self, folder: Path, stream: int) -> str:
        return Path(f"{folder}.{stream}").read_text(errors="replace")[-500:]

    def _results(self, folder: Path, line: str) -> dict[str, bytes]:
        """What a command has printed and written, without times."""
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in _UNCOMPARED]
        results = {str(path.relative_to(folder)): path.read_bytes() for path in files}
        if not line.startswith(_NEVER_THE_SAME):
            results["stdout"] = Path(f"{folder}.1").read_bytes()
        return {name: _TIMES.sub(b"", content) for name, content in results.items()}


def _is_left(name: str) -> bool:
    """True for what a process that is gone has left in memory; others may be at work beside this one."""
    found = re.fullmatch(r"(?:sem\.)?mmsim-\d+-(\d+)-\w+", name)
    return bool(found and not Path(f"/proc/{found[1]}").exists())


if __name__ == "__main__":
    counted = main(float(sys.argv[1]), int(sys.argv[2]))
    print(counted, *counted.failures, sep="\n  ")
