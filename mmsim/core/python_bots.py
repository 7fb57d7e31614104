"""Bots written in Python: where they are found, how they are loaded and asked for moves, and how they fail."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from mmsim.core.bot_guard import CodeFailedError, bot_code
from mmsim.core.bots import Bot, parse_number
from mmsim.errors import MmsimError, UsageError, unknown
from mmsim.system.files import failing_with, read_bytes

Move = TypeVar("Move")
ENTRY_POINTS = "mmsim.bots"  # the group in which installed packages name their bots
_LOOKS_AT = "what its Python code looks at"
_SHARED_BY_VIEWS = ("rules", "city")  # the same objects in all views of a game


class PythonPlayer(Protocol):
    """An instance of a bot's class for one game, in this process or in another one."""

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        """The index of the move it wants; CodeFailedError whatever goes wrong in its code."""


@dataclass(frozen=True)
class PythonBot(Bot):
    """A bot played by a class with `choose(view, moves)`; every game gets a new instance."""

    source: str = ""  # where it is found: `file.py:Class`, or the name of an entry point
    code: str = ""  # the sha256 of its file
    player: Any = None  # the class; None if it is loaded only in a process of its own
    move_seconds: float | None = None  # the time limit per move in a process of its own; None: it plays in this one

    @property
    def description(self) -> dict[str, Any]:
        return {**super().description, "code": self.code}

    def new_player(self, seat: int) -> PythonPlayer:
        if self.move_seconds is None:
            return LocalPlayer(self.player, self.changed)
        from mmsim.core.bot_process import RemotePlayer  # only isolated bots need it

        return RemotePlayer(self.source, seat, self.changed, self.move_seconds)

    def _number(self, name: str, text: str) -> float:
        return parse_number(self.name, name, text)  # an argument of its class


class BotFailedError(MmsimError):
    """A bot written in Python that raised an exception or chose an illegal move."""

    def __init__(self, seat: int, bot: str, message: str, turn: int) -> None:
        super().__init__(f"bot {bot} in seat {seat + 1} failed in turn {turn}: {message}")
        self.seat, self.bot, self.message = seat, bot, message


class LocalPlayer:
    """An instance of a bot's class in this process. It gets copies, so it cannot change the game."""

    def __init__(self, player: Any, weights: Mapping[str, float]) -> None:
        with bot_code():
            self._player = player(**weights)
        self._copies: dict[str, Any] = {}

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        safe_view = self._with_copies(view)
        with bot_code():
            move = self._player.choose(safe_view, list(moves))
            for index, legal in enumerate(moves):
                if legal == move:  # by value; the move that is played is ours
                    return index
            shown = repr(move)
        raise CodeFailedError(f"chose {shown[:200]}, which is not one of its {len(moves)} legal moves")

    def _with_copies(self, view: Any) -> Any:
        """The view with copies of what all views of a game share."""
        if not self._copies:
            shared = [f.name for f in fields(view) if f.name in _SHARED_BY_VIEWS] if is_dataclass(view) else []
            self._copies = {name: deepcopy(getattr(view, name)) for name in shared}
        return replace(view, **self._copies) if self._copies else view


class PythonPlayers:
    """The Python players of one game, each created when it first has to move."""

    def __init__(self) -> None:
        self._of_seat: dict[int, PythonPlayer] = {}

    def choose(self, bot: PythonBot, seat: int, turn: int, view: Any, moves: Sequence[Move]) -> Move:
        """The move a bot wants; whatever goes wrong in its code is the bot's failure."""
        try:
            if seat not in self._of_seat:
                self._of_seat[seat] = bot.new_player(seat)
            return moves[self._of_seat[seat].choose(view, moves)]
        except CodeFailedError as failure:
            raise BotFailedError(seat, bot.spec, str(failure), turn) from failure


# --- loading ---------------------------------------------------------------------------------------------------------


def find_python_bot(
    name: str, rest: str, known: Iterable[str], move_seconds: float | None = None
) -> tuple[PythonBot, str]:
    """The bot of `file.py:Class:settings` or of the entry point `name:settings`, and the text of its settings."""
    source, settings = name, rest
    if name.endswith(".py"):
        class_name, _, settings = rest.partition(":")
        source = f"{name}:{class_name}"
    elif name not in (offered := [point.name for point in _entry_points()]):
        raise unknown("bot", name, [*known, *offered])
    return (load_bot(source) if move_seconds is None else _isolated_bot(source, move_seconds)), settings


def load_bot(source: str) -> PythonBot:
    """A bot loaded into this process: `file.py:Class`, `file.py:`, or the name of an entry point."""
    path, is_file, class_name = source.rpartition(":")
    return replace(_from_file(path, class_name) if is_file else installed()[source], source=source)


def _isolated_bot(source: str, move_seconds: float) -> PythonBot:
    """A bot that only its own process loads."""
    from mmsim.core.bot_process import bot_process

    answer = bot_process(source, 0).loaded
    return PythonBot(
        *(str(answer["name"]), str(answer["idea"]), _LOOKS_AT),
        source=source,
        code=str(answer.get("code", "")),
        move_seconds=move_seconds,
    )


def _from_file(path: str, class_name: str) -> PythonBot:
    """The bot of a class in a file; the class need not be named if only one has `choose`."""
    file = Path(path)
    with failing_with(f"bot {path}: cannot read {path}", UsageError):
        if not file.is_file():
            raise UsageError(f"bot {path}: there is no file {path}")
    module_name = f"mmsim_bot_{sha256(str(file.resolve()).encode()).hexdigest()[:12]}"
    module = ModuleType(module_name)
    module.__file__ = str(file)
    sys.modules[module_name] = module
    source = read_source(file)
    try:
        with bot_code():
            exec(compile(source, str(file), "exec"), vars(module))  # the very bytes whose digest is stored
    except CodeFailedError as error:
        raise MmsimError(f"bot {path} cannot be run: {error}") from error
    players = {name: value for name, value in vars(module).items() if callable(getattr(value, "choose", None))}
    if not class_name and len(players) != 1:
        raise UsageError(f"bot {path}: {len(players)} of its classes have choose(view, moves); write {path}:MyBot")
    name = class_name or next(iter(players))
    if not hasattr(module, name):
        raise unknown(f"class in {path}", name, players)
    return _bot_of_class(getattr(module, name), name, source)


def read_source(file: Path) -> bytes:
    with failing_with(f"bot {file}: cannot read {file}", UsageError):
        return read_bytes(file)


def _bot_of_class(player: Any, class_name: str, source: bytes) -> PythonBot:
    if not callable(getattr(player, "choose", None)):
        raise UsageError(f"bot {class_name} has no method choose(view, moves)")
    idea = str(getattr(player, "idea", "") or (player.__doc__ or "").strip().split("\n")[0])
    code = sha256(source).hexdigest()
    return PythonBot(str(getattr(player, "name", class_name)), idea, _LOOKS_AT, code=code, player=player)


def installed() -> dict[str, PythonBot]:
    """The bots of installed packages, by the names of their entry points."""
    return {point.name: _from_entry_point(point.name, point.load()) for point in _entry_points()}


def _from_entry_point(name: str, player: Any) -> PythonBot:
    file, source = getattr(sys.modules.get(getattr(player, "__module__", "")), "__file__", None), b""
    with suppress(OSError):  # a module in an archive has no file
        source = read_bytes(Path(file)) if file else b""
    return _bot_of_class(player, name, source)


def _entry_points() -> Iterable[Any]:
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=ENTRY_POINTS)
