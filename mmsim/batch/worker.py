"""A worker: plays the games of a part into the Parquet files of its tables, and tells how far it is."""

import hashlib
import io
import logging
import os
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from multiprocessing_logging import MultiProcessingHandler

from mmsim.batch.digest import row_digest
from mmsim.batch.experiment import ReadyVariant
from mmsim.batch.journal import BotFailure, Entry, File
from mmsim.batch.plan import Part
from mmsim.batch.tally import seat_shares
from mmsim.core.game import GameRows, SimulatedGame, Teaches, Variant
from mmsim.errors import MmsimError
from mmsim.games import find_game
from mmsim.system.files import write_atomically
from mmsim.system.processes import be_a_helper

if TYPE_CHECKING:
    import polars as pl

LOG = logging.getLogger("mmsim.run")
LESSONS = "lessons"  # the folder of what is collected to learn from
_LESSONS_AT_ONCE = 8  # games
_PARENT_GONE = (EOFError, BrokenPipeError, ConnectionResetError)
_LONGEST_MESSAGE = 2000  # letters of a failed bot's that are kept
_BEAT_S = 0.5  # how often a worker would like to tell how far it is

Pipe: TypeAlias = "connection.Connection[Any, Any]"
Tell = Callable[[int], None]  # is called with how many games of the part are done


@dataclass(frozen=True)
class FinishedPart:
    """A part that has been played: its journal entry and its files."""

    entry: Entry
    files: dict[str, bytes]


class Player:
    """Plays parts; a variant is prepared when its first part comes."""

    def __init__(self, game: str, empty: Mapping[str, bytes] | None = None) -> None:
        """`empty` are files without rows of all tables, `core/frames.empty_files`; who has none makes them here."""
        self._game: SimulatedGame = find_game(game)
        self._empty = empty
        self._prepared: dict[int, ReadyVariant] = {}
        self._pace: dict[int, float] = {}  # games a second

    def play(
        self, part: Part, variant: Variant, tell: Tell = lambda done: None, one_by_one: bool = False
    ) -> FinishedPart:
        """Play a part; `one_by_one`: tell of every single game before it is played."""
        from mmsim.tables.parquet import parquet  # NumPy takes a moment to import

        began = time.perf_counter()
        ready = self.prepare(part.variant, variant)
        tables = self._rows(ready.prepared, part, tell, one_by_one)
        empty = self._empty = self._empty or empty_files(self._game)
        files, described = {}, {}
        for table, rows in tables.items():
            columns = self._game.values(ready.prepared, table, rows)
            files[table] = data = parquet(empty[table], columns)
            described[table] = File(len(rows), len(data), hashlib.sha256(data).hexdigest(), row_digest(columns))
        entry = Entry(
            part.number,
            part.variant,
            part.first,
            part.count,
            described,
            [(tally.count, tally.mean, tally.squares) for tally in seat_shares(tables, ready.games_a_deal)],
            [BotFailure(one.game, one.seat, one.bot, one.message[:_LONGEST_MESSAGE]) for one in tables.errors],
            round(time.perf_counter() - began, 3),
        )
        return FinishedPart(entry, files)

    def collect(self, part: Part, variant: Variant, learner: str, tell: Tell = lambda done: None) -> FinishedPart:
        """The decisions of a bot in the games of a part, to learn from: one table, and no rows of games."""
        import polars as pl

        began = time.perf_counter()
        game, ready = self._game, self.prepare(part.variant, variant)
        if not isinstance(game, Teaches):
            raise MmsimError(f"the bots of {game.name} cannot be trained")
        spells = []
        for done in range(0, part.count, _LESSONS_AT_ONCE):
            tell(done)
            games = min(_LESSONS_AT_ONCE, part.count - done)
            spells.append(_frame(game.lessons(ready.prepared, part.first + done, games, learner)))
        file = io.BytesIO()
        pl.concat(spells).write_parquet(file)
        seconds = round(time.perf_counter() - began, 3)
        entry = Entry(part.number, part.variant, part.first, part.count, {}, [], [], seconds)
        return FinishedPart(entry, {LESSONS: file.getvalue()})

    def prepare(self, number: int, variant: Variant) -> ReadyVariant:
        """The variant of a number; kept until the number stands for another one."""
        ready = self._prepared.get(number)
        if ready is None or ready.variant != variant:
            self._prepared[number] = ready = ReadyVariant.of(self._game, variant)
        return ready

    def _rows(self, prepared: Any, part: Part, tell: Tell, one_by_one: bool) -> GameRows:
        """The rows of a part, in spells short enough to be heard of; a game does not know which spell it is in."""
        spells: list[GameRows] = []
        done = 0
        while done < part.count:
            tell(done)
            games = 1 if one_by_one else max(1, int(self._pace.get(part.variant, 20) * _BEAT_S))
            games = min(games, part.count - done)
            began = time.perf_counter()
            spells.append(self._game.play_games(prepared, part.first + done, games))
            self._pace[part.variant] = games / max(time.perf_counter() - began, 1e-6)
            done += games
        if len(spells) == 1:
            return spells[0]
        import numpy as np  # takes a moment to import

        rows = {table: np.concatenate([spell[table] for spell in spells]) for table in spells[0]}
        errors = [error for spell in spells for error in spell.errors]
        return GameRows(rows, sum(spell.decisions for spell in spells), errors)


