"""The games of the house, by name: the only place from which the rooms below reach them."""

from functools import cache
from importlib import import_module
from typing import Any

from mmsim.core.errors import unknown
from mmsim.core.game import Game
from mmsim.core.shell import Shell
from mmsim.core.specs import RulesetFile

_ROOMS = {"metromania": ("Metromania", "mmsim.metromania"), "metro": ("Metro", "mmsim.metro")}  # title, package
GAMES = tuple(_ROOMS)
TITLES = tuple(title for title, _ in _ROOMS.values())
DEFAULT = GAMES[0]


@cache
def find_game(name: str) -> Game:
    """A game, imported when it is asked for: what it compiles takes a moment to load."""
    game: Game = _made(name, "game", "")
    return game


@cache
def find_shell(name: str) -> Shell:
    """What a game answers at the shell; nothing is compiled for it."""
    shell: Shell = _made(name, "shell.command_line", "Shell")
    return shell


def _made(game: str, module: str, ending: str) -> Any:
    if game not in _ROOMS:
        raise unknown("game", game, _ROOMS)
    title, package = _ROOMS[game]
    return getattr(import_module(f"{package}.{module}"), f"{title}{ending}")()


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


def game_of_bot(spec: str) -> str:
    """The first game that has a bot of this name, else the first of all."""
    name = spec.partition(":")[0]
    return next((game for game in GAMES if name in find_shell(game).bots), DEFAULT)


def meant(game: str | None, rules: str | None) -> tuple[Shell, str]:
    """The shell and the ruleset somebody means who names a game, a ruleset, both or neither."""
    shell = find_shell(game or (game_of(rules) if rules else DEFAULT))
    return shell, rules or shell.usual_rules
