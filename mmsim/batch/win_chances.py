"""The chances to win in the first games of every variant of a run: one table beside the others, made when asked for."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mmsim.batch.check import record
from mmsim.batch.for_each_game import GameOfRun, for_each_game
from mmsim.batch.manifest import CHANCES
from mmsim.batch.run import Run
from mmsim.core.game import Foresees
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import write_atomically

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

Tell = Callable[[int, int], None]  # (games done, games to do)


def sample_chances(run: Run, games: int, playouts: int, workers: int | None, tell: Tell) -> int:
    """Add the chances to win of the first games of every variant to the table; returns how many games it then has.

    Games that are in the table with as many playouts are not played out again. What is done is kept when it is stopped.
    """
    if not isinstance(run.game, Foresees):
        raise UsageError(f"{run.game.name} cannot tell the chances to win")
    run.prepared  # noqa: B018 - bots that are not there are told of before anything else
    kept = _kept(run, playouts)
    wanted = _finished(run, games)
    done = {(variant, game) for variant, game in wanted if (run.variant_names[variant], game) in kept}
    run.game.start_up()  # compiled once, before the workers want it
    found = {}
    try:
        missing, work = [task for task in wanted if task not in done], partial(_chances, playouts=playouts)
        for task, chances in for_each_game(run, missing, work, workers):
            found[task] = chances
            tell(len(done) + len(found), len(wanted))
    finally:
        if found:
            _write(run, kept, found, playouts)
    return len(kept) + len(found)


def _finished(run: Run, games: int) -> list[GameOfRun]:
    """The first games of every variant, as far as they are played and came to a regular end."""
    import polars as pl

    first = run.table("games").filter(pl.col("game") < games, pl.col("status") == "finished")
    rows = first.select(pl.col("variant").cast(pl.String), "game").collect().iter_rows()
    return sorted(((run.variant_names.index(variant), game) for variant, game in rows), key=lambda task: task[::-1])


def chances_of(folder: Path, variant: str, game: int) -> "NDArray[np.float64] | None":
    """[turn, player] of a game that is in the table of a run, else None."""
    table = read_chances(folder)
    if table is None:
        return None
    own = table.filter(variant=variant, game=game).sort("turn", "player")
    return own["chance"].to_numpy().reshape(-1, own["player"].n_unique()) if len(own) else None


def read_chances(folder: Path) -> "pl.DataFrame | None":
    """The table of a run, or None where nobody has asked for it."""
    import polars as pl

    path = folder / CHANCES
    return pl.read_parquet(path, glob=False) if path.is_file() and not path.is_symlink() else None


def _chances(run: Run, task: GameOfRun, *, playouts: int) -> "NDArray[np.float64]":
    game = run.game
    assert isinstance(game, Foresees)
    return game.chances(record(run, *task), playouts)


def _kept(run: Run, playouts: int) -> "dict[tuple[str, int], pl.DataFrame]":
    """The games of the table that have as many playouts."""
    table = read_chances(run.folder)
    if table is None:
        return {}
    games = table.filter(playouts=playouts).partition_by("variant", "game", as_dict=True)
    return {(str(variant), int(game)): rows for (variant, game), rows in games.items()}


def _write(
    run: Run,
    kept: "dict[tuple[str, int], pl.DataFrame]",
    found: "dict[GameOfRun, NDArray[np.float64]]",
    playouts: int,
) -> None:
    import polars as pl

    frames = [*kept.values()]
    for (variant, game), chances in found.items():
        turns, players = chances.shape
        frames.append(
            pl.DataFrame(
                {
                    "variant": [run.variant_names[variant]] * chances.size,
                    "game": np.full(chances.size, game, np.int64),
                    "turn": np.repeat(np.arange(turns, dtype=np.int16), players),
                    "player": np.tile(np.arange(players, dtype=np.int8), turns),
                    "chance": chances.ravel(),
                    "playouts": np.full(chances.size, playouts, np.int32),
                }
            )
        )
    names = {name: number for number, name in enumerate(run.variant_names)}
    order = pl.col("variant").replace_strict(names, return_dtype=pl.Int64)
    file = io.BytesIO()
    pl.concat(frames).sort(order, "game", "turn", "player").write_parquet(file)
    try:
        write_atomically(run.folder / CHANCES, file.getvalue())
    except OSError as error:
        raise MmsimError(f"cannot write {run.folder / CHANCES}: {error.strerror or error}") from error
