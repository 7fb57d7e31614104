"""Parts on a Dask cluster: its workers play and encode them, this machine writes the files and the journal."""

import asyncio
import hashlib
import logging
import re
import ssl
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

import msgspec

from mmsim.batch.journal import JournalEntry
from mmsim.batch.plan import Part
from mmsim.batch.pool import HEARTBEAT_TIMEOUT_S, MAX_ATTEMPTS, SILENCE_FACTOR, Heartbeat
from mmsim.batch.worker import LOG, FinishedPart, PartPlayer, Task, carry_out, log_part, write_part
from mmsim.core.variant import PlayableVariant, Variant, VariantDescription
from mmsim.errors import MmsimError, UsageError
from mmsim.system.extras import missing_extra
from mmsim.system.files import failing_with
from mmsim.system.machine import machine

_CONNECT_S = 4  # for the scheduler to answer
_NO_WORKER_S = 3  # until it is reported that there is no worker yet
_FIRST_WORKER_S = 60
_PARTS_PER_THREAD = 2  # submitted ahead, so that no thread waits for this machine
_POLL_S = 1.0
_RESTART_S = 30
_CHECKED_VERSIONS = ("mmsim", "polars", "numpy")  # the bytes of a part may depend on them
_ADDRESS = re.compile(r"(?:(tcp|tls)://)?(\[[0-9A-Fa-f:.%]+\]|[\w.-]+):(\d{1,5})", re.ASCII)
_TLS_OPTIONS = ("tls_ca", "tls_cert", "tls_key")
_TLS_NEEDS = "TLS takes three files: --tls-ca, --tls-cert and --tls-key"


@dataclass(frozen=True)
class Scheduler:
    """The address of a Dask scheduler and the files of its TLS; without files, Dask's own configuration applies."""

    address: str
    tls_ca: Path | None = None  # signed the certificates of the cluster
    tls_cert: Path | None = None  # our own certificate
    tls_key: Path | None = None

    def __post_init__(self) -> None:
        match = _ADDRESS.fullmatch(self.address)
        if match is None or not 0 < int(match[3]) < 1 << 16:
            raise UsageError(f"'{self.address}' is not the address of a scheduler; one looks like tcp://10.0.0.1:8786")
        files = self._tls_files()
        if files and match[1] != "tls":
            raise UsageError(f"{next(iter(files))} is for an address like tls://10.0.0.1:8786, not '{self.address}'")
        if files and len(files) < len(_TLS_OPTIONS):
            raise UsageError(_TLS_NEEDS)
        for option, file in files.items():
            if not file.is_file():
                raise UsageError(f"{option}: there is no file {file}")
        if files:
            self._check_certificates()

    def _tls_files(self) -> dict[str, Path]:
        """The files that are set, by the options of the command line."""
        files = {f"--{option.replace('_', '-')}": getattr(self, option) for option in _TLS_OPTIONS}
        return {option: file for option, file in files.items() if file is not None}

    def _check_certificates(self) -> None:
        files = f"{self.tls_ca}, {self.tls_cert} and {self.tls_key}"
        with failing_with(f"{files} are not a certificate and key for TLS", UsageError):  # SSLError is an OSError
            ssl.create_default_context(cafile=self.tls_ca).load_cert_chain(str(self.tls_cert), self.tls_key)

    def __str__(self) -> str:
        return self.address

    def options(self) -> list[str]:
        """The command-line options that name it."""
        return ["--cluster", self.address, *(str(word) for pair in self._tls_files().items() for word in pair)]

    def security(self) -> Any:
        """The TLS settings of a connection, as Dask wants them."""
        from distributed.security import Security

        if self.tls_ca is None:
            security = Security()
            if self.address.startswith("tls:") and not security.get_connection_args("client").get("ssl_context"):
                raise UsageError(_TLS_NEEDS)
            return security
        return Security(
            require_encryption=True,
            tls_ca_file=str(self.tls_ca),
            tls_client_cert=str(self.tls_cert),
            tls_client_key=str(self.tls_key),
        )


@dataclass
class _PendingPart:
    """A part that was submitted to the cluster, with its last heartbeat."""

    task: Task
    worker: str = ""  # "": it waits for one
    done: int | None = None  # games; None while the worker loads what it needs
    last_message: float = 0.0
    timeouts: int = 0


