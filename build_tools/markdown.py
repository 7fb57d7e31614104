"""What the generated pages of docs/reference are made with."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from typer.testing import CliRunner

from mmsim.cli.commands import app

SHIPPED = ("metromania", "metro")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; empty columns are left out."""
    cells = [[str(cell).replace("\n", " ").replace("|", "\\|") for cell in row] for row in rows]
    kept = [place for place in range(len(columns)) if any(row[place] for row in cells)]
    lines = [" | ".join(columns[place] for place in kept), "|".join("---" for _ in kept)]
    lines += [" | ".join(row[place] for place in kept) for row in cells]
    return "".join(f"| {line} |\n" if "---" not in line else f"|{line}|\n" for line in lines)


def ask(*words: str) -> Any:
    """What a command says with `--json`."""
    outcome = CliRunner().invoke(app, [*words, "--json"])
    assert outcome.exit_code == 0, outcome.output
    return json.loads(outcome.stdout)


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""
