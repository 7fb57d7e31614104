"""A bot in Python in a process of its own, as chess engines have: it gets views and nothing else.

We send a view and the legal moves, pickled; the answer is plain JSON, the index of a move, so that none of the bot's
code or objects ever reaches this process. Its random words are drawn here, one at a time: our streams hold the master
seed, from which every hidden hand could be computed.
"""

import atexit
import io
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import Pipe, connection
from typing import Any

from mmsim.core.bot_guard import CodeFailedError
from mmsim.core.python_bots import LocalPlayer, load_bot
from mmsim.core.rng import Stream
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import failing_with

START_TIMEOUT_S = 60.0  # for a process to start and to load its bot
_LONGEST_ANSWER = 1 << 16  # bytes
_LONGEST_MESSAGE = 1000  # characters of an error
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
        self._process.new_game(weights)

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        return self._process.choose(view, moves, self._move_seconds)


class BotProcess:
    """A process that plays one seat, one game after another."""

    def __init__(self, source: str) -> None:
        self._pipe, child_end = Pipe()
        command = [sys.executable, "-c", _CHILD, str(child_end.fileno()), json.dumps(sys.path)]
        with failing_with(f"cannot start a process for bot {source}"):
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=2, pass_fds=[child_end.fileno()], start_new_session=True
            )
        child_end.close()
        self.alive = True
        self._pickler = _ViewPickler()
        self._pipe.send_bytes(json.dumps(source).encode())
        try:
            self.loaded = self._answer(time.monotonic() + START_TIMEOUT_S, "to load")  # name, idea and code of the bot
        except CodeFailedError as failure:
            raise MmsimError(f"bot {source} cannot be run: {failure}") from failure
        if refused := self.loaded.get("refused"):
            self.end()
            raise (UsageError if self.loaded.get("usage") else MmsimError)(str(refused))

    def new_game(self, weights: Mapping[str, float]) -> None:
        """Have the next move chosen by a new instance of the bot's class."""
        self._pickler = _ViewPickler()
        self._send(_NEW_GAME + json.dumps(dict(weights)).encode())

    def choose(self, view: Any, moves: Sequence[Any], seconds: float) -> int:
        """The index of the move the bot wants; CodeFailedError if it fails or takes too long."""
        self._send(_CHOOSE + self._pickler.dumps((view, list(moves))))
        deadline = time.monotonic() + seconds
        while True:
            answer = self._answer(deadline, "for a move")
            if "draw" in answer:
                self._send(view.draws.word().to_bytes(4, "little"))
            elif "failed" in answer:
                raise CodeFailedError(str(answer["failed"]))
            else:
                index = answer.get("move")
                if type(index) is not int or not 0 <= index < len(moves):
                    self.end()
                    raise CodeFailedError(f"its process answered {index!r}, which is not a move")
                return index

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # if the process is gone there will be no answer, which is reported
            self._pipe.send_bytes(message)

    def _answer(self, deadline: float, purpose: str) -> dict[str, Any]:
        try:
            if not self._pipe.poll(max(0.0, deadline - time.monotonic())):
                self.end()
                raise CodeFailedError(f"took too long {purpose}, and was ended")
            answer = json.loads(self._pipe.recv_bytes(_LONGEST_ANSWER))
        except (EOFError, OSError):
            self.end()
            raise CodeFailedError(f"its process ended with code {self._process.returncode}") from None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.end()
            raise CodeFailedError("its process sent an invalid answer")
        return answer

    def end(self) -> None:
        self.alive = False
        self._process.kill()
        self._process.wait()
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

    def __init__(self, pipe: "connection.Connection[bytes, bytes]") -> None:
        self._pipe = pipe

    def word(self) -> int:
        self._pipe.send_bytes(b'{"draw": 1}')
        return int.from_bytes(self._pipe.recv_bytes(), "little")


_stream_of_process: list[_RemoteStream] = []


def _remote_stream() -> _RemoteStream:
    return _stream_of_process[0]


class _LatestMessage:
    """A file for an unpickler that keeps its memory: it reads whatever message came last."""

    def __init__(self) -> None:
        self.message = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        return self.message.read(size)

    def readline(self) -> bytes:
        return self.message.readline()


def serve() -> None:
    """Run the bot's process: load the bot, then choose moves until the parent is gone."""
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    pipe = connection.Connection(int(sys.argv[1]))
    _stream_of_process.append(_RemoteStream(pipe))

    def answer(**values: Any) -> None:
        pipe.send_bytes(json.dumps(values).encode()[:_LONGEST_ANSWER])

    try:
        bot = load_bot(json.loads(pipe.recv_bytes()))
    except MmsimError as error:
        answer(refused=str(error)[:_LONGEST_MESSAGE], usage=isinstance(error, UsageError))
        return
    answer(name=bot.name, idea=bot.idea, code=bot.code)
    player: LocalPlayer | None = None
    weights: dict[str, float] = {}
    latest = _LatestMessage()
    unpickler = pickle.Unpickler(latest)
    with suppress(EOFError, OSError):
        while True:
            message = pipe.recv_bytes()
            if message[:1] == _NEW_GAME:
                player, weights = None, json.loads(message[1:])
                latest = _LatestMessage()
                unpickler = pickle.Unpickler(latest)
                continue
            latest.message = io.BytesIO(message[1:])
            view, moves = unpickler.load()
            try:
                player = player or LocalPlayer(bot.player, weights)
                index = player.choose(view, moves)
            except CodeFailedError as failure:
                answer(failed=str(failure)[:_LONGEST_MESSAGE])
            else:
                answer(move=index)


def _exit_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
