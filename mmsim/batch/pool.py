"""Worker processes on this machine, and a parent that notices when one of them dies or hangs."""

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from multiprocessing import connection
from pathlib import Path
from statistics import median
from typing import Any

from mmsim.batch.journal import JournalEntry
from mmsim.batch.worker import LOG, Pipe, Task, serve
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError
from mmsim.system.files import failing_with
from mmsim.system.processes import environment, starting_processes

MAX_ATTEMPTS = 3  # to play a part
HEARTBEAT_TIMEOUT_S = 300.0  # a worker counts as hung after this long without a message, and 50 times the median gap
SILENCE_FACTOR = 50
_POLL_S = 1.0
_ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # processes share the machine already
_FEW_GAMES = 400  # one worker often finishes this many before a second is ready
_HEAD_START_S = 0.5  # for that worker to play them, before others are started


@dataclass(frozen=True)
class Heartbeat:
    """How many games of the parts being played are done: (variant, games) of each part."""

    progress: Sequence[tuple[int, int]]

    @property
    def games(self) -> int:
        return sum(games for _, games in self.progress)


@dataclass
class _Worker:
    number: int
    process: Any
    pipe: Pipe
    task: Task | None = None
    ready: bool = False  # has loaded what it needs
    done: int = 0  # games of its part
    last_message: float = field(default_factory=time.monotonic)
    started: float = 0.0  # when it got its part or became ready, whichever was later


class Pool:
    """Plays parts with some processes; a part whose worker dies or hangs is played again."""

    def __init__(self, folder: Path, game: str, workers: int, first: Variant | None = None, log: Path | None = None):
        """Files go to the folder; workers prepare the `first` variant at once; errors refer to the `log`."""
        self.heartbeat_timeout_s = HEARTBEAT_TIMEOUT_S
        self.games_left = inf  # if that is known
        self._serve_args = str(folder), game, first
        self._see_log = f"; see {log}" if log else ""
        self._size = workers
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._workers_started = 0
        self._retries: deque[Task] = deque()
        self._failures: dict[int, int] = {}  # failed attempts, by part
        self._silences: deque[float] = deque(maxlen=101)  # seconds between two messages of a worker

    def __enter__(self) -> "Pool":
        return self

    def start_workers(self, parts: int) -> None:
        """Start workers for this many parts, so that they load while this process does something else.

        For a few games only one worker is started at first, because loading takes longer than playing; more follow if
        it is not done soon.
        """
        while len(self._workers) < min(1 if self.games_left <= _FEW_GAMES else self._size, parts):
            self._start_worker()

    def play(self, tasks: Iterator[Task]) -> Iterator[JournalEntry | Heartbeat]:
        """Play parts in any order; yields the journal entry of each, and in between the progress of the others."""
        while self._hand_out(tasks):
            yield from self._listen()

    def _hand_out(self, tasks: Iterator[Task]) -> bool:
        """Give every idle worker a part; False when all parts are done."""
        idle = [worker for worker in self._workers if worker.task is None]
        while idle or self._may_start_worker():
            task = self._retries.popleft() if self._retries else next(tasks, None)
            if task is None:
                break
            worker = idle.pop() if idle else self._start_worker()
            worker.task, worker.done = task, 0
            worker.last_message = worker.started = time.monotonic()
            with suppress(OSError):  # if it is dead, its sentinel says so in a moment
                worker.pipe.send(task)
        return any(worker.task for worker in self._workers)

    def _may_start_worker(self) -> bool:
        now = time.monotonic()
        busy = any(worker.ready and worker.task and now - worker.started > _HEAD_START_S for worker in self._workers)
        return len(self._workers) < self._size and (busy or self.games_left > _FEW_GAMES or not self._workers)

    def _listen(self) -> Iterator[JournalEntry | Heartbeat]:
        by_pipe = {worker.pipe: worker for worker in self._workers}
        by_sentinel = {worker.process.sentinel: worker for worker in self._workers}
        events = connection.wait([*by_pipe, *by_sentinel], timeout=_POLL_S)
        for event in events:
            if event in by_pipe:
                yield from self._receive(by_pipe[event])
        for event in events:
            if event in by_sentinel:
                yield from self._handle_exit(by_sentinel[event])
        for worker in list(self._workers):
            silence = time.monotonic() - worker.last_message
            timeout = self.heartbeat_timeout_s if worker.ready else HEARTBEAT_TIMEOUT_S
            if worker.task and silence > max(timeout, SILENCE_FACTOR * median(self._silences or [0.0])):
                worker.process.kill()
                self._drop_worker(worker, f"was silent for {silence:.0f} s")
        yield Heartbeat([(worker.task.part.variant, worker.done) for worker in self._workers if worker.task])

    def _receive(self, worker: _Worker) -> Iterator[JournalEntry]:
        while worker in self._workers:
            try:
                if not worker.pipe.poll():
                    return
                kind, content = worker.pipe.recv()
            except (EOFError, OSError):
                return
            if kind == "log":
                content.processName = f"worker-{worker.number}"
                LOG.handle(content)
                continue
            now = time.monotonic()
            if kind != "ready":
                self._silences.append(now - worker.last_message)
            worker.last_message = now
            if kind == "ready":
                worker.ready, worker.started = True, now
            elif kind == "progress":
                worker.done = content
            elif kind == "abort":
                raise MmsimError(content)
            elif kind == "done":
                worker.task = None
                yield content
            else:
                assert worker.task is not None
                task, worker.task = worker.task, None
                self._retry(task, worker.done, f"failed with {content}")

    def _handle_exit(self, worker: _Worker) -> Iterator[JournalEntry]:
        """A worker process has ended: read its last messages, then play its part again."""
        yield from self._receive(worker)
        if worker in self._workers:
            worker.process.join()
            code = worker.process.exitcode
            self._drop_worker(
                worker, f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
            )

    def _drop_worker(self, worker: _Worker, reason: str) -> None:
        self._workers.remove(worker)
        worker.pipe.close()
        LOG.warning("worker %d (process %d) %s", worker.number, worker.process.pid, reason)
        if worker.task:
            self._retry(worker.task, worker.done, f"lost its worker, which {reason}")

    def _retry(self, task: Task, done: int, reason: str) -> None:
        """Have a part played again, game by game; an error after the last attempt."""
        part = task.part
        self._failures[part.number] = failures = self._failures.get(part.number, 0) + 1
        LOG.warning("part %d %s (attempt %d of %d)", part.number, reason, failures, MAX_ATTEMPTS)
        if failures < MAX_ATTEMPTS:
            self._retries.append(replace(task, one_by_one=True))
            return
        where = f"game {part.first + done}" if done < part.count else "the end of its games"
        raise MmsimError(
            f"part {part.number} {reason}, {MAX_ATTEMPTS} times; the last time at {where} of {task.name}{self._see_log}"
        )

    def _start_worker(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        self._workers_started += 1
        name = f"worker-{self._workers_started}"
        process = self._context.Process(target=serve, args=(theirs, *self._serve_args), name=name, daemon=True)
        worker = _Worker(self._workers_started, process, ours)
        with failing_with("cannot start a worker"), environment(_ONE_THREAD), starting_processes():
            process.start()
            self._workers.append(worker)
        theirs.close()
        return worker

    def __exit__(self, *problem: object) -> None:
        """End every worker at once: files in place stay, and parts without a journal entry will be played again."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()
