"""The games by name: the only place from which other rooms reach them.

A game is a package with a module `game`, and optionally `shell` (or `shell.command_line`) and `metrics`. Installed
packages name themselves in the entry point group `mmsim.games`. A package is imported only when its game is needed, and
one that is broken breaks no other game.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from mmsim.core.game import SimulatedGame
from mmsim.core.ruleset import RulesetFile
from mmsim.core.shell import Shell
from mmsim.errors import MmsimError, UsageError, unknown

if TYPE_CHECKING:
    from mmsim.core.metrics import Statistics

ENTRY_POINTS = "mmsim.games"
_BUILT_IN = {"metromania": "mmsim.metromania", "metro": "mmsim.metro"}
_PACKAGES = {
    **_BUILT_IN,
    **{point.name: point.value for point in entry_points(group=ENTRY_POINTS) if point.name not in _BUILT_IN},
}
GAMES = tuple(_PACKAGES)
TITLES = tuple(name.capitalize() for name in GAMES)
DEFAULT = GAMES[0]

_Part = TypeVar("_Part")


@cache
def find_game(name: str) -> SimulatedGame:
    """A game by its name. Slow the first time: its compiled code is loaded."""
    cls: Any = _only_subclass(name, _module(name, "game"), SimulatedGame)
    game: SimulatedGame = cls()
    return _set_name(name, game)


@cache
def find_shell(name: str) -> Shell:
    """The command-line side of a game; nothing is compiled for it."""
    package = _package(name)
    modules = [module for module in ("shell.command_line", "shell") if _exists(f"{package}.{module}")]
    if modules:
        cls: Any = _only_subclass(name, _module(name, modules[0]), Shell)
        shell: Shell = cls(find_game(name)) if cls.needs_game else cls()
        return _set_name(name, shell)
    from mmsim.plain_game import PlainGame, PlainShell  # NumPy takes a moment to import

    game = find_game(name)
    if not isinstance(game, PlainGame):
        raise MmsimError(f"the game {name} has no module {package}.shell with a subclass of mmsim.core.shell.Shell")
    return _set_name(name, PlainShell(game))


@cache
def find_statistics(name: str) -> "Statistics":
    """How the tables of a game are read; nothing is compiled for it."""
    package = _package(name)
    if not _exists(f"{package}.metrics"):
        from mmsim.core.common_metrics import BASIC_STATISTICS

        return BASIC_STATISTICS
    statistics: Statistics | None = getattr(_module(name, "metrics"), "STATISTICS", None)
    if statistics is None:
        raise MmsimError(f"the game {name}: {package}.metrics must define STATISTICS, a mmsim.core.metrics.Statistics")
    return statistics


def _package(game: str) -> str:
    if game not in _PACKAGES:
        raise unknown("game", game, GAMES)
    return _PACKAGES[game]


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except Exception:  # a package on the way is missing or broken, which importing it reports
        return False


def _module(game: str, name: str) -> ModuleType:
    module = f"{_package(game)}.{name}"
    try:
        return import_module(module)
    except Exception as error:
        if game in _BUILT_IN:
            raise
        raise MmsimError(f"the game {game} cannot be loaded: {module}: {type(error).__name__}: {error}") from error


def _only_subclass(game: str, module: ModuleType, base: type) -> type:
    """The only class in a module that derives from `base`, whatever its name."""
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        names = ", ".join(cls.__name__ for cls in classes) or "none"
        raise MmsimError(
            f"the game {game}: {module.__name__} must define one subclass of {base.__module__}.{base.__name__}; "
            f"it defines {names}"
        )
    if missing := sorted(getattr(classes[0], "__abstractmethods__", ())):
        raise MmsimError(f"the game {game}: {module.__name__}.{classes[0].__name__} lacks {', '.join(missing)}")
    return classes[0]


def _set_name(name: str, part: _Part) -> _Part:
    """Give a part of a game the name the game is registered by."""
    if getattr(part, "name", "") != name:
        part.name = name  # type: ignore[attr-defined]
    return part


def working_shells() -> Iterator[Shell]:
    """The shells of all games that can be loaded: a broken package must not break commands for other games."""
    for name in GAMES:
        try:
            yield find_shell(name)
        except MmsimError:
            if name in _BUILT_IN:
                raise


def game_of_ruleset(rules: str) -> str:
    """The game whose editions include the ruleset's edition (for a file, the edition of its base)."""
    if rules.endswith(".toml"):
        return RulesetFile.read(rules).read_base(game_of_ruleset)
    edition = rules.partition(",")[0].partition("+")[0].strip()
    known: list[str] = []
    for shell in working_shells():
        if edition in shell.editions:
            return shell.name
        if edition in shell.modifiers:
            example = rules.replace(edition, f"{shell.default_rules}+{edition}", 1)
            raise UsageError(f"'{edition}' is a modifier, not an edition; add it to one, such as {example}")
        known += shell.editions
    raise unknown("edition", edition, known)


def game_of_all(rulesets: Sequence[str]) -> str:
    """The game that several rulesets belong to; refused if they belong to two."""
    first, *others = [(rules, game_of_ruleset(rules)) for rules in rulesets]
    for rules, game in others:
        if game != first[1]:
            raise UsageError(
                f"'{first[0]}' is a ruleset of {first[1]}, '{rules}' one of {game}; name those of one game"
            )
    return first[1]


def game_of_bot(spec: str) -> str:
    """The first game that has a bot of this name, else the default game."""
    name = spec.partition(":")[0]
    return next((shell.name for shell in working_shells() if name in shell.bots), DEFAULT)


def find_shell_and_rules(game: str | None, rules: str | None) -> tuple[Shell, str]:
    """The shell and the ruleset, where the user named a game, a ruleset, both or neither."""
    shell = find_shell(game or (game_of_ruleset(rules) if rules else DEFAULT))
    return shell, rules or shell.default_rules
