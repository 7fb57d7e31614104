"""`mmsim verify`: replay game records and say what differs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.cli.common import say
from mmsim.core.records import RecordError, read_records, read_text
from mmsim.games import DEFAULT, GAMES, find_shell
from mmsim.system.safe_text import printable


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Record files, one record or one a line; - is stdin."),
    ],
    replay: Annotated[
        bool, typer.Option("--replay", help="Also have its bots play again from its seed: where it comes from.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what differs.")] = False,
) -> None:
    """Replay records with the reference engine of their game; exit code 1 if any of them differs."""
    wrong = 0
    for file in files:
        for source in read_records(read_text(file)):
            try:
                if source.problem is not None:
                    raise RecordError(source.problem)
                find_shell(_game(source.record)).verify(source.record)
                if replay:
                    from mmsim.batch.record_origin import prove_origin  # the compiled core is slow to load

                    prove_origin(source.record)
            except RecordError as error:
                wrong += 1
                say(f"mmsim: error: {printable(f'{file}:{source.line}: {error}')}", err=True)
            else:
                if not quiet:
                    moves, reason = source.record["moves"], source.record["result"]["end_reason"]
                    say(f"{file}:{source.line}: ok, {len(moves)} moves, {moves[-1]['turn']} turns, {reason}")
    if wrong:
        raise typer.Exit(1)


def _game(record: Any) -> str:
    """The game a record is of; if it is of none, the first one says so."""
    name = record.get("game") if isinstance(record, dict) else None
    return name if name in GAMES else DEFAULT
