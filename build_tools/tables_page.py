"""Every column of every table: writes `docs/tables.md` (`python -m build_tools.tables_page`)."""

from pathlib import Path

import polars as pl

from mmsim.core.game import SimulatedGame
from mmsim.games import find_game

PAGE = Path(__file__).parents[1] / "docs" / "tables.md"
SHIPPED = ("metromania", "metro")

_HEAD = """\
# The tables of a run

Every column of every table that `mmsim run` writes, one Parquet file a part (see [batches](batches.md)). What a null
means is said where there can be one. Columns of the same meaning have the same name in both games. Written by
`make docs` from what the games declare (`mmsim/metromania/engine/tables.py`, `mmsim/metro/engine/tables.py`); do not
edit.
"""
_ROWS = {"games": "game", "seats": "seat of a game", "trips": "trip of a game", "lines": "line of a game"}


def page() -> str:
    """The page as it should be."""
    return _HEAD + "".join(_of_game(name) for name in SHIPPED)


def _of_game(name: str) -> str:
    game = find_game(name)
    return "".join(_of_table(f"{name.capitalize()}: `{table}`", table, game) for table in game.tables)


def _of_table(title: str, table: str, game: SimulatedGame) -> str:
    head = f"\n## {title}, a row a {_ROWS[table]}\n\n| column | type | what it says |\n|---|---|---|\n"
    columns, texts = game.tables[table], game.columns[table]
    return head + "".join(f"| `{name}` | {_type(kind)} | {texts[name]} |\n" for name, kind in columns.items())


def _type(kind: pl.DataType) -> str:
    if isinstance(kind, pl.Enum):
        return "one of " + ", ".join(f"`{word}`" for word in kind.categories)
    names = {pl.Categorical: "text", pl.String: "text", pl.Boolean: "true or false"}
    if text := names.get(kind.base_type()):
        return text
    return "number" if kind.is_float() else "whole number"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"docs/{PAGE.name} written")


if __name__ == "__main__":
    main()
