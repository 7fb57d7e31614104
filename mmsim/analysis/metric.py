"""Metrics of tables, game by game."""

from collections.abc import Mapping, Sequence

import polars as pl

from mmsim.core.metrics import Metric, Shape

_BETWEEN = "\t"  # between a metric and a group in the name of a column


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


def per_game(metric: Metric, tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """One row a game and group of one metric: `variant`, `group`, `game`, `value`."""
    wide = per_game_wide(tables, [metric], Shape(tables))
    return (
        wide.unpivot(index=["variant", "game"], variable_name="group", value_name="value")
        .with_columns(pl.col("group").str.split(_BETWEEN).list.get(1))
        .drop_nulls("value")
        .select("variant", "group", "game", "value")
    )
