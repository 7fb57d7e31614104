"""Bots that a user writes in Python: a class with `choose(view, moves)` in a file of its own."""

import inspect
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from mmsim.core.errors import UsageError, unknown


@dataclass(frozen=True)
class PythonBot:
    """A class that chooses moves; every game has an object of its own."""

    name: str  # as it is written: `file.py:Class`
    kind: type

    def new(self) -> Any:
        return self.kind()


def is_python(item: str) -> bool:
    return item.endswith(".py") or ".py:" in item


def load_bot(item: str) -> PythonBot:
    """The bot of `file.py:Class`; the class may be left out where there is only one with `choose`."""
    file, _, wanted = item.partition(".py")
    path = Path(f"{file}.py")
    spec = spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UsageError(f"cannot read the bot file {path}")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"the bot file {path} does not load: {type(error).__name__}: {error}") from error
    kinds = {
        name: kind
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if callable(getattr(kind, "choose", None)) and kind.__module__ == module.__name__
    }
    name = wanted.removeprefix(":") or (next(iter(kinds)) if len(kinds) == 1 else "")
    if not name:
        raise UsageError(f"the bot file {path} has {len(kinds)} classes with choose(view, moves); write {path}:NAME")
    if name not in kinds:
        raise unknown(f"bot in {path}", name, kinds)
    return PythonBot(f"{path.name}:{name}", kinds[name])
