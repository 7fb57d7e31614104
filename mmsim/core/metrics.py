"""What a game declares about its statistics: metrics of its tables, rule gaps, and sections of the report.

A game's `metrics.py` builds one `Statistics` from these; `common_metrics` has what all games share. Polars is slow to
import, so nothing that plays games imports this module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import truediv
from typing import Literal

import polars as pl

from mmsim.core.variant import VariantDescription

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")  # players in playing order


@dataclass(frozen=True)
class MetricGrouping:
    """The tables of a run, as far as a metric needs them to name its groups: players, bots, words of a column."""

    tables: Mapping[str, pl.LazyFrame]

    @cached_property
    def schemas(self) -> dict[str, pl.Schema]:
        return {name: frame.collect_schema() for name, frame in self.tables.items()}

    @cached_property
    def _seats(self) -> tuple[int, list[str]]:
        """The last player and the bots, in one pass over the table; grouped, since `unique` keeps every row."""
        bots = self.tables["seats"].group_by("bot").agg(pl.col("player").max()).collect(engine="streaming")
        return int(bots["player"].max()), sorted(map(str, bots["bot"]))  # type: ignore[arg-type]

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
        words = self.tables[table].select(pl.col(column).unique().cast(pl.String).drop_nulls()).collect()
        return sorted(words[column].to_list())


@dataclass(frozen=True)
class Wording:
    """A metric as players would say it; `{group}` is one of its groups, such as `first`."""

    label: str
    higher: str  # a clause: games are longer
    lower: str

    def of(self, group: str) -> "Wording":
        return Wording(*(text.replace("{group}", group) for text in (self.label, self.higher, self.lower)))


Fold = Literal["sum", "count", "max", "min"]  # of values that are not null; methods of Polars expressions


@dataclass(frozen=True)
class OfRows:
    """A number per game, computed from its rows in a table by sums, counts, maxima and minima."""

    folds: tuple[tuple[Fold, pl.Expr], ...]
    make: Callable[..., pl.Expr] = lambda fold: fold  # the number from the folds

    def grouped(self) -> pl.Expr:
        """The number as an aggregation of a frame grouped by game."""
        return self.make(*(getattr(value, fold)() for fold, value in self.folds))


Value = pl.Expr | OfRows  # an expression on a row of `games`, or a number computed from rows of another table
Values = dict[str, Value]  # by group


@dataclass(frozen=True)
class Measure:
    """The name, question and unit of a metric, or of a number derived from metrics."""

    name: str
    question: str
    unit: str  # "share" for values between 0 and 1
    tolerance: float  # a difference that does not matter, in this unit
    better: str = field(default="", kw_only=True)  # "more" or "less", if that makes a better game


@dataclass(frozen=True)
class Metric(Measure):
    """A number per game and group, averaged over games."""

    table: str
    needs: tuple[str, ...]  # columns; a run without them lacks the metric
    values: Callable[[MetricGrouping], Values]

    def known(self, schemas: Mapping[str, pl.Schema]) -> bool:
        """True if the tables have the columns this metric needs."""
        return self.table in schemas and set(self.needs) <= set(schemas[self.table])


def single(value: Value) -> Callable[[MetricGrouping], Values]:
    """The values of a metric that has no groups."""
    return lambda grouping: {"": value}


def metric_of(
    table: str, name: str, question: str, unit: str, tolerance: float, value: Value, *, better: str = ""
) -> Metric:
    """The metric of one number per game; it needs the columns that the number is computed from."""
    parts = [value] if isinstance(value, pl.Expr) else [part for _, part in value.folds]
    needs = tuple(column for part in parts for column in part.meta.root_names())
    return Metric(name, question, unit, tolerance, table, needs, single(value), better=better)


def of_games(name: str, question: str, unit: str, tolerance: float, *, better: str = "") -> Metric:
    """The metric that averages the column of `games` with its name."""
    return metric_of("games", name, question, unit, tolerance, pl.col(name), better=better)


def mean(value: pl.Expr) -> OfRows:
    """The mean of a value over the rows of a game; nulls are left out."""
    return OfRows((("sum", value), ("count", value)), truediv)


def mean_where(value: pl.Expr, mask: pl.Expr) -> OfRows:
    """The mean of a value over some rows of a game; null if there are none."""
    return OfRows((("sum", pl.when(mask).then(value).otherwise(0)), ("sum", mask)), truediv)


def by_player(value: pl.Expr) -> Callable[[MetricGrouping], Values]:
    """One value per player, in playing order."""

    def values(grouping: MetricGrouping) -> Values:
        exact = value.cast(pl.Float64)
        return {ORDINALS[player]: mean_where(exact, pl.col("player") == player) for player in range(grouping.players)}

    return values


def by_bot(value: pl.Expr) -> Callable[[MetricGrouping], Values]:
    """One value per bot; none if all bots are the same."""

    def values(grouping: MetricGrouping) -> Values:
        bots = grouping.bots if len(grouping.bots) > 1 else []
        return {bot: mean_where(value.cast(pl.Float64), pl.col("bot") == bot) for bot in bots}

    return values


def by_word(table: str, column: str) -> Callable[[MetricGrouping], Values]:
    """The share of a game's rows with each word of a column; rows with null count too."""

    def values(grouping: MetricGrouping) -> Values:
        matches = {word: pl.col(column) == word for word in grouping.words(table, column)}
        return {word: match if table == "games" else mean(match.fill_null(False)) for word, match in matches.items()}

    return values


