"""The tables of a run as lazy frames: its variants, the games that count, and warnings about missing ones."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from pathlib import Path

import polars as pl
from msgspec import structs

from mmsim.analysis.win_chances import calibrated, tension_table
from mmsim.batch.experiment import OF_LEVEL, Experiment, game_seconds, ignored_knobs, variants_of
from mmsim.batch.manifest import Decision
from mmsim.batch.plan import Part
from mmsim.batch.run import Run
from mmsim.batch.side_tables import read_win_chances
from mmsim.core.levels import Level
from mmsim.core.variant import ON_BOARD, VariantDescription, board_label
from mmsim.errors import MmsimError
from mmsim.games import find_shell, find_statistics

FINISHED = "finished"
TENSION = "tension"  # a table computed from the chances to win, if they were estimated
_GAMES_AT_ONCE = 60_000  # of all variants together, in memory at a time
_MAX_PENDING = 8  # frames that are collected before they are added up


@dataclass(frozen=True)
class RunTables:
    """A run: its experiment, its variants, and its tables as lazy frames with one row per game, seat, and so on.

    A run of several levels of play is analysed level by level; its variants have the names that all levels share. Where
    several rulesets are played on several boards, the variants are the rulesets, and they are analysed board by board.
    """

    experiment: Experiment
    variants: tuple[VariantDescription, ...]
    tables: Mapping[str, pl.LazyFrame]
    folder: Path = Path()  # of the run
    cut: Callable[[], Iterator[Mapping[str, pl.LazyFrame]]] | None = None  # the same tables in blocks of games
    of_levels: tuple["RunTables", ...] = ()  # one per level, from weak to strong, if there are several
    board_runs: tuple["RunTables", ...] = ()  # one per board, if variants are averaged over boards
    played_by: Level | None = None  # the level of a run of one level; None: the only one of its experiment
    planned_games: Mapping[str, int] = field(default_factory=dict)  # cell -> games planned, where these are fewer
    decision: Decision | None = None  # of a run that was played until it was decided

    @property
    def by_level(self) -> tuple["RunTables", ...]:
        return self.of_levels or (self,)

    @property
    def by_board(self) -> tuple["RunTables", ...]:
        """The run of one level, board by board; the variants of each part have their names in the tables."""
        return self.board_runs or (self,)

    def starting_with(self, variant: str) -> "RunTables":
        """The same run with another variant first, as the reference of comparisons."""
        return self._with_first([description.name for description in self.variants].index(variant))

    def _with_first(self, first: int) -> "RunTables":
        return replace(
            self,
            variants=(self.variants[first], *self.variants[:first], *self.variants[first + 1 :]),
            of_levels=tuple(level._with_first(first) for level in self.of_levels),
            board_runs=tuple(board._with_first(first) for board in self.board_runs),
        )

    @property
    def cells(self) -> tuple[VariantDescription, ...]:
        """Every variant at every level on every board, by its name in the tables."""
        return tuple(variant for level in self.by_level for board in level.by_board for variant in board.variants)

    @property
    def board_name(self) -> str:
        """The board of a run that is played on one."""
        return board_label(self.variants[0].board_name)

    def variant_of(self, cell: str) -> str:
        """The variant that a cell of the tables belongs to."""
        return next(
            variant.name
            for level in self.by_level
            for board in level.by_board
            for variant, named in zip(self.variants, board.variants, strict=True)
            if named.name == cell
        )

    @property
    def shared_variants(self) -> tuple[VariantDescription, ...]:
        """The variants, with the names that all levels share."""
        return tuple(structs.replace(variant, name=shared_name(variant.name)) for variant in self.variants)

    @property
    def level(self) -> Level:
        """Who plays a run of one level."""
        return self.played_by or self.experiment.played_levels[0]

    @property
    def game_seconds(self) -> float:
        """What a game takes on one core, by the declared costs of the bots."""
        return game_seconds(self.experiment.game, self.level.bots)

    @cached_property
    def blind(self) -> frozenset[tuple[int, int]]:
        """Pairs of variants that differ only in knobs the players ignore."""
        return frozenset(self._blind())

    def _blind(self) -> Iterator[tuple[int, int]]:
        for (i, first), (j, second) in combinations(enumerate(self.variants), 2):
            before, after = (str(variant.ruleset.get("name", "")) for variant in (first, second))
            if (first.players, first.board_name) != (second.players, second.board_name) or not before or not after:
                continue
            if ignored_knobs(self.experiment.game, self.level.bots, before, after, first.players):
                yield i, j

    @property
    def name(self) -> str:
        return self.experiment.name

    @property
    def boards(self) -> tuple[str, ...]:
        """The board sets played on; none if the game has only one board."""
        default = find_shell(self.experiment.game).default_board
        return self.experiment.boards or ((default,) if default else ())

    @property
    def paired(self) -> bool:
        """True if the same game number means the same layout and deal in every variant."""
        same = len({variant.games_per_deal for variant in self.variants}) == 1
        return self.experiment.design == "paired" and same

    @cached_property
    def game_counts(self) -> pl.DataFrame:
        """The number of games per variant and status."""
        counts = (
            self.tables["games"].group_by("variant", "status").agg(pl.len().alias("games")).collect(engine="streaming")
        )
        return counts.with_columns(pl.col("variant", "status").cast(pl.String)).sort("variant", "status")

    @cached_property
    def layouts(self) -> Mapping[str, tuple[int, int]]:
        """The numbers of layouts (rotations count once) and games per variant; empty if games have no layouts."""
        if self.board_runs:
            totals: dict[str, tuple[int, int]] = {}
            for board in self.board_runs:
                for cell, on_board in board.layouts.items():
                    before = totals.get(name := name_without_board(cell), (0, 0))
                    totals[name] = before[0] + on_board[0], before[1] + on_board[1]
            return totals
        games = self.tables["games"]
        if "layout" not in games.collect_schema():
            return {}
        played = games.drop_nulls("layout").with_columns(self.city)
        counts = played.group_by("variant").agg(pl.col("city").n_unique(), pl.len().alias("games"))
        rows = counts.select(pl.col("variant").cast(pl.String), "city", "games").collect(engine="streaming")
        return {variant: (layouts, games) for variant, layouts, games in rows.iter_rows()}

    @property
    def city(self) -> pl.Expr:
        """The column `city` of games: a number or code of their layout, the same for all its rotations."""
        one_city, code = find_statistics(self.experiment.game).one_city, pl.col("layout").cast(pl.String)
        by_board: dict[str, list[VariantDescription]] = {}
        for variant in self.variants:
            by_board.setdefault(json.dumps(variant.board), []).append(variant)
        city = one_city(code, self.variants[0])
        for same in [*by_board.values()][1:]:
            on_board = pl.col("variant").cast(pl.String).is_in([variant.name for variant in same])
            city = pl.when(on_board).then(one_city(code, same[0])).otherwise(city)
        return city.alias("city")

    @cached_property
    def counted(self) -> "RunTables":
        """The same run with finished games only, which metrics are computed from."""
        if not self.left_out:
            return self
        return replace(
            self,
            tables=finished_only(self.tables),
            cut=lambda: map(finished_only, self.blocks()),
            board_runs=tuple(board.counted for board in self.board_runs),
        )

    def blocks(self) -> Iterator[Mapping[str, pl.LazyFrame]]:
        """The tables in blocks that fit into memory: the same games of every variant, as far as they are played."""
        return self.cut() if self.cut else iter([self.tables])

    @property
    def left_out(self) -> int:
        """The number of games that did not finish."""
        return int(self.game_counts.filter(pl.col("status") != FINISHED)["games"].sum())

    def games_of(self, variant: str) -> int:
        """The number of finished games of a variant."""
        rows = self.game_counts.filter((pl.col("variant") == variant) & (pl.col("status") == FINISHED))
        return int(rows["games"].sum())

    @property
    def mixed(self) -> bool:
        """True if seats are fixed and have different bots."""
        return any(len({*cell.bot_specs}) > 1 and cell.games_per_deal == 1 for cell in self.cells)

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before any number: missing games, games left out."""
        warnings = []
        planned = self.experiment.games
        totals = dict(self.game_counts.group_by("variant").agg(pl.col("games").sum()).iter_rows())
        short = {
            cell.name: totals.get(cell.name, 0)
            for cell in self.cells
            if totals.get(cell.name, 0) < self.planned_games.get(cell.name, planned)
        }
        if short:
            parts = ", ".join(f"{name} {count:,}" for name, count in short.items())
            warnings.append(f"PARTIAL RUN: of {planned:,} games asked for of every variant there are only: {parts}.")
        for status, games in (
            self.game_counts.group_by("status", maintain_order=True).agg(pl.col("games").sum()).iter_rows()
        ):
            if status != FINISHED:
                ended = "1 game" if games == 1 else f"{games:,} games"
                warnings.append(f"{ended} ended with status {status}, left out of every metric.")
        if self.mixed:
            warnings.append(
                "Bots differ and seats are fixed, so the effect of a seat cannot be told from that of its bot."
            )
        warnings += [
            f"The {totals[cell.name]:,} games of {cell.name} are not a multiple of {cell.seating_cycle}, after which "
            "every way to seat its bots has been played equally often: who sits beside whom is not quite balanced."
            for cell in self.cells
            if totals.get(cell.name, 0) % cell.seating_cycle and cell.seating_cycle > cell.games_per_deal
        ]
        names = " and ".join(level.level.name for level in self.by_level)
        warnings += [
            f"{names} cannot use what is different between {first.name} and {second.name}: no evidence, and not "
            "compared."
            for (i, first), (j, second) in combinations(enumerate(self.variants), 2)
            if all((i, j) in level.blind for level in self.by_level)
        ]
        return warnings


