"""mmsim: is this variant fair, and is it more fun?

    run(what, folder, **settings)    play an experiment or a list of rulesets into a folder
    read(folder)                     open a run that is on disk
    measure(run, metrics)            metrics with their 95 % intervals, as a Polars frame
    compare(run, reference)          every variant against a reference, as a Polars frame
    record(run, number)              the record of one game
    write_report(run, folder)        write the HTML report
    find_game(name), GAMES           the games themselves
    Run, Experiment, Variant         what these functions take and return
    MmsimError                       every error, in one sentence

These names are the public interface; everything else may change. docs/how-to/python.md shows how to use them.
"""

from importlib import import_module

TYPE_CHECKING = False  # `typing` would be imported before `__main__` can take the current folder out of the path
if TYPE_CHECKING:
    from mmsim.api import compare, measure, read, record, run, write_report
    from mmsim.batch.experiment import Experiment
    from mmsim.batch.run import Run
    from mmsim.core.variant import Variant
    from mmsim.errors import MmsimError
    from mmsim.games import GAMES, find_game

__version__ = "1.0.0"

_HOMES = {
    **dict.fromkeys(("run", "read", "measure", "compare", "record", "write_report"), "mmsim.api"),
    "Run": "mmsim.batch.run",
    "Experiment": "mmsim.batch.experiment",
    "Variant": "mmsim.core.variant",
    "MmsimError": "mmsim.errors",
    **dict.fromkeys(("GAMES", "find_game"), "mmsim.games"),
}

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


def __getattr__(name: str) -> object:
    """A public name, imported when it is first used, so that importing mmsim takes no time."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mmsim' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
