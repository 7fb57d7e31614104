"""A bot in Python in a process of its own, as chess engines have: it is handed views and nothing else.

We send a view and the legal moves, pickled; what comes back is plain JSON, the number of a move, so that nothing of the
bot's is ever run here. Its chance is drawn here, a word at a time: a stream of ours knows the master seed, and whoever
knows that knows every hand.
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

from mmsim.core.rng import Stream
from mmsim.errors import MmsimError, UsageError
from mmsim.system.bot_guard import CodeFailedError

START_S = 60.0  # for a process to start and to load its bot
_LONGEST = 1 << 16  # bytes of an answer
_NEW_GAME, _CHOOSE = b"N", b"C"
_CHILD = "import json, sys; sys.path[:] = json.loads(sys.argv[2]); from mmsim.system.bot_process import serve; serve()"
_running: dict[tuple[str, int], "BotProcess"] = {}  # by the bot's source and its seat; kept from game to game


def bot_process(source: str, seat: int) -> "BotProcess":
    """The process in which a bot plays a seat, started if it does not run."""
    key = source, seat
    if key not in _running or not _running[key].alive:
        _running[key] = BotProcess(source)
    return _running[key]


class BotProcess:
    """A process that plays one seat, one game after another."""

    def __init__(self, source: str) -> None:
        self._pipe, theirs = Pipe()
        words = [sys.executable, "-c", _CHILD, str(theirs.fileno()), json.dumps(sys.path)]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=2, pass_fds=[theirs.fileno()], start_new_session=True
            )
        except OSError as error:
            raise MmsimError(f"cannot start a process for bot {source}: {error.strerror or error}") from error
        theirs.close()
        self.alive = True
        self._pickler = _ViewPickler()
        self._pipe.send_bytes(json.dumps(source).encode())
        try:
            self.about = self._answer(time.monotonic() + START_S, "to load")
        except CodeFailedError as failure:
            raise MmsimError(f"bot {source} cannot be run: {failure}") from failure
        if refused := self.about.get("refused"):
            self.end()
            raise (UsageError if self.about.get("usage") else MmsimError)(str(refused))

    def new_game(self, changed: Mapping[str, float]) -> None:
        """Have the next move chosen by a new object of the bot's class."""
        self._pickler = _ViewPickler()
        self._send(_NEW_GAME + json.dumps(dict(changed)).encode())

    def choose(self, view: Any, moves: Sequence[Any], seconds: float) -> int:
        """The number of the move the bot wants; CodeFailedError if it fails or takes too long."""
        self._send(_CHOOSE + self._pickler.dumps((view, list(moves))))
        until = time.monotonic() + seconds
        while True:
            answer = self._answer(until, "for a move")
            if "draw" in answer:
                self._send(view.draws.word().to_bytes(4, "little"))
            elif "failed" in answer:
                raise CodeFailedError(str(answer["failed"]))
            else:
                number = answer.get("move")
                if type(number) is not int or not 0 <= number < len(moves):
                    self.end()
                    raise CodeFailedError(f"its process answered {number!r}, which is no move")
                return number

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # if it is gone, there will be no answer, and that is said
            self._pipe.send_bytes(message)

    def _answer(self, until: float, what: str) -> dict[str, Any]:
        try:
            if not self._pipe.poll(max(0.0, until - time.monotonic())):
                self.end()
                raise CodeFailedError(f"took too long {what}, and was ended")
            answer = json.loads(self._pipe.recv_bytes(_LONGEST))
        except (EOFError, OSError):
            self.end()
            raise CodeFailedError(f"its process ended with code {self._process.returncode}") from None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.end()
            raise CodeFailedError("its process answered what is no answer")
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
    """Sends what does not change in a game (rules, city) once, since it remembers what it has sent."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        super().__init__(self._buffer, pickle.HIGHEST_PROTOCOL)

    def reducer_override(self, thing: Any) -> Any:
        return (_draws_from_afar, ()) if isinstance(thing, Stream) else NotImplemented

    def dumps(self, thing: Any) -> bytes:
        self._buffer.seek(0)
        self._buffer.truncate()
        self.dump(thing)
        return self._buffer.getvalue()


# --- in the bot's own process --------------------------------------------------------------------------------------


class _DrawsFromAfar(Stream):
    """The draws of a seat, word by word from the process that knows the seed."""

    def __init__(self, pipe: "connection.Connection[bytes, bytes]") -> None:
        self._pipe = pipe

    def word(self) -> int:
        self._pipe.send_bytes(b'{"draw": 1}')
        return int.from_bytes(self._pipe.recv_bytes(), "little")


_afar: list[_DrawsFromAfar] = []


def _draws_from_afar() -> _DrawsFromAfar:
    return _afar[0]


class _Messages:
    """A file for an unpickler that remembers: it reads whatever message came last."""

    def __init__(self) -> None:
        self.now = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        return self.now.read(size)

    def readline(self) -> bytes:
        return self.now.readline()


def serve() -> None:
    """The life of a bot's process: load it, then choose moves until whoever asks is gone."""
    from mmsim.core.seating import PlayerHere, load_bot

    threading.Thread(target=_die_with_parent, args=(os.getppid(),), daemon=True).start()
    pipe = connection.Connection(int(sys.argv[1]))
    _afar.append(_DrawsFromAfar(pipe))

    def tell(**answer: Any) -> None:
        pipe.send_bytes(json.dumps(answer).encode()[:_LONGEST])

    try:
        bot = load_bot(json.loads(pipe.recv_bytes()))
    except MmsimError as error:
        tell(refused=str(error)[:1000], usage=isinstance(error, UsageError))
        return
    tell(name=bot.name, idea=bot.idea, code=bot.code)
    player: PlayerHere | None = None
    changed: dict[str, float] = {}
    messages = _Messages()
    unpickler = pickle.Unpickler(messages)
    with suppress(EOFError, OSError):
        while True:
            message = pipe.recv_bytes()
            if message[:1] == _NEW_GAME:
                player, changed = None, json.loads(message[1:])
                messages = _Messages()
                unpickler = pickle.Unpickler(messages)
                continue
            messages.now = io.BytesIO(message[1:])
            view, moves = unpickler.load()
            try:
                player = player or PlayerHere(bot.player, changed)
                number = player.choose(view, moves)
            except CodeFailedError as failure:
                tell(failed=str(failure)[:1000])
            else:
                tell(move=number)


def _die_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
