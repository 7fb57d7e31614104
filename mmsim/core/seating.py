"""Who sits where: lists of bots as they are written, and bots of your own in Python."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import permutations
from math import gcd
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from mmsim.core.bots import Bot, number
from mmsim.errors import MmsimError, UsageError, unknown
from mmsim.system.bot_guard import CodeFailedError, bot_code
from mmsim.system.files import read_bytes

Move = TypeVar("Move")
GROUP = "mmsim.bots"  # of entry points
_LOOKS_AT = "what its Python code looks at"
_SHARED = ("rules", "city")  # what views of a game do not make anew


class Player(Protocol):
    """An object of a bot in Python for one game, here or elsewhere."""

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        """The number of the move it wants; CodeFailedError whatever goes wrong in its code."""


@dataclass(frozen=True)
class PythonBot(Bot):
    """A bot that Python code plays: a class with `choose(view, moves)`; every game gets a new object of it."""

    source: str = ""  # where it is found: `file.py:Class`, or the name of an entry point
    code: str = ""  # the sha256 of its file
    player: Any = None  # the class; None if it is loaded in a process of its own only
    move_seconds: float | None = None  # a process of its own, and so long for a move; None: it plays in this one

    @property
    def about(self) -> dict[str, Any]:
        return {**super().about, "code": self.code}

    def new_player(self, seat: int) -> Player:
        """A new object of it for a game."""
        if self.move_seconds is None:
            return PlayerHere(self.player, self.changed)
        return PlayerElsewhere(self, seat)

    def _number(self, name: str, text: str) -> float:
        return number(self.name, name, text)  # an argument of its class


class BotFailedError(MmsimError):
    """A bot written in Python that raised an exception or chose an illegal move."""

    def __init__(self, seat: int, bot: str, message: str, turn: int) -> None:
        super().__init__(f"bot {bot} in seat {seat + 1} failed in turn {turn}: {message}")
        self.seat, self.bot, self.message = seat, bot, message


class PlayerHere:
    """An object of a bot's class in this process; what it changes changes nothing here."""

    def __init__(self, player: Any, changed: Mapping[str, float]) -> None:
        with bot_code():
            self._player = player(**changed)
        self._own: dict[str, Any] = {}

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        own = self._own_copies(view)
        with bot_code():
            move = self._player.choose(own, list(moves))
            for number, legal in enumerate(moves):
                if legal == move:  # by value; the move that is played is ours
                    return number
            shown = repr(move)
        raise CodeFailedError(f"chose {shown[:200]}, which is not one of its {len(moves)} legal moves")

    def _own_copies(self, view: Any) -> Any:
        """The view with copies of what all views of a game share."""
        if not self._own:
            shared = [field.name for field in fields(view) if field.name in _SHARED] if is_dataclass(view) else []
            self._own = {name: deepcopy(getattr(view, name)) for name in shared}
        return replace(view, **self._own) if self._own else view


class PlayerElsewhere:
    """An object of a bot's class in a process of its own."""

    def __init__(self, bot: PythonBot, seat: int) -> None:
        from mmsim.system.bot_process import bot_process

        assert bot.move_seconds is not None
        self._seconds = bot.move_seconds
        self._process = bot_process(bot.source, seat)
        self._process.new_game(bot.changed)

    def choose(self, view: Any, moves: Sequence[Any]) -> int:
        return self._process.choose(view, moves, self._seconds)


class PythonPlayers:
    """The objects of the bots in Python of one game, each made when it is first asked."""

    def __init__(self) -> None:
        self._of_seat: dict[int, Player] = {}

    def choose(self, bot: PythonBot, seat: int, turn: int, view: Any, moves: Sequence[Move]) -> Move:
        """The move a bot wants; whatever goes wrong in its code is the bot's failure."""
        try:
            if seat not in self._of_seat:
                self._of_seat[seat] = bot.new_player(seat)
            return moves[self._of_seat[seat].choose(view, moves)]
        except CodeFailedError as failure:
            raise BotFailedError(seat, bot.spec, str(failure), turn) from failure


def games_a_deal(players: int, rotate: bool) -> int:
    """How many games in a row share a layout and a deal: with rotated seats one for every rotation of the bots."""
    return players if rotate else 1


