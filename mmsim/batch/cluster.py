"""The same parts on a Dask cluster: its workers play and encode, this machine writes and keeps the journal."""

import asyncio
import hashlib
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from benchmarks.timing import machine
from mmsim.batch.cluster_address import Scheduler
from mmsim.batch.experiment import ReadyVariant
from mmsim.batch.journal import Entry
from mmsim.batch.plan import Part
from mmsim.batch.pool import PATIENCE_S, SLOWER, STRIKES, Heard
from mmsim.batch.worker import LOG, FinishedPart, Player, Task, log_part, write_part
from mmsim.core.game import Variant
from mmsim.errors import MmsimError, UsageError

_REACH_S = 4  # for the scheduler to answer
_WAIT_S = 60  # for its first worker
_AHEAD = 2  # parts for every thread of the cluster, so that none waits for this machine
_LOOK_S = 1.0
_RESTART_S = 30
_SAME = ("mmsim", "polars", "numpy", "zlib")  # versions on which the bytes of a part depend


@dataclass
class _Flight:
    """A part that is being played somewhere, as far as has been heard of it."""

    task: Task
    worker: str = ""  # "": it waits for one
    done: int | None = None  # games; None while the worker loads what it needs
    heard: float = 0.0
    strikes: int = 0


class Cluster:
    """Plays parts on the workers of a `dask.distributed` scheduler."""

    def __init__(self, scheduler: Scheduler, folder: Path, game: str, variants: Sequence[ReadyVariant]) -> None:
        self._scheduler, self._folder, self._game = scheduler, folder, game
        self._variants = tuple(ready.variant for ready in variants)
        self._stamp = _stamp([ready.about for ready in variants])
        self._topic = f"mmsim-{uuid4().hex}"
        self._flying: dict[int, _Flight] = {}  # by the number of the part
        self._silences: deque[float] = deque(maxlen=101)  # usual seconds between two messages
        self.patience = PATIENCE_S

    def __enter__(self) -> "Cluster":
        try:
            from distributed import Client
        except ImportError as error:
            raise UsageError("--cluster needs an extra: pip install 'mmsim[cluster]'") from error
        with ExitStack() as stack:
            stack.enter_context(_in_the_log_of_the_run())
            security = self._scheduler.security()
            with self._complaining(f"no Dask scheduler answers at {self._scheduler}"):
                asyncio.run(_shake_hands(self._scheduler.address, security))
                self._client = stack.enter_context(
                    Client(self._scheduler.address, security=security, timeout=_REACH_S, set_as_default=False)
                )
            with self._complaining(f"the cluster at {self._scheduler} has no worker after {_WAIT_S} s"):
                self._client.wait_for_workers(1, timeout=_WAIT_S)
            self._client.subscribe_topic(self._topic, self._hear)
            LOG.info("cluster %s with %d threads", self._scheduler, self._threads())
            self._leave = stack.pop_all()
        return self

    @contextmanager
    def _complaining(self, sentence: str) -> Iterator[None]:
        """Whatever goes wrong inside is said in a sentence; what it was exactly goes to the log."""
        try:
            yield
        except Exception as error:  # who answers may be anything, and say anything
            LOG.error("%s: %s: %s", sentence, type(error).__name__, error)
            raise MmsimError(sentence) from error

    def __exit__(self, *problem: object) -> None:
        self._leave.close()  # parts in flight are forgotten with the client

    def _threads(self) -> int:
        return sum(self._client.ncores().values())

    def get_ready(self, parts: int) -> None:
        """Nothing to do: its workers are there."""

    def play(self, tasks: Iterator[Task]) -> Iterator[Entry | Heard]:
        """Play parts in any order and write their files here; a part whose worker dies goes to another one."""
        from distributed.client import CancelledError, ClosedClientError

        try:
            yield from self._play(tasks)
        except (OSError, CancelledError, ClosedClientError) as error:  # writing complains with a sentence of its own
            raise self._gone() from error

    def _play(self, tasks: Iterator[Task]) -> Iterator[Entry | Heard]:
        from distributed import wait

        futures: dict[Any, int] = {}
        while True:
            room = max(1, _AHEAD * self._threads()) - len(futures)
            for task in islice(tasks, max(0, room)):  # no room while workers are lost
                self._flying[task.part.number] = _Flight(task)
                future = self._client.submit(
                    play_there,
                    *(self._game, self._variants, task.part, self._stamp, self._topic),
                    pure=False,
                    retries=STRIKES - 1,
                )
                futures[future] = task.part.number
            if not futures:
                return
            with suppress(TimeoutError), self._client.as_current():
                wait(list(futures), timeout=_LOOK_S, return_when="FIRST_COMPLETED")
            for future in [future for future in futures if future.status != "pending"]:
                task = self._flying.pop(futures.pop(future)).task
                played = self._result(future, task)
                write_part(self._folder, task.part, played.files)
                log_part(task.part, played.entry)
                yield played.entry
            self._look_after()
            yield Heard([(flight.task.part.variant, flight.done or 0) for flight in self._flying.values()])

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        """Take note of how far a part is; Dask calls this in a thread of its own."""
        _, message = event
        flight, now = self._flying.get(message["part"]), time.monotonic()
        if flight is not None:
            if flight.worker == message["worker"] and flight.done is not None:
                self._silences.append(now - flight.heard)
            flight.worker, flight.done, flight.heard = message["worker"], message["done"], now

    def _look_after(self) -> None:
        """Notice workers that have not been heard of for too long, as the pool of this machine does."""
        usual = SLOWER * median(list(self._silences) or [0.0])
        for flight in list(self._flying.values()):
            silence = time.monotonic() - flight.heard
            if flight.worker and silence > max(PATIENCE_S if flight.done is None else self.patience, usual):
                self._strike(flight, silence)

    def _strike(self, flight: _Flight, silence: float) -> None:
        """End a worker that hangs; Dask then gives its part to another one. Three times at most."""
        part, worker = flight.task.part, flight.worker
        flight.strikes += 1
        where = f"game {part.first + (flight.done or 0)} of {flight.task.name}"
        LOG.warning("part %d: worker %s was silent for %.0f s at %s", part.number, worker, silence, where)
        if flight.strikes == STRIKES:
            raise MmsimError(f"part {part.number} lost its worker {STRIKES} times to silence; the last time at {where}")
        flight.worker, flight.done = "", None
        try:
            self._client.restart_workers([worker], timeout=_RESTART_S, raise_for_error=False)
        except ValueError as error:  # nobody minds it who could end it
            raise MmsimError(
                f"worker {worker} was silent for {silence:.0f} s at {where}, and has no nanny to restart it; "
                "restart it, then resume the run"
            ) from error

    def _gone(self) -> MmsimError:
        return MmsimError(f"the cluster at {self._scheduler} is gone; resume the run when it is back")

    def _result(self, future: Any, task: Task) -> FinishedPart:
        part = task.part
        if future.status == "finished":
            played: FinishedPart = future.result()
            return played
        if future.status != "error":
            raise self._gone()
        error = future.exception()
        if isinstance(error, MmsimError):
            raise error
        LOG.error("part %d: %s: %s", part.number, type(error).__name__, error)
        raise MmsimError(
            f"part {part.number} (games {part.first} to {part.last} of {task.name}) "
            f"failed on the cluster, with every retry: {type(error).__name__}: {error}"
        )


