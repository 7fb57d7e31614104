"""The same parts on a Dask cluster: its workers play and encode, this machine writes and keeps the journal."""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from mmsim.batch.experiment import PreparedVariant
from mmsim.batch.plan import Part
from mmsim.batch.pool import STRIKES, Heard
from mmsim.batch.worker import LOG, Entry, FinishedPart, Player, Task, log_part, write_part
from mmsim.core.bench import machine
from mmsim.core.errors import MmsimError, UsageError
from mmsim.core.game import Variant

_WAIT_S = 60  # for the scheduler and its first worker
_AHEAD = 2  # parts for every thread of the cluster, so that none waits for this machine
_SAME = ("mmsim", "polars", "numpy")  # versions on which the bytes of a part depend


class Cluster:
    """Plays parts on the workers of a `dask.distributed` scheduler."""

    def __init__(self, address: str, folder: Path, game: str, variants: Sequence[PreparedVariant]) -> None:
        self._address, self._folder, self._game = address, folder, game
        self._variants = tuple(ready.variant for ready in variants)
        self._stamp = _stamp([ready.about for ready in variants])

    def __enter__(self) -> "Cluster":
        try:
            from distributed import Client
        except ImportError as error:
            raise UsageError("--cluster needs an extra: pip install 'mmsim[cluster]'") from error
        with ExitStack() as stack:
            stack.enter_context(_in_the_log_of_the_run())
            try:
                self._client = stack.enter_context(Client(self._address, timeout=_WAIT_S, set_as_default=False))
                self._client.wait_for_workers(1, timeout=_WAIT_S)
            except (OSError, ValueError, TimeoutError) as error:
                raise MmsimError(f"no cluster with a worker at {self._address}: {error}") from error
            LOG.info("cluster %s with %d threads", self._address, self._threads())
            self._leave = stack.pop_all()
        return self

    def __exit__(self, *problem: object) -> None:
        self._leave.close()  # parts in flight are forgotten with the client

    def _threads(self) -> int:
        return sum(self._client.ncores().values())

    def get_ready(self, parts: int) -> None:
        """Nothing to do: its workers are there."""

    def play(self, tasks: Iterator[Task]) -> Iterator[Entry | Heard]:
        """Play parts in any order and write their files here; a part whose worker dies goes to another one."""
        try:
            yield from self._play(tasks)
        except OSError as error:  # writing complains with a sentence of its own
            raise self._gone() from error

    def _play(self, tasks: Iterator[Task]) -> Iterator[Entry]:
        from distributed import as_completed

        ahead = as_completed(loop=self._client.loop, raise_errors=False)
        flying: dict[str, Task] = {}
        while True:
            room = max(1, _AHEAD * self._threads()) - len(flying)
            for task in islice(tasks, max(0, room)):  # no room while workers are lost
                future = self._client.submit(
                    play_there,
                    *(self._game, self._variants, task.part, self._stamp),
                    pure=False,
                    retries=STRIKES - 1,
                )
                flying[future.key] = task
                ahead.add(future)
            if not flying:
                return
            future = next(ahead)
            task = flying.pop(future.key)
            played = self._result(future, task)
            write_part(self._folder, task.part, played.files)
            log_part(task.part, played.entry)
            yield played.entry

    def _gone(self) -> MmsimError:
        return MmsimError(f"the cluster at {self._address} is gone; resume the run when it is back")

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


@contextmanager
def _in_the_log_of_the_run() -> Iterator[None]:
    """What Dask has to say goes to `run.log`, not between the lines of whoever watches."""
    loggers = [logging.getLogger(name) for name in ("distributed", "asyncio", "tornado")]
    before = [(logger.handlers[:], logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers[:], logger.propagate = LOG.handlers, False
    try:
        yield
    finally:
        for logger, (handlers, propagate) in zip(loggers, before, strict=True):
            logger.handlers[:], logger.propagate = handlers, propagate


def play_there(game: str, variants: tuple[Variant, ...], part: Part, stamp: str) -> FinishedPart:
    """What a worker of the cluster does: play a part and send back its files."""
    here = _here(game, variants)
    if here != stamp:
        raise MmsimError(f"a worker of the cluster is not like this machine: it has {here}, this machine {stamp}")
    return _player(game, variants).play(part, variants[part.variant])


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