@dataclass(frozen=True)
class Seating:
    """Who sits where in every game of a variant, and which of its games share a deal."""

    bots: tuple[Bot, ...]  # as they are listed, seat by seat
    seat_player: Sequence[int]
    rotate: bool

    @cached_property
    def orders(self) -> list[tuple[int, ...]]:
        """Who sits where in game 0, 1, 2 ... of a cycle, see `seat_orders`."""
        names = [bot_name(bot.spec, bot.about) for bot in self.bots]
        return seat_orders(names, self.seat_player, self.rotate)

    @property
    def games_a_deal(self) -> int:
        return games_a_deal(len({*self.seat_player}), self.rotate)

    def number(self, game: int) -> int:
        """Which of the orders a game has."""
        return game % len(self.orders)

    def at(self, game: int) -> list[Bot]:
        """The bots of a game, seat by seat."""
        return [self.bots[place] for place in self.orders[self.number(game)]]


def bot_name(spec: str, about: Any) -> str:
    """A name by which bots are sorted and told apart: two classes in Python may have one spec, but not one digest."""
    return json.dumps([spec, about], sort_keys=True)


def seat_orders(names: Sequence[str], seat_player: Sequence[int], rotate: bool) -> list[tuple[int, ...]]:
    """Who sits where in game 0, 1, 2 ... of a cycle: seat by seat the place of a bot in the list of their names.

    With rotated seats the games of a deal have the bots round the table in one order, each moved on by one player
    from the last. From deal to deal the order is another one, until after a cycle every way to seat the bots has
    been played equally often. In which order they are listed changes no game: they are sorted first. A player
    keeps the bots of all his seats.
    """
    if not rotate:
        return [tuple(range(len(names)))]
    seats, players = range(len(names)), sorted({*seat_player})
    seats_of = [[seat for seat in seats if seat_player[seat] == player] for player in players]
    found = []
    for circle in circles([tuple(names[seat] for seat in own) for own in seats_of]):
        for rotation in range(len(circle)):
            order = [0] * len(names)
            for own, other in zip(seats_of, circle[rotation:] + circle[:rotation], strict=True):
                for seat, place in zip(own, seats_of[other], strict=True):
                    order[seat] = place
            found.append(tuple(order))
    return found


