"""Tables about some games of a run, made when a command asks for them by playing those games again one by one.

One holds the chances to win after every turn, the other where things are on the board at the end.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.batch.check import replay_record
from mmsim.batch.manifest import END_POSITIONS_FILE, WIN_CHANCES_FILE
from mmsim.batch.remarkable import kept_chances
from mmsim.batch.run import Run
from mmsim.batch.side_files import SCHEMAS, read_side_table, write_side_table
from mmsim.batch.worker import win_chance_rows
from mmsim.core.game import EstimatesWinChances
from mmsim.core.shell import EndPosition, SupportsHeatMaps
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_shell
from mmsim.system.processes import StoppablePool, cores

GameOfRun = tuple[int, int]  # number of the variant, number of the game
OnProgress = Callable[[int, int], None]  # called with games done and games to do
EndPositionCounts = dict[EndPosition, int]  # in how many games something is there
Result = TypeVar("Result")


def _for_each_game(
    run: Run, games: Sequence[GameOfRun], function: Callable[[Run, GameOfRun], Result], workers: int | None
) -> Iterator[tuple[GameOfRun, Result]]:
    """Results of a function for some games, in any order; worker processes must be able to import the function."""
    if run.is_locked:  # what is found out could not be written
        raise MmsimError(f"{run.folder} is being written by another process; wait for it or stop it first")
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


def _finished_games(run: Run) -> pl.LazyFrame:
    """Variant and number of every game that came to a regular end."""
    games = run.scan_by_name("games")
    return games.filter(pl.col("status") == "finished").select(pl.col("variant").cast(pl.String), "game")


# --- chances to win --------------------------------------------------------------------------------------------------


def sample_win_chances(run: Run, games: int, playouts: int, workers: int | None, on_progress: OnProgress) -> int:
    """Add the win chances in the first games of every variant to the table; returns how many games it then has.

    Games that the table has with as many playouts are not played out again. If it is stopped, finished games are kept.
    """
    if not isinstance(run.game, EstimatesWinChances):
        raise UsageError(f"{run.game.name} cannot estimate the chances to win")
    run.prepared  # noqa: B018 - missing bots are reported before anything else
    kept = _games_with(run, playouts)
    rows = _finished_games(run).filter(pl.col("game") < games).sort("game").collect().iter_rows()
    wanted = sorted(((run.variant_names.index(variant), game) for variant, game in rows), key=lambda game: game[::-1])
    missing = [(variant, game) for variant, game in wanted if (run.variant_names[variant], game) not in kept]
    chances = {}
    try:
        for game, result in _for_each_game(run, missing, partial(_win_chances, playouts=playouts), workers):
            chances[game] = result
            on_progress(len(wanted) - len(missing) + len(chances), len(wanted))
    finally:
        if chances:
            new = [
                win_chance_rows(run.variant_names[variant], game, result, playouts)
                for (variant, game), result in chances.items()
            ]
            numbers = {name: number for number, name in enumerate(run.variant_names)}
            order = pl.col("variant").replace_strict(numbers, return_dtype=pl.Int64), "game", "turn", "player"
            table = pl.concat([*kept.values(), *new]).sort(*order)
            write_side_table(run.folder, WIN_CHANCES_FILE, table)
    return len(kept) + len(chances)


def win_chances_of(folder: Path, variant: str, game: int) -> list[list[float]]:
    """By turn and player: from the table of a run, or kept with the record of the game; empty if there are none."""
    table = read_win_chances(folder)
    rows = None if table is None else table.filter(variant=variant, game=game).sort("turn", "player")
    if rows is None or rows.is_empty():
        return kept_chances(folder, variant, game)
    by_turn: list[list[float]] = rows["chance"].to_numpy().reshape(-1, rows["player"].n_unique()).tolist()
    return by_turn


def read_win_chances(folder: Path) -> pl.DataFrame | None:
    return read_side_table(folder, WIN_CHANCES_FILE)


def _games_with(run: Run, playouts: int) -> Mapping[tuple[Any, ...], pl.DataFrame]:
    """The rows of every game in the table with that many playouts, by variant and number."""
    table = read_win_chances(run.folder)
    return {} if table is None else table.filter(playouts=playouts).partition_by("variant", "game", as_dict=True)


def _win_chances(run: Run, game_of_run: GameOfRun, *, playouts: int) -> NDArray[np.float64]:
    game = run.game
    assert isinstance(game, EstimatesWinChances)
    return game.win_chances(replay_record(run, *game_of_run), playouts)


# --- end positions ---------------------------------------------------------------------------------------------------


def count_end_positions(
    run: Run, variant: int, games: int, workers: int | None, on_progress: OnProgress
) -> EndPositionCounts:
    """Where things are at the end of the first finished games of a variant, which are played again and verified.

    Nothing is played if the run's table has the variant with as many games.
    """
    if not isinstance(find_shell(run.game.name), SupportsHeatMaps):
        raise UsageError(f"{run.game.name} has no end positions")
    name = run.variant_names[variant]
    kept = end_positions_of(run.folder, name, games)
    if kept is not None:
        return kept
    numbers = _finished_games(run).filter(variant=name).sort("game").head(games).collect()["game"].to_list()
    if len(numbers) < games:
        raise UsageError(f"{run.folder} has {len(numbers):,} finished games of {name}, not {games:,}; say --games")
    counts: Counter[EndPosition] = Counter()
    results = _for_each_game(run, [(variant, number) for number in numbers], _end_positions, workers)
    for done, (_, positions) in enumerate(results, 1):
        counts.update(positions)
        on_progress(done, games)
    rows = [(name, games, *position, count) for position, count in sorted(counts.items())]
    table = pl.DataFrame(rows, schema=SCHEMAS[END_POSITIONS_FILE], orient="row")
    older = read_side_table(run.folder, END_POSITIONS_FILE)
    if older is not None:
        table = pl.concat([older.filter(pl.col("variant") != name), table])
    write_side_table(run.folder, END_POSITIONS_FILE, table.sort("variant", maintain_order=True))
    return dict(counts)


def _end_positions(run: Run, game: GameOfRun) -> set[EndPosition]:
    shell = find_shell(run.game.name)
    assert isinstance(shell, SupportsHeatMaps)
    return set(shell.end_positions(replay_record(run, *game)))


def end_positions_of(folder: Path, variant: str, games: int | None = None) -> EndPositionCounts | None:
    """The counts of a variant in the table of a run, or None; `games`: only if they are of this many games."""
    rows = _end_position_rows(folder, variant)
    if rows.is_empty() or games not in (None, rows["games"][0]):
        return None
    columns = rows.select("what", "seat", "place", "count")
    return {EndPosition(kind, seat, position): count for kind, seat, position, count in columns.iter_rows()}


def games_counted(folder: Path, variant: str) -> int:
    """How many games of a variant the table of a run covers."""
    rows = _end_position_rows(folder, variant)
    return 0 if rows.is_empty() else int(rows["games"][0])


def _end_position_rows(folder: Path, variant: str) -> pl.DataFrame:
    table = read_side_table(folder, END_POSITIONS_FILE)
    return pl.DataFrame() if table is None else table.filter(variant=variant)
