"""Where things lie at the end of the first games of a variant: one table beside the others, made when asked for."""

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mmsim.batch.check import record
from mmsim.batch.for_each_game import GameOfRun, for_each_game
from mmsim.batch.manifest import PLACES
from mmsim.batch.run import Run
from mmsim.core.shell import Maps, Place
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_shell
from mmsim.system.files import write_atomically

if TYPE_CHECKING:
    import polars as pl

Counts = dict[Place, int]  # in how many games something lies there
Tell = Callable[[int, int], None]  # (games done, games to do)


def sample_places(run: Run, variant: int, games: int, workers: int | None, tell: Tell) -> Counts:
    """Where things lie at the end of the first games of a variant, which are played again and verified.

    They must be finished games. What the run's table has of as many games is not played again.
    """
    shell = find_shell(run.game.name)
    if not isinstance(shell, Maps):
        raise UsageError(f"{run.game.name} cannot say where things lie")
    name = run.variant_names[variant]
    kept = places_of(run.folder, name, games)
    if kept is not None:
        return kept
    numbers = _finished(run, name, games)
    if len(numbers) < games:
        raise UsageError(f"{run.folder} has {len(numbers):,} finished games of {name}, not {games:,}; say --games")
    counts: Counter[Place] = Counter()
    run.game.start_up()  # compiled once, before the workers want it
    of_games = for_each_game(run, [(variant, number) for number in numbers], _places, workers)
    for done, (_, places) in enumerate(of_games, 1):
        counts.update(places)
        tell(done, games)
    _write(run, name, games, counts)
    return dict(counts)


def _places(run: Run, game: GameOfRun) -> set[Place]:
    shell = find_shell(run.game.name)
    assert isinstance(shell, Maps)
    return set(shell.places(record(run, *game)))


def places_of(folder: Path, variant: str, games: int | None = None) -> Counts | None:
    """What the table of a run has of a variant, of so many games if that is said; None where it has nothing."""
    table = _read(folder)
    if table is None:
        return None
    own = table.filter(variant=variant)
    if not len(own) or games not in (None, own["games"][0]):
        return None
    rows = own.select("what", "seat", "place", "count").iter_rows()
    return {Place(what, seat, at): count for what, seat, at, count in rows}


def games_sampled(folder: Path, variant: str) -> int:
    """How many games of a variant the table of a run is made of."""
    table = _read(folder)
    own = None if table is None else table.filter(variant=variant)
    return int(own["games"][0]) if own is not None and len(own) else 0


def _read(folder: Path) -> "pl.DataFrame | None":
    import polars as pl

    path = folder / PLACES
    return pl.read_parquet(path, glob=False) if path.is_file() and not path.is_symlink() else None


def _finished(run: Run, variant: str, games: int) -> list[int]:
    import polars as pl

    own = run.table("games").filter(pl.col("variant") == variant, pl.col("status") == "finished")
    return [int(number) for number in own.select("game").sort("game").head(games).collect()["game"]]


def _write(run: Run, variant: str, games: int, counts: Counts) -> None:
    import polars as pl

    rows = [(variant, games, *place, count) for place, count in sorted(counts.items())]
    types = {"variant": pl.String, "games": pl.Int64, "what": pl.String, "seat": pl.Int8, "place": pl.String}
    new = pl.DataFrame(rows, schema={**types, "count": pl.Int64}, orient="row")
    older = _read(run.folder)
    table = new if older is None else pl.concat([older.filter(pl.col("variant") != variant), new])
    file = io.BytesIO()
    table.sort("variant", maintain_order=True).write_parquet(file)
    try:
        write_atomically(run.folder / PLACES, file.getvalue())
    except OSError as error:
        raise MmsimError(f"cannot write {run.folder / PLACES}: {error.strerror or error}") from error
