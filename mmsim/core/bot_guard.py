"""A guard around a bot's code in our process: what it raises is its failure, and it cannot move our working folder."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import extract_tb
from types import FrameType

_PACKAGE = Path(__file__).parent.parent
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # by which a user or a batch system stops us


class CodeFailedError(Exception):
    """What a bot's code raised, as text: the exception's name and message."""


@contextmanager
def bot_code() -> Iterator[None]:
    """Run a bot's code: SystemExit and KeyboardInterrupt are its failures, like any other exception.

    A KeyboardInterrupt raised by a signal is the user's: it is passed on, even if the bot has swallowed it. The
    working folder is restored afterwards.
    """
    folder = _working_folder()
    try:
        with _stop_signals() as received:
            try:
                yield
            except BaseException as error:
                if received:
                    raise
                raise CodeFailedError(_describe(error)) from error
    finally:
        if folder is not None and _working_folder() != folder:
            os.chdir(folder)
    if received:
        raise KeyboardInterrupt


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """The signals that arrive meanwhile; they are still handled as before, and handlers that a bot sets are undone."""
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # other threads never get signals
        yield received
        return
    handlers = {number: handler for number in _STOP_SIGNALS if callable(handler := signal.getsignal(number))}

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        handlers[signal.Signals(number)](number, frame)

    for number in handlers:
        signal.signal(number, note)
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _working_folder() -> str | None:
    with suppress(OSError):  # it may have been deleted
        return os.getcwd()
    return None


def _describe(error: BaseException) -> str:
    """An exception of a bot: its name, its message, and the line of the bot's code it comes from."""
    name, place = type(error).__name__, _place(error)
    try:
        return f"{name}: {error}{place}"
    except BaseException:  # the text of an exception is the bot's code, too
        return f"{name}{place}"


def _place(error: BaseException) -> str:
    """The last line outside mmsim that the exception passed; without its folder, which differs between machines."""
    frames = [frame for frame in extract_tb(error.__traceback__) if _PACKAGE not in Path(frame.filename).parents]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
