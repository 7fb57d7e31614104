"""`mmsim verify`: replay game records and say what differs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.batch.record_origin import prove_origin
from mmsim.cli.console import say
from mmsim.core.records import RecordError, read_records, read_text
from mmsim.games import DEFAULT, GAMES, find_shell
from mmsim.system.safe_text import printable


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files with one record, or one record per line; - is stdin."),
    ],
    replay: Annotated[
        bool, typer.Option("--replay", help="Also let the bots play the game again from its seed, to prove its origin.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the records that differ.")] = False,
) -> None:
    """Replay records with the reference engine of their game.

    The exit code is 1 if any of them differs.
    """
    failed = False
    for file in files:
        for source in read_records(read_text(file)):
            try:
                if source.problem is not None:
                    raise RecordError(source.problem)
                find_shell(game_of_record(source.record)).verify(source.record)
                if replay:
                    prove_origin(source.record)
            except RecordError as error:
                failed = True
                say(f"mmsim: error: {printable(f'{file}:{source.line}: {error}')}", err=True)
            else:
                if not quiet:
                    say(f"{file}:{source.line}: ok, {_summary(source.record)}")
    if failed:
        raise typer.Exit(1)


def game_of_record(record: Any) -> str:
    """The game that a record names; if it names none that is known, the default one, which says so."""
    name = record.get("game") if isinstance(record, dict) else None
    return name if name in GAMES else DEFAULT


def _summary(record: dict[str, Any]) -> str:
    moves = record["moves"]
    facts = [f"{len(moves)} moves", f"{moves[-1]['turn']} turns" if moves else "", record["result"].get("end_reason")]
    return ", ".join(filter(None, facts))
