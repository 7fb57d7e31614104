"""Levels of play: a ladder of bots from beginner to grandmaster, as a game declares it, and ranges of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from mmsim.core.bots import Bot
from mmsim.errors import UsageError, unknown

ALL = "all"  # instead of a range
RANGE = ".."  # between the ends of a range of levels
_DEFAULT = "expert"  # if there is such a level
RETRAINED = " (retrained)"  # after the name of a level whose bots play every variant with nets fitted to it


@dataclass(frozen=True)
class Level:
    """Players of one strength: the bots at their table, and how those choose their moves."""

    name: str
    bots: str  # one bot for all seats, or one per seat separated by commas
    make: str  # heuristic, net, playouts, ...: two levels of different make do not share their habits

    @property
    def is_retrained(self) -> bool:
        return self.name.endswith(RETRAINED)

    @property
    def shipped_name(self) -> str:
        """The name of the level as it is shipped."""
        return self.name.removesuffix(RETRAINED)


@dataclass(frozen=True)
class DeclaredLevel(Level):
    """A level of a game's ladder, with its measured strength."""

    wins: str = ""  # one against the others of the level below, with the half width of its 95 % interval
    measured_by: str = ""  # the command


def ladder_of(*levels: tuple[str, str, str, str, int], game: str = "") -> tuple[DeclaredLevel, ...]:
    """A ladder of levels: name, bot, make, how often one wins against the level below, and games of that ladder."""
    ladder: list[DeclaredLevel] = []
    for name, bot, make, wins, games in levels:
        option = f"--game {game} " if game else ""
        command = f"mmsim ladder {option}--levels {ladder[-1].name}..{name} --games {games} --seed 1" if wins else ""
        ladder.append(DeclaredLevel(name, bot, make, wins, command))
    return tuple(ladder)


def find_levels(words: Sequence[str], ladder: Sequence[Level], bots: Mapping[str, Bot]) -> tuple[Level, ...]:
    """The levels that words name: `all`, `club..master`, `expert`; or bots, which are listed from weak to strong."""
    names = [level.name for level in ladder]
    chosen: list[Level] = []
    for word in chain.from_iterable(_parts(given, names) for given in words):
        first, dots, last = word.partition(RANGE)
        if word == ALL:
            chosen += ladder
        elif dots:
            start, end = (_place(end_word, names) for end_word in (first or names[0], last or names[-1]))
            if start > end:
                raise UsageError(f"'{word}' goes from strong to weak; write {last}{RANGE}{first}")
            chosen += ladder[start : end + 1]
        elif word in names:
            chosen.append(ladder[names.index(word)])
        elif word.partition(":")[0] in bots or ".py" in word:
            chosen.append(Level(_label(word), word, word.partition(":")[0]))
        else:
            raise unknown("level", word, [*names, ALL])
    for level in chosen:
        if [other.name for other in chosen].count(level.name) > 1:
            raise UsageError(f"{level.name} is named twice among the levels")
    if all(level.name in names for level in chosen):
        chosen.sort(key=lambda level: names.index(level.name))
    return tuple(Level(level.name, level.bots, level.make) for level in chosen)


def default_level(names: Sequence[str]) -> str:
    """The level that plays where one is needed and none is named: expert, or else the strongest."""
    return _DEFAULT if _DEFAULT in names else names[-1]


def _parts(word: str, names: Collection[str]) -> list[str]:
    """A list of levels separated by commas as its parts; commas of bots stay as they are."""
    parts = word.split(",")
    return parts if all(part in names or RANGE in part or part == ALL for part in parts) else [word]


def _place(name: str, names: list[str]) -> int:
    if name not in names:
        raise unknown("level", name, names)
    return names.index(name)


def _label(bots: str) -> str:
    """A bot as the name of a level, without the folders of its file."""
    return bots.rpartition("/")[2] if ".py" in bots else bots
