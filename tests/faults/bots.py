"""Bots that misbehave in a process of their own: the run ends, with all its games, and nothing of them lives on."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from mmsim.batch.run import Run
from tests.faults.counts import Counts

ROOT = Path(__file__).parents[2]
_GAMES = 2
_PATIENCE_S = 180.0
_RUN = (
    f"run --rules metro --players 2 --seed 1 --games {_GAMES} --workers 1 --quiet --isolate --move-seconds 1 --out run"
)
_BOT = """
import os, signal, socket, subprocess, sys, threading, time

class Bot:
    def choose(self, view, moves):
        {deed}
        return moves[0]
"""
_SLEEP = "subprocess.Popen(['sleep', '{mark}'])"
_DEEDS = {
    "never answers": "time.sleep(1000)",
    "thinks for ever": "while True: pass",
    "takes all memory": "hog = bytearray(1 << 40)",
    "takes memory bit by bit": "hog = [bytearray(1 << 28) for _ in range(1000)]",
    "exits": "os._exit(0)",
    "kills itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "floods stdout": "while True: print('x' * 100_000)",
    "floods stderr": "while True: os.write(2, b'x' * 100_000)",
    "floods the pipe": "[os.write(fd, b'x' * 100_000) for _ in range(1000) for fd in {fds} if fd > 2]",
    "closes everything": "os.closerange(0, 100)",
    "prints escapes": "print('\\x1b[2J\\x1b]0;x\\x07\\u202e', file=sys.stderr, flush=True)",
    "leaves a process": _SLEEP,
    "leaves a process and hangs": f"{_SLEEP}; time.sleep(1000)",
    "starts threads": "[threading.Thread(target=time.sleep, args=(1000,)).start() for _ in range(1000)]",
    "answers with nonsense": "return ['nothing', None, -1, 10**30, float('nan'), moves][len(moves) % 6]",
    "fails with a long text": "raise ValueError('x\\x1b[31m' * 1_000_000)",
    "calls itself": "return self.choose(view, moves)",
    "raises SystemExit": "sys.exit(0)",
    "ignores signals": "[signal.signal(s, signal.SIG_IGN) for s in (2, 15)]; time.sleep(1000)",
}


def main(seconds: float, seed: int) -> Counts:
    """Seat one bot after the other until the time is up."""
    counts, chance = Counts("bots"), random.Random(seed)
    deeds = chance.sample(sorted(_DEEDS), len(_DEEDS))
    while counts.has_time(seconds):
        with TemporaryDirectory() as place:
            _seat(Path(place), deeds[counts.counted["bots"] % len(deeds)], chance, counts)
    return counts


def _seat(place: Path, deed: str, chance: random.Random, counts: Counts) -> None:
    mark = f"{10**6 + chance.randrange(10**6)}.5"  # seconds that nobody else sleeps
    code = _DEEDS[deed].replace("{mark}", mark).replace("{fds}", "map(int, os.listdir('/proc/self/fd'))")
    (place / "bot.py").write_text(_BOT.format(deed=code))
    command = [sys.executable, "-P", "-m", "mmsim", *_RUN.split(), "--bots", "bot.py:Bot,uniform"]
    counts.count("bots")
    env, began = {**os.environ, "PYTHONPATH": str(ROOT)}, time.monotonic()
    try:
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, check=False, timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        counts.expect(False, f"a bot that {deed}: the run did not end")
        return
    counts.count("runs that failed" if done.returncode else "runs that went on")
    text = (done.stdout + done.stderr).decode(errors="replace")
    counts.expect(done.returncode in (0, 1), f"a bot that {deed}: exit code {done.returncode}: {text[-500:]}")
    for bad in ("Traceback", "internal error", "\x1b", "\u202e"):
        counts.expect(bad not in text, f"a bot that {deed}: {text[-500:]!r}")
    counts.expect(len(text) < 1_000_000, f"a bot that {deed}: {len(text):,} characters of output")
    counts.expect(Run(place / "run").games.collect().height == _GAMES, f"a bot that {deed}: games are missing")
    counts.expect(
        not _alive(mark), f"a bot that {deed}: what it started lives on after {time.monotonic() - began:.0f} s"
    )


def _alive(mark: str) -> bool:
    """True while a process runs whose command line has a mark."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


if __name__ == "__main__":
    counted = main(float(sys.argv[1]), int(sys.argv[2]))
    print(counted, *counted.failures, sep="\n  ")
