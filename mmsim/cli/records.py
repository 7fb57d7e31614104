"""`mmsim record`, `replay`, `draw` and `verify`: records of single games."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.batch.check import prove_origin, replay_record
from mmsim.batch.remarkable import remarkable
from mmsim.batch.run import Run
from mmsim.batch.side_tables import win_chances_of
from mmsim.cli import options
from mmsim.cli.console import save, say, say_error
from mmsim.cli.options import argument, option
from mmsim.core.game import EstimatesWinChances
from mmsim.core.records import RecordError, read_one, read_records, read_text
from mmsim.core.replay import Replay
from mmsim.core.shell import ReplaysRecords
from mmsim.drawing import animation
from mmsim.drawing.board_canvas import picture_kind
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, GAMES, find_game, find_shell
from mmsim.report.replay_page import page
from mmsim.system.files import DASH, checked_file_name

_KINDS = (".html", ".gif")  # of files that show a whole game
RecordOrRun = Annotated[Path, argument("FILE|RUN", "A record of a game (play --record; - is stdin), or a run.")]
Number = Annotated[int | None, option("--number N", "Which game of a run, counted from 0.", min=0)]


def record(
    folder: options.RunFolder,
    number: Annotated[int, option("--number N", "Which game, counted from 0.", min=0)],
    out: Annotated[Path, option("--out FILE", "Write the record (JSON) here.")],
    variant: options.VariantOfGame = None,
    bots_from: options.BotsFrom = None,
) -> None:
    run = Run(folder, bots_from)
    played_again = replay_record(run, run.variant_index(variant), number)
    save("record", out, (json.dumps(played_again, ensure_ascii=False) + "\n").encode())


def replay(
    record_or_run: RecordOrRun,
    variant: options.VariantOfGame = None,
    number: Number = None,
    bots_from: options.BotsFrom = None,
    out: Annotated[
        Path | None,
        option(
            "--out FILE",
            "The file: .html is a page to step through, .gif an animation. Default: a page next to the record, or in "
            "this folder.",
        ),
    ] = None,
    playouts: Annotated[
        int, option("--playouts N", "Playouts per turn, to estimate who is likely to win; 0: no estimates.", min=0)
    ] = 100,
    seconds: Annotated[float, option("--seconds X", "How long a GIF shows each turn.", min=0.02, max=60)] = 0.8,
    open_in_browser: options.OpenInBrowser = False,
) -> None:
    """Of a run without --number it lists the remarkable games."""
    record_or_run = options.run_folder(record_or_run)
    if number is None and record_or_run != DASH and record_or_run.is_dir():
        _list_remarkable(Run(record_or_run, bots_from))
        return
    source = _find_record(record_or_run, variant, number, bots_from)
    path = out or source.page
    kind = ".html" if path == DASH else path.suffix.lower()
    if kind not in _KINDS:
        raise UsageError(f"unknown file type '{path}'; use a name ending in {', '.join(_KINDS)}")
    game = source.replay()
    say(f"{game.heading}: {len(game.steps) - 1} steps", err=True)
    if kind == ".html" and playouts:
        game = replace(game, chances=source.win_chances(playouts))
    save(kind[1:], path, _render(game, kind, seconds))
    if open_in_browser and path != DASH:
        typer.launch(path.resolve().as_uri())


def draw(
    record_or_run: RecordOrRun,
    out: Annotated[Path, option("--out FILE", "The picture, .png or .svg.")],
    turn: Annotated[int | None, option("--turn N", "The position after this turn. Default: the end.", min=0)] = None,
    variant: options.VariantOfGame = None,
    number: Number = None,
    bots_from: options.BotsFrom = None,
) -> None:
    kind = picture_kind(out)
    game = _find_record(options.run_folder(record_or_run), variant, number, bots_from).replay()
    last = game.steps[-1].turn
    if turn is not None and turn > last:
        raise UsageError(f"the game has {last} turns; there is no turn {turn}")
    step = len(game.steps) - 1 if turn is None else game.end_of_turn(turn)
    save("picture", out, animation.picture(game.animation, step, kind))


def verify(
    files: Annotated[list[Path], argument("FILE...", "Files with one record, or one record per line; - is stdin.")],
    replay: Annotated[bool, option("--replay", "Also play the game again from its seed, to prove its origin.")] = False,
    quiet: Annotated[bool, option("--quiet", "Print only the records that differ.")] = False,
) -> None:
    """The exit code is 1 if any of them differs."""
    failed = False
    for file in files:
        for source in read_records(read_text(file)):
            try:
                if source.problem is not None:
                    raise RecordError(source.problem)
                find_shell(_game_of_record(source.record)).verify(source.record)
                if replay:
                    prove_origin(source.record)
            except RecordError as error:
                failed = True
                say_error(f"{file}:{source.line}: {error}")
            else:
                if not quiet:
                    say(f"{file}:{source.line}: ok, {_summary(source.record)}")
    if failed:
        raise typer.Exit(1)


def _game_of_record(record: Any) -> str:
    """The game that a record names; if that is not a known game, the default one, which reports it."""
    name = record.get("game") if isinstance(record, dict) else None
    return name if name in GAMES else DEFAULT


def _summary(record: dict[str, Any]) -> str:
    moves = record["moves"]
    facts = [f"{len(moves)} moves", f"{moves[-1]['turn']} turns" if moves else "", record["result"].get("end_reason")]
    return ", ".join(filter(None, facts))


@dataclass(frozen=True)
class _Source:
    """A record and where it comes from."""

    record: Any
    name: str
    page: Path  # where its page is written by default
    known_chances: Sequence[Sequence[float]] = ()  # stored by its run

    def replay(self) -> Replay:
        shell = find_shell(_game_of_record(self.record))
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


def _find_record(path: Path, variant: str | None, number: int | None, bots_from: Path | None) -> _Source:
    if path == DASH or not path.is_dir():
        if variant is not None or number is not None:
            raise UsageError(f"--variant and --number need a run, but {path} is not a folder")
        return _Source(
            read_one(path),
            str(path),
            Path("replay.html") if path == DASH else path.with_suffix(".html"),
        )
    run = Run(path, bots_from)
    if number is None:
        raise UsageError(f"say which game of {run.folder}: --number, from 0 to {run.games_per_variant - 1}")
    index = run.variant_index(variant)
    name = run.variant_names[index]
    known = win_chances_of(run.folder, name, number)
    page_file = Path(checked_file_name(f"{name}-{number}.html".replace("/", "-"), "the variant"))
    return _Source(replay_record(run, index, number), str(run.folder), page_file, known)


def _list_remarkable(run: Run) -> None:
    """The games of a run that are worth a look, and the commands that show them."""
    games = remarkable(run.scan_by_name("games"), run.variant_names)
    if not games:
        raise UsageError(f"say which game of {run.folder}: --number, from 0 to {run.games_per_variant - 1}")
    say(f"Which game of {run.folder}? These stand out:")
    for game in games:
        name = run.variant_names[game.variant]
        words = ["mmsim", "replay", str(run.folder), "--variant", name, "--number", str(game.game)]
        say(f"  the {game.kind} game, {game.text}:")
        say(f"    {shlex.join(words)}")
    say(f"Any other: --number N, from 0 to {run.games_per_variant - 1}, with --variant if there are several.")


def _render(game: Replay, kind: str, seconds: float) -> bytes:
    if kind == ".html":
        return page(game).encode()
    turns = range(game.steps[-1].turn + 1)
    steps = list(dict.fromkeys([*(game.end_of_turn(turn) for turn in turns), len(game.steps) - 1]))
    return animation.gif(game.animation, steps, seconds)