async def _shake_hands(address: str, security: Any) -> None:
    """Have a scheduler say who it is; a Client that cannot be started would leave tracebacks behind."""
    from distributed.core import rpc

    async with asyncio.timeout(_REACH_S), rpc(address, connection_args=security.get_connection_args("client")) as there:
        about = await there.identity(n_workers=0)
        if about["type"] != "Scheduler":
            raise ValueError(f"it is a {about['type']}")


@contextmanager
def _in_the_log_of_the_run() -> Iterator[None]:
    """What Dask has to say goes to `run.log`, not between the lines of whoever watches."""
    loggers = [logger for name in ("distributed", "asyncio", "tornado") for logger in _speaking(name)]
    before = [(logger.handlers[:], logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers[:], logger.propagate = LOG.handlers, False
    try:
        yield
    finally:
        for logger, (handlers, propagate) in zip(loggers, before, strict=True):
            logger.handlers[:], logger.propagate = handlers, propagate


def _speaking(name: str) -> list[logging.Logger]:
    """A logger, and all below it that do not leave it to that one to speak, as Dask has some do when it is imported."""
    known = [one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    below = [one for one in known if one.name.startswith(f"{name}.") and (one.handlers or not one.propagate)]
    return [logging.getLogger(name), *below]


def play_there(game: str, variants: tuple[Variant, ...], part: Part, stamp: str, topic: str = "") -> FinishedPart:
    """What a worker of the cluster does: play a part, say under a topic how far it is, and send back its files."""
    tell = _teller(topic, part)
    tell(None)
    here = _here(game, variants)
    if here != stamp:
        raise MmsimError(f"a worker of the cluster is not like this machine: it has {here}, this machine {stamp}")
    return _player(game, variants).play(part, variants[part.variant], tell)


def _teller(topic: str, part: Part) -> Callable[[int | None], None]:
    if not topic:
        return lambda done: None
    from distributed import get_worker

    worker = get_worker()
    return lambda done: worker.log_event(topic, {"part": part.number, "done": done, "worker": worker.address})


@cache
def _player(game: str, variants: tuple[Variant, ...]) -> Player:
    player = Player(game)
    for number, variant in enumerate(variants):
        player.prepare(number, variant)
    return player


@cache
def _here(game: str, variants: tuple[Variant, ...]) -> str:
    player = _player(game, variants)
    return _stamp([player.prepare(number, variant).about for number, variant in enumerate(variants)])


def _stamp(about: list[dict[str, Any]]) -> str:
    """What must be the same on both sides: versions, and everything the variants are made of."""
    versions = machine()["versions"]
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
    return ", ".join([*(f"{name} {versions[name]}" for name in _SAME), f"variants {digest}"])
