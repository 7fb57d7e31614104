"""Processes that this one starts: they end with it, ignore Ctrl-C, import nothing from the current folder, and do not
load its main program again.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import Pipe, connection, get_context, parent_process, resource_tracker
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from mmsim.errors import MmsimError
from mmsim.system.temporary import name_semaphores

_SAFE_PATH = {"PYTHONSAFEPATH": "1"}  # Python does not put the current folder into its path
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class StoppablePool(ProcessPoolExecutor):
    """A pool of processes that is not waited for if an exception leaves its `with` block."""

    def __init__(self, size: int, method: str, initializer: Callable[..., None] | None = None, *args: Any) -> None:
        """Processes are started by `spawn` or `forkserver`; each calls the initializer first."""
        name_semaphores()
        child_end, self._shutdown_pipe = Pipe(duplex=False)
        with starting_processes():  # its locks start the resource tracker
            super().__init__(size, get_context(method), _initialize, (child_end, initializer, args))

    def submit(
        self, fn: Callable[_Params, _Result], /, *args: _Params.args, **kwargs: _Params.kwargs
    ) -> Future[_Result]:
        with starting_processes():
            return super().submit(fn, *args, **kwargs)

    def __exit__(self, *exception: Any) -> None:
        if exception[0] is not None:
            self._shutdown_pipe.close()
        self.shutdown(cancel_futures=True)
        self._shutdown_pipe.close()
        if isinstance(exception[1], BrokenProcessPool):
            raise MmsimError(
                "a worker process was killed, perhaps because memory ran out; try again, or with fewer workers"
            ) from exception[1]


def _initialize(shutdown_pipe: Any, initializer: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    exit_with_parent(shutdown_pipe)
    if initializer:
        initializer(*args)


def exit_with_parent(shutdown_pipe: Any = None) -> None:
    """Make this process ignore Ctrl-C, and exit when its parent does or when the shutdown pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    handles = [handle for handle in (parent and parent.sentinel, shutdown_pipe) if handle is not None]
    threading.Thread(target=_exit_when_ready, args=(handles,), daemon=True).start()


def _exit_when_ready(handles: list[Any]) -> None:
    if handles:
        connection.wait(handles)
        os._exit(1)


@contextmanager
def starting_processes() -> Iterator[None]:
    """Processes started here never get Ctrl-C, not even while they load, and are started completely or not at all.

    They import modules from where this process does, and from nowhere else while they start. They do not load the main
    program again, which would take a third longer.
    """
    main = sys.modules["__main__"]
    with environment(_SAFE_PATH), deferring_signals():
        resource_tracker.ensure_running()  # starting it later would unblock signals
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which children inherit
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the processes that are started here."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def deferring_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until this block is done."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    received: list[int] = []
    handlers = {number: signal.signal(number, lambda number, _: received.append(number)) for number in _STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if received:
            signal.raise_signal(received[0])


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