def with_boards(run: RunTables, boards: Sequence[RunTables]) -> RunTables:
    """The run of one level with its boards, whose variants have the names that all of them share."""
    shared = (structs.replace(variant, name=name_without_board(variant.name)) for variant in boards[0].variants)
    return replace(run, variants=tuple(shared), board_runs=tuple(boards))


def shared_name(variant: str) -> str:
    """The name of a variant without the level that plays it."""
    return variant.partition(OF_LEVEL)[0]


def name_without_board(variant: str) -> str:
    """The name of a variant without the board that it is played on."""
    name, separator, level = variant.partition(OF_LEVEL)
    return f"{name.rpartition(ON_BOARD)[0]}{separator}{level}"


class RunningSums:
    """The sums of all columns by some keys, over frames of which only a few are in memory at a time."""

    def __init__(self, *keys: str) -> None:
        self._keys = keys
        self._pending: list[pl.DataFrame] = []

    def add(self, frame: pl.DataFrame) -> None:
        self._pending.append(frame)
        if len(self._pending) > _MAX_PENDING:
            self._pending = [self.total]

    @property
    def total(self) -> pl.DataFrame:
        """One row per combination of keys."""
        return pl.concat(self._pending).group_by(self._keys, maintain_order=True).agg(pl.all().sum())


