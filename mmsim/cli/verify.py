"""`mmsim verify`: replay game records and say what differs."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.core.errors import UsageError
from mmsim.core.records import RecordError, read_records
from mmsim.games import DEFAULT, GAMES, find_shell


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Record files, one record or one a line; - is stdin."),
    ],
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what differs.")] = False,
) -> None:
    """Replay records with the reference engine of their game; exit code 1 if any of them differs."""
    wrong = 0
    for file in files:
        text = _read(file)
        for source in read_records(text):
            try:
                if source.problem is not None:
                    raise RecordError(source.problem)
                find_shell(_game(source.record)).verify(source.record)
            except RecordError as error:
                wrong += 1
                typer.echo(f"mmsim: error: {file}:{source.line}: {error}", err=True)
            else:
                if not quiet:
                    moves, reason = source.record["moves"], source.record["result"]["end_reason"]
                    typer.echo(f"{file}:{source.line}: ok, {len(moves)} moves, {moves[-1]['turn']} turns, {reason}")
    if wrong:
        raise typer.Exit(1)


def _game(record: Any) -> str:
    """The game a record is of; if it is of none, the first one says so."""
    name = record.get("game") if isinstance(record, dict) else None
    return name if name in GAMES else DEFAULT


def _read(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read record file {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read record file {file}: it is not UTF-8 text") from error
