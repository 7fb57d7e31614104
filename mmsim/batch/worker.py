"""A worker: plays the games of a part, writes the Parquet files of its tables and reports progress."""

import hashlib
import logging
import os
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from msgspec.structs import replace
from multiprocessing_logging import MultiProcessingHandler
from numpy.typing import NDArray

from mmsim.batch.confidence import seat_shares
from mmsim.batch.journal import JournalEntry, PartFile
from mmsim.batch.plan import Part
from mmsim.core.game import EstimatesWinChances, GameRows, SimulatedGame, SupportsTraining
from mmsim.core.variant import PlayableVariant, Variant
from mmsim.errors import MmsimError
from mmsim.games import find_game
from mmsim.system.files import write_atomically
from mmsim.system.processes import exit_with_parent
from mmsim.tables.frames import games_digest, parquet_bytes, row_digest

LOG = logging.getLogger("mmsim.run")
EXAMPLES = "training_examples"  # the folder of a part's training examples, where tables of games have theirs
POSITIONS, FEATURES = "training_positions", "training_features"  # likewise
SUMS = "sums"  # likewise
CHANCES = "win_chances"  # likewise
_GAMES_PER_EXAMPLES_CALL, _GAMES_PER_POSITIONS_CALL = 8, 64
_PARENT_GONE = (EOFError, BrokenPipeError, ConnectionResetError)
_MAX_MESSAGE_LENGTH = 2000  # of a bot's error
_HEARTBEAT_S = 0.5  # how often a worker aims to report progress
_FIRST_GAMES_PER_S = 20  # assumed of a variant until some of its games are played

Pipe: TypeAlias = "connection.Connection[Any, Any]"
OnGamesDone = Callable[[int], None]  # called with how many games of the part are done


@dataclass(frozen=True)
class FinishedPart:
    """A part that has been played: its journal entry and its files by table."""

    entry: JournalEntry
    files: dict[str, bytes]


class PartPlayer:
    """Plays parts; a variant is prepared when its first part comes."""

    def __init__(self, game: str) -> None:
        self._game: SimulatedGame = find_game(game)
        self._prepared: dict[int, PlayableVariant] = {}
        self._games_per_s: dict[int, float] = {}  # by variant

    def play(
        self, part: Part, variant: Variant, on_progress: OnGamesDone = lambda done: None, one_by_one: bool = False
    ) -> FinishedPart:
        """Play a part; `one_by_one`: report every single game before it is played."""
        started = time.perf_counter()
        ready = self.prepare(part.variant, variant)
        tables = self._play_rows(ready, part, on_progress, one_by_one)
        contents, files = {}, {}
        for table, rows in tables.items():
            frame = self._game.frame(ready, table, rows)
            contents[table] = data = parquet_bytes(frame)
            digest = games_digest(frame, ready.description)
            files[table] = PartFile(len(rows), len(data), hashlib.sha256(data).hexdigest(), digest)
        shares = [(tally.count, tally.mean, tally.squares) for tally in seat_shares(tables, ready.games_per_deal)]
        errors = [replace(error, message=error.message[:_MAX_MESSAGE_LENGTH]) for error in tables.errors]
        return FinishedPart(_entry(part, time.perf_counter() - started, files, shares, errors), contents)

    def collect(self, part: Part, variant: Variant, learner: str, on_progress: OnGamesDone) -> FinishedPart:
        """The decisions of a bot in the games of a part as training examples, instead of the games' tables."""
        started, game, ready = time.perf_counter(), self._trainable, self.prepare(part.variant, variant)
        frames = [
            _frame(game.training_examples(ready, first, games, learner))
            for first, games in _chunks(part, _GAMES_PER_EXAMPLES_CALL, on_progress)
        ]
        return _collected(part, started, {EXAMPLES: pl.concat(frames)})

    def collect_positions(self, part: Part, variant: Variant, on_progress: OnGamesDone) -> FinishedPart:
        """Positions of the games of a part for a value net, and the features of their boards."""
        started, game, ready = time.perf_counter(), self._trainable, self.prepare(part.variant, variant)
        frames, features = [], []
        for first, games in _chunks(part, _GAMES_PER_POSITIONS_CALL, on_progress):
            rows, held = game.training_positions(ready, first, games)
            frames.append(_frame(rows))
            features.append(held)
        feature_column = pl.DataFrame({"feature": pl.Series(np.concatenate(features), dtype=pl.UInt16)})
        return _collected(part, started, {POSITIONS: pl.concat(frames), FEATURES: feature_column})

    def win_chances(self, part: Part, variant: Variant, playouts: int, on_progress: OnGamesDone) -> FinishedPart:
        """The chances to win in the games of a part, turn by turn, instead of the games' tables."""
        started, game, ready = time.perf_counter(), self._game, self.prepare(part.variant, variant)
        assert isinstance(game, EstimatesWinChances)
        frames = [
            win_chance_rows(ready.name, number, game.win_chances(game.record(ready, number), playouts), playouts)
            for number, _ in _chunks(part, 1, on_progress)
        ]
        return _collected(part, started, {CHANCES: pl.concat(frames)})

    @property
    def _trainable(self) -> SupportsTraining:
        if not isinstance(self._game, SupportsTraining):
            raise MmsimError(f"the bots of {self._game.name} cannot be trained")
        return self._game

    def sum_up(self, part: Part, variant: Variant, games_per_row: int, on_progress: OnGamesDone) -> FinishedPart:
        """Play a part and keep only sums over this many consecutive games each, instead of the games' tables.

        The seconds in its journal entry are those of the processor.
        """
        started = time.process_time()
        ready = self.prepare(part.variant, variant)
        rows = self._play_rows(ready, part, on_progress, one_by_one=False)
        if rows.errors:
            raise MmsimError(f"bot {rows.errors[0].bot} failed in game {rows.errors[0].game}: {rows.errors[0].message}")
        frame = sums_of_games(self._game, ready, rows, games_per_row)
        data = parquet_bytes(frame)
        file = PartFile(len(frame), len(data), hashlib.sha256(data).hexdigest(), row_digest(frame))
        return FinishedPart(_entry(part, time.process_time() - started, {SUMS: file}), {SUMS: data})

    def prepare(self, number: int, variant: Variant) -> PlayableVariant:
        """The variant with this number, prepared again only if the number now means another variant."""
        ready = self._prepared.get(number)
        if ready is None or ready.variant != variant:
            self._prepared[number] = ready = self._game.prepare(variant)
        return ready

    def _play_rows(self, prepared: Any, part: Part, on_progress: OnGamesDone, one_by_one: bool) -> GameRows:
        """The rows of a part, played in chunks of about a heartbeat; games do not depend on the chunk they are in."""
        chunks: list[GameRows] = []
        done = 0
        while done < part.count:
            on_progress(done)
            expected = int(self._games_per_s.get(part.variant, _FIRST_GAMES_PER_S) * _HEARTBEAT_S)
            games = 1 if one_by_one else min(max(1, expected), part.count - done)
            started = time.perf_counter()
            chunks.append(self._game.play_games(prepared, part.first + done, games))
            self._game.check_rows(prepared, chunks[-1], games)
            self._games_per_s[part.variant] = games / max(time.perf_counter() - started, 1e-6)
            done += games
        if len(chunks) == 1:
            return chunks[0]
        rows = {table: np.concatenate([chunk[table] for chunk in chunks]) for table in chunks[0]}
        errors = [error for chunk in chunks for error in chunk.errors]
        return GameRows(rows, sum(chunk.decisions for chunk in chunks), errors)


