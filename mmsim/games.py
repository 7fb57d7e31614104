"""The games of the house, by name: the only place from which the rooms below reach them."""

from functools import cache
from importlib import import_module

from mmsim.core.errors import unknown
from mmsim.core.game import Game

_WHERE = {
    "metromania": ("mmsim.metromania.game", "Metromania"),
    "metro": ("mmsim.metro.game", "Metro"),
}
GAMES = tuple(_WHERE)


@cache
def find_game(name: str) -> Game:
    """A game, imported when it is asked for: what it compiles takes a moment to load."""
    if name not in _WHERE:
        raise unknown("game", name, GAMES)
    module, thing = _WHERE[name]
    game: Game = getattr(import_module(module), thing)()
    return game


def game_of(rules: str) -> str:
    """The game a ruleset belongs to: the one of the same name as its first word, else Metromania with its editions."""
    first = rules.partition(",")[0].partition("+")[0].strip()
    return first if first in GAMES else GAMES[0]
