"""The games of the house, by name: the only place from which the rooms below reach them.

A game is a package with `game.py`, `metrics.py` and `shell/command_line.py`; that of an installed distribution is named
by an entry point of the group `mmsim.games`.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from mmsim.core.game import SimulatedGame
from mmsim.core.shell import Shell
from mmsim.core.specs import RulesetFile
from mmsim.errors import UsageError, unknown

if TYPE_CHECKING:
    from mmsim.core.metrics import Statistics

_GROUP = "mmsim.games"  # of entry points
_OWN = {"metromania": "mmsim.metromania", "metro": "mmsim.metro"}
_PACKAGES = {**_OWN, **{point.name: point.value for point in entry_points(group=_GROUP)}}
GAMES = tuple(_PACKAGES)
TITLES = tuple(name.capitalize() for name in GAMES)  # the classes of a game are called after it
DEFAULT = GAMES[0]


@cache
def find_game(name: str) -> SimulatedGame:
    """A game, imported when it is asked for: what it compiles takes a moment to load."""
    game: SimulatedGame = _attribute(name, "game", name.capitalize())()
    return game


@cache
def find_shell(name: str) -> Shell:
    """What a game answers at the shell; nothing is compiled for it."""
    shell: Shell = _attribute(name, "shell.command_line", f"{name.capitalize()}Shell")()
    return shell


def find_statistics(name: str) -> "Statistics":
    """How the tables of a game are read; nothing is compiled for it."""
    statistics: Statistics = _attribute(name, "metrics", "STATISTICS")
    return statistics


def _attribute(game: str, module: str, name: str) -> Any:
    if game not in _PACKAGES:
        raise unknown("game", game, GAMES)
    return getattr(import_module(f"{_PACKAGES[game]}.{module}"), name)


def game_of(rules: str) -> str:
    """The game a ruleset belongs to: the one that has its first word, or that of a file's base, among its editions."""
    if rules.endswith(".toml"):
        return RulesetFile.read(rules).read_base(game_of)
    edition = rules.partition(",")[0].partition("+")[0].strip()
    known: list[str] = []
    for name in GAMES:
        if edition in find_shell(name).editions:
            return name
        known += find_shell(name).editions
    raise unknown("edition", edition, known)


def game_of_all(rulesets: Sequence[str]) -> str:
    """The game that several rulesets belong to; refused if they are of two."""
    first, *others = [(rules, game_of(rules)) for rules in rulesets]
    for rules, game in others:
        if game != first[1]:
            raise UsageError(
                f"'{first[0]}' is a ruleset of {first[1]}, '{rules}' one of {game}; name those of one game"
            )
    return first[1]


def game_of_bot(spec: str) -> str:
    """The first game that has a bot of this name, else the first of all."""
    name = spec.partition(":")[0]
    return next((game for game in GAMES if name in find_shell(game).bots), DEFAULT)


def find_rules(game: str | None, rules: str | None) -> tuple[Shell, str]:
    """The shell and the ruleset of somebody who names a game, a ruleset, both or neither."""
    shell = find_shell(game or (game_of(rules) if rules else DEFAULT))
    return shell, rules or shell.usual_rules
