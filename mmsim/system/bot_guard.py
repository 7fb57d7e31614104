"""Code of a stranger's bot in our process: what it raises is its failure, where it goes we do not follow."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import extract_tb
from types import FrameType

_PACKAGE = Path(__file__).parent.parent
_STOPS = (signal.SIGINT, signal.SIGTERM)  # by which a user or a batch system stops us


class CodeFailedError(Exception):
    """Something a bot's code raised, in words: its name and its message."""


@contextmanager
def bot_code() -> Iterator[None]:
    """Run code of a bot: SystemExit and KeyboardInterrupt are failures of it like any other exception.

    A KeyboardInterrupt that a signal has raised is the user's: it goes on, even if the bot has swallowed it. The
    working folder is afterwards what it was before.
    """
    folder = _working_folder()
    try:
        with _signals() as heard:
            try:
                yield
            except BaseException as error:
                if heard:
                    raise
                raise CodeFailedError(_in_words(error)) from error
    finally:
        if folder is not None and _working_folder() != folder:
            os.chdir(folder)
    if heard:
        raise KeyboardInterrupt


@contextmanager
def _signals() -> Iterator[list[int]]:
    """The signals that come meanwhile; they are still handled as before, and handlers a bot sets are undone."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # others are not told of signals
        yield heard
        return
    before = {number: handler for number in _STOPS if callable(handler := signal.getsignal(number))}

    def note(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        before[signal.Signals(number)](number, frame)

    for number in before:
        signal.signal(number, note)
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _working_folder() -> str | None:
    with suppress(OSError):  # it may have been deleted
        return os.getcwd()
    return None


def _in_words(error: BaseException) -> str:
    """An exception of a bot: its name, its message, and the line of the bot's code it comes from."""
    name, place = type(error).__name__, _place(error)
    try:
        return f"{name}: {error}{place}"
    except BaseException:  # the text of an exception is code of the bot, too
        return f"{name}{place}"


def _place(error: BaseException) -> str:
    """The last line outside of mmsim through which an exception came; without its folder, which differs by machine."""
    frames = [frame for frame in extract_tb(error.__traceback__) if _PACKAGE not in Path(frame.filename).parents]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
