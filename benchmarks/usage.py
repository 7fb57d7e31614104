"""Wall time, CPU time and memory of a command with all processes it starts, including those that outlive it.

python -m benchmarks.usage COMMAND...    # Linux only; prints seconds, CPU seconds, megabytes; exits as the command does

Memory is the peak of all processes together, with shared pages counted once.
"""

import ctypes
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

_SAMPLE_S = 0.05
_PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>: orphaned descendants become children of this process


def main(command: list[str]) -> int:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended, peak_kb = Event(), [0]
    watch = Thread(target=_watch, args=(ended, peak_kb))
    watch.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    with suppress(ChildProcessError):  # processes that have not ended yet
        while True:
            os.wait()
    ended.set()
    watch.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(seconds, used.ru_utime + used.ru_stime, peak_kb[0] / 1024)
    return code


def _watch(ended: Event, peak_kb: list[int]) -> None:
    """Record the peak memory of all descendants of this process together."""
    while not ended.wait(_SAMPLE_S):
        peak_kb[0] = max(peak_kb[0], sum(map(_memory_kb, _descendants(os.getpid()))))


def _descendants(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                yield child
                yield from _descendants(child)


def _memory_kb(process: int) -> int:
    """The proportional set size: a page shared by n processes counts 1/n."""
    with suppress(OSError):
        match = re.search(r"^Pss: +(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
        return int(match[1]) if match else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