def sums_of_games(game: SimulatedGame, prepared: PlayableVariant, rows: GameRows, games_per_row: int) -> pl.DataFrame:
    """Sums over consecutive games: their number, every player's wins, and what the game declares as outcomes.

    An outcome of a game has its sum and the sum of its squares, one of every player its sums, all of them exact.
    """
    count = len(rows["games"]) // games_per_row
    seat_player = list(prepared.seating.seat_player)
    first_seats = [seat_player.index(player) for player in range(prepared.players)]
    shares = rows["seats"]["win_share"].astype(float).reshape(-1, len(seat_player))[:, first_seats]
    columns: dict[str, Any] = {"games": np.full(count, games_per_row, np.uint32)}
    by_row = shares.reshape(count, games_per_row, -1).sum(axis=1)
    columns |= {f"wins_{player + 1}": by_row[:, player].astype(np.float32) for player in range(prepared.players)}
    for name, values in game.outcomes(prepared, rows).items():
        whole = np.asarray(values, np.int64).reshape(count, games_per_row, *np.shape(values)[1:])
        sums = whole.sum(axis=1)
        if sums.ndim == 1:
            columns |= {name: sums, f"{name}_squares": (whole**2).sum(axis=1)}
        else:
            columns |= {f"{name}_{player + 1}": sums[:, player] for player in range(sums.shape[1])}
    return pl.DataFrame(columns)


def win_chance_rows(variant: str, game: int, chances: NDArray[np.float64], playouts: int) -> pl.DataFrame:
    """The chances to win in a game, one row per turn and player."""
    turns, players = chances.shape
    return pl.DataFrame(
        {
            "variant": [variant] * chances.size,
            "game": np.full(chances.size, game, np.int64),
            "turn": np.repeat(np.arange(turns, dtype=np.int16), players),
            "player": np.tile(np.arange(players, dtype=np.int8), turns),
            "chance": chances.ravel(),
            "playouts": np.full(chances.size, playouts, np.int32),
        }
    )


def _frame(rows: Any) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(rows[name].copy()) for name in rows.dtype.names or ()})


