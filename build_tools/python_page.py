"""`docs/reference/python.md`: the names that `import mmsim` gives, from their signatures, docstrings and comments."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import mmsim
from build_tools.markdown import SHIPPED, code, table
from mmsim.core.game import SimulatedGame

_HEAD = """\
# Python

`import mmsim` gives these names. Nothing else is public: everything behind them may change. `help(mmsim)` prints the
same; [From Python](../how-to/python.md) shows how to use them. Written by `make docs`; do not edit.
"""
_FUNCTIONS = ("run", "read", "measure", "compare", "record", "write_report", "find_game")
_RUN = {  # the members of a run that are public
    "games, seats, ...": "its tables as lazy Polars frames; `table_names` lists them",
    "table_names": "the names of its tables",
    "variant_names": "the names of its variants; where one is asked for, an unambiguous beginning will do",
    "experiment": "",
    "folder": "where it is",
}
_NOTES = {"Experiment": "The fields are the keys of [its file](experiment-files.md).\n\n"}
_GAME = ("prepare", "play_games", "frame", "new_game")


def page() -> str:
    return _HEAD + "".join(_sections())


def _sections() -> Iterator[str]:
    for name in _FUNCTIONS:
        function = getattr(mmsim, name)
        yield f"\n## {name}\n\n```python\n{_signature(function)}\n```\n\n{inspect.getdoc(function)}\n"
    members = [(f"`{name}`", _docstring(SimulatedGame, name)) for name in _GAME]
    yield f"\nA game has many members; these four are public:\n\n{table(('member', 'meaning'), members)}"
    yield f"\n## GAMES\n\nThe names of the games: {', '.join(map(code, SHIPPED))}, and those of installed packages.\n"
    rows = [(code(name), text or _docstring(mmsim.Run, name)) for name, text in _RUN.items()]
    yield f"\n## Run\n\n{inspect.getdoc(mmsim.Run)}\n\n{table(('member', 'meaning'), rows)}"
    for kind in (mmsim.Experiment, mmsim.Variant):
        fields = table(("field", "type", "default", "meaning"), _fields(kind))
        yield f"\n## {kind.__name__}\n\n{inspect.getdoc(kind)}\n\n{_NOTES.get(kind.__name__, '')}{fields}"
    yield f"\n## MmsimError\n\n{inspect.getdoc(mmsim.MmsimError)} Every error of mmsim for users is one.\n"


def _docstring(kind: type, name: str) -> str:
    return (inspect.getdoc(inspect.getattr_static(kind, name)) or "").replace("\n", " ").removesuffix(".")


def _signature(function: Any) -> str:
    """As it is written, without its docstring and body."""
    written, _, _ = textwrap.dedent(inspect.getsource(function)).partition(':\n    """')
    return written.replace("def ", "mmsim.", 1)


def _fields(kind: type) -> Iterator[tuple[str, str, str, str]]:
    """The fields of a dataclass: name, type, default, and the comment behind it."""
    source = textwrap.dedent(inspect.getsource(kind))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    for field in definition.body:
        if isinstance(field, ast.AnnAssign):
            _, _, comment = source.splitlines()[field.lineno - 1].partition("  # ")
            default = ast.unparse(field.value) if field.value else ""
            yield code(ast.unparse(field.target)), code(ast.unparse(field.annotation)), code(default), comment
