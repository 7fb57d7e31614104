"""Who sits where: lists of bots as they are written, and bots of your own in Python."""

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from mmsim.core.bots import Bot, number
from mmsim.core.errors import MmsimError, UsageError, unknown

Move = TypeVar("Move")
Seated = TypeVar("Seated")
GROUP = "mmsim.bots"  # of entry points


@dataclass(frozen=True)
class PythonBot(Bot):
    """A bot that Python code plays: a class with `choose(view, moves)`; every game gets a new object of it."""

    player: Any = None  # the class

    def make(self) -> Any:
        return self.player(**self.changed)

    def _number(self, name: str, text: str) -> float:
        return number(self.name, name, text)  # an argument of its class


class BotFailedError(MmsimError):
    """A bot written in Python that raised an exception or chose an illegal move."""

    def __init__(self, seat: int, bot: str, message: str, turn: int) -> None:
        super().__init__(f"bot {bot} in seat {seat} failed in turn {turn}: {message}")
        self.seat, self.bot, self.message = seat, bot, message


class Minds:
    """The objects of the bots in Python of one game, each made when it is first asked."""

    def __init__(self) -> None:
        self._of_seat: dict[int, Any] = {}

    def choose(self, bot: PythonBot, seat: int, turn: int, view: Any, moves: Sequence[Move]) -> Move:
        """The move a bot wants; whatever goes wrong in its code is the bot's failure."""
        try:
            if seat not in self._of_seat:
                self._of_seat[seat] = bot.make()
            move: Move = self._of_seat[seat].choose(view, list(moves))
        except Exception as error:
            raise BotFailedError(seat, bot.spec, f"{type(error).__name__}: {error}", turn) from error
        if move not in moves:
            message = f"chose {move!r}, which is not one of its {len(moves)} legal moves"
            raise BotFailedError(seat, bot.spec, message, turn)
        return move


def games_a_deal(players: int, rotate: bool) -> int:
    """How many games in a row share a layout and a deal: with rotated seats one for every rotation of the bots."""
    return players if rotate else 1


def rotated(listed: Sequence[Seated], seat_player: Sequence[int], rotation: int) -> list[Seated]:
    """Who sits where after so many rotations: every player has the bots of the next one, company by company."""
    seats = range(len(seat_player))
    seats_of = [[seat for seat in seats if seat_player[seat] == player] for player in sorted({*seat_player})]
    after = list(listed)
    for own, next_ones in zip(seats_of, seats_of[rotation:] + seats_of[:rotation], strict=True):
        for seat, other in zip(own, next_ones, strict=True):
            after[seat] = listed[other]
    return after


def split_bots(text: str) -> list[str]:
    """The bots of a list: commas separate them, and a part like `leader=0` belongs to the bot before it."""
    specs: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if specs and "=" in part and ":" not in part:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def seat_bots(text: str, known: Mapping[str, Bot], seats: int, called: str) -> tuple[Bot, ...]:
    """The bots of a list like `uniform` (for every seat) or `planner,greedy,greedy,greedy`."""
    bots = [find_bot(spec, known) for spec in split_bots(text)]
    if len(bots) not in (1, seats):
        raise UsageError(f"--bots names {len(bots)} bots for {seats} {called}; name one for all or {seats} of them")
    return tuple(bots * seats if len(bots) == 1 else bots)


def find_bot(spec: str, known: Mapping[str, Bot]) -> Bot:
    """The bot of a text like `planner`, `planner:block=2.0,leader=0` or `./mybot.py:MyBot`."""
    name, _, settings = spec.partition(":")
    if name.endswith(".py"):
        cls, _, settings = settings.partition(":")
        return _from_file(name, cls).changed_by(_changes(spec, settings))
    bots = known if name in known else {**known, **installed()}
    if name not in bots:
        raise unknown("bot", name, bots)
    return bots[name].changed_by(_changes(spec, settings))


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
    spec = importlib.util.spec_from_file_location(module_name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise MmsimError(f"bot {path} cannot be run: {type(error).__name__}: {error}") from error
    players = {name: thing for name, thing in vars(module).items() if callable(getattr(thing, "choose", None))}
    if not cls and len(players) != 1:
        raise UsageError(f"bot {path}: {len(players)} of its classes have choose(view, moves); write {path}:MyBot")
    name = cls or next(iter(players))
    if not hasattr(module, name):
        raise unknown(f"class in {path}", name, players)
    return _played_by(getattr(module, name), name)


def _played_by(player: Any, cls: str) -> PythonBot:
    if not callable(getattr(player, "choose", None)):
        raise UsageError(f"bot {cls} has no method choose(view, moves)")
    idea = str(getattr(player, "idea", "") or (player.__doc__ or "").strip().split("\n")[0])
    return PythonBot(str(getattr(player, "name", cls)), idea, "what its Python code looks at", player=player)


def installed() -> dict[str, PythonBot]:
    """The bots of installed packages: entry points of the group `mmsim.bots`."""
    from importlib.metadata import entry_points  # takes a moment to import

    return {point.name: _played_by(point.load(), point.name) for point in entry_points(group=GROUP)}
