"""`mmsim replay` and `mmsim draw`: a recorded game to step through, or as a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mmsim.cli.common import say
from mmsim.cli.run import BotsFrom
from mmsim.core.game import Foresees
from mmsim.core.records import RecordError, read_one
from mmsim.core.shell import Replay, Replays
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, GAMES, find_game, find_shell
from mmsim.system.files import STDOUT, file_name, write_output

if TYPE_CHECKING:
    from mmsim.batch.run import Run

_KINDS = (".html", ".gif", ".png", ".svg")
_PICTURES = (".png", ".svg")
_PLAYOUTS = 100

Recorded = Annotated[
    Path, typer.Argument(metavar="FILE|RUN", help="A record of a game (play --record; - is stdin), or a run.")
]
VariantName = Annotated[str | None, typer.Option("--variant", help="Of a run: which variant, if there are several.")]
Number = Annotated[int | None, typer.Option("--number", min=0, help="Of a run: which game, from 0 on.")]
Turn = Annotated[
    int | None, typer.Option("--turn", min=0, help="The position after this turn; if not given, the final one.")
]


def replay(
    what: Recorded,
    variant: VariantName = None,
    number: Number = None,
    bots_from: BotsFrom = None,
    out: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="Where to: .html is a page to step through, .gif a film, .png a sheet of many positions; "
            "if not given, a page beside the record, or here.",
        ),
    ] = None,
    playouts: Annotated[
        int,
        typer.Option(min=0, help="Games played out after every turn to see who is likely to win; 0: no chances."),
    ] = _PLAYOUTS,
    seconds: Annotated[float, typer.Option(min=0.02, max=60, help="How long a GIF shows a turn.")] = 0.8,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Step through a recorded game: a page that needs nothing else, a GIF, or a sheet of pictures."""
    source = _source(what, variant, number, bots_from)
    path = out or source.page
    kind = _kind(path, _KINDS)
    game = source.replay()
    say(f"{game.heading}: {len(game.moments) - 1} steps", err=True)
    if kind == ".html" and playouts:
        game = replace(game, chances=source.chances(playouts))
    write_output(path, _made(game, kind, seconds))
    say(f"{kind[1:]} -> {path}", err=True)
    if show and path != STDOUT:
        typer.launch(path.resolve().as_uri())


def draw(
    what: Recorded,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The picture, .png or .svg.")],
    turn: Turn = None,
    variant: VariantName = None,
    number: Number = None,
    bots_from: BotsFrom = None,
) -> None:
    """Draw a position of a recorded game."""
    from mmsim.drawing import animation  # only pictures pay for what it imports

    kind = _kind(out, _PICTURES)
    game = _source(what, variant, number, bots_from).replay()
    last = game.moments[-1].turn
    if turn is not None and turn > last:
        raise UsageError(f"the game has {last} turns; there is no turn {turn}")
    moment = len(game.moments) - 1 if turn is None else game.end_of_turn(turn)
    write_output(out, animation.picture(game.film, moment, kind))
    say(f"picture -> {out}", err=True)


@dataclass(frozen=True)
class _Source:
    """A record, and where it was found."""

    record: Any
    name: str
    page: Path  # where a page of it goes
    known: Sequence[Sequence[float]] = ()  # chances to win that a run has

    def replay(self) -> Replay:
        name = self.record.get("game") if isinstance(self.record, dict) else None
        shell = find_shell(name if name in GAMES else DEFAULT)
        if not isinstance(shell, Replays):
            raise UsageError(f"games of {shell.name} cannot be drawn")
        try:
            return shell.replay(self.record)
        except RecordError as error:
            raise RecordError(f"{self.name}: {error}") from error

    def chances(self, playouts: int) -> Sequence[Sequence[float]]:
        """The chances of a record that is one: those of its run, else found by playing it out."""
        game = find_game(self.record["game"])
        if self.known or not isinstance(game, Foresees):
            return self.known
        found: list[list[float]] = game.chances(self.record, playouts).tolist()
        return found


def _source(what: Path, variant: str | None, number: int | None, bots_from: Path | None) -> _Source:
    if what != STDOUT and what.is_dir():
        from mmsim.batch.run import Run

        return _of_run(Run(what, bots_from), variant, number)
    if variant is not None or number is not None:
        raise UsageError(f"--variant and --number are for runs, and {what} is no folder")
    return _Source(read_one(what), str(what), Path("replay.html") if what == STDOUT else what.with_suffix(".html"))


def _of_run(run: "Run", variant: str | None, number: int | None) -> _Source:
    from mmsim.batch.check import record
    from mmsim.batch.win_chances import chances_of

    if number is None:
        raise UsageError(f"say which game of {run.folder}: --number, from 0 to {run.games_asked - 1}")
    which = run.variant_index(variant)
    name = run.variant_names[which]
    known = chances_of(run.folder, name, number)
    page = Path(file_name(f"{name}-{number}.html", "the variant"))
    return _Source(record(run, which, number), str(run.folder), page, () if known is None else known.tolist())


def _kind(path: Path, kinds: tuple[str, ...]) -> str:
    kind = ".html" if path == STDOUT and ".html" in kinds else path.suffix.lower()
    if kind not in kinds:
        raise UsageError(f"cannot tell from '{path}' what is wanted; its name may end in {', '.join(kinds)}")
    return kind


def _made(game: Replay, kind: str, seconds: float) -> bytes:
    if kind == ".html":
        from mmsim.report.replay_page import page

        return page(game).encode()
    from mmsim.drawing import animation

    if kind == ".svg":
        return animation.svg(game.film)
    turns = range(game.moments[-1].turn + 1)
    moments = list(dict.fromkeys([*(game.end_of_turn(turn) for turn in turns), len(game.moments) - 1]))
    return animation.gif(game.film, moments, seconds) if kind == ".gif" else animation.contact_sheet(game.film, moments)
