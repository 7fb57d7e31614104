"""Metrics of tables, game by game."""

from collections.abc import Mapping, Sequence
from math import lcm
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis.stats import Array
from mmsim.core.metrics import Fold, Metric, OfRows, Shape, Value

_MANY_ROWS = 256  # of a game: the sum of so many bits needs more than a byte, of so many short numbers more than a word
BETWEEN = "\t"  # between a metric and a group in the name of a column


def per_game(metric: Metric, tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """One row a game and group of one metric: `variant`, `group`, `game`, `value`."""
    wide = TableMetrics([metric], Shape(tables)).grouped(tables[metric.table])
    return (
        wide.unpivot(index=["variant", "game"], variable_name="group", value_name="value")
        .with_columns(pl.col("group").str.split(BETWEEN).list.get(1))
        .drop_nulls("value")
        .select("variant", "group", "game", "value")
    )


class TableMetrics:
    """Metrics of one table, read together in a single pass, however many there are."""

    def __init__(self, metrics: Sequence[Metric], shape: Shape) -> None:
        self.metrics = metrics
        (self._table,) = {metric.table for metric in metrics}
        self._values: dict[str, Value] = {
            f"{metric.name}{BETWEEN}{group}": value
            for metric in metrics
            for group, value in metric.values(shape).items()
        }
        self._columns = sorted({name for value in self._values.values() for name in _columns(value)})
        self._folded: dict[bytes, pl.Expr] = {}  # what is folded, each once, however many values it is a part of
        self._folds: dict[str, tuple[Fold, bytes]] = {}
        self._of_folds = [self._made(value).cast(pl.Float64).alias(name) for name, value in self._values.items()]

    def _made(self, value: Value) -> pl.Expr:
        """A value as an expression of folded columns, of which it is noted what they are."""
        if not isinstance(value, OfRows):
            return value
        names = []
        for fold, of in value.folds:
            key = of.meta.serialize()
            self._folded.setdefault(key, of)
            names.append(f"{fold} {[*self._folded].index(key)}")
            self._folds[names[-1]] = fold, key
        return value.make(*map(pl.col, names))

    def grouped(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """One row a game and one column a value, whatever the order of the rows."""
        if self._table == "games":
            return frame.select("variant", "game", *(value.fill_nan(None) for value in self._of_folds))
        values = {name: value.grouped() for name, value in self._values.items() if isinstance(value, OfRows)}
        return frame.group_by("variant", "game").agg(_floats(values))

    def _in_turn(self, rows: pl.DataFrame, each: int) -> pl.DataFrame:
        """The values where every game has so many rows, one game after the other; many times as fast as groups."""
        folded = rows.select(of.alias(str(number)) for number, of in enumerate(self._folded.values()))
        columns = dict(zip(self._folded, folded, strict=True))
        return pl.DataFrame(
            {name: _fold(fold, columns[key], each) for name, (fold, key) in self._folds.items()}
        ).select(self._of_folds)

    def by_game(self, tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
        """One row a game: `variant`, `game` and a column a value."""
        rows = tables[self._table].select("variant", "game", *self._columns).collect(engine="streaming").rechunk()
        each = 1 if self._table == "games" else _rows_a_game(rows)
        if not each:
            return self.grouped(rows.lazy()).collect()
        games = rows.select(pl.col("variant", "game").gather_every(each))  # one plan of all would take long to make
        return games.hstack(rows.select(self._of_folds) if self._table == "games" else self._in_turn(rows, each))

    def deals(self, tables: Mapping[str, pl.LazyFrame], games_a_deal: Mapping[str, int]) -> list[Array]:
        """For every variant its values by column, deal and game of the deal; NaN where there is none."""
        games = self.by_game(tables)
        wide = games.drop("variant", "game")
        values = np.ascontiguousarray(wide.to_numpy(order="fortran").T)
        variants = games["variant"].cast(pl.Enum([*games_a_deal]), strict=False).to_physical()
        game, deal = games["game"].cast(pl.Int64).to_numpy(), lcm(*games_a_deal.values())
        start = int(game.min(initial=game[0] if len(game) else 0)) // deal * deal
        stretch = (int(game.max(initial=start)) // deal + 1) * deal - start
        return [
            _in_places(values, slice_of((variants == number).arg_true().to_numpy()), game - start, stretch).reshape(
                len(values), -1, size
            )
            for number, size in enumerate(games_a_deal.values())
        ]


def _in_places(values: Array, own: NDArray[Any] | slice, places: NDArray[np.int64], stretch: int) -> Array:
    """The values of some games at their places in a stretch of games; NaN where there is none."""
    where = slice_of(places[own])
    if isinstance(where, slice) and where == slice(0, stretch):
        return values[:, own]
    found = np.full((len(values), stretch), np.nan)
    found[:, where] = values[:, own]
    return found


def _fold(fold: Fold, values: pl.Series, rows: int) -> pl.Series:
    """The sum, largest value and so on of every so many values in a row."""
    nulls = values.null_count()
    if fold == "count":
        return _fold("sum", values.is_not_null(), rows) if nulls else pl.Series(np.full(len(values) // rows, rows))
    if fold != "sum" and nulls:
        folded: pl.Series = getattr(values.reshape((-1, rows)).arr, fold)()
        return folded
    numbers = (values.fill_null(0) if nulls else values).to_numpy()
    if fold == "sum":  # cast beforehand: numpy adds numbers of one kind several times as fast
        kinds = {"b": np.uint8 if rows < _MANY_ROWS else np.int64, "f": np.float64}
        short = numbers.itemsize < np.dtype(np.int32).itemsize and rows < _MANY_ROWS
        numbers = numbers.astype(kinds.get(numbers.dtype.kind, np.int32 if short else np.int64))
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum}[fold]
    found = numbers[::rows].copy()
    for row in range(1, rows):
        combine(found, numbers[row::rows], out=found)
    return pl.Series(found)


def _columns(value: Value) -> list[str]:
    """The columns a value is made of."""
    rows = [of for _, of in value.folds] if isinstance(value, OfRows) else [value]
    return [name for row in rows for name in row.meta.root_names()]


def _floats(values: Mapping[str, pl.Expr]) -> list[pl.Expr]:
    return [value.cast(pl.Float64).fill_nan(None).alias(name) for name, value in values.items()]


def _rows_a_game(rows: pl.DataFrame) -> int | None:
    """How many rows every game has, one game after the other; None where that is not so."""
    variant, game = rows["variant"].cast(pl.Categorical).to_physical().to_numpy(), rows["game"].to_numpy()
    if not len(rows):
        return None
    other = (game != game[0]) | (variant != variant[0])
    each = int(np.argmax(other)) or len(rows)
    if len(rows) % each:
        return None
    by_game = [column.reshape(-1, each) for column in (variant, game)]
    if not all((column == column[:, :1]).all() for column in by_game):
        return None
    games = np.sort(variant[::each] * (game.max() + 1) + game[::each])
    return each if (games[1:] > games[:-1]).all() else None


def slice_of(places: NDArray[Any]) -> NDArray[Any] | slice:
    """Places as a slice where one follows the other, as they do unless games are missing: that is faster."""
    in_turn = len(places) > 0 and bool((np.diff(places) == 1).all())
    return slice(int(places[0]), int(places[-1]) + 1) if in_turn else places
