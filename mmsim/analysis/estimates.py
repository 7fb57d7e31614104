"""Estimate the metrics of a run: one value per game and group, then a mean for every variant and group with the
covariance of all means.

Games that share a layout and a deal are one observation, called a deal for short. In a paired run all variants play
the same deals, so the covariance between variants makes differences more precise.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import lcm
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.stats import Array, Estimate
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Fold, Measure, Metric, MetricGrouping, OfRows, Value

_READ_AHEAD = 2  # blocks of games that are read while others are summed up
_GRID = 1024.0  # offsets are multiples of 1 / _GRID: sums of whole values stay exact in any order
_CHUNK_DEALS = 200  # columns of one matrix product
_MAX_SMALL_ROWS = 256  # rows per game below which sums of booleans fit into a byte and sums of int16 into an int32
WIN_SHARE = "win_share"  # the metric of the seats
SEPARATOR = "\t"  # between metric and group in the name of a column
_Task = tuple["TableMetrics", Mapping[str, pl.LazyFrame]]  # the metrics of a table, and a block of games


@dataclass(frozen=True)
class Estimates:
    """A metric for every variant and group: means, games, deals, and the covariance of all means."""

    measure: Measure
    variants: tuple[str, ...]
    groups: tuple[str, ...]
    means: Array  # variants x groups
    games: Array
    deals: Array
    cov: NDArray[np.float64]  # variants x groups x variants x groups
    paired: bool
    games_per_deal: float = 1.0
    intervals: Mapping[tuple[int, int], tuple[float, float]] = field(default_factory=dict)  # instead of the default
    halves: tuple["Estimates", ...] = ()  # win shares only: of the deals at even and at odd places
    shares: "Estimates | None" = None  # imbalance only: the win shares it is computed from

    @classmethod
    def independent(
        cls,
        measure: Measure,
        variants: Sequence[str],
        groups: Sequence[str],
        estimates: Sequence[Sequence[Estimate]],
        games: Sequence[float],
        games_per_deal: float,
    ) -> "Estimates":
        """Estimates of variants and groups that vary independently; `games` has one number per variant."""
        flat, shape = [estimate for row in estimates for estimate in row], (len(variants), len(groups))
        return cls(
            measure,
            tuple(variants),
            tuple(groups),
            np.array([estimate.value for estimate in flat]).reshape(shape),
            np.repeat(np.array(games, np.float64)[:, None], len(groups), axis=1),
            np.array([float(estimate.deals) for estimate in flat]).reshape(shape),
            np.diag([estimate.se**2 for estimate in flat]).reshape(*shape, *shape),
            paired=False,
            games_per_deal=games_per_deal,
            intervals={divmod(i, shape[1]): (estimate.low, estimate.high) for i, estimate in enumerate(flat)},
        )

    @property
    def name(self) -> str:
        return self.measure.name

    def estimate(self, variant: int, group: int) -> Estimate:
        value, deals = float(self.means[variant, group]), int(self.deals[variant, group])
        se = float(np.sqrt(max(self.cov[variant, group, variant, group], 0.0)))
        if (variant, group) in self.intervals:
            return Estimate(value, *self.intervals[variant, group], se, deals)
        if self.measure.unit == "share":
            return stats.share_estimate(value, se, float(self.games[variant, group]), deals)
        return stats.estimate(value, se, deals)

    def get(self, variant: int, group: int) -> Estimate | None:
        """The mean of a variant and group, if it is known."""
        return self.estimate(variant, group) if self.known(variant, group) else None

    def by_group(self, variant: int) -> list[Estimate | None]:
        """The means of a variant, group by group."""
        return [self.get(variant, group) for group in range(len(self.groups))]

    def by_variant(self, group: int) -> list[Estimate | None]:
        """The means of a group, variant by variant."""
        return [self.get(variant, group) for variant in range(len(self.variants))]

    def known(self, variant: int, group: int) -> bool:
        """True if at least one game has a value for this variant and group."""
        return bool(np.isfinite(self.means[variant, group]))

    def covariance(self, first: int, second: int, groups: NDArray[Any]) -> Array:
        """The covariances of some groups of one variant with those of another."""
        covariances: Array = self.cov[first][groups][:, second][:, groups]
        return covariances

    def variance_of_difference(self, first: int, second: int, group: int, paired: bool) -> float:
        """The variance of the difference between two variants, as paired or as if they were independent."""
        independent = self.cov[first, group, first, group] + self.cov[second, group, second, group]
        shared = 2 * self.cov[first, group, second, group] if paired else 0.0
        variance = float(independent - shared)
        if not np.isfinite(variance):
            return float("inf")
        return variance if variance > 1e-12 * independent else 0.0  # identical games leave a rounding error

    def rows(self) -> pl.DataFrame:
        rows = [
            (self.measure.name, variant, group, e.value, e.low, e.high, e.se, int(self.games[v, g]), e.deals)
            for v, variant in enumerate(self.variants)
            for g, group in enumerate(self.groups)
            if self.known(v, g)
            for e in [self.estimate(v, g)]
        ]
        names = ["metric", "variant", "group", "value", "low", "high", "se", "games", "deals"]
        types = [pl.String, pl.String, pl.String, *[pl.Float64] * 4, pl.Int64, pl.Int64]
        frame = pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")
        unbounded = pl.col("low", "high", "se")
        return frame.with_columns(pl.when(unbounded.is_finite()).then(unbounded), unit=pl.lit(self.measure.unit))


def by_name(estimates: Iterable[Estimates]) -> dict[str, Estimates]:
    return {metric.name: metric for metric in estimates}


def estimate_metrics(run: RunTables, metrics: Sequence[Metric]) -> list[Estimates]:
    """Estimate metrics of a run in one pass over each table; memory does not grow with the number of games."""
    run = run.counted
    grouping = MetricGrouping(run.tables)
    groups = {metric.name: tuple(metric.values(grouping)) for metric in metrics}
    metrics = [metric for metric in metrics if groups[metric.name]]
    by_table = [
        TableMetrics([metric for metric in metrics if metric.table == table], grouping)
        for table in dict.fromkeys(metric.table for metric in metrics)
    ]
    moments = {
        name: Moments(len(run.variants), len(metric_groups), run.paired) for name, metric_groups in groups.items()
    }
    halves = {
        name: [Moments(len(run.variants), len(groups[name]), run.paired) for _ in range(2)]
        for name in groups
        if name == WIN_SHARE and len(run.variants) > 1
    }
    tasks = ((table, tables) for tables in run.blocks() for table in by_table)
    for table_metrics, values in _read_ahead(run, tasks):
        start = 0
        for metric in table_metrics:
            columns = slice(start, start := start + len(groups[metric.name]))
            moments[metric.name].add([variant[columns] for variant in values])
            for place, half in enumerate(halves.get(metric.name, ())):
                half.add([variant[columns, place::2] for variant in values])
    variants, paired = tuple(variant.name for variant in run.variants), run.paired and len(run.variants) > 1
    games_per_deal = float(run.variants[0].games_per_deal)

    def from_moments(metric: Metric, sums: Moments) -> Estimates:
        return Estimates(metric, variants, groups[metric.name], *sums.estimates(), paired, games_per_deal)

    estimates = [
        replace(
            from_moments(metric, moments[metric.name]),
            halves=tuple(from_moments(metric, half) for half in halves.get(metric.name, ())),
        )
        for metric in metrics
    ]
    return [metric for metric in estimates if np.isfinite(metric.means).any()]


def _read_ahead(run: RunTables, tasks: Iterable[_Task]) -> Iterator[tuple[Sequence[Metric], list[Array]]]:
    """Metrics and their values, task after task, while threads read the next ones."""
    pending: deque[tuple[Sequence[Metric], Future[list[Array]]]] = deque()
    games_per_deal = {variant.name: variant.games_per_deal for variant in run.variants}
    with ThreadPoolExecutor(_READ_AHEAD) as pool:
        for table, tables in tasks:
            pending.append((table.metrics, pool.submit(table.deals, tables, games_per_deal)))
            if len(pending) > _READ_AHEAD:
                metrics, values = pending.popleft()
                yield metrics, values.result()
        for metrics, values in pending:
            yield metrics, values.result()


# --- means and covariances ---------------------------------------------------------------------------------------


class Moments:
    """Running sums, squares and products of all variants and groups, from which means and covariances follow.

    A mean is a ratio, the sum of values over the number of games, linearised as in Cochran 1977 (Sampling Techniques,
    6.3) or Liang and Zeger 1986 (Biometrika 73): the cluster-robust covariance of two means is the sum over deals of
    the products of their residuals. Values are shifted by an offset near their mean, so that squares do not lose
    digits (Chan, Golub and LeVeque 1983, Am. Stat. 37).
    """

    def __init__(self, variants: int, groups: int, paired: bool) -> None:
        self._shape = variants, groups
        columns = variants * groups
        self._offset: Array = np.full(columns, np.nan)
        self._sums, self._games, self._deals = (np.zeros(columns) for _ in range(3))
        self._products = np.zeros((2, columns, 2, columns))  # of shifted sums and numbers of games
        self._paired = paired

    def add(self, deals: Sequence[Array]) -> None:
        """Add deals: for every variant its values by group, deal and game of the deal; NaN where there is none.

        In a paired run the same index is the same deal in every variant.
        """
        groups = self._shape[1]
        if self._paired:
            self._add(slice(0, len(self._offset)), np.concatenate(deals))
        else:
            for v, values in enumerate(deals):
                self._add(slice(v * groups, (v + 1) * groups), values)

    def _add(self, columns: slice, values: Array) -> None:
        """Add deals of groups that vary together."""
        complete = not np.isnan(values.sum())
        offset, products = self._offset[columns], self._products[:, columns, :, columns]
        width, deals, size = values.shape
        if complete:
            games = np.full((width, 1), size)
            sums = values.sum(axis=2) if size > 1 else values[:, :, 0]
            count = np.full(width, deals * size)
        else:
            known = ~np.isnan(values)
            games = known.sum(axis=2)
            sums = np.where(known, values, 0.0).sum(axis=2)
            count = games.sum(axis=1)
        total = sums.sum(axis=1)
        self._sums[columns] += total
        self._games[columns] += count
        self._deals[columns] += deals if complete else np.count_nonzero(games, axis=1)
        new = np.isnan(offset) & (count > 0)
        offset[new] = np.round(total[new] / count[new] * _GRID) / _GRID
        shifted = sums - np.nan_to_num(offset)[:, None] * games
        if complete:  # the same number of games in every deal need not be multiplied deal by deal
            mixed = size * shifted.sum(axis=1)[:, None]
            products[0, :, 0] += _products(shifted)
            products[0, :, 1] += mixed
            products[1, :, 0] += mixed.T
            products[1, :, 1] += size * size * deals
        else:
            products += _products(np.concatenate([shifted, games])).reshape(2, width, 2, width)

    def estimates(self) -> tuple[Array, Array, Array, NDArray[np.float64]]:
        """Means, games and deals of every variant and group, and the covariances of all means."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = self._sums / self._games
            shift = np.nan_to_num(means - self._offset)
            value_products, mixed, _, game_products = self._products.swapaxes(1, 2).reshape(4, len(means), len(means))
            residual_products = (
                value_products
                - shift[:, None] * mixed.T
                - mixed * shift[None, :]
                + np.outer(shift, shift) * game_products
            )
            scale = np.sqrt(self._deals / np.maximum(self._deals - 1, 1)) / self._games
            cov = residual_products * np.outer(scale, scale)
        shape = self._shape
        games, deals = self._games.reshape(shape), self._deals.reshape(shape)
        return means.reshape(shape), games, deals, cov.reshape(*shape, *shape)