@dataclass(frozen=True)
class RuleGap:
    """A situation that rule books leave open or settle differently, and the rows of a table in which it came up."""

    name: str
    situation: str
    reading: str  # how it is played here
    table: str
    came_up: pl.Expr
    rules: str = ""  # ids of the rules that settle it

    @property
    def metric(self) -> Metric:
        """The share of games in which it came up."""
        came_up = self.came_up.fill_null(False)
        value = came_up if self.table == "games" else OfRows((("sum", came_up),), lambda rows: rows > 0)
        return metric_of(self.table, self.name, self.situation, "share", 0.01, value)


# A sentence in clauses. Braces name metrics: `{turns}`, one of its groups `{end_reason[deadlock]}`, its largest group
# `{end_reason.leading}` by name, or several if these games do not show which one that is; `{turns:full}` adds unit and
# interval, `{turns:interval}` is the interval. A clause whose numbers a run does not have is left out.
Sentence = tuple[str, ...]


@dataclass(frozen=True)
class ChartPlan:
    """A chart of metrics: one line per group, or one per variant where there is a single number."""

    name: str  # of its files
    title: Sentence
    note: str
    metrics: Mapping[str, str]  # metric -> label of its line; empty: its groups are the labels


@dataclass(frozen=True)
class SectionPlan:
    """A section of the report; left out if a run cannot fill the first clause of its title."""

    id: str
    label: str
    title: Sentence
    metrics: tuple[str, ...]  # of its table
    charts: tuple[ChartPlan, ...] = ()
    text: Sentence = ()


@dataclass(frozen=True)
class OpeningView:
    """A way to classify the openings of seats."""

    name: str
    text: str  # what a kind means, a sentence without its full stop
    kinds: Callable[[VariantDescription, pl.DataFrame], pl.Series]  # of rows of `seats`


def of_openings(seats: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    """Rows of `seats` with columns computed from their openings, once per distinct opening."""
    opening = pl.col("opening").cast(pl.Categorical)
    openings = seats.select(opening.unique()).with_columns(**columns)
    return seats.select("seat", opening).join(
        openings, on="opening", how="left", nulls_equal=True, maintain_order="left"
    )


def nearest_before(distance: Callable[[int], pl.Expr], seats: int) -> pl.Expr:
    """The least distance of a row of `seats` to one of an earlier seat of its game; null if there is none.

    `distance(back)` is the distance to the row that many rows before; rows are sorted by game and seat.
    """
    to_each = (pl.when(pl.col("seat") >= back).then(distance(back)) for back in range(1, seats))
    return pl.min_horizontal(pl.lit(None, pl.Int16), *to_each)


@dataclass(frozen=True)
class Statistics:
    """Everything a game declares about how its tables are read."""

    metrics: tuple[Metric, ...]
    gaps: tuple[RuleGap, ...]
    sections: tuple[SectionPlan, ...]  # between the one on seats and those on variants, bots and boards
    course: Sentence  # how games go: clauses joined by "and"
    layout_outcomes: Mapping[str, str]  # what a layout may influence -> its column of `games`
    primary_metrics: tuple[str, ...]  # of a run that names no metrics: few, and no two that measure the same
    swept: tuple[str, ...]  # the metrics a sweep draws by default
    words: Mapping[str, Wording] = field(default_factory=dict)  # of metrics that are not common to all games
    limits: tuple[str, ...] = ()  # limits of the game as it is played here, in sentences
    openings: tuple[OpeningView, ...] = ()  # the most telling first, the last is the plain opening
    # One number or code for all layouts that are the same city turned; counting numbers is many times as fast
    one_city: Callable[[pl.Expr, VariantDescription], pl.Expr] = lambda layout, description: layout
