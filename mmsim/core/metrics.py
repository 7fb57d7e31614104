"""What a game declares to be measured of its tables, and how a report tells it.

A game's `metrics.py` makes one `Statistics` of these; `common_metrics` has what every game may take over. Polars is
slow to import: nothing that plays games imports this module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import truediv
from typing import Any, Literal

import polars as pl

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")  # players in playing order


@dataclass(frozen=True)
class Shape:
    """What a metric must know of the tables before it can say which groups it has."""

    tables: Mapping[str, pl.LazyFrame]

    @cached_property
    def schemas(self) -> dict[str, pl.Schema]:
        return {name: frame.collect_schema() for name, frame in self.tables.items()}

    @cached_property
    def _seats(self) -> tuple[int, list[str]]:
        """The last player and the bots, found in one pass."""
        last = self.tables["seats"].group_by("bot").agg(pl.col("player").max())  # in groups: `unique` keeps every row
        found = last.collect(engine="streaming")
        return int(found["player"].max()), sorted(map(str, found["bot"]))  # type: ignore[arg-type]

    @property
    def players(self) -> int:
        return self._seats[0] + 1

    @property
    def bots(self) -> list[str]:
        return self._seats[1]

    def words(self, table: str, column: str) -> list[str]:
        """The values a column of words may take."""
        dtype = self.schemas[table][column]
        if isinstance(dtype, pl.Enum):
            return dtype.categories.to_list()
        found = self.tables[table].select(pl.col(column).unique().cast(pl.String).drop_nulls()).collect()
        return sorted(found[column].to_list())


Fold = Literal["sum", "count", "max", "min"]  # of the values that there are; Polars calls them the same


@dataclass(frozen=True)
class OfRows:
    """A number of a game that is made of its rows in a table: of their sums, largest and smallest values."""

    folds: tuple[tuple[Fold, pl.Expr], ...]
    make: Callable[..., pl.Expr] = lambda only: only  # the number, from the folds

    def grouped(self) -> pl.Expr:
        """The number in a frame that is grouped by games."""
        return self.make(*(getattr(value, fold)() for fold, value in self.folds))


Value = pl.Expr | OfRows  # an expression of a row of `games`, or a number made of the rows of another table
Values = dict[str, Value]  # by group


@dataclass(frozen=True)
class Measure:
    """What a metric, or a number derived from others, is called, asks and is counted in."""

    name: str
    question: str
    unit: str  # "share" for what lies between 0 and 1
    tolerance: float  # a difference that does not matter, in units
    better: str = field(default="", kw_only=True)  # "more" or "less", where either makes a better game


@dataclass(frozen=True)
class Metric(Measure):
    """A number of every game, averaged over games; for groups, one number each."""

    table: str
    needs: tuple[str, ...]  # columns; a run without them has no such metric
    values: Callable[[Shape], Values]

    def known(self, schemas: Mapping[str, pl.Schema]) -> bool:
        """Whether the tables have what this metric needs."""
        return self.table in schemas and set(self.needs) <= set(schemas[self.table])


def single(value: Value) -> Callable[[Shape], Values]:
    """The values of a metric that has no groups."""
    return lambda shape: {"": value}


def of_games(name: str, question: str, unit: str, tolerance: float, *, better: str = "") -> Metric:
    """The metric that is a column of `games`, and called like it."""
    return Metric(name, question, unit, tolerance, "games", (name,), single(pl.col(name)), better=better)


def mean(value: pl.Expr) -> OfRows:
    """The mean of a value over the rows of a game that have one."""
    return OfRows((("sum", value), ("count", value)), truediv)


def mean_where(value: pl.Expr, mask: pl.Expr) -> OfRows:
    """The mean of a value over some rows of a game; null where there are none."""
    return OfRows((("sum", pl.when(mask).then(value).otherwise(0)), ("sum", mask)), truediv)


def by_player(value: pl.Expr) -> Callable[[Shape], Values]:
    """One value for every player, by playing order."""

    def values(shape: Shape) -> Values:
        exact = value.cast(pl.Float64)
        return {ORDINALS[player]: mean_where(exact, pl.col("player") == player) for player in range(shape.players)}

    return values


def by_bot(value: pl.Expr) -> Callable[[Shape], Values]:
    """One value for every bot; none where all are the same."""

    def values(shape: Shape) -> Values:
        bots = shape.bots if len(shape.bots) > 1 else []
        return {bot: mean_where(value.cast(pl.Float64), pl.col("bot") == bot) for bot in bots}

    return values


def by_word(table: str, column: str) -> Callable[[Shape], Values]:
    """The share of a game's rows with each word of a column; rows without a word count too."""

    def values(shape: Shape) -> Values:
        here = {word: pl.col(column) == word for word in shape.words(table, column)}
        return {word: is_so if table == "games" else mean(is_so.fill_null(False)) for word, is_so in here.items()}

    return values