def _frame(rows: Any) -> "pl.DataFrame":
    """Rows of `Teaches.lessons` as a data frame."""
    import polars as pl

    return pl.DataFrame({name: pl.Series(rows[name].copy()) for name in rows.dtype.names})


def empty_files(game: SimulatedGame) -> dict[str, bytes]:
    """Files without rows of all tables of a game."""
    from mmsim.tables import frames  # Polars takes a moment to import; workers are given theirs

    return frames.empty_files(game.tables)


def write_part(folder: Path, part: Part, files: dict[str, bytes]) -> None:
    """Put the files of a part in place; whoever writes its line into a journal has them synced before."""
    for table, data in files.items():
        write_atomically(folder / table / part.file, data, synced=False)


# --- a process of the pool -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A part to play, its variant and how that is called; `one_by_one` after it has failed, to find the game.

    With a `learner` it is the decisions of that bot that are wanted, and not the games. The `stamp` is that of the
    variant as whoever asks has prepared it; a worker that prepares another one does not play.
    """

    part: Part
    variant: Variant
    name: str
    one_by_one: bool = False
    learner: str | None = None
    stamp: str | None = None


class _ToParent(MultiProcessingHandler):  # type: ignore[misc]
    """Log lines through the worker's own pipe.

    The package's one queue for all workers takes a lock that a killed worker would never give back, and it knows
    only forked processes, which Polars does not survive.
    """

    def __init__(self, pipe: Pipe) -> None:
        logging.Handler.__init__(self)
        self._pipe = pipe

    def _send(self, record: logging.LogRecord) -> None:
        self._pipe.send(("log", record))

    def close(self) -> None:
        logging.Handler.close(self)


def serve(pipe: Pipe, folder: str, game: str, first: Variant | None, empty: Mapping[str, bytes]) -> None:
    """The life of a worker process: tasks in, journal entries out, until the parent ends it or is gone.

    It gets ready for the `first` variant before it is asked to play; `empty` is for `Player`.
    """
    be_a_helper()
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    LOG.addHandler(_ToParent(pipe))
    with suppress(*_PARENT_GONE):  # what is not in its journal will be played again
        _serve(pipe, Path(folder), game, first, empty)


def _serve(pipe: Pipe, folder: Path, game: str, first: Variant | None, empty: Mapping[str, bytes]) -> None:
    player: Player | None = None
    with suppress(Exception):  # what goes wrong here goes wrong again with the first part, and is reported then
        player = _get_ready(game, empty, first)
    pipe.send(("ready", None))
    while True:
        task: Task = pipe.recv()
        part = task.part
        try:
            if player is None:
                player = _get_ready(game, empty)
            played = _carry_out(player, task, lambda done: pipe.send(("at", done)))
            pipe.send(("at", part.count))
            write_part(folder, part, played.files)
        except MmsimError as error:
            pipe.send(("stop", str(error)))
        except _PARENT_GONE:
            raise
        except Exception as error:
            LOG.error("part %d: %s", part.number, traceback.format_exc())
            pipe.send(("failed", f"{type(error).__name__}: {error}"))
        else:
            log_part(part, played.entry)
            pipe.send(("done", played.entry))


def _carry_out(player: Player, task: Task, tell: Tell) -> FinishedPart:
    if task.learner is not None:
        return player.collect(task.part, task.variant, task.learner, tell)
    if task.stamp not in (None, player.prepare(task.part.variant, task.variant).stamp):
        raise MmsimError(f"the files or bots of {task.name} were changed while it was played; undo that and resume")
    return player.play(task.part, task.variant, tell, task.one_by_one)


def _get_ready(game: str, empty: Mapping[str, bytes], first: Variant | None = None) -> Player:
    """Have loaded what takes a moment to load, and a first variant prepared."""
    player = Player(game, empty)
    if first is not None:
        player.prepare(0, first)
    LOG.info("worker ready, process %d", os.getpid())
    return player


def log_part(part: Part, entry: Entry) -> None:
    LOG.info(
        "part %d: variant %d, games %d to %d in %.2f s",
        *(part.number, part.variant, part.first, part.last, entry.seconds),
    )