def _products(rows: Array) -> Array:
    """The products of every two rows, summed in chunks of columns.

    BLAS splits large products over threads, which takes a thousand times as long where other processes use the cores.
    """
    whole = rows.shape[1] // _CHUNK_DEALS * _CHUNK_DEALS
    chunks = rows[:, :whole].reshape(len(rows), -1, _CHUNK_DEALS).swapaxes(0, 1)
    rest = rows[:, whole:]
    return np.asarray((chunks @ chunks.swapaxes(1, 2)).sum(axis=0) + rest @ rest.T)


# --- one value per game ------------------------------------------------------------------------------------------


def per_game(metric: Metric, tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """One row per game and group of one metric: `variant`, `group`, `game`, `value`."""
    wide = TableMetrics([metric], MetricGrouping(tables)).grouped(tables[metric.table])
    return (
        wide.unpivot(index=["variant", "game"], variable_name="group", value_name="value")
        .with_columns(pl.col("group").str.split(SEPARATOR).list.get(1))
        .drop_nulls("value")
        .select("variant", "group", "game", "value")
    )


class TableMetrics:
    """The metrics of one table, all evaluated in a single pass."""

    def __init__(self, metrics: Sequence[Metric], grouping: MetricGrouping) -> None:
        self.metrics = metrics
        (self._table,) = {metric.table for metric in metrics}
        self._values: dict[str, Value] = {
            f"{metric.name}{SEPARATOR}{group}": value
            for metric in metrics
            for group, value in metric.values(grouping).items()
        }
        self.names = tuple(self._values)  # of the values: metric and group
        self._columns = sorted({name for value in self._values.values() for name in _root_columns(value)})
        self._folded: dict[bytes, pl.Expr] = {}  # expressions to fold, each once, however many values share it
        self._folds: dict[str, tuple[Fold, bytes]] = {}
        self._of_folds = [self._from_folds(value).cast(pl.Float64).alias(name) for name, value in self._values.items()]

    def _from_folds(self, value: Value) -> pl.Expr:
        """A value as an expression of folded columns; notes which folds it needs."""
        if not isinstance(value, OfRows):
            return value
        names = []
        for fold, expression in value.folds:
            key = expression.meta.serialize()
            self._folded.setdefault(key, expression)
            names.append(f"{fold} {[*self._folded].index(key)}")
            self._folds[names[-1]] = fold, key
        return value.make(*map(pl.col, names))

    def grouped(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """One row per game and one column per value, whatever the order of the rows."""
        if self._table == "games":
            return frame.select("variant", "game", *(value.fill_nan(None) for value in self._of_folds))
        return frame.group_by("variant", "game").agg(
            value.grouped().cast(pl.Float64).fill_nan(None).alias(name)
            for name, value in self._values.items()
            if isinstance(value, OfRows)
        )

    def _fold_blocks(self, rows: pl.DataFrame, rows_per_game: int) -> pl.DataFrame:
        """The values where every game is a block of equally many rows; many times as fast as grouping."""
        folded = rows.select(expression.alias(str(number)) for number, expression in enumerate(self._folded.values()))
        columns = dict(zip(self._folded, folded, strict=True))
        return pl.DataFrame(
            {name: _fold(fold, columns[key], rows_per_game) for name, (fold, key) in self._folds.items()}
        ).select(self._of_folds)

    def by_game(self, tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
        """One row per game: `variant`, `game` and one column per value."""
        rows = tables[self._table].select("variant", "game", *self._columns).collect(engine="streaming").rechunk()
        if self._table == "games":
            return rows.select("variant", "game").hstack(rows.select(self._of_folds))
        rows_per_game = _rows_per_game(rows)
        if not rows_per_game:
            return self.grouped(rows.lazy()).collect()
        games = rows.select(pl.col("variant", "game").gather_every(rows_per_game))
        return games.hstack(self._fold_blocks(rows, rows_per_game))

    def deals(self, tables: Mapping[str, pl.LazyFrame], games_per_deal: Mapping[str, int]) -> list[Array]:
        """For every variant its values by column, deal and game of the deal; NaN where there is none."""
        games = self.by_game(tables)
        wide = games.drop("variant", "game")
        values = np.ascontiguousarray(wide.to_numpy(order="fortran").T)
        variants = games["variant"].cast(pl.Enum([*games_per_deal]), strict=False).to_physical()
        game, step = games["game"].cast(pl.Int64).to_numpy(), lcm(*games_per_deal.values())
        start = int(game.min(initial=game[0] if len(game) else 0)) // step * step
        length = (int(game.max(initial=start)) // step + 1) * step - start
        return [
            _scatter(values, _as_slice((variants == number).arg_true().to_numpy()), game - start, length).reshape(
                len(values), -1, size
            )
            for number, size in enumerate(games_per_deal.values())
        ]


def _scatter(values: Array, columns: NDArray[Any] | slice, positions: NDArray[np.int64], length: int) -> Array:
    """The values of some games at their positions in a range of games; NaN where there is none."""
    target = _as_slice(positions[columns])
    if isinstance(target, slice) and target == slice(0, length):
        return values[:, columns]
    scattered = np.full((len(values), length), np.nan)
    scattered[:, target] = values[:, columns]
    return scattered


def _fold(fold: Fold, values: pl.Series, block: int) -> pl.Series:
    """The sum, maximum and so on of every block of values."""
    nulls = values.null_count()
    if fold == "count":
        return _fold("sum", values.is_not_null(), block) if nulls else pl.Series(np.full(len(values) // block, block))
    if fold != "sum" and nulls:
        folded: pl.Series = getattr(values.reshape((-1, block)).arr, fold)()
        return folded
    numbers = (values.fill_null(0) if nulls else values).to_numpy()
    if fold == "sum":  # cast first: NumPy adds numbers of one dtype several times as fast
        small = block < _MAX_SMALL_ROWS
        dtypes = {"b": np.uint8 if small else np.int64, "f": np.float64}
        is_short = numbers.itemsize < np.dtype(np.int32).itemsize and small
        numbers = numbers.astype(dtypes.get(numbers.dtype.kind, np.int32 if is_short else np.int64))
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum}[fold]
    result = numbers[::block].copy()
    for row in range(1, block):
        combine(result, numbers[row::block], out=result)
    return pl.Series(result)


def _root_columns(value: Value) -> list[str]:
    expressions = [expression for _, expression in value.folds] if isinstance(value, OfRows) else [value]
    return [name for expression in expressions for name in expression.meta.root_names()]


def _rows_per_game(rows: pl.DataFrame) -> int | None:
    """How many rows every game has, if all games are blocks of equally many rows; else None."""
    variant, game = rows["variant"].cast(pl.Categorical).to_physical().to_numpy(), rows["game"].to_numpy()
    if not len(rows):
        return None
    is_next = (game != game[0]) | (variant != variant[0])
    block = int(np.argmax(is_next)) or len(rows)
    if len(rows) % block:
        return None
    by_game = [column.reshape(-1, block) for column in (variant, game)]
    if not all((column == column[:, :1]).all() for column in by_game):
        return None
    games = np.sort(variant[::block] * (game.max() + 1) + game[::block])
    return block if (games[1:] > games[:-1]).all() else None


def _as_slice(indices: NDArray[Any]) -> NDArray[Any] | slice:
    """Indices as a slice if they are consecutive, which they are unless games are missing: slices are faster."""
    is_consecutive = len(indices) > 0 and bool((np.diff(indices) == 1).all())
    return slice(int(indices[0]), int(indices[-1]) + 1) if is_consecutive else indices