@dataclass(frozen=True)
class Gap:
    """A situation that rule books leave open or settle differently, and in which rows of a table it came up."""

    name: str
    situation: str
    reading: str  # how it is played here
    table: str
    needs: tuple[str, ...]
    came_up: pl.Expr
    rules: str = ""  # ids of the rules it is settled by

    @property
    def metric(self) -> Metric:
        """The share of games in which it came up."""
        here = self.came_up.fill_null(False)
        value = single(here if self.table == "games" else OfRows((("sum", here),), lambda rows: rows > 0))
        return Metric(self.name, self.situation, "share", 0.01, self.table, self.needs, value)


# A sentence in clauses. Braces name metrics: `{turns}`, one of its groups `{end_reason[deadlock]}`, the largest group
# `{end_reason.most}` and how that is called, `{end_reason.most.name}`; `{turns:full}` adds unit and interval,
# `{turns:interval}` is the interval. A clause whose numbers a run does not have is left out.
Sentence = tuple[str, ...]


@dataclass(frozen=True)
class ChartPlan:
    """A chart of metrics: a line a group or, where there is one number only, a line a variant."""

    name: str  # of its files
    title: Sentence
    note: str
    metrics: Mapping[str, str]  # metric -> label of its line; empty where its groups are the labels


@dataclass(frozen=True)
class SectionPlan:
    """A section of the report; it is there if a run can fill the first clause of its title."""

    id: str
    label: str
    title: Sentence
    metrics: tuple[str, ...]  # of its table
    charts: tuple[ChartPlan, ...] = ()
    text: Sentence = ()


@dataclass(frozen=True)
class OpeningView:
    """A way to sort what seats open with into kinds."""

    name: str
    text: str  # what a kind says, in a sentence without its full stop
    kinds: Callable[[Mapping[str, Any], pl.DataFrame], pl.Series]  # variant as its manifest has it, rows of `seats`


def of_openings(seats: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    """The seats of some rows of `seats`, and columns made of their openings alone: of each opening once."""
    opening = pl.col("opening").cast(pl.Categorical)
    made = seats.select(opening.unique()).with_columns(**columns)
    return seats.select("seat", opening).join(made, on="opening", how="left", nulls_equal=True, maintain_order="left")


def nearest_before(distance: Callable[[int], pl.Expr], seats: int) -> pl.Expr:
    """The least distance of a row of `seats` to one of an earlier seat of its game; null where there is none.

    `distance` is that to the row so many rows before: rows lie game after game, seat after seat.
    """
    to_each = (pl.when(pl.col("seat") >= back).then(distance(back)) for back in range(1, seats))
    return pl.min_horizontal(pl.lit(None, pl.Int16), *to_each)


@dataclass(frozen=True)
class Statistics:
    """Everything a game says of how its tables are read."""

    metrics: tuple[Metric, ...]
    gaps: tuple[Gap, ...]
    sections: tuple[SectionPlan, ...]  # between that on seats and those on variants, bots and boards
    course: Sentence  # the last sentence of the answer, on how games go: clauses to be joined by "and"
    ends: Sentence  # the second sentence of the answer where nothing is compared
    layout_outcomes: Mapping[str, str]  # what a layout may matter for -> the column of `games` that has it
    asked: tuple[str, ...]  # what is asked of a run that names no metrics: few, and none twice under two names
    swept: tuple[str, ...]  # what a sweep draws, if it is not asked for other metrics
    limits: tuple[str, ...] = ()  # what is to be known of the game as it is played here, in sentences
    openings: tuple[OpeningView, ...] = ()  # ways to sort openings, the most telling first; the last: as they are
    # One number or code for all layouts that are the same city turned: from a layout's code and what a manifest says of
    # a variant; numbers are counted many times as fast
    one_city: Callable[[pl.Expr, Mapping[str, Any]], pl.Expr] = lambda layout, about: layout
