"""How a command is stopped: by Ctrl-C, or the SIGTERM of a batch system, with a sentence about what is kept."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # exit code
NOTHING_KEPT = "nothing is kept"


class Stopped(KeyboardInterrupt):
    """Somebody has stopped the command.

    A class of its own: once a plain KeyboardInterrupt has passed through `exec`, as in the making of a dataclass,
    Python ends by SIGINT whatever exit code it is given.
    """


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Ctrl-C, or the SIGTERM of a batch system, as `Stopped`; yields a function that raises it again.

    Python drops an exception that a signal raises inside a callback from compiled code, hence the second chance.
    """
    asked = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        raise Stopped

    def stop_if_asked() -> None:
        if asked:
            raise Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop_if_asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def keeping(kept: Callable[[], str] = lambda: NOTHING_KEPT) -> Iterator[None]:
    """Whoever stops what is done here is told what is kept of it, and the command ends."""
    try:
        yield
    except KeyboardInterrupt:
        import typer  # not needed, and so not waited for, while the command is being loaded

        print(f"stopped; {kept()}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
