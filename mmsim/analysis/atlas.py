"""Read an atlas: shrunken estimates of every layout, rankings, unfair layouts, and how reliable all of this is."""

import hashlib
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.derived_metrics import imbalance_tolerance
from mmsim.analysis.shrinkage import Shrunken, multinomial_noise, shrink
from mmsim.analysis.stats import Array
from mmsim.contests.atlas import LEVEL, NUMBER, PLAN, TABLE, AtlasPlan, read_plan
from mmsim.core.layouts import Layouts, Ranking
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_shell
from mmsim.system.files import data_folder, failing_with, read_bytes
from mmsim.tables.parquet_files import read_checked

SQUARES = "_squares"  # after the name of an outcome, in the table
FDR = 0.05
_UNFAIR = 0.10  # a layout is unfair if it is more uneven than one seat's share off by this, all others alike
_EXTREME = 0.01  # of all layouts: those that `boards generate` draws from
_MAX_BYTES = 1 << 26


FAIR, LOPSIDED = Ranking("fairest", "", False), Ranking("most lopsided", "", True)


class Atlas:
    """A played atlas; layouts are rows 0, 1, ... in the order of `numbers`."""

    def __init__(self, plan: AtlasPlan, table: pl.DataFrame) -> None:
        self.plan, self._table = plan, table
        self.levels = [level.name for level in plan.levels]
        by_level = [table.filter(pl.col(LEVEL) == level) for level in self.levels]
        self.numbers: NDArray[np.int64] = by_level[0][NUMBER].to_numpy().astype(np.int64)
        if any(not frame[NUMBER].equals(by_level[0][NUMBER]) for frame in by_level):
            raise MmsimError("the levels of the atlas have different layouts")
        self._by_level = by_level
        self.players = plan.players

    @cached_property
    def space(self) -> Layouts:
        return self.plan.space

    def row_of(self, code: str) -> int | None:
        """The row of a layout; None if the atlas does not have it."""
        found = np.flatnonzero(self.numbers == self.space.number(code))
        return int(found[0]) if len(found) else None

    def code(self, row: int) -> str:
        return self.space.code(int(self.numbers[row]))

    # --- win shares -----------------------------------------------------------------------------------------------

    @cached_property
    def shares(self) -> Shrunken:
        """The win shares of all seats at all levels side by side, shrunken together: levels learn from each other."""
        seats, levels = self.players, len(self.levels)
        within, raw = np.zeros((seats * levels, seats * levels)), []
        for place, frame in enumerate(self._by_level):
            games = frame["games"].to_numpy().astype(float)
            wins = frame.select(f"wins_{seat + 1}" for seat in range(seats)).to_numpy().astype(float)
            raw.append(wins / games[:, None])
            within[self._columns(place), self._columns(place)] = multinomial_noise(raw[-1], games)
        return shrink(np.hstack(raw), within)

    def _columns(self, level: int) -> slice:
        return slice(level * self.players, (level + 1) * self.players)

    def raw_shares(self, level: int) -> Array:
        """[layout, seat]: win shares as they were counted."""
        return self.shares.raw[:, self._columns(level)]

    def seat_shares(self, level: int) -> Array:
        """[layout, seat]: shrunken win shares."""
        return self.shares.values[:, self._columns(level)]

    def unevenness(self, level: int) -> Array:
        """The expected root mean squared distance of win shares from a fair share, by layout."""
        return np.sqrt(self.shares.squared_distance(1 / self.players, self._columns(level)))

    def raw_reliability(self, level: int) -> float:
        return self.shares.raw_reliability(self._columns(level))

    def reliability(self, level: int) -> float:
        return self.shares.reliability(self._columns(level))

    def unevenness_reliability(self, level: int) -> float:
        return self.shares.distance_reliability(1 / self.players, self._columns(level))

    def agreement(self, level: int, other: int) -> float:
        """The correlation of true win shares between two levels, all seats pooled."""
        one, two = self._columns(level), self._columns(other)
        between = self.shares.between
        return float(np.trace(between[one, two]) / np.sqrt(np.trace(between[one, one]) * np.trace(between[two, two])))

    # --- other outcomes -------------------------------------------------------------------------------------------

    @cached_property
    def outcomes(self) -> list[str]:
        """The outcomes of which the table has sums and sums of squares."""
        return [name.removesuffix(SQUARES) for name in self._table.columns if name.endswith(SQUARES)]

    def outcome(self, name: str, level: int) -> Shrunken:
        """The mean of an outcome on every layout; its variance within a layout is pooled over all."""
        frame = self._by_level[level]
        games, sums, squares = (frame[column].to_numpy().astype(float) for column in ("games", name, name + SQUARES))
        variance = ((squares - sums**2 / games).sum() / (games - 1).sum()) * (1 / games).mean()
        return shrink((sums / games)[:, None], np.array([[variance]]))

    def ranked(self, ranking: Ranking, level: int) -> NDArray[np.int64]:
        """The rows of all layouts in the order of a ranking."""
        values = self.outcome(ranking.outcome, level).values[:, 0] if ranking.outcome else self.unevenness(level)
        return np.argsort(-values if ranking.highest_first else values, kind="stable")

    def extremes(self, ranking: Ranking) -> NDArray[np.int64]:
        """The hundredth of all layouts that come first, on average over the levels."""
        levels = range(len(self.levels))
        if ranking.outcome:
            values = sum(self.outcome(ranking.outcome, level).values[:, 0] for level in levels)
        else:
            values = sum(self.unevenness(level) ** 2 for level in levels)
        order = np.argsort(-values if ranking.highest_first else values, kind="stable")
        return order[: max(1, round(_EXTREME * len(order)))]

    @property
    def best_level(self) -> int:
        """The level whose games say most about layouts."""
        return int(np.argmax([self.raw_reliability(level) for level in range(len(self.levels))]))

    # --- unfair layouts -------------------------------------------------------------------------------------------

    @property
    def unfair_from(self) -> float:
        """The unevenness above which a layout is called unfair."""
        return imbalance_tolerance(_UNFAIR, self.players)

    def unfair(self, level: int) -> NDArray[np.bool_]:
        """The layouts that are shown to be unfair; at most `FDR` of them are expected not to be.

        Pearson's statistic of equal shares has a noncentral chi-squared distribution in a layout at the limit (Patnaik
        1949, Biometrika 36); p-values of all layouts are adjusted after Benjamini and Hochberg (1995).
        """
        raw, games = self.raw_shares(level), self._by_level[level]["games"].to_numpy()
        statistic = games * self.players * ((raw - 1 / self.players) ** 2).sum(axis=1)
        noncentrality = games * self.players**2 * self.unfair_from**2
        p_values = 1 - stats.scipy_special().chndtr(statistic, self.players - 1, noncentrality)
        return stats.benjamini_hochberg(p_values) <= FDR

    def estimates(self) -> pl.DataFrame:
        """Every layout at every level: shrunken win shares and outcomes, unevenness, whether it is unfair."""
        codes, frames = [self.code(row) for row in range(len(self.numbers))], []
        for level, name in enumerate(self.levels):
            columns = {"layout": codes, "unevenness": self.unevenness(level), "unfair": self.unfair(level)}
            columns |= {f"win_share_{seat + 1}": share for seat, share in enumerate(self.seat_shares(level).T)}
            columns |= {outcome: self.outcome(outcome, level).values[:, 0] for outcome in self.outcomes}
            frames.append(pl.DataFrame(columns).select(pl.lit(name).alias(LEVEL), pl.all()))
        return pl.concat(frames)

    def describe(self, row: int) -> list[str]:
        """What the atlas knows about a layout, in sentences."""
        lines = []
        for level, name in enumerate(self.levels):
            uneven = self.unevenness(level)
            place = (uneven < uneven[row]).mean()
            shares = ", ".join(f"{100 * share:.0f}" for share in self.seat_shares(level)[row])
            games = int(self._by_level[level]["games"][row])
            verdict = "shown to be unfair" if self.unfair(level)[row] else "not shown to be unfair"
            lines.append(
                f"{name}: seats win {shares} % (shrunken, {games} games here); unevenness {100 * uneven[row]:.1f} "
                f"points, more even than {100 * (1 - place):.0f} % of {len(uneven):,} layouts; {verdict}"
            )
        return lines


