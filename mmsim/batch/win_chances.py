"""The chances to win after every turn of the first games of a run, as a side table."""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.batch.check import record
from mmsim.batch.manifest import WIN_CHANCES_FILE
from mmsim.batch.run import Run
from mmsim.batch.side_tables import (
    GameOfRun,
    OnProgress,
    finished_games,
    for_each_game,
    read_side_table,
    write_side_table,
)
from mmsim.core.game import EstimatesWinChances
from mmsim.errors import UsageError


def sample_win_chances(run: Run, games: int, playouts: int, workers: int | None, on_progress: OnProgress) -> int:
    """Add the win chances in the first games of every variant to the table; returns how many games it then has.

    Games that the table has with as many playouts are not played out again. If it is stopped, finished games are kept.
    """
    if not isinstance(run.game, EstimatesWinChances):
        raise UsageError(f"{run.game.name} cannot estimate the chances to win")
    run.prepared  # noqa: B018 - missing bots are reported before anything else
    kept = _kept_games(run, playouts)
    rows = finished_games(run).filter(pl.col("game") < games).sort("game").collect().iter_rows()
    wanted = sorted(((run.variant_names.index(variant), game) for variant, game in rows), key=lambda game: game[::-1])
    missing = [(variant, game) for variant, game in wanted if (run.variant_names[variant], game) not in kept]
    chances = {}
    try:
        for game, result in for_each_game(run, missing, partial(_win_chances, playouts=playouts), workers):
            chances[game] = result
            on_progress(len(wanted) - len(missing) + len(chances), len(wanted))
    finally:
        if chances:
            _write(run, kept, chances, playouts)
    return len(kept) + len(chances)


def win_chances_of(folder: Path, variant: str, game: int) -> NDArray[np.float64] | None:
    """[turn, player] of a game that is in the table of a run, else None."""
    table = read_win_chances(folder)
    if table is None:
        return None
    rows = table.filter(variant=variant, game=game).sort("turn", "player")
    return rows["chance"].to_numpy().reshape(-1, rows["player"].n_unique()) if len(rows) else None


def read_win_chances(folder: Path) -> pl.DataFrame | None:
    """The table of a run, or None if it was never made."""
    return read_side_table(folder, WIN_CHANCES_FILE)


def _win_chances(run: Run, game_of_run: GameOfRun, *, playouts: int) -> NDArray[np.float64]:
    game = run.game
    assert isinstance(game, EstimatesWinChances)
    return game.win_chances(record(run, *game_of_run), playouts)


def _kept_games(run: Run, playouts: int) -> dict[tuple[str, int], pl.DataFrame]:
    """The games of the table that have as many playouts."""
    table = read_win_chances(run.folder)
    if table is None:
        return {}
    games = table.filter(playouts=playouts).partition_by("variant", "game", as_dict=True)
    return {(str(variant), int(game)): rows for (variant, game), rows in games.items()}


def _write(
    run: Run,
    kept: dict[tuple[str, int], pl.DataFrame],
    chances: dict[GameOfRun, NDArray[np.float64]],
    playouts: int,
) -> None:
    frames = [*kept.values()]
    for (variant, game), values in chances.items():
        turns, players = values.shape
        frames.append(
            pl.DataFrame(
                {
                    "variant": [run.variant_names[variant]] * values.size,
                    "game": np.full(values.size, game, np.int64),
                    "turn": np.repeat(np.arange(turns, dtype=np.int16), players),
                    "player": np.tile(np.arange(players, dtype=np.int8), turns),
                    "chance": values.ravel(),
                    "playouts": np.full(values.size, playouts, np.int32),
                }
            )
        )
    names = {name: number for number, name in enumerate(run.variant_names)}
    order = pl.col("variant").replace_strict(names, return_dtype=pl.Int64)
    write_side_table(run.folder, WIN_CHANCES_FILE, pl.concat(frames).sort(order, "game", "turn", "player"))
