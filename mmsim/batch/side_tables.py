"""Tables about some games of a run, made when a command asks for them by playing those games again one by one."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from mmsim.batch.run import Run
from mmsim.system.files import write_atomically
from mmsim.system.processes import StoppablePool, cores
from mmsim.tables.frames import parquet_bytes

GameOfRun = tuple[int, int]  # number of the variant, number of the game
OnProgress = Callable[[int, int], None]  # called with games done and games to do
Result = TypeVar("Result")


def for_each_game(
    run: Run, games: Sequence[GameOfRun], function: Callable[[Run, GameOfRun], Result], workers: int | None
) -> Iterator[tuple[GameOfRun, Result]]:
    """Results of a function for some games, in any order; worker processes must be able to import the function."""
    run.prepared  # noqa: B018 - missing bots are reported before anything else
    run.game.start_up()  # compiled once, before the workers need it
    size = min(workers or cores(), len(games))
    if size <= 1:
        for game in games:
            yield game, function(run, game)
        return
    with StoppablePool(size, "spawn", _initialise, str(run.folder), run.bots_from, function) as pool:
        futures = {pool.submit(_call, game): game for game in games}
        for future in as_completed(futures):
            yield futures[future], future.result()


_worker_state: list[Any] = []  # in a worker process: the run and the function


def _initialise(folder: str, bots_from: Path | None, function: Callable[[Run, GameOfRun], Any]) -> None:
    _worker_state[:] = [Run(folder, bots_from), function]


def _call(game: GameOfRun) -> Any:
    run, function = _worker_state
    return function(run, game)


def finished_games(run: Run) -> pl.LazyFrame:
    """Variant and number of every game that came to a regular end."""
    return run.table("games").filter(pl.col("status") == "finished").select(pl.col("variant").cast(pl.String), "game")


def read_side_table(folder: Path, name: str) -> pl.DataFrame | None:
    """A side table of a run, or None if it was never made."""
    path = folder / name
    return pl.read_parquet(path, glob=False) if path.is_file() and not path.is_symlink() else None


def write_side_table(folder: Path, name: str, table: pl.DataFrame) -> None:
    write_atomically(folder / name, parquet_bytes(table))