def open_atlas(folder: Path) -> Atlas:
    """The atlas in a folder, checked against its plan."""
    plan = read_plan(folder / PLAN)
    if not plan.sha256:
        raise UsageError(f"the atlas in {folder} is not finished; mmsim atlas run continues it")
    return _read(folder / TABLE, plan)


def shipped_atlas(game: str, board: str | None = None) -> Atlas | None:
    """The atlas of a board that comes with mmsim, or None."""
    name = board or find_shell(game).default_board or ""
    path = data_folder("atlas") / f"{game}-{name}.json"
    if "/" in name or not path.is_file():
        return None
    return _read(path.with_suffix(".parquet"), read_plan(path))


def find_atlas(game: str, board: str | None) -> Atlas:
    """The atlas of a board that comes with mmsim; an error if there is none."""
    if atlas := shipped_atlas(game, board):
        return atlas
    find_shell(game).boards  # noqa: B018 - a game without layouts says so
    raise UsageError(f"no atlas of {board} comes with mmsim; play one: mmsim atlas run --board {board}")


def _read(path: Path, plan: AtlasPlan) -> Atlas:
    with failing_with(f"cannot read {path}"):
        content = read_bytes(path, _MAX_BYTES)
    if hashlib.sha256(content).hexdigest() != plan.sha256:
        raise MmsimError(f"{path} does not match its checksum; make it again: mmsim atlas run")
    try:
        return Atlas(plan, read_checked(content, plan.columns, range(plan.rows, plan.rows + 1)))
    except MmsimError as error:
        raise MmsimError(f"{path} is not the table of its plan: it {error}") from error