class Cluster:
    """Plays parts on the workers of a `dask.distributed` scheduler."""

    def __init__(self, scheduler: Scheduler, folder: Path, game: str, variants: Sequence[PlayableVariant]) -> None:
        self.heartbeat_timeout_s = HEARTBEAT_TIMEOUT_S
        self.notify: Callable[[str], None] = lambda text: None  # called while it waits for the first worker
        self._scheduler, self._folder, self._game = scheduler, folder, game
        self._variants = tuple(ready.variant for ready in variants)
        self._fingerprint = _fingerprint([ready.description for ready in variants])
        self._topic = f"mmsim-{uuid4().hex}"
        self._pending: dict[int, _PendingPart] = {}  # by part number
        self._silences: deque[float] = deque(maxlen=101)  # seconds between two messages about a part

    def __enter__(self) -> "Cluster":
        try:
            from distributed import Client
        except ImportError as error:
            raise missing_extra("--cluster needs", "cluster") from error
        with ExitStack() as stack:
            stack.enter_context(_dask_logs_to_run_log())
            security = self._scheduler.security()
            with _any_failure_as(f"no Dask scheduler answers at {self._scheduler}"):
                asyncio.run(_check_scheduler(self._scheduler.address, security))
                self._client = stack.enter_context(
                    Client(self._scheduler.address, security=security, timeout=_CONNECT_S, set_as_default=False)
                )
            self._wait_for_worker()
            self._client.subscribe_topic(self._topic, self._receive)
            LOG.info("cluster %s with %d threads", self._scheduler, self._threads())
            self._cleanup = stack.pop_all()
        return self

    def _wait_for_worker(self) -> None:
        with suppress(TimeoutError):
            self._client.wait_for_workers(1, timeout=_NO_WORKER_S)
            return
        self.notify(
            f"the cluster at {self._scheduler} has no workers yet; waiting {_FIRST_WORKER_S} s for the first one"
        )
        with _any_failure_as(f"the cluster at {self._scheduler} has no workers; start them, then resume the run"):
            self._client.wait_for_workers(1, timeout=_FIRST_WORKER_S)

    def __exit__(self, *problem: object) -> None:
        self._cleanup.close()  # closing the client cancels the pending parts

    def _threads(self) -> int:
        return sum(self._client.ncores().values())

    def start_workers(self, parts: int) -> None:
        """Nothing to do: the cluster's workers are running."""

    def play(self, tasks: Iterator[Task]) -> Iterator[JournalEntry | Heartbeat]:
        """Play parts in any order and write their files here; Dask gives the part of a dead worker to another one."""
        from distributed.client import CancelledError, ClosedClientError

        try:
            yield from self._play(tasks)
        except (OSError, CancelledError, ClosedClientError) as error:  # failed writes raise an MmsimError
            raise self._lost() from error

    def _play(self, tasks: Iterator[Task]) -> Iterator[JournalEntry | Heartbeat]:
        from distributed import wait

        futures: dict[Any, int] = {}
        while True:
            room = max(1, _PARTS_PER_THREAD * self._threads()) - len(futures)
            for task in islice(tasks, max(0, room)):  # no room while workers are lost
                self._pending[task.part.number] = _PendingPart(task)
                future = self._client.submit(
                    play_on_cluster,
                    *(self._game, self._variants, task, self._fingerprint, self._topic),
                    pure=False,
                    retries=MAX_ATTEMPTS - 1,
                )
                futures[future] = task.part.number
            if not futures:
                return
            with suppress(TimeoutError), self._client.as_current():
                wait(list(futures), timeout=_POLL_S, return_when="FIRST_COMPLETED")
            for future in [future for future in futures if future.status != "pending"]:
                task = self._pending.pop(futures.pop(future)).task
                finished = self._result(future, task)
                write_part(self._folder, task.part, finished.files)
                log_part(task.part, finished.entry)
                yield finished.entry
            self._check_heartbeats()
            yield Heartbeat([(pending.task.part.variant, pending.done or 0) for pending in self._pending.values()])

    def _receive(self, event: tuple[float, dict[str, Any]]) -> None:
        """Note the progress of a part; Dask calls this in a thread of its own."""
        _, message = event
        pending, now = self._pending.get(message["part"]), time.monotonic()
        if pending is not None:
            if pending.worker == message["worker"] and pending.done is not None:
                self._silences.append(now - pending.last_message)
            pending.worker, pending.done, pending.last_message = message["worker"], message["done"], now

    def _check_heartbeats(self) -> None:
        """Restart workers that have been silent for too long, by the same rule as the pool of this machine."""
        long_silence = SILENCE_FACTOR * median(list(self._silences) or [0.0])
        for pending in list(self._pending.values()):
            silence = time.monotonic() - pending.last_message
            timeout = HEARTBEAT_TIMEOUT_S if pending.done is None else self.heartbeat_timeout_s
            if pending.worker and silence > max(timeout, long_silence):
                self._restart_worker(pending, silence)

    def _restart_worker(self, pending: _PendingPart, silence: float) -> None:
        """Restart a worker that hangs; Dask then gives its part to another one."""
        part, worker = pending.task.part, pending.worker
        pending.timeouts += 1
        where = f"game {part.first + (pending.done or 0)} of {pending.task.name}"
        LOG.warning("part %d: worker %s was silent for %.0f s at %s", part.number, worker, silence, where)
        if pending.timeouts == MAX_ATTEMPTS:
            raise MmsimError(
                f"part {part.number} lost its worker {MAX_ATTEMPTS} times to silence; the last time at {where}"
            )
        pending.worker, pending.done = "", None
        try:
            self._client.restart_workers([worker], timeout=_RESTART_S, raise_for_error=False)
        except ValueError as error:  # it runs without a nanny
            raise MmsimError(
                f"worker {worker} was silent for {silence:.0f} s at {where}, and has no nanny to restart it; "
                "restart it, then resume the run"
            ) from error

    def _lost(self) -> MmsimError:
        return MmsimError(f"the cluster at {self._scheduler} is gone; resume the run when it is back")

    def _result(self, future: Any, task: Task) -> FinishedPart:
        part = task.part
        if future.status == "finished":
            finished: FinishedPart = future.result()
            return finished
        if future.status != "error":
            raise self._lost()
        error = future.exception()
        if isinstance(error, MmsimError):
            raise error
        LOG.error("part %d: %s: %s", part.number, type(error).__name__, error)
        raise MmsimError(
            f"part {part.number} (games {part.first} to {part.last} of {task.name}) "
            f"failed on the cluster, with every retry: {type(error).__name__}: {error}"
        )


