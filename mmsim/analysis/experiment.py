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
class Plan:
    """Which rules are compared, by whom they are played, how often and from which seed."""

    variants: tuple[str, ...]  # ruleset specs
    name: str = "comparison"
    question: str = ""
    game: str = "metromania"
    board: str = "classic"
    players: int | None = None
    bots: str = "uniform"
    games: int = 10_000
    seed: int = 1
    seats: str = "fixed"


def run_experiment(plan: Plan, progress: Callable[[int, int], None] = lambda done, total: None) -> RunTables:
    """Play every variant of a plan with the same layouts and deals; tell the progress in games."""
    if plan.seats not in SEATINGS:
        raise unknown("seating", plan.seats, SEATINGS)
    game = find_game(plan.game)
    prepared = [
        game.prepare(Variant(spec, plan.players, plan.board, plan.bots, plan.seed, plan.seats))
        for spec in plan.variants
    ]
    abouts = [game.describe(one) for one in prepared]
    _check_names([str(about["name"]) for about in abouts])
    rotate = plan.seats == "rotate"
    _check_games(plan.games, [int(about["players"]) if rotate else 1 for about in abouts])
    frames: dict[str, list[pl.DataFrame]] = {table: [] for table in game.tables}
    done, total = 0, plan.games * len(prepared)
    for one in prepared:
        for first in range(0, plan.games, _SHARD):
            count = min(_SHARD, plan.games - first)
            shard = game.play_shard(one, first, count)
            for table, rows in shard.items():
                frames[table].append(game.frame(one, table, rows))
            done += count
            progress(done, total)
    variants = tuple(
        VariantInfo(
            str(about["name"]),
            int(about["players"]),
            tuple(about["bots"]),
            int(about["players"]) if rotate else 1,
            about,
        )
        for about in abouts
    )
    told = {**asdict(plan), "design": "paired", "boards": [plan.board]}
    tables = {table: pl.concat(parts).lazy() for table, parts in frames.items()}
    return RunTables(plan.name, told, variants, tables, plan.games)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the variant '{name}' is there twice; drop one of them")


def _check_games(games: int, clusters: Sequence[int]) -> None:
    for size in clusters:
        if games % size:
            raise UsageError(f"with seats rotated, games come in groups of {size}; {games} is no multiple of that")
