"""What a command takes with all processes it starts, those that outlive it too: seconds, CPU seconds, megabytes.

python -m benchmarks.usage COMMAND...    # for Linux; prints three numbers, and ends as the command does

Memory is the most that all processes held together at any time, pages that several share counted once.
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

_EVERY_S = 0.05
_BE_WHERE_ORPHANS_GO = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>


def main(command: list[str]) -> int:
    ctypes.CDLL(None).prctl(_BE_WHERE_ORPHANS_GO, 1, 0, 0, 0)
    began = time.perf_counter()
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended, most = Event(), [0]
    watch = Thread(target=_watch, args=(ended, most))
    watch.start()
    code = started.wait()
    seconds = time.perf_counter() - began
    with suppress(ChildProcessError):  # helpers that are still about to end
        while True:
            os.wait()
    ended.set()
    watch.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(seconds, used.ru_utime + used.ru_stime, most[0] / 1024)
    return code


def _watch(ended: Event, most: list[int]) -> None:
    """Keep the most kilobytes that all processes below this one have held together."""
    while not ended.wait(_EVERY_S):
        most[0] = max(most[0], sum(_kilobytes(process) for process in _below(os.getpid())))


def _below(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                yield child
                yield from _below(child)


def _kilobytes(process: int) -> int:
    """What a process holds: pages it shares with n processes count 1/n."""
    with suppress(OSError):
        found = re.search(r"^Pss: +(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
        return int(found[1]) if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
