"""Worker processes on this machine, and a parent that notices when one of them dies or hangs."""

import logging
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf
from multiprocessing import connection
from pathlib import Path
from statistics import median
from typing import Any

from mmsim.batch.journal import Entry
from mmsim.batch.worker import LOG, Pipe, Task, empty_files, serve
from mmsim.core.game import Variant
from mmsim.errors import MmsimError
from mmsim.games import find_game
from mmsim.system.processes import starting_helpers

STRIKES = 3
PATIENCE_S = 300.0  # a worker that has not been heard of for so long, and 50 times its usual silence, hangs
SLOWER = 50
_LOOK_S = 1.0
_THREADS = ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS")
_FEW_GAMES = 400  # that one worker has often played before a second one is ready
_SOON_S = 0.5  # for so long it is left alone with them


@dataclass(frozen=True)
class Heard:
    """How many games of the parts in hand are played: (variant, games) of each."""

    parts: Sequence[tuple[int, int]]

    @property
    def games(self) -> int:
        return sum(games for _, games in self.parts)


@dataclass
class _Worker:
    number: int
    process: Any
    pipe: Pipe
    task: Task | None = None
    ready: bool = False  # has loaded what it needs
    done: int = 0  # games of its part
    heard: float = field(default_factory=time.monotonic)
    began: float = 0.0  # its part, or being ready, whichever came later


class Pool:
    """Plays parts with some processes; a part whose worker dies or hangs is played again, three times at most."""

    def __init__(self, folder: Path, game: str, workers: int, first: Variant | None = None, log: Path | None = None):
        """Files go to the folder; workers get ready for the `first` variant; errors name the `log` for more."""
        self._args = str(folder), game, first, empty_files(find_game(game))
        self._more = f"; {log} tells more" if log else ""
        self.patience = PATIENCE_S
        self._size = workers
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._again: deque[Task] = deque()
        self._strikes: dict[int, int] = {}
        self._silences: deque[float] = deque(maxlen=101)  # usual seconds between two messages
        self._started = 0
        self.games = inf  # that are to be played, as far as that is known

    def __enter__(self) -> "Pool":
        return self

    def get_ready(self, parts: int) -> None:
        """Start as many workers as so many parts need, so that they load while others do other things.

        For few games it is one, and others when it has not played them in a moment: loading is most of the work then.
        """
        while len(self._workers) < min(1 if self.games <= _FEW_GAMES else self._size, parts):
            self._start()

    def play(self, tasks: Iterator[Task]) -> Iterator[Entry | Heard]:
        """Play parts in any order; yields the journal entry of each, and in between how far the others are."""
        while self._hand_out(tasks):
            yield from self._listen()

    def _hand_out(self, tasks: Iterator[Task]) -> bool:
        """Give every idle worker a part; False when all is done."""
        idle = [worker for worker in self._workers if worker.task is None]
        while idle or self._may_start():
            task = self._again.popleft() if self._again else next(tasks, None)
            if task is None:
                break
            worker = idle.pop() if idle else self._start()
            worker.task, worker.done = task, 0
            worker.heard = worker.began = time.monotonic()
            with suppress(OSError):  # if it is dead, its sentinel says so in a moment
                worker.pipe.send(task)
        return any(worker.task for worker in self._workers)

    def _may_start(self) -> bool:
        """Whether another worker is worth its start."""
        slow = [one for one in self._workers if one.ready and one.task and time.monotonic() - one.began > _SOON_S]
        return len(self._workers) < self._size and bool(slow or self.games > _FEW_GAMES or not self._workers)

    def _listen(self) -> Iterator[Entry | Heard]:
        sources = {worker.pipe: worker for worker in self._workers}
        sentinels = {worker.process.sentinel: worker for worker in self._workers}
        ready = connection.wait([*sources, *sentinels], timeout=_LOOK_S)
        for source in ready:
            if source in sources:
                yield from self._hear(sources[source])
        for source in ready:
            if source in sentinels:
                yield from self._bury(sentinels[source])
        for worker in list(self._workers):
            silence, patience = time.monotonic() - worker.heard, self.patience if worker.ready else PATIENCE_S
            if worker.task and silence > max(patience, SLOWER * median(self._silences or [0.0])):
                worker.process.kill()
                self._lose(worker, f"was silent for {silence:.0f} s")
        yield Heard([(worker.task.part.variant, worker.done) for worker in self._workers if worker.task])

    def _hear(self, worker: _Worker) -> Iterator[Entry]:
        """Read what a worker has to say."""
        while worker in self._workers:
            try:
                if not worker.pipe.poll():
                    return
                kind, what = worker.pipe.recv()
            except (EOFError, OSError):
                return
            if kind == "log":
                LOG.handle(_named(what, worker.number))
                continue
            now = time.monotonic()
            if kind != "ready":
                self._silences.append(now - worker.heard)
            worker.heard = now
            if kind == "ready":
                worker.ready, worker.began = True, now
            elif kind == "at":
                worker.done = what
            elif kind == "stop":
                raise MmsimError(what)
            elif kind == "done":
                worker.task = None
                yield what
            else:
                assert worker.task is not None
                task, worker.task = worker.task, None
                self._strike(task, worker.done, f"failed with {what}")

    def _bury(self, worker: _Worker) -> Iterator[Entry]:
        """A worker has ended: read its last words, then replay its part."""
        yield from self._hear(worker)
        if worker in self._workers:
            worker.process.join()
            code = worker.process.exitcode
            self._lose(worker, f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}")

    def _lose(self, worker: _Worker, why: str) -> None:
        self._workers.remove(worker)
        worker.pipe.close()
        LOG.warning("worker %d (process %d) %s", worker.number, worker.process.pid, why)
        if worker.task:
            self._strike(worker.task, worker.done, f"lost its worker, which {why}")

    def _strike(self, task: Task, done: int, why: str) -> None:
        part = task.part
        self._strikes[part.number] = strikes = self._strikes.get(part.number, 0) + 1
        LOG.warning("part %d %s (strike %d of %d)", part.number, why, strikes, STRIKES)
        if strikes < STRIKES:
            self._again.append(replace(task, one_by_one=True))
            return
        where = f"game {part.first + done}" if done < part.count else "the end of its games"
        raise MmsimError(
            f"part {part.number} {why}, {STRIKES} times; the last time at {where} of {task.name}{self._more}"
        )

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        self._started += 1
        name = f"worker-{self._started}"
        process = self._context.Process(target=serve, args=(theirs, *self._args), name=name, daemon=True)
        worker = _Worker(self._started, process, ours)
        try:
            with _one_thread_each(), starting_helpers():
                process.start()
                self._workers.append(worker)
        except OSError as error:
            raise MmsimError(f"cannot start a worker: {error.strerror or error}") from error
        theirs.close()
        return worker

    def __exit__(self, *problem: object) -> None:
        """End every worker at once: what is written is in place, and what is not will be played again."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()


def _named(record: logging.LogRecord, number: int) -> logging.LogRecord:
    record.processName = f"worker-{number}"
    return record


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers share the machine by processes; threads of Polars or NumPy in each of them would only get in the way."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
