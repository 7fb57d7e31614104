"""What processes that this one starts have in common: they leave with it, and load nothing of its main program."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import Pipe, connection, get_context, parent_process, resource_tracker
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

_STOPPING = (signal.SIGINT, signal.SIGTERM)
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


class Helpers(ProcessPoolExecutor):
    """Some processes that do what they are asked; whoever is stopped while they work does not wait for them."""

    def __init__(self, size: int, method: str, get_ready: Callable[..., None] | None = None, *args: Any) -> None:
        """They are started by `spawn` or `forkserver`; each calls `get_ready` first."""
        theirs, self._leash = Pipe(duplex=False)
        super().__init__(size, get_context(method), _begin, (theirs, get_ready, args))

    def submit(self, fn: Callable[_Asked, _Answer], /, *args: _Asked.args, **named: _Asked.kwargs) -> Future[_Answer]:
        with starting_helpers():
            return super().submit(fn, *args, **named)

    def __exit__(self, *problem: Any) -> None:
        if problem[0] is not None:
            self._leash.close()
        self.shutdown(cancel_futures=True)
        self._leash.close()


def _begin(leash: Any, get_ready: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    be_a_helper(leash)
    if get_ready:
        get_ready(*args)


def be_a_helper(leash: Any = None) -> None:
    """For a process that has just been started: Ctrl-C is its parent's business, and without the parent it ends.

    So it does when the other end of its leash is closed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    ends = [end for end in (parent and parent.sentinel, leash) if end is not None]
    threading.Thread(target=_end_with, args=(ends,), daemon=True).start()


def _end_with(ends: list[Any]) -> None:
    if ends:
        connection.wait(ends)
        os._exit(1)


@contextmanager
def starting_helpers() -> Iterator[None]:
    """Processes started here never hear of Ctrl-C, also while they load, and are either started or not.

    They need nothing of the main program; loading it again in each would take a third longer.
    """
    resource_tracker.ensure_running()  # it would let signals through again
    main = sys.modules["__main__"]
    with undisturbed():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which they inherit
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What is done here is done as a whole: Ctrl-C and SIGTERM wait until then."""
    if threading.current_thread() is not threading.main_thread():  # it is never disturbed
        yield
        return
    asked: list[int] = []
    before = {number: signal.signal(number, lambda number, _: asked.append(number)) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if asked:
            signal.raise_signal(asked[0])


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
