"""The games of the house, by name: the only place from which the rooms below reach them."""

from functools import cache
from importlib import import_module

from mmsim.core.desk import Desk
from mmsim.core.errors import unknown
from mmsim.core.game import Game

_WHERE = {  # the module of the game, and what the game is called there; its desk is next door
    "metromania": ("mmsim.metromania.game", "Metromania"),
    "metro": ("mmsim.metro.game", "Metro"),
}
GAMES = tuple(_WHERE)
TITLES = tuple(title for _, title in _WHERE.values())
DEFAULT = GAMES[0]


@cache
def find_game(name: str) -> Game:
    """A game, imported when it is asked for: what it compiles takes a moment to load."""
    module, title = _where(name)
    game: Game = getattr(import_module(module), title)()
    return game


@cache
def find_desk(name: str) -> Desk:
    """What a game answers at the shell; nothing is compiled for it."""
    module, title = _where(name)
    desk: Desk = getattr(import_module(f"{module.rpartition('.')[0]}.desk"), f"{title}Desk")()
    return desk


def _where(name: str) -> tuple[str, str]:
    if name not in _WHERE:
        raise unknown("game", name, GAMES)
    return _WHERE[name]


def game_of(rules: str) -> str:
    """The game a ruleset belongs to: the one that has its first word among its editions; a file is the first game's."""
    if rules.endswith(".toml"):
        return DEFAULT
    edition = rules.partition(",")[0].partition("+")[0].strip()
    known: list[str] = []
    for name in GAMES:
        if edition in find_desk(name).editions:
            return name
        known += find_desk(name).editions
    raise unknown("edition", edition, known)


def game_of_bot(spec: str) -> str:
    """The first game that has a bot of this name, else the first of all."""
    name = spec.partition(":")[0]
    return next((game for game in GAMES if name in find_desk(game).bots), DEFAULT)


def meant(game: str | None, rules: str | None) -> tuple[Desk, str]:
    """The desk and the ruleset somebody means who names a game, a ruleset, both or neither."""
    desk = find_desk(game or (game_of(rules) if rules else DEFAULT))
    return desk, rules or desk.usual_rules