def finished_only(tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.LazyFrame]:
    unfinished = tables["games"].filter(pl.col("status") != FINISHED).select("variant", "game")
    return {name: frame.join(unfinished, on=["variant", "game"], how="anti") for name, frame in tables.items()}


def open_run(path: Path, shipped: bool = False) -> RunTables:
    """The run in a folder; missing or damaged parts, or rules of several versions, are errors. Of a level that was
    retrained, the games with retrained nets are read, or the `shipped` ones."""
    run = Run(path)
    experiment = replace(run.manifest.parsed_experiment, games=run.games_per_variant)
    described = zip(run.manifest.variants, variants_of(experiment, run.nets), strict=True)
    variants = tuple(description.with_names_from(variant) for description, variant in described)
    versions = sorted({str(variant.rules_version) for variant in variants})
    if len(versions) > 1:
        raise MmsimError(f"run {path} mixes rules versions {', '.join(versions)}; play it again with one of them")
    parts = run.verified_parts()
    if not parts:
        raise MmsimError(f"run {path} has no games yet; play them: mmsim resume {path}")
    plan, count = run.plan, len(variants) // len(experiment.played_levels)
    planned_games = {variant.name: plan.games_of(number) for number, variant in enumerate(variants)}

    def tables(numbers: Sequence[int]) -> RunTables:
        """The games of some variants."""
        selected = [part for part in parts if part.variant in numbers]
        blocks_at_once = max(1, _GAMES_AT_ONCE // (plan.size(numbers[0]) * len(numbers)))

        def cut() -> Iterator[Mapping[str, pl.LazyFrame]]:
            for _, block in groupby(selected, key=lambda part: part.number // len(variants) // blocks_at_once):
                yield scan(sorted(block, key=lambda part: part.variant))

        chosen = tuple(variants[number] for number in numbers)
        return RunTables(
            experiment, chosen, scan(selected), path, cut, planned_games=planned_games, decision=run.manifest.decision
        )

    chances = read_win_chances(path)
    tension = None if chances is None else tension_table(calibrated(chances))

    def scan(some: Sequence[Part]) -> dict[str, pl.LazyFrame]:
        tables = {table: run.scan_by_name(table, some) for table in run.table_names}
        if tension is not None and some:
            in_parts = pl.col("game").is_between(min(part.first for part in some), max(part.last for part in some))
            in_parts &= pl.col("variant").is_in({run.variant_names[part.variant] for part in some})
            name = pl.col("variant").cast(tables["games"].collect_schema()["variant"])
            tables[TENSION] = tension.lazy().filter(in_parts).with_columns(name)
        return tables

    def level_tables(level: Level, first: int) -> RunTables:
        """The games of one level, of which the first variant is given."""
        rulesets = len(experiment.variants)
        played = replace(tables(range(first, first + count)), played_by=level)
        if not experiment.averages_boards:
            return played
        boards = [tables(range(board, board + rulesets)) for board in range(first, first + count, rulesets)]
        return with_boards(played, [replace(board, played_by=level) for board in boards])

    places = experiment.analysed_levels(shipped)
    levels = [level_tables(experiment.played_levels[place], place * count) for place in places]
    if len(experiment.played_levels) == 1:
        return levels[0]
    whole = tables([place * count + number for place in places for number in range(count)])
    return replace(whole, variants=levels[0].shared_variants, of_levels=tuple(levels))
