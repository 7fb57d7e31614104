"""Stopping a command with Ctrl-C or SIGTERM: it ends with a sentence that says what is kept."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType

EXIT_CODE = 130
NOTHING_KEPT = "nothing is kept"
_DELAY_S, _MAX_DELAYS = 0.01, 300  # of a signal that arrives inside Polars


class Interrupted(KeyboardInterrupt):
    """The command was stopped by a signal.

    A class of its own: once a plain KeyboardInterrupt has passed through `exec`, as when a dataclass is defined, Python
    ends by SIGINT whatever the exit code.
    """


@contextmanager
def raise_on_signals() -> Iterator[Callable[[], None]]:
    """Raise `Interrupted` on SIGINT and SIGTERM; yields a function that raises it again if it was lost.

    Python drops an exception raised by a signal handler inside a callback from compiled code, and a library that it
    passes through may turn it into an error of its own, as Polars does: that is raised as `Interrupted` too.
    """
    received: list[int] = []
    delays: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        nearest = (frame, frame and frame.f_back, frame and frame.f_back and frame.f_back.f_back)
        in_polars = any(near is not None and "/polars/" in near.f_code.co_filename for near in nearest)
        if in_polars and len(delays) < _MAX_DELAYS:  # it may have been called from Rust, which would print a panic
            delays.append(number)
            Timer(_DELAY_S, signal.raise_signal, [number]).start()
            return
        received.append(number)
        raise Interrupted

    def raise_if_received() -> None:
        if received:
            raise Interrupted

    handlers = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield raise_if_received
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        raise_if_received()
        raise
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def exit_when_interrupted(kept: Callable[[], str] = lambda: NOTHING_KEPT) -> Iterator[None]:
    """If the block is interrupted, say what is kept of its work and exit."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"stopped; {kept()}", file=sys.stderr)
        sys.exit(EXIT_CODE)
