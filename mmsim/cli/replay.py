"""`mmsim replay` and `mmsim draw`: step through a recorded game, or draw one position of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.batch.check import record
from mmsim.batch.run import Run
from mmsim.batch.win_chances import win_chances_of
from mmsim.cli import options
from mmsim.cli.console import save, say
from mmsim.cli.verify import game_of_record
from mmsim.core.game import EstimatesWinChances
from mmsim.core.records import RecordError, read_one
from mmsim.core.shell import Replay, ReplaysRecords
from mmsim.drawing import animation
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell
from mmsim.report.replay_page import page
from mmsim.system.files import STDOUT, file_name

Recorded = Annotated[
    Path, typer.Argument(metavar="FILE|RUN", help="A record of a game (play --record; - is stdin), or a run.")
]
Number = Annotated[int | None, typer.Option("--number", min=0, help="Which game of a run, counted from 0.")]


def replay(
    what: Recorded,
    variant: options.VariantOfGame = None,
    number: Number = None,
    bots_from: options.BotsFrom = None,
    out: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="The file: .html is a page to step through, .gif an animation, .png a contact sheet, .svg all "
            "positions in one drawing. Default: a page next to the record, or in this folder.",
        ),
    ] = None,
    playouts: Annotated[
        int, typer.Option(min=0, help="Playouts per turn, to estimate who is likely to win; 0: no estimates.")
    ] = 100,
    seconds: Annotated[float, typer.Option(min=0.02, max=60, help="How long a GIF shows each turn.")] = 0.8,
    show: options.OpenInBrowser = False,
) -> None:
    """Step through a recorded game: a web page, a GIF or a contact sheet."""
    source = _find_record(what, variant, number, bots_from)
    path = out or source.page
    kind = _file_kind(path, (".html", ".gif", ".png", ".svg"))
    game = source.replay()
    say(f"{game.heading}: {len(game.moments) - 1} steps", err=True)
    if kind == ".html" and playouts:
        game = replace(game, chances=source.win_chances(playouts))
    save(kind[1:], path, _render(game, kind, seconds))
    if show and path != STDOUT:
        typer.launch(path.resolve().as_uri())


def draw(
    what: Recorded,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The picture, .png or .svg.")],
    turn: Annotated[
        int | None, typer.Option("--turn", min=0, help="The position after this turn. Default: the final position.")
    ] = None,
    variant: options.VariantOfGame = None,
    number: Number = None,
    bots_from: options.BotsFrom = None,
) -> None:
    """Draw one position of a recorded game."""
    kind = _file_kind(out, (".png", ".svg"))
    game = _find_record(what, variant, number, bots_from).replay()
    last = game.moments[-1].turn
    if turn is not None and turn > last:
        raise UsageError(f"the game has {last} turns; there is no turn {turn}")
    step = len(game.moments) - 1 if turn is None else game.end_of_turn(turn)
    save("picture", out, animation.picture(game.film, step, kind))


@dataclass(frozen=True)
class _Source:
    """A record and where it comes from."""

    record: Any
    name: str
    page: Path  # where its page is written by default
    known_chances: Sequence[Sequence[float]] = ()  # that its run has stored

    def replay(self) -> Replay:
        shell = find_shell(game_of_record(self.record))
        if not isinstance(shell, ReplaysRecords):
            raise UsageError(f"games of {shell.name} cannot be drawn")
        try:
            return shell.replay(self.record)
        except RecordError as error:
            raise RecordError(f"{self.name}: {error}") from error

    def win_chances(self, playouts: int) -> Sequence[Sequence[float]]:
        """The chances to win that the run has stored, else estimated by playouts; the record has been verified."""
        game = find_game(self.record["game"])
        if self.known_chances or not isinstance(game, EstimatesWinChances):
            return self.known_chances
        chances: list[list[float]] = game.win_chances(self.record, playouts).tolist()
        return chances


def _find_record(what: Path, variant: str | None, number: int | None, bots_from: Path | None) -> _Source:
    if what == STDOUT or not what.is_dir():
        if variant is not None or number is not None:
            raise UsageError(f"--variant and --number are for runs, and {what} is no folder")
        return _Source(read_one(what), str(what), Path("replay.html") if what == STDOUT else what.with_suffix(".html"))
    run = Run(what, bots_from)
    if number is None:
        raise UsageError(f"say which game of {run.folder}: --number, from 0 to {run.games_asked - 1}")
    index = run.variant_index(variant)
    name = run.variant_names[index]
    known = win_chances_of(run.folder, name, number)
    path = Path(file_name(f"{name}-{number}.html", "the variant"))
    return _Source(record(run, index, number), str(run.folder), path, () if known is None else known.tolist())


def _file_kind(path: Path, kinds: tuple[str, ...]) -> str:
    kind = ".html" if path == STDOUT and ".html" in kinds else path.suffix.lower()
    if kind not in kinds:
        raise UsageError(f"cannot tell from '{path}' what is wanted; its name may end in {', '.join(kinds)}")
    return kind


def _render(game: Replay, kind: str, seconds: float) -> bytes:
    if kind == ".html":
        return page(game).encode()
    if kind == ".svg":
        return animation.svg(game.film)
    turns = range(game.moments[-1].turn + 1)
    steps = list(dict.fromkeys([*(game.end_of_turn(turn) for turn in turns), len(game.moments) - 1]))
    return animation.gif(game.film, steps, seconds) if kind == ".gif" else animation.contact_sheet(game.film, steps)
