"""The tables of a run, read lazily: which variants there are, which games count, and what is missing."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import polars as pl

from mmsim.analysis.tension import tension_table
from mmsim.batch.experiment import OF_MEMBER, Experiment, ignored_knobs, is_strong, variants_of
from mmsim.batch.manifest import Decision
from mmsim.batch.plan import Part
from mmsim.batch.run import Run
from mmsim.batch.win_chances import read_chances
from mmsim.core.game import Variant
from mmsim.core.seating import bot_name, games_a_deal, seat_orders
from mmsim.errors import MmsimError
from mmsim.games import find_shell, find_statistics

FINISHED = "finished"
TENSION = "tension"  # a table made of the chances to win, where those are known
_GAMES_AT_ONCE = 60_000  # of all variants together, that are in memory at a time


@dataclass(frozen=True)
class Member:
    """A kind of players that was asked: four of a kind, or the bots of one table."""

    name: str
    strong: bool = True  # weak ones are drawn, and count only where there are no others
    blind: frozenset[tuple[int, int]] = frozenset()  # variants whose difference it cannot make use of

    def is_evidence(self, one: int, other: int) -> bool:
        """Whether its games tell anything of the difference between two variants."""
        return (one, other) not in self.blind and (other, one) not in self.blind


@dataclass(frozen=True)
class VariantInfo:
    """A variant of a run: how its manifest describes it, and which of its games share a layout and a deal."""

    name: str
    players: int
    bots: tuple[str, ...]
    games_a_deal: int  # games in a row that share a layout and a deal
    rules: str = ""  # as the experiment names them
    board: str | None = None  # None: the usual one, or the only one
    seated: str = ""  # the bots as the experiment lists them
    about: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)
    cycle: int = 1  # games in which every way to seat the bots is played equally often

    @classmethod
    def of(cls, about: Mapping[str, Any], named: Variant) -> "VariantInfo":
        """A variant as a game describes it, and as its experiment names it."""
        players = int(about["players"])
        bots = tuple(bot if isinstance(bot, str) else str(bot["bot"]) for bot in about["bots"])
        rotate = about["seats"] == "rotate"
        names = [bot_name(*bot) for bot in zip(bots, about["bots"], strict=True)]
        cycle = len(seat_orders(names, about["seat_player"], rotate))
        deal = games_a_deal(players, rotate)
        return cls(str(about["name"]), players, bots, deal, named.rules, named.board, named.bots, about, cycle)


@dataclass(frozen=True)
class RunTables:
    """A run: its tables as lazy frames of one row a game, seat, trip or line, and the experiment that made them.

    That of a panel is looked at member by member; its variants go by the names that all members share.
    """

    experiment: Experiment
    variants: tuple[VariantInfo, ...]
    tables: Mapping[str, pl.LazyFrame]
    folder: Path = Path()  # where the files lie that the experiment names
    cut: Callable[[], Iterator[Mapping[str, pl.LazyFrame]]] | None = None  # the same tables, some games at a time
    panel: tuple["RunTables", ...] = ()  # the games of every member of a panel
    wanted: Mapping[str, int] = field(default_factory=dict)  # cell -> games asked for, where these are fewer
    decision: Decision | None = None  # what it was played to decide

    @property
    def by_member(self) -> tuple["RunTables", ...]:
        """The games of every kind of players; where there is one, all."""
        return self.panel or (self,)

    def starting_with(self, variant: str) -> "RunTables":
        """The same run with another variant in the first place, the one that all others are compared with."""
        first = [one.name for one in self.variants].index(variant)

        def order(of: tuple[VariantInfo, ...]) -> tuple[VariantInfo, ...]:
            return (of[first], *of[:first], *of[first + 1 :])

        panel = tuple(replace(one, variants=order(one.variants)) for one in self.panel)
        return replace(self, variants=order(self.variants), panel=panel)

    @property
    def cells(self) -> tuple[VariantInfo, ...]:
        """Every variant with every member, by the names the tables have for them."""
        return tuple(variant for one in self.by_member for variant in one.variants)

    @cached_property
    def member(self) -> Member:
        """The kind of players of a run without a panel, or of its part of one."""
        game, players = self.experiment.game, self.experiment.members[0]
        if self.variants and self.variants[0].seated:
            players = self.variants[0].seated
        return Member(players, is_strong(game, players), frozenset(self._blind(players)))

    def _blind(self, players: str) -> Iterator[tuple[int, int]]:
        """Variants between which players cannot tell, since they look at nothing that is different."""
        for one, other in combinations(range(len(self.variants)), 2):
            ways = [self.variants[v] for v in (one, other)]
            before, after = (way.about.get("ruleset", {}).get("name", "") for way in ways)
            same = ways[0].players == ways[1].players and ways[0].board == ways[1].board
            if (
                same
                and before
                and after
                and ignored_knobs(self.experiment.game, players, before, after, ways[0].players)
            ):
                yield one, other

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
        """Layouts (turned ones are one) and games of every variant; empty where games have no layouts."""
        games = self.tables["games"]
        if "layout" not in games.collect_schema():
            return {}
        played = games.drop_nulls("layout").with_columns(self.city)
        counts = played.group_by("variant").agg(pl.col("city").n_unique(), pl.len().alias("games"))
        found = counts.select(pl.col("variant").cast(pl.String), "city", "games").collect(engine="streaming")
        return {variant: (layouts, games) for variant, layouts, games in found.iter_rows()}

    @property
    def city(self) -> pl.Expr:
        """The column `city` of games: a number or code of their layout, the same one for the same city turned."""
        one_city, code = find_statistics(self.experiment.game).one_city, pl.col("layout").cast(pl.String)
        by_board: dict[str, list[VariantInfo]] = {}
        for variant in self.variants:
            by_board.setdefault(json.dumps(variant.about.get("board")), []).append(variant)
        city = one_city(code, self.variants[0].about)
        for same in [*by_board.values()][1:]:
            here = pl.col("variant").cast(pl.String).is_in([one.name for one in same])
            city = pl.when(here).then(one_city(code, same[0].about)).otherwise(city)
        return city.alias("city")

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
        return any(len(set(cell.bots)) > 1 and cell.games_a_deal == 1 for cell in self.cells)

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before any number: games missing, games left out."""
        found = []
        totals = dict(self.played.group_by("variant").agg(pl.col("games").sum()).iter_rows())
        short = {
            cell.name: totals.get(cell.name, 0)
            for cell in self.cells
            if totals.get(cell.name, 0) < self.wanted.get(cell.name, self.asked)
        }
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
        found += [
            f"The {totals[cell.name]:,} games of {cell.name} are no multiple of {cell.cycle}, after which every way to "
            "seat its bots has been played equally often: who sits beside whom is not quite balanced."
            for cell in self.cells
            if totals.get(cell.name, 0) % cell.cycle and cell.cycle > cell.games_a_deal
        ]
        kinds = [one.member for one in self.by_member]
        for one, other in combinations(range(len(self.variants)), 2):
            if not any(kind.is_evidence(one, other) for kind in kinds):
                found.append(
                    f"{' and '.join(kind.name for kind in kinds)} cannot use what is different between "
                    f"{self.variants[one].name} and {self.variants[other].name}: no evidence, and not compared."
                )
        weak = [one.member.name for one in self.by_member if not one.member.strong]
        if len(weak) == len(self.by_member):
            found.append(
                f"Only weak players were asked ({', '.join(weak)}); what holds for them may hold for nobody else."
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
    named = zip(run.manifest.variants, variants_of(experiment), strict=True)
    variants = tuple(VariantInfo.of(about, variant) for about, variant in named)
    versions = sorted({str(variant.about["rules_version"]) for variant in variants})
    if len(versions) > 1:
        raise MmsimError(f"run {path} mixes rules versions {', '.join(versions)}; play it anew with one of them")
    parts = run.whole_parts()
    if not parts:
        raise MmsimError(f"run {path} has no games yet; play them: mmsim resume {path}")
    plan, count = run.plan, len(variants) // len(experiment.members)
    wanted = {variant.name: plan.games_of(number) for number, variant in enumerate(variants)}

    def tables(first: int, last: int) -> RunTables:
        """The games of some of the variants, by their numbers."""
        own = [part for part in parts if first <= part.variant < last]
        at_once = max(1, _GAMES_AT_ONCE // (plan.size(first) * (last - first)))  # blocks

        def cut() -> Iterator[Mapping[str, pl.LazyFrame]]:
            for _, some in groupby(own, key=lambda part: part.number // len(variants) // at_once):
                yield scan(sorted(some, key=lambda part: part.variant))  # the games of a variant one after the other

        decision = run.manifest.decision
        return RunTables(experiment, variants[first:last], scan(own), path, cut, wanted=wanted, decision=decision)

    chances = read_chances(path)
    tension = None if chances is None else tension_table(chances)

    def scan(some: Sequence[Part]) -> dict[str, pl.LazyFrame]:
        tables = {table: run.scan(table, some) for table in run.table_names}
        if tension is not None and some:  # of the games of these parts
            here = pl.col("game").is_between(min(part.first for part in some), max(part.last for part in some))
            here &= pl.col("variant").is_in({run.variant_names[part.variant] for part in some})
            name = pl.col("variant").cast(tables["games"].collect_schema()["variant"])
            tables[TENSION] = tension.lazy().filter(here).with_columns(name)
        return tables

    whole = tables(0, len(variants))
    if len(experiment.members) == 1:
        return whole
    members = tuple(tables(first, first + count) for first in range(0, len(variants), count))
    shared = tuple(replace(one, name=one.name.partition(OF_MEMBER)[0]) for one in members[0].variants)
    return replace(whole, variants=shared, panel=members)
