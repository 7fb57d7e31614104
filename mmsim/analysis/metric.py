"""Metrics of tables, game by game."""

from collections.abc import Mapping, Sequence
from math import lcm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis.stats import Array
from mmsim.core.metrics import Metric, OfRows, Shape, Value

_BETWEEN = "\t"  # between a metric and a group in the name of a column


def per_game(metric: Metric, tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """One row a game and group of one metric: `variant`, `group`, `game`, `value`."""
    wide = TableMetrics([metric], Shape(tables)).grouped(tables[metric.table])
    return (
        wide.unpivot(index=["variant", "game"], variable_name="group", value_name="value")
        .with_columns(pl.col("group").str.split(_BETWEEN).list.get(1))
        .drop_nulls("value")
        .select("variant", "group", "game", "value")
    )


class TableMetrics:
    """Metrics of one table, read together in a single pass, however many there are."""

    def __init__(self, metrics: Sequence[Metric], shape: Shape) -> None:
        self.metrics = metrics
        (self._table,) = {metric.table for metric in metrics}
        self._values: dict[str, Value] = {
            f"{metric.name}{_BETWEEN}{group}": value
            for metric in metrics
            for group, value in metric.values(shape).items()
        }
        self._columns = sorted({name for value in self._values.values() for name in _columns(value)})

    def grouped(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """One row a game and one column a value, whatever the order of the rows."""
        if self._table == "games":
            return frame.select("variant", "game", *self._in_turn(1))
        values = {name: value.grouped() for name, value in self._values.items() if isinstance(value, OfRows)}
        return frame.group_by("variant", "game").agg(_floats(values))

    def _in_turn(self, rows: int) -> list[pl.Expr]:
        """The values where every game has so many rows, one game after the other."""
        return _floats(
            {name: value.in_turn(rows) if isinstance(value, OfRows) else value for name, value in self._values.items()}
        )

    def deals(self, tables: Mapping[str, pl.LazyFrame], games_a_deal: Mapping[str, int]) -> list[Array]:
        """For every variant its values by column, deal and game of the deal; NaN where there is none."""
        rows = tables[self._table].select("variant", "game", *self._columns).collect(engine="streaming").rechunk()
        each = 1 if self._table == "games" else _rows_a_game(rows)
        if each:  # a plan of so many short expressions would take longer to make than to carry out
            wide = rows.select(pl.col("variant", "game").gather_every(each), *self._in_turn(each))
        else:
            wide = self.grouped(rows.lazy()).collect()
        number = pl.col("variant").cast(pl.Enum([*games_a_deal]), strict=False).to_physical()
        wide = wide.with_columns(number, pl.col("game").cast(pl.Int64))
        game, deal = wide["game"].to_numpy(), lcm(*games_a_deal.values())
        start = int(game.min(initial=game[0] if len(game) else 0)) // deal * deal
        stretch = (int(game.max(initial=start)) // deal + 1) * deal - start
        found = []
        for variant, size in enumerate(games_a_deal.values()):
            own = wide.filter(pl.col("variant") == variant).drop("variant")
            values = np.full((len(self._values), stretch), np.nan)
            places = _slice_of(own["game"].to_numpy() - start)
            for row, column in zip(values, own.drop("game"), strict=True):
                row[places] = column.to_numpy()
            found.append(values.reshape(len(values), -1, size))
        return found


def _columns(value: Value) -> list[str]:
    """The columns a value is made of."""
    rows = [of for _, of in value.folds] if isinstance(value, OfRows) else [value]
    return [name for row in rows for name in row.meta.root_names()]


def _floats(values: Mapping[str, pl.Expr]) -> list[pl.Expr]:
    return [value.cast(pl.Float64).fill_nan(None).alias(name) for name, value in values.items()]


def _rows_a_game(rows: pl.DataFrame) -> int | None:
    """How many rows every game has, one game after the other; None where that is not so."""
    variant, game = rows["variant"].cast(pl.Categorical).to_physical().to_numpy(), rows["game"].to_numpy()
    same = (variant[1:] == variant[:-1]) & (game[1:] == game[:-1])
    each = 1 + int(np.argmin(same)) if len(same) and not same.all() else len(rows)
    if not each or len(rows) % each:
        return None
    games = np.sort(variant[::each] * (game.max() + 1) + game[::each])
    alike = np.array_equal(same, np.arange(1, len(rows)) % each > 0) and bool((games[1:] > games[:-1]).all())
    return each if alike else None


def _slice_of(places: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """Places as a slice where one follows the other, as they do unless games are missing: that is faster."""
    in_turn = len(places) > 0 and bool((np.diff(places) == 1).all())
    return slice(places[0], places[-1] + 1) if in_turn else places