@contextmanager
def _any_failure_as(message: str) -> Iterator[None]:
    """Turn any exception into an error with this message; the details go to the log."""
    try:
        yield
    except Exception as error:  # anything may answer at that address
        LOG.error("%s: %s: %s", message, type(error).__name__, error)
        raise MmsimError(message) from error


async def _check_scheduler(address: str, security: Any) -> None:
    """Ask a scheduler for its identity; a Client that cannot connect would leave tracebacks behind."""
    from distributed.core import rpc

    arguments = security.get_connection_args("client")
    async with asyncio.timeout(_CONNECT_S), rpc(address, connection_args=arguments) as scheduler:
        identity = await scheduler.identity(n_workers=0)
        if identity["type"] != "Scheduler":
            raise ValueError(f"it is a {identity['type']}")


@contextmanager
def _dask_logs_to_run_log() -> Iterator[None]:
    """Send Dask's log messages to `run.log`, not to the terminal where progress is shown."""
    loggers = [logger for name in ("distributed", "asyncio", "tornado") for logger in _loggers_with_output(name)]
    before = [(logger.handlers[:], logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers[:], logger.propagate = LOG.handlers, False
    try:
        yield
    finally:
        for logger, (handlers, propagate) in zip(loggers, before, strict=True):
            logger.handlers[:], logger.propagate = handlers, propagate


def _loggers_with_output(name: str) -> list[logging.Logger]:
    """A logger, and those below it that have handlers or do not propagate, as Dask configures some on import."""
    loggers = [logger for logger in logging.Logger.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    below = [
        logger for logger in loggers if logger.name.startswith(f"{name}.") and (logger.handlers or not logger.propagate)
    ]
    return [logging.getLogger(name), *below]


# --- on a worker of the cluster ------------------------------------------------------------------------------------


def play_on_cluster(game: str, variants: tuple[Variant, ...], task: Task, fingerprint: str, topic: str) -> FinishedPart:
    """Play a part on a worker of the cluster: report progress under a topic and return its files."""
    report = _reporter(topic, task.part)
    report(None)
    player, worker_fingerprint = _prepared_player(game, variants)
    if worker_fingerprint != fingerprint:
        raise MmsimError(
            f"a worker of the cluster differs from this machine: it has {worker_fingerprint}, "
            f"this machine has {fingerprint}"
        )
    return carry_out(player, task, report)


def _reporter(topic: str, part: Part) -> Callable[[int | None], None]:
    from distributed import get_worker

    worker = get_worker()
    return lambda done: worker.log_event(topic, {"part": part.number, "done": done, "worker": worker.address})


@cache
def _prepared_player(game: str, variants: tuple[Variant, ...]) -> tuple[PartPlayer, str]:
    """A player with all variants prepared, and their fingerprint on this machine."""
    player = PartPlayer(game)
    prepared = [player.prepare(number, variant) for number, variant in enumerate(variants)]
    return player, _fingerprint([ready.description for ready in prepared])


def _fingerprint(descriptions: list[VariantDescription]) -> str:
    """What must agree on both sides: versions, and everything that defines the variants."""
    versions = machine()["versions"]
    digest = hashlib.sha256(msgspec.json.encode(descriptions, order="sorted")).hexdigest()[:12]
    return ", ".join([*(f"{name} {versions[name]}" for name in _CHECKED_VERSIONS), f"variants {digest}"])
