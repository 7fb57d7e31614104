"""The tables of a run, read lazily: which variants there are, which games count, and what is missing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from mmsim.analysis.tension import tension_table
from mmsim.batch.chances import read_chances
from mmsim.batch.experiment import Experiment, variants_of
from mmsim.batch.plan import Part
from mmsim.batch.store import Run
from mmsim.core.errors import MmsimError
from mmsim.core.seating import games_a_deal
from mmsim.games import find_shell

FINISHED = "finished"
TENSION = "tension"  # a table made of the chances to win, where those are known
_GAMES_AT_ONCE = 20_000  # of all variants together, that are in memory at a time


@dataclass(frozen=True)
class VariantInfo:
    """A variant of a run: how its manifest describes it, and which of its games share a layout and a deal."""

    name: str
    players: int
    bots: tuple[str, ...]
    games_a_deal: int  # games in a row that share a layout and a deal
    rules: str = ""  # as the experiment names them
    board: str | None = None  # None: the usual one, or the only one
    about: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    @classmethod
    def of(cls, about: Mapping[str, Any], rules: str, board: str | None) -> "VariantInfo":
        """A variant as a game describes it, and as its experiment names it."""
        players = int(about["players"])
        bots = tuple(bot if isinstance(bot, str) else str(bot["bot"]) for bot in about["bots"])
        return cls(
            str(about["name"]), players, bots, games_a_deal(players, about["seats"] == "rotate"), rules, board, about
        )


@dataclass(frozen=True)
class RunTables:
    """A run: its tables as lazy frames of one row a game, seat, trip or line, and the experiment that made them."""

    experiment: Experiment
    variants: tuple[VariantInfo, ...]
    tables: Mapping[str, pl.LazyFrame]
    folder: Path = Path()  # where the files lie that the experiment names
    cut: Callable[[], Iterator[Mapping[str, pl.LazyFrame]]] | None = None  # the same tables, some games at a time

    @property
    def name(self) -> str:
        return self.experiment.name

    @property
    def boards(self) -> tuple[str, ...]:
        """The board sets that were played on; none where the game has only one board."""
        usual = find_shell(self.experiment.game).usual_board
        return self.experiment.boards or ((usual,) if usual else ())

    @property
    def asked(self) -> int:
        """Games every variant was to play."""
        return self.experiment.games

    @property
    def paired(self) -> bool:
        """Whether the same game number means the same layout and deal in every variant."""
        same = len({variant.games_a_deal for variant in self.variants}) == 1
        return self.experiment.design == "paired" and same

    @cached_property
    def played(self) -> pl.DataFrame:
        """Games of every variant and status."""
        counts = (
            self.tables["games"].group_by("variant", "status").agg(pl.len().alias("games")).collect(engine="streaming")
        )
        return counts.with_columns(pl.col("variant", "status").cast(pl.String)).sort("variant", "status")

    @cached_property
    def layouts(self) -> Mapping[str, tuple[int, int]]:
        """Layouts and games of every variant; empty where games have no layouts."""
        games = self.tables["games"]
        if "layout" not in games.collect_schema():
            return {}
        counts = (
            games.drop_nulls("layout").group_by("variant").agg(pl.col("layout").n_unique(), pl.len().alias("games"))
        )
        found = counts.select(pl.col("variant").cast(pl.String), "layout", "games").collect(engine="streaming")
        return {variant: (layouts, games) for variant, layouts, games in found.iter_rows()}

    @cached_property
    def counted(self) -> "RunTables":
        """The same run with finished games only: what metrics look at."""
        if not self.left_out:
            return self
        return replace(self, tables=finished_only(self.tables), cut=lambda: map(finished_only, self.blocks()))

    def blocks(self) -> Iterator[Mapping[str, pl.LazyFrame]]:
        """The tables, so many games at a time that they fit into memory however many there are: the same games of
        every variant, as far as they are played."""
        return self.cut() if self.cut else iter([self.tables])

    @property
    def left_out(self) -> int:
        """Games that came to no regular end."""
        return int(self.played.filter(pl.col("status") != FINISHED)["games"].sum())

    def games_of(self, variant: str) -> int:
        """Finished games of a variant."""
        rows = self.played.filter((pl.col("variant") == variant) & (pl.col("status") == FINISHED))
        return int(rows["games"].sum())

    @property
    def mixed(self) -> bool:
        """Whether a seat always has the same bot, and another seat another one."""
        return any(len(set(variant.bots)) > 1 and variant.games_a_deal == 1 for variant in self.variants)

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before any number: games missing, games left out."""
        found = []
        totals = dict(self.played.group_by("variant").agg(pl.col("games").sum()).iter_rows())
        short = {v.name: totals.get(v.name, 0) for v in self.variants if totals.get(v.name, 0) < self.asked}
        if short:
            parts = ", ".join(f"{name} {count:,}" for name, count in short.items())
            found.append(f"PARTIAL RUN: of {self.asked:,} games asked for of every variant there are only: {parts}.")
        for status, games in self.played.group_by("status", maintain_order=True).agg(pl.col("games").sum()).iter_rows():
            if status != FINISHED:
                ended = "1 game" if games == 1 else f"{games:,} games"
                found.append(f"{ended} ended with status {status}, left out of every metric.")
        if self.mixed:
            found.append(
                "Bots differ and seats are fixed, so the effect of a seat cannot be told from that of its bot."
            )
        return found


def finished_only(tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.LazyFrame]:
    """The rows of games that came to a regular end."""
    others = tables["games"].filter(pl.col("status") != FINISHED).select("variant", "game")
    return {name: frame.join(others, on=["variant", "game"], how="anti") for name, frame in tables.items()}


def open_run(path: Path) -> RunTables:
    """The run of a folder; parts that are missing or damaged, or rules of several versions, are an error."""
    run = Run(path)
    experiment = replace(run.manifest.asked, games=run.games_asked)
    names = [(variant.rules, variant.board) for variant in variants_of(experiment)]
    abouts = run.manifest.variants
    variants = tuple(VariantInfo.of(about, *name) for about, name in zip(abouts, names, strict=True))
    versions = sorted({str(variant.about["rules_version"]) for variant in variants})
    if len(versions) > 1:
        raise MmsimError(f"run {path} mixes rules versions {', '.join(versions)}; play it anew with one of them")
    parts = run.whole_parts()
    if not parts:
        raise MmsimError(f"run {path} has no games yet; play them: mmsim resume {path}")
    at_once = max(1, _GAMES_AT_ONCE // (experiment.part_games * len(variants)))  # blocks

    chances = read_chances(path)
    tension = None if chances is None else tension_table(chances)

    def scan(some: Sequence[Part]) -> dict[str, pl.LazyFrame]:
        tables = {table: run.scan(table, some) for table in run.table_names}
        if tension is not None:  # of the games of these parts
            here = pl.col("game").is_between(min(part.first for part in some), max(part.last for part in some))
            name = pl.col("variant").cast(tables["games"].collect_schema()["variant"])
            tables[TENSION] = tension.lazy().filter(here).with_columns(name)
        return tables

    def cut() -> Iterator[Mapping[str, pl.LazyFrame]]:
        for _, some in groupby(parts, key=lambda part: part.number // len(variants) // at_once):
            yield scan(sorted(some, key=lambda part: part.variant))  # the games of a variant one after the other

    return RunTables(experiment, variants, scan(parts), path, cut)
