"""`mmsim replay` and `mmsim draw`: a recorded game to step through, or as a picture."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.cli.common import say
from mmsim.core.errors import UsageError
from mmsim.core.files import STDOUT, write_output
from mmsim.core.records import RecordError, read_one
from mmsim.core.shell import Replay, Replays
from mmsim.games import DEFAULT, GAMES, find_shell

_KINDS = (".html", ".gif", ".png", ".svg")
_PICTURES = (".png", ".svg")

RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A record of a game (play --record); - is stdin.")]
Turn = Annotated[
    int | None, typer.Option("--turn", min=0, help="The position after this turn; if not given, the final one.")
]


def replay(
    file: RecordFile,
    out: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="Where to: .html is a page to step through, .gif a film, .png a sheet of many positions; "
            "if not given, a page beside the record.",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.02, max=60, help="How long a GIF shows a turn.")] = 0.8,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Step through a recorded game: a page that needs nothing else, a GIF, or a sheet of pictures."""
    path = out or (Path("replay.html") if file == STDOUT else file.with_suffix(".html"))
    kind = _kind(path, _KINDS)
    game = _game(file)
    say(f"{game.heading}: {len(game.moments) - 1} steps", err=True)
    write_output(path, _made(game, kind, seconds))
    say(f"{kind[1:]} -> {path}", err=True)
    if show and path != STDOUT:
        typer.launch(path.resolve().as_uri())


def draw(
    file: RecordFile,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The picture, .png or .svg.")],
    turn: Turn = None,
) -> None:
    """Draw a position of a recorded game."""
    from mmsim.drawing import film  # matplotlib is slow to import; only pictures pay for it

    kind = _kind(out, _PICTURES)
    game = _game(file)
    last = game.moments[-1].turn
    if turn is not None and turn > last:
        raise UsageError(f"the game has {last} turns; there is no turn {turn}")
    moment = len(game.moments) - 1 if turn is None else game.end_of_turn(turn)
    write_output(out, film.picture(game.film, moment, kind))
    say(f"picture -> {out}", err=True)


def _kind(path: Path, kinds: tuple[str, ...]) -> str:
    kind = ".html" if path == STDOUT and ".html" in kinds else path.suffix.lower()
    if kind not in kinds:
        raise UsageError(f"cannot tell from '{path}' what is wanted; its name may end in {', '.join(kinds)}")
    return kind


def _game(file: Path) -> Replay:
    record: Any = read_one(file)
    name = record.get("game") if isinstance(record, dict) else None
    shell = find_shell(name if name in GAMES else DEFAULT)
    if not isinstance(shell, Replays):
        raise UsageError(f"games of {shell.name} cannot be drawn")
    try:
        return shell.replay(record)
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from error


def _made(game: Replay, kind: str, seconds: float) -> bytes:
    if kind == ".html":
        from mmsim.report.replay import page

        return page(game).encode()
    from mmsim.drawing import film

    if kind == ".svg":
        return film.svg(game.film)
    turns = range(game.moments[-1].turn + 1)
    moments = list(dict.fromkeys([*(game.end_of_turn(turn) for turn in turns), len(game.moments) - 1]))
    return film.gif(game.film, moments, seconds) if kind == ".gif" else film.contact_sheet(game.film, moments)
