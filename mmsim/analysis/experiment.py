"""Playing the games of a comparison at once: the one place where analysis has games played."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.core.errors import UsageError, unknown
from mmsim.core.game import Variant
from mmsim.games import find_game

SEATINGS = ("fixed", "rotate")
_SHARD = 6000  # games played in one go; 2, 3, 4, 5 or 6 rotated players fit in


@dataclass(frozen=True)
class Experiment:
    """Which rules are compared, by whom they are played, how often and from which seed."""

    name: str
    variants: tuple[str, ...]  # ruleset specs
    question: str
    game: str
    boards: tuple[str, ...]
    players: int | None  # None: the usual number of each ruleset
    bots: str
    games: int
    seed: int
    seats: str
    design: str = "paired"


def run_experiment(
    experiment: Experiment, progress: Callable[[int, int], None] = lambda done, total: None
) -> RunTables:
    """Play every variant of an experiment with the same layouts and deals; tell the progress in games."""
    if experiment.seats not in SEATINGS:
        raise unknown("seating", experiment.seats, SEATINGS)
    game = find_game(experiment.game)
    prepared = [
        game.prepare(Variant(spec, experiment.players, board, experiment.bots, experiment.seed, experiment.seats))
        for board in experiment.boards
        for spec in experiment.variants
    ]
    variants = tuple(VariantInfo.of(game.describe(one), experiment.seats) for one in prepared)
    _check(variants, experiment.games)
    frames: dict[str, list[pl.DataFrame]] = {table: [] for table in game.tables}
    done, total = 0, experiment.games * len(prepared)
    for one in prepared:
        for first in range(0, experiment.games, _SHARD):
            count = min(_SHARD, experiment.games - first)
            shard = game.play_shard(one, first, count)
            for table, rows in shard.items():
                frames[table].append(game.frame(one, table, rows))
            done += count
            progress(done, total)
    tables = {table: pl.concat(parts).lazy() for table, parts in frames.items()}
    return RunTables(experiment.name, asdict(experiment), variants, tables, experiment.games)


def _check(variants: Sequence[VariantInfo], games: int) -> None:
    names = [variant.name for variant in variants]
    for variant in variants:
        if names.count(variant.name) > 1:
            raise UsageError(f"the variant '{variant.name}' is there twice; drop one of them")
        if games % variant.cluster:
            raise UsageError(
                f"with seats rotated, games come in groups of {variant.cluster}; {games} is no multiple of that"
            )
