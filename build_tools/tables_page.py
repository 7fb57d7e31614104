"""`docs/reference/tables.md`: every column of every table, described."""

import polars as pl

from build_tools.markdown import SHIPPED, code, table
from mmsim.core.game import SimulatedGame
from mmsim.games import find_game

_HEAD = """\
# The tables of a run

Every column of every table of a run: in [its folder](run-folder.md), as [`mmsim export`](../how-to/export.md) writes
it, and in [Python](../how-to/python.md). Where a column can be null, its description says what that means. Columns with
the same meaning have the same name in both games. Written by `make docs` from the declarations in
`mmsim/metromania/engine/result_tables.py` and `mmsim/metro/engine/result_tables.py`; do not edit.
"""
_ROWS = {"games": "game", "seats": "seat and game", "trips": "trip and game", "lines": "line and game"}


def page() -> str:
    return _HEAD + "".join(_game_section(name) for name in SHIPPED)


def _game_section(name: str) -> str:
    game = find_game(name)
    return "".join(_table_section(f"{name.capitalize()}: `{rows}`", rows, game) for rows in game.tables)


def _table_section(title: str, name: str, game: SimulatedGame) -> str:
    rows = [(code(column), _type(kind), game.columns[name][column]) for column, kind in game.tables[name].items()]
    return f"\n## {title}, one row per {_ROWS[name]}\n\n{table(('column', 'type', 'description'), rows)}"


def _type(kind: pl.DataType) -> str:
    if isinstance(kind, pl.Enum):
        return "one of " + ", ".join(f"`{word}`" for word in kind.categories)
    names = {pl.Categorical: "text", pl.String: "text", pl.Boolean: "true or false"}
    if text := names.get(kind.base_type()):
        return text
    return "number" if kind.is_float() else "whole number"
