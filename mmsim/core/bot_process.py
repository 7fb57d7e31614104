"""A bot in Python in a process of its own, as chess engines have: it gets views and nothing else.

We send a view and the legal moves, pickled; the answer is plain JSON, the index of a move, so that none of the bot's
code or objects ever reaches this process. Its random words are drawn here, one at a time: our streams hold the master
seed, from which every hidden hand could be computed.

The process is a guest: one deadline covers everything a move takes, its memory and its number of threads are limited,
what it prints is filtered and bounded, and it is killed with all processes of its group.
"""

import atexit
import codecs
import io
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from socket import socket, socketpair
from typing import IO, Any, NoReturn

from mmsim.core.bot_guard import CodeFailedError
from mmsim.core.python_bots import LocalPlayer, load_bot
from mmsim.core.rng import Stream
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import failing_with
from mmsim.system.messages import MessageSocket
from mmsim.system.safe_text import excerpt, printable

START_TIMEOUT_S = 60.0  # for a process to start and to load its bot
MEMORY_BYTES = 4 << 30  # of address space, most of which libraries reserve and never touch
_MORE_THREADS = 64  # than the user has when the process starts: the system counts threads by user
_LONGEST_ANSWER = 1 << 16  # bytes
_LONGEST_SHOWN = 200  # characters of an answer in an error
_LONGEST_OUTPUT = 1 << 16  # characters of what a process prints
_NEW_GAME, _CHOOSE = b"N", b"C"
_CHILD = "import json, sys; sys.path[:] = json.loads(sys.argv[2]); from mmsim.core.bot_process import serve; serve()"
_running: dict[tuple[str, int], "BotProcess"] = {}  # by the bot's source and its seat; kept from game to game


def bot_process(source: str, seat: int) -> "BotProcess":
    """The process in which a bot plays a seat, started if it is not running."""
    key = source, seat
    if key not in _running or not _running[key].alive:
        _running[key] = BotProcess(source)
    return _running[key]


class RemotePlayer:
    """An instance of a bot's class in a process of its own."""

    def __init__(self, source: str, seat: int, weights: Mapping[str, float], move_seconds: float) -> None:
        self._move_seconds = move_seconds
        self._process = bot_process(source, seat)
        self._process.new_game(weights, move_seconds)

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        return self._process.choose(view, moves, self._move_seconds)


class BotProcess:
    """A process that plays one seat, one game after another."""

    def __init__(self, source: str) -> None:
        ours, theirs = socketpair()
        command = [sys.executable, "-P", "-u", "-c", _CHILD, str(theirs.fileno()), json.dumps(sys.path)]
        with failing_with(f"cannot start a process for bot {source}"), theirs:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                bufsize=0,
            )
        assert self._process.stdout is not None
        self._output = _Output(self._process.stdout, source)
        self._messages = MessageSocket(ours)
        self._messages.read_beside(self._process.stdout.fileno(), self._output.forward)
        self.alive = True
        self._pickler = _ViewPickler()
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            self._send(json.dumps(source).encode(), deadline, "to load")
            self.loaded = self._answer(deadline, "to load")  # name, idea and code of the bot
        except CodeFailedError as failure:
            raise MmsimError(f"bot {source} cannot be run: {failure}") from failure
        if refused := self.loaded.get("refused"):
            self.end()
            raise (UsageError if self.loaded.get("usage") else MmsimError)(excerpt(str(refused)))

    def new_game(self, weights: Mapping[str, float], seconds: float) -> None:
        """Have the next move chosen by a new instance of the bot's class."""
        self._pickler = _ViewPickler()
        self._send(_NEW_GAME + json.dumps(dict(weights)).encode(), time.monotonic() + seconds, "for a move")

    def choose(self, view: Any, moves: Sequence[Any], seconds: float) -> int:
        """The index of the move the bot wants; CodeFailedError if it fails or takes too long."""
        deadline = time.monotonic() + seconds
        self._send(_CHOOSE + self._pickler.dumps((view, list(moves))), deadline, "for a move")
        while True:
            answer = self._answer(deadline, "for a move")
            if "draw" in answer:
                self._send(view.draws.word().to_bytes(4, "little"), deadline, "for a move")
            elif "failed" in answer:
                raise CodeFailedError(excerpt(str(answer["failed"])))
            else:
                index = answer.get("move")
                if type(index) is not int or not 0 <= index < len(moves):
                    self.end()
                    raise CodeFailedError(f"its process answered {repr(index)[:_LONGEST_SHOWN]}, which is not a move")
                return index

    def _send(self, message: bytes, deadline: float, purpose: str) -> None:
        try:
            self._messages.send(message, deadline)
        except TimeoutError:
            self._end_late(purpose)
        except OSError:
            pass  # if the process is gone there will be no answer, which is reported

    def _answer(self, deadline: float, purpose: str) -> dict[str, Any]:
        try:
            answer = json.loads(self._messages.receive(deadline, _LONGEST_ANSWER))
        except TimeoutError:
            self._end_late(purpose)
        except (EOFError, OSError):
            self.end()
            raise CodeFailedError(f"its process ended with code {self._process.returncode}") from None
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            self.end()
            raise CodeFailedError("its process sent an invalid answer")
        return answer

    def _end_late(self, purpose: str) -> NoReturn:
        self.end()
        raise CodeFailedError(f"took too long {purpose}, and was ended") from None

    def end(self) -> None:
        """Kill the process and whatever it has started, unless that has left its process group."""
        self.alive = False
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses to kill a process that has just ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._messages.close()
        self._output.close()