def _chunks(part: Part, size: int, on_progress: OnGamesDone) -> Iterator[tuple[int, int]]:
    """First game and number of games of the calls in which a part is played; progress is reported before each."""
    for done in range(0, part.count, size):
        on_progress(done)
        yield part.first + done, min(size, part.count - done)


def _collected(part: Part, started: float, tables: dict[str, pl.DataFrame]) -> FinishedPart:
    """What was collected from the games of a part; it is read at once, so the journal entry has no checksums."""
    contents = {name: parquet_bytes(table) for name, table in tables.items()}
    return FinishedPart(_entry(part, time.perf_counter() - started, {}), contents)


def _entry(part: Part, seconds: float, files: dict[str, PartFile], shares: Any = (), errors: Any = ()) -> JournalEntry:
    place = part.number, part.variant, part.first, part.count
    return JournalEntry(*place, files, list(shares), list(errors), round(seconds, 3))


def write_part(folder: Path, part: Part, files: dict[str, bytes]) -> None:
    """Put the files of a part in place; they are synced before its line is written to a journal."""
    for table, data in files.items():
        write_atomically(folder / table / part.file, data, synced=False)


# --- a process of the pool -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A part to play, with its variant and the variant's name.

    `one_by_one` is set after a failure, to find the game that causes it. With a `learner`, training examples of that
    bot are collected instead of the games' tables; with `positions`, positions for a value net; with `games_per_row`,
    sums over that many games; with `playouts`, the chances to win, estimated with that many. The `stamp` identifies the
    variant as the parent has prepared it; a worker that prepares something else refuses to play.
    """

    part: Part
    variant: Variant
    name: str
    one_by_one: bool = False
    learner: str | None = None
    positions: bool = False
    stamp: str | None = None
    games_per_row: int = 0
    playouts: int = 0


class _PipeLogHandler(MultiProcessingHandler):  # type: ignore[misc]
    """Sends log records through the worker's own pipe.

    The library's shared queue takes a lock that a killed worker would never release, and it expects forked processes,
    which Polars does not survive.
    """

    def __init__(self, pipe: Pipe) -> None:
        logging.Handler.__init__(self)
        self._pipe = pipe

    def _send(self, record: logging.LogRecord) -> None:
        self._pipe.send(("log", record))

    def close(self) -> None:
        logging.Handler.close(self)


def serve(pipe: Pipe, folder: str, game: str, first: Variant | None) -> None:
    """The main function of a worker process: tasks in, journal entries out, until the parent ends it or is gone.

    It prepares the `first` variant while it waits for its first task.
    """
    exit_with_parent()
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    LOG.addHandler(_PipeLogHandler(pipe))
    with suppress(*_PARENT_GONE):  # what is not in the journal will be played again
        _serve(pipe, Path(folder), game, first)


def _serve(pipe: Pipe, folder: Path, game: str, first: Variant | None) -> None:
    player: PartPlayer | None = None
    with suppress(Exception):  # a failure here happens again with the first part, and is reported then
        player = PartPlayer(game)
        if first is not None:
            player.prepare(0, first)
        LOG.info("worker ready, process %d", os.getpid())
    pipe.send(("ready", None))
    while True:
        task: Task = pipe.recv()
        part = task.part
        try:
            player = player or PartPlayer(game)
            finished = carry_out(player, task, lambda done: pipe.send(("progress", done)))
            pipe.send(("progress", part.count))
            write_part(folder, part, finished.files)
        except MmsimError as error:
            pipe.send(("abort", str(error)))
        except _PARENT_GONE:
            raise
        except Exception as error:
            LOG.error("part %d: %s", part.number, traceback.format_exc())
            pipe.send(("failed", f"{type(error).__name__}: {error}"))
        else:
            log_part(part, finished.entry)
            pipe.send(("done", finished.entry))


def carry_out(player: PartPlayer, task: Task, on_progress: OnGamesDone) -> FinishedPart:
    """Do what a task wants with the games of its part."""
    if task.positions:
        return player.collect_positions(task.part, task.variant, on_progress)
    if task.learner is not None:
        return player.collect(task.part, task.variant, task.learner, on_progress)
    if task.playouts:
        return player.win_chances(task.part, task.variant, task.playouts, on_progress)
    if task.stamp not in (None, player.prepare(task.part.variant, task.variant).fingerprint):
        raise MmsimError(f"the files or bots of {task.name} were changed while it was played; undo that and resume")
    if task.games_per_row:
        return player.sum_up(task.part, task.variant, task.games_per_row, on_progress)
    return player.play(task.part, task.variant, on_progress, task.one_by_one)


def log_part(part: Part, entry: JournalEntry) -> None:
    LOG.info(
        "part %d: variant %d, games %d to %d in %.2f s",
        *(part.number, part.variant, part.first, part.last, entry.seconds),
    )
