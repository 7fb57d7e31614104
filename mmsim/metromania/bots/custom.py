"""Bots of your own, in Python: a class with `choose(view, moves)`, from a file or from an installed package."""

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from mmsim.core.errors import MmsimError, UsageError, unknown
from mmsim.metromania.bots.declare import Bot
from mmsim.metromania.mind.memory import PYTHON

GROUP = "mmsim.bots"  # of entry points


@dataclass(frozen=True)
class PythonBot(Bot):
    """A bot that Python code plays; every game gets a new object of its class."""

    kind: int = PYTHON
    player: Any = None  # the class

    def make(self) -> Any:
        return self.player(**self.changed)

    def changed_by(self, settings: Mapping[str, str]) -> "PythonBot":
        """Numbers for the arguments of its class."""
        changed = {name: self._number(name, text) for name, text in settings.items()}
        return PythonBot(self.name, self.idea, self.looks_at, changed=changed, player=self.player)


def names_file(name: str) -> bool:
    """Whether a bot is named by a file: `./mybot.py:MyBot`."""
    return name.endswith(".py")


def from_file(path: str, cls: str) -> PythonBot:
    """The bot that a class in a file plays."""
    file = Path(path)
    if not cls:
        raise UsageError(f"bot {path}: name its class too, as in {path}:MyBot")
    if not file.is_file():
        raise UsageError(f"bot {path}:{cls}: there is no file {path}")
    module_name = f"mmsim_bot_{sha256(str(file.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise MmsimError(f"bot {path}:{cls}: {path} cannot be run: {type(error).__name__}: {error}") from error
    player = getattr(module, cls, None)
    if player is None:
        classes = [name for name, thing in vars(module).items() if isinstance(thing, type)]
        raise unknown(f"class in {path}", cls, classes)
    return _bot(player, cls)


def _bot(player: Any, cls: str) -> PythonBot:
    if not callable(getattr(player, "choose", None)):
        raise UsageError(f"bot {cls} has no method choose(view, moves)")
    idea = str(getattr(player, "idea", "") or (player.__doc__ or "").strip().split("\n")[0])
    return PythonBot(str(getattr(player, "name", cls)), idea, "what its Python code looks at", player=player)


def installed() -> dict[str, PythonBot]:
    """The bots of installed packages: entry points of the group `mmsim.bots`."""
    return {point.name: _bot(point.load(), point.name) for point in entry_points(group=GROUP)}
