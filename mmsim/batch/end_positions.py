"""Where things lie at the end of the first games of a variant, counted in a side table."""

from collections import Counter
from pathlib import Path

import polars as pl

from mmsim.batch.check import record
from mmsim.batch.manifest import END_POSITIONS_FILE
from mmsim.batch.run import Run
from mmsim.batch.side_tables import (
    GameOfRun,
    OnProgress,
    finished_games,
    for_each_game,
    read_side_table,
    write_side_table,
)
from mmsim.core.shell import EndPosition, SupportsHeatMaps
from mmsim.errors import UsageError
from mmsim.games import find_shell

EndPositionCounts = dict[EndPosition, int]  # in how many games something lies there


def count_end_positions(
    run: Run, variant: int, games: int, workers: int | None, on_progress: OnProgress
) -> EndPositionCounts:
    """Where things lie at the end of the first finished games of a variant, which are played again and verified.

    Nothing is played if the run's table has the variant with as many games.
    """
    if not isinstance(find_shell(run.game.name), SupportsHeatMaps):
        raise UsageError(f"{run.game.name} has no end positions")
    name = run.variant_names[variant]
    kept = end_positions_of(run.folder, name, games)
    if kept is not None:
        return kept
    numbers = finished_games(run).filter(variant=name).sort("game").head(games).collect()["game"].to_list()
    if len(numbers) < games:
        raise UsageError(f"{run.folder} has {len(numbers):,} finished games of {name}, not {games:,}; say --games")
    counts: Counter[EndPosition] = Counter()
    results = for_each_game(run, [(variant, number) for number in numbers], _end_positions, workers)
    for done, (_, positions) in enumerate(results, 1):
        counts.update(positions)
        on_progress(done, games)
    _write(run, name, games, counts)
    return dict(counts)


def _end_positions(run: Run, game: GameOfRun) -> set[EndPosition]:
    shell = find_shell(run.game.name)
    assert isinstance(shell, SupportsHeatMaps)
    return set(shell.end_positions(record(run, *game)))


def end_positions_of(folder: Path, variant: str, games: int | None = None) -> EndPositionCounts | None:
    """The counts of a variant in the table of a run, or None; `games`: only if they are of this many games."""
    rows = _rows_of(folder, variant)
    if rows is None or games not in (None, rows["games"][0]):
        return None
    return {
        EndPosition(kind, seat, position): count
        for kind, seat, position, count in rows.select("what", "seat", "place", "count").iter_rows()
    }


def games_counted(folder: Path, variant: str) -> int:
    """How many games of a variant the table of a run covers."""
    rows = _rows_of(folder, variant)
    return 0 if rows is None else int(rows["games"][0])


def _rows_of(folder: Path, variant: str) -> pl.DataFrame | None:
    table = read_side_table(folder, END_POSITIONS_FILE)
    rows = None if table is None else table.filter(variant=variant)
    return None if rows is None or rows.is_empty() else rows


def _write(run: Run, variant: str, games: int, counts: EndPositionCounts) -> None:
    rows = [(variant, games, *position, count) for position, count in sorted(counts.items())]
    types = {"variant": pl.String, "games": pl.Int64, "what": pl.String, "seat": pl.Int8, "place": pl.String}
    table = pl.DataFrame(rows, schema={**types, "count": pl.Int64}, orient="row")
    older = read_side_table(run.folder, END_POSITIONS_FILE)
    if older is not None:
        table = pl.concat([older.filter(pl.col("variant") != variant), table])
    write_side_table(run.folder, END_POSITIONS_FILE, table.sort("variant", maintain_order=True))
