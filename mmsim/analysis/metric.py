"""What a metric is: a small declared object, estimated as a mean of one value a game; `metrics` declares them all.

A metric names the table and columns it needs; a game whose tables lack them simply has no such metric.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

_BETWEEN = "\t"  # between a metric and a group in the name of a column


@dataclass(frozen=True)
class Shape:
    """What a metric must know of the tables before it can say which groups it has."""

    tables: Mapping[str, pl.LazyFrame]

    @cached_property
    def schemas(self) -> dict[str, pl.Schema]:
        return {name: frame.collect_schema() for name, frame in self.tables.items()}

    @cached_property
    def players(self) -> int:
        return int(self.tables["seats"].select(pl.col("player").max()).collect().item()) + 1

    @cached_property
    def bots(self) -> list[str]:
        return sorted(self.tables["seats"].select(pl.col("bot").unique().cast(pl.String)).collect()["bot"].to_list())

    def words(self, table: str, column: str) -> list[str]:
        """The values a column of words may take."""
        dtype = self.schemas[table][column]
        if isinstance(dtype, pl.Enum):
            return dtype.categories.to_list()
        found = self.tables[table].select(pl.col(column).unique().cast(pl.String).drop_nulls()).collect()
        return sorted(found[column].to_list())


Values = dict[str, pl.Expr]  # group -> its value: of a row of `games`, or over the rows of a game in another table


@dataclass(frozen=True)
class Metric:
    """A number of every game, averaged over games; for groups, one number each."""

    name: str
    question: str
    unit: str  # "share" for what lies between 0 and 1
    table: str
    needs: tuple[str, ...]
    values: Callable[[Shape], Values]
    tolerance: float  # a difference that does not matter, in units
    better: str = ""  # "more" or "less", where either makes a better game

    def known(self, schemas: Mapping[str, pl.Schema]) -> bool:
        """Whether the tables have what this metric needs."""
        return self.table in schemas and set(self.needs) <= set(schemas[self.table])

    def per_game(self, tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
        """One row a game and group: `variant`, `group`, `game`, `value`."""
        wide = per_game_wide(tables, [self], Shape(tables))
        return (
            wide.unpivot(index=["variant", "game"], variable_name="group", value_name="value")
            .with_columns(pl.col("group").str.split(_BETWEEN).list.get(1))
            .drop_nulls("value")
            .select("variant", "group", "game", "value")
        )


def column(metric: str, group: str) -> str:
    """The name of a metric's group in a wide frame."""
    return f"{metric}{_BETWEEN}{group}"


def per_game_wide(tables: Mapping[str, pl.LazyFrame], metrics: Sequence[Metric], shape: Shape) -> pl.LazyFrame:
    """One row a game and one column a group, for metrics of one table: a single pass however many there are."""
    (table,) = {metric.table for metric in metrics}
    values = [
        value.cast(pl.Float64).fill_nan(None).alias(column(metric.name, group))
        for metric in metrics
        for group, value in metric.values(shape).items()
    ]
    if table == "games":
        return tables[table].select("variant", "game", *values)
    return tables[table].group_by("variant", "game").agg(values)
