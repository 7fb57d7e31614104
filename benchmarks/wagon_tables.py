"""Which wagon table of Metro is unfair? Separates what the order of play is worth from what the wagons are worth.

    python -m benchmarks.wagon_tables   # plays what runs/wagon-tables lacks, and writes into docs/explanation/metro.md

With every shift of a table (`wagon_shift`) every seat has every column of it once. The mean over the columns is what
the seat is worth, the mean over the seats what the column is worth.
"""

from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import mmsim
from benchmarks.findings import DOCS, put
from mmsim.analysis.stats import z_quantile
from mmsim.system.files import write_atomically

PAGE = DOCS / "explanation" / "metro.md"
RUNS = Path("runs") / "wagon-tables"
BLOCK = "the wagon tables"
PLAYERS, LEVELS, GAMES, SEED = range(2, 7), ("expert", "master"), 12_000, 120


def main() -> None:
    rows = [row for players in PLAYERS for row in table_rows(players)]
    head = ["players", "level", "order of play: first to last", "wagons: first column to last", "±"]
    table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
    write_atomically(PAGE, put(PAGE.read_text(encoding="utf-8"), BLOCK, table).encode())


def table_rows(players: int) -> Iterator[list[str]]:
    """What seats and columns are worth with this many players, in points of wins, at every level."""
    rules = ["metro", *(f"metro,wagon_shift={shift}" for shift in range(1, players))]
    run = mmsim.run(rules, RUNS / f"{players}p", players=players, levels=LEVELS, games=GAMES, seed=SEED)
    shift = pl.col("variant").cast(pl.String).str.extract(r"wagon_shift=(\d+)").fill_null("0").cast(pl.Int64)
    shares = (
        run.seats.group_by("level", "seat", shift=shift)
        .agg(pl.col("win_share").mean(), games=pl.len())
        .sort("level", "shift", "seat")
        .collect()
    )
    for (level,), of_level in shares.group_by("level", maintain_order=True):
        points = 100 * of_level["win_share"].to_numpy().reshape(players, players)
        order, columns = effects(points)
        games = int(of_level["games"].sum()) / players
        half = 100 * z_quantile(0.975) * sqrt((players - 1) / games) / players
        yield [str(players), str(level), *map(_signed, (order, columns)), f"{half:.1f}"]


def effects(wins: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What seats and columns are worth: from wins by shift of the table and seat."""
    players = len(wins)
    fair = wins.mean()
    by_column = np.array(
        [[wins[(column - seat) % players, seat] for seat in range(players)] for column in range(players)]
    )
    return wins.mean(axis=0) - fair, by_column.mean(axis=1) - fair


def _signed(points: NDArray[np.float64]) -> str:
    return " ".join(f"{value + 0.0:+.1f}".replace("-", "−") for value in points.round(1))


if __name__ == "__main__":
    main()