def circles(names: Sequence[tuple[str, ...]]) -> list[tuple[int, ...]]:
    """Ways to sit round a table, as places in a list of names, that together are all ways equally often.

    Those are alike that differ by who sits first, or in who of one name sits where. A way that looks the same when
    everybody moves on by fewer places than there are is there less often, for its rotations come more often.
    """
    first, *others = sorted(range(len(names)), key=lambda place: names[place])
    found: dict[Any, tuple[int, ...]] = {}
    distinct: dict[Any, int] = {}  # rotations of a way that do not look the same
    for rest in permutations(others):
        around = [names[place] for place in (first, *rest)]
        turned = {tuple(around[by:] + around[:by]) for by in range(len(around))}
        if min(turned) not in found:
            found[min(turned)], distinct[min(turned)] = (first, *rest), len(turned)
    unit = gcd(*distinct.values())
    times = max(distinct.values()) // unit
    return [circle for time in range(times) for way, circle in found.items() if time < distinct[way] // unit]


def split_bots(text: str) -> list[str]:
    """The bots of a list: commas separate them, and a part like `leader=0` belongs to the bot before it."""
    specs: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if specs and "=" in part and ":" not in part:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def seat_bots(
    text: str, known: Mapping[str, Bot], seats: int, called: str, move_seconds: float | None = None
) -> tuple[Bot, ...]:
    """The bots of a list like `uniform` (for every seat) or `planner,greedy,greedy,greedy`.

    With `move_seconds` bots in Python have processes of their own, and so long for a move.
    """
    bots = [find_bot(spec, known, move_seconds) for spec in split_bots(text)]
    if len(bots) not in (1, seats):
        raise UsageError(f"--bots names {len(bots)} bots for {seats} {called}; name one for all or {seats} of them")
    return tuple(bots * seats if len(bots) == 1 else bots)


def find_bot(spec: str, known: Mapping[str, Bot], move_seconds: float | None = None) -> Bot:
    """The bot of a text like `planner`, `planner:block=2.0,leader=0` or `./mybot.py:MyBot`."""
    name, _, settings = spec.partition(":")
    if name in known:
        return known[name].changed_by(_changes(spec, settings))
    source = name
    if name.endswith(".py"):
        cls, _, settings = settings.partition(":")
        source = f"{name}:{cls}"
    elif name not in (offered := [point.name for point in _offered()]):
        raise unknown("bot", name, [*known, *offered])
    bot = load_bot(source) if move_seconds is None else _isolated(source, move_seconds)
    return bot.changed_by(_changes(spec, settings))


def load_bot(source: str) -> PythonBot:
    """A bot in Python, loaded into this process: `file.py:Class`, `file.py:`, or the name of an entry point."""
    name, in_file, cls = source.rpartition(":")
    return replace(_from_file(name, cls) if in_file else installed()[source], source=source)


def _isolated(source: str, move_seconds: float) -> PythonBot:
    """A bot in Python of which this process knows only what it is called."""
    from mmsim.system.bot_process import bot_process

    about = bot_process(source, 0).about
    return PythonBot(
        *(str(about["name"]), str(about["idea"]), _LOOKS_AT),
        source=source,
        code=str(about.get("code", "")),
        move_seconds=move_seconds,
    )


def _changes(spec: str, settings: str) -> dict[str, str]:
    changes: dict[str, str] = {}
    for setting in filter(None, (part.strip() for part in settings.split(","))):
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise UsageError(f"bot '{spec}': '{setting}' is not of the form weight=value")
        if name in changes:
            raise UsageError(f"bot '{spec}' sets {name} twice; keep one of them")
        changes[name] = value
    return changes


def _from_file(path: str, cls: str) -> PythonBot:
    """The bot that a class in a file plays; the class need not be named where only one has `choose`."""
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"bot {path}: there is no file {path}")
    module_name = f"mmsim_bot_{sha256(str(file.resolve()).encode()).hexdigest()[:12]}"
    module = ModuleType(module_name)
    module.__file__ = str(file)
    sys.modules[module_name] = module
    try:
        source = read_bytes(file)
        with bot_code():
            exec(compile(source, str(file), "exec"), vars(module))  # the very bytes whose digest is told
    except OSError as error:
        raise UsageError(f"bot {path}: cannot read {path}: {error.strerror or error}") from error
    except CodeFailedError as error:
        raise MmsimError(f"bot {path} cannot be run: {error}") from error
    players = {name: thing for name, thing in vars(module).items() if callable(getattr(thing, "choose", None))}
    if not cls and len(players) != 1:
        raise UsageError(f"bot {path}: {len(players)} of its classes have choose(view, moves); write {path}:MyBot")
    name = cls or next(iter(players))
    if not hasattr(module, name):
        raise unknown(f"class in {path}", name, players)
    return _played_by(getattr(module, name), name, source)


def _played_by(player: Any, cls: str, source: bytes) -> PythonBot:
    if not callable(getattr(player, "choose", None)):
        raise UsageError(f"bot {cls} has no method choose(view, moves)")
    idea = str(getattr(player, "idea", "") or (player.__doc__ or "").strip().split("\n")[0])
    code = sha256(source).hexdigest()
    return PythonBot(str(getattr(player, "name", cls)), idea, _LOOKS_AT, code=code, player=player)


def installed() -> dict[str, PythonBot]:
    """The bots of installed packages: entry points of the group `mmsim.bots`."""
    return {point.name: _installed(point.name, point.load()) for point in _offered()}


def _installed(name: str, player: Any) -> PythonBot:
    file, source = getattr(sys.modules.get(getattr(player, "__module__", "")), "__file__", None), b""
    with suppress(OSError):  # a module in an archive has no file
        source = read_bytes(Path(file)) if file else b""
    return _played_by(player, name, source)


def _offered() -> Iterable[Any]:
    from importlib.metadata import entry_points  # takes a moment to import

    return entry_points(group=GROUP)