class _Output:
    """What a bot's process prints: shown on stderr without control characters, up to a limit, and dropped after it."""

    def __init__(self, pipe: IO[bytes], source: str) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._pipe, self._source, self._left = pipe, source, _LONGEST_OUTPUT
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def forward(self) -> bool:
        """Show what can be read now; False when there is nothing, or never will be."""
        content = self._pipe.read(_LONGEST_OUTPUT)
        if content and self._left:
            text = printable(self._decoder.decode(content), keep="\n\t")
            shown, self._left = text[: self._left], max(0, self._left - len(text))
            if not self._left:
                shown += f"\nbot {self._source} prints more than {_LONGEST_OUTPUT:,} characters; the rest is dropped\n"
            print(shown, end="", file=sys.stderr, flush=True)
        return bool(content)

    def close(self) -> None:
        """Show the rest, which does not end if a process that has left the group goes on printing."""
        while self._left and self.forward():
            pass
        self._pipe.close()


@atexit.register
def _end_all() -> None:
    for process in _running.values():
        if process.alive:
            process.end()


class _ViewPickler(pickle.Pickler):
    """Sends what does not change during a game (rules, city) once, since it remembers what it has sent."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        super().__init__(self._buffer, pickle.HIGHEST_PROTOCOL)

    def reducer_override(self, thing: Any) -> Any:
        return (_remote_stream, ()) if isinstance(thing, Stream) else NotImplemented

    def dumps(self, thing: Any) -> bytes:
        self._buffer.seek(0)
        self._buffer.truncate()
        self.dump(thing)
        return self._buffer.getvalue()


# --- in the bot's own process ----------------------------------------------------------------------------------------


class _RemoteStream(Stream):
    """The random stream of a seat, word by word from the process that knows the seed."""

    def __init__(self, messages: MessageSocket) -> None:
        self._messages = messages

    def word(self) -> int:
        self._messages.send(b'{"draw": 1}')
        return int.from_bytes(self._messages.receive(), "little")


_stream_of_process: list[_RemoteStream] = []


def _remote_stream() -> _RemoteStream:
    return _stream_of_process[0]


def serve() -> None:
    """Run the bot's process: load the bot, then choose moves until the parent is gone."""
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    _limit_resources()
    messages = MessageSocket(socket(fileno=int(sys.argv[1])))
    _stream_of_process.append(_RemoteStream(messages))

    def answer(**values: Any) -> None:
        messages.send(json.dumps(values).encode())

    try:
        bot = load_bot(json.loads(messages.receive()))
    except MmsimError as error:
        answer(refused=excerpt(str(error)), usage=isinstance(error, UsageError))
        return
    answer(name=bot.name, idea=bot.idea, code=bot.code)
    player: LocalPlayer | None = None
    weights: dict[str, float] = {}
    latest = io.BytesIO()  # the last view and moves; its unpickler remembers what it has read in this game
    unpickler = pickle.Unpickler(latest)
    with suppress(EOFError, OSError):
        while True:
            message = messages.receive()
            if message[:1] == _NEW_GAME:
                player, weights = None, json.loads(message[1:])
                unpickler = pickle.Unpickler(latest)
                continue
            latest.seek(0)
            latest.truncate()
            latest.write(message[1:])
            latest.seek(0)
            view, moves = unpickler.load()
            try:
                player = player or LocalPlayer(bot.player, weights)
                index = player.choose(view, moves)
            except CodeFailedError as failure:
                answer(failed=excerpt(str(failure)))
            else:
                answer(move=index)
    os.killpg(0, signal.SIGKILL)  # with whatever the bot has started


def _exit_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, signal.SIGKILL)


def _limit_resources() -> None:
    """Limit what the bot's code can use of the machine; hard limits, which only root can raise again."""
    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_NPROC: _threads_of_user() + _MORE_THREADS,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        _, allowed = resource.getrlimit(kind)
        most = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
        with suppress(OSError, ValueError):  # a system that does not have this limit
            resource.setrlimit(kind, (most, most))


def _threads_of_user() -> int:
    threads = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if process.stat().st_uid == os.getuid():
                threads += len(os.listdir(process / "task"))
    return threads
