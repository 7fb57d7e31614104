"""mmsim: is this variant fair, and is it more fun? All that Python code needs; docs/python.md shows how."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmsim.api import compare, measure, read, record, run, write_report
    from mmsim.batch.experiment import Experiment
    from mmsim.batch.run import Run
    from mmsim.core.game import Variant
    from mmsim.errors import MmsimError
    from mmsim.games import GAMES, find_game

__version__ = "0.1.0"

__all__ = [
    "GAMES",
    "Experiment",
    "MmsimError",
    "Run",
    "Variant",
    "compare",
    "find_game",
    "measure",
    "read",
    "record",
    "run",
    "write_report",
]

_HOMES = {
    **dict.fromkeys(("compare", "measure", "read", "record", "run", "write_report"), "mmsim.api"),
    "Experiment": "mmsim.batch.experiment",
    "Run": "mmsim.batch.run",
    "MmsimError": "mmsim.errors",
    "Variant": "mmsim.core.game",
    **dict.fromkeys(("GAMES", "find_game"), "mmsim.games"),
}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, imported when it is first asked for: who only wants the version does not wait."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mmsim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
