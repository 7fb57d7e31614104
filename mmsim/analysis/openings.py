"""The opening book of a run: what every seat opens with, how often, how often it then wins, and how varied this is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunningSums, RunTables
from mmsim.core.metrics import OpeningView
from mmsim.core.variant import VariantDescription
from mmsim.errors import UsageError, full_name, unknown
from mmsim.games import find_statistics

_ROUNDING_ERROR = 1e-9  # smaller sums of squares are 0
NO_OPENING = "none"  # kind of a seat without an opening
_COLUMNS = ("game", "seat", "opening", "win_share")


@dataclass(frozen=True)
class Opening:
    kind: str
    games: int  # in which the seat opened this way
    share: Estimate  # of the games
    wins: Estimate  # the win share in those games


@dataclass(frozen=True)
class SeatBook:
    """The openings of one seat in the games of one variant and level, the most frequent first."""

    by: str  # name of the view that classifies them
    text: str  # description of that view
    variant: str  # without the level
    level: str
    seat: int
    games: int
    openings: tuple[Opening, ...]

    @property
    def entropy(self) -> float:
        """The entropy of the openings in bits (Shannon 1948), with Miller's correction for the kinds that few games do
        not show (Miller 1955, Information Theory in Psychology)."""
        shares = np.array([opening.share.value for opening in self.openings])
        observed = -float((shares * np.log2(shares)).sum()) if len(shares) > 1 else 0.0
        return observed + (len(shares) - 1) / (2 * self.games * log(2))

    @property
    def wins(self) -> float:
        """The seat's win share over all games."""
        return sum(opening.games * opening.wins.value for opening in self.openings) / self.games

    def find(self, kind: str) -> Opening | None:
        return next((opening for opening in self.openings if opening.kind == kind), None)

    def rows(self) -> list[dict[str, Any]]:
        book = {"by": self.by, "variant": self.variant, "level": self.level, "seat": self.seat}
        return [
            {
                **book,
                "opening": opening.kind,
                "games": opening.games,
                **_columns("share", opening.share),
                **_columns("wins", opening.wins),
                "entropy": self.entropy,
            }
            for opening in self.openings
        ]


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def kinds_by_frequency(seats: Sequence[SeatBook]) -> list[str]:
    """The kinds of opening of some seats, the most frequent over all of them first."""
    games: Counter[str] = Counter()
    for book in seats:
        games.update({opening.kind: opening.games for opening in book.openings})
    return sorted(games, key=lambda kind: (-games[kind], kind))


def available_views(run: RunTables) -> tuple[OpeningView, ...]:
    """The views of openings that the game declares, if the tables of a run have the columns."""
    seats = run.tables["seats"].collect_schema()
    return find_statistics(run.experiment.game).openings if set(_COLUMNS) <= set(seats) else ()


def select_views(run: RunTables, names: Sequence[str]) -> tuple[OpeningView, ...]:
    """Views of openings by their names; all if none is named."""
    views = {view.name: view for view in available_views(run)}
    if not views:
        raise UsageError(f"the tables of {run.folder} have no openings")
    for name in names:
        if name not in views:
            raise unknown("way to sort openings", name, views)
    return tuple(views[name] for name in names or views)


def opening_books(
    run: RunTables,
    views: Sequence[OpeningView],
    variant: str | None = None,
    level: str | None = None,
) -> list[SeatBook]:
    """The openings of every seat in every view: variant by variant, level by level; on the first board if there are
    several rulesets on several boards."""
    names = [description.name for description in run.variants]
    known = [level_run.level.name for level_run in run.by_level]
    variants = [full_name("variant", variant, names)] if variant else names
    levels = [full_name("level", level, known)] if level else known
    if not views:
        return []
    books = [
        book
        for level_run in run.by_level
        if level_run.level.name in levels
        for board in [level_run.by_board[0]]
        for book in _books(board.counted, [v for v in board.variants if run.variant_of(v.name) in variants], views)
    ]
    books = [replace(book, variant=run.variant_of(book.variant)) for book in books]
    view_names = [view.name for view in views]
    return sorted(books, key=lambda book: (names.index(book.variant), view_names.index(book.by)))


def _books(run: RunTables, variants: Sequence[VariantDescription], views: Sequence[OpeningView]) -> list[SeatBook]:
    """The books of some variants of one level, with one block of games in memory at a time."""
    sums = {(variant.name, view.name): RunningSums("seat", "kind") for variant in variants for view in views}
    deals = dict.fromkeys((variant.name for variant in variants), 0)
    for block in run.blocks():
        rows = block["seats"].select("variant", *_COLUMNS).collect(engine="streaming")
        for variant in variants:
            size = variant.games_per_deal
            seats = rows.filter(pl.col("variant") == variant.name).sort("game", "seat")
            seats = seats.with_columns(pl.col("win_share").cast(pl.Float64), deal=pl.col("game") // size)
            deals[variant.name] += seats["deal"].n_unique()
            for view in views:
                kinds = view.kinds(variant, seats).alias("kind")
                sums[variant.name, view.name].add(_sums(seats.with_columns(kinds), size))
    return [
        book
        for variant in variants
        for view in views
        for book in _by_seat(sums[variant.name, view.name].total, view, variant, run.level.name, deals[variant.name])
    ]


def _by_seat(
    sums: pl.DataFrame, view: OpeningView, variant: VariantDescription, level: str, deals: int
) -> Iterator[SeatBook]:
    """The books of every seat, from the sums over all games."""
    for (seat,), kinds in sorted(sums.partition_by("seat", as_dict=True).items()):
        games = float(kinds["games"].sum())
        rows = kinds.sort("games", "kind", descending=[True, False]).iter_rows(named=True)
        openings = tuple(_opening(row, games, deals) for row in rows)
        yield SeatBook(view.name, view.text, variant.name, level, int(seat), int(games), openings)


def _sums(seats: pl.DataFrame, games_per_deal: int) -> pl.DataFrame:
    """For every seat and kind the sums from which shares and win shares are estimated."""
    games, wins = pl.col("games"), pl.col("wins")
    if games_per_deal == 1:
        by_deal = seats.lazy().select("seat", "kind", games=1.0, wins="win_share")
    else:
        counts = {"games": pl.len().cast(pl.Float64), "wins": pl.col("win_share").sum()}
        by_deal = seats.lazy().group_by("deal", "seat", "kind").agg(**counts)
    summed = by_deal.group_by("seat", "kind").agg(
        games.sum(),
        wins.sum(),
        deals=pl.len(),
        games_games=(games * games).sum(),
        games_wins=(games * wins).sum(),
        wins_wins=(wins * wins).sum(),
    )
    return summed.with_columns(pl.col("kind").cast(pl.String).fill_null(NO_OPENING)).collect()


def _opening(sums: Mapping[str, Any], games: float, deals: int) -> Opening:
    """A kind of opening from its sums; deals are independent, and the win share is a ratio of two sums over them
    (Cochran 1977, Sampling Techniques, 2.11 and 9.2)."""
    count, wins = sums["games"], sums["wins"] / sums["games"]
    games_squares = sums["games_games"] - count**2 / deals
    wins_squares = sums["wins_wins"] - 2 * wins * sums["games_wins"] + wins**2 * sums["games_games"]
    return Opening(
        str(sums["kind"]),
        int(count),
        stats.share_estimate(count / games, _se_of_sum(games_squares, deals) / games, games, deals),
        stats.share_estimate(wins, _se_of_sum(wins_squares, sums["deals"]) / count, count, sums["deals"]),
    )


def _se_of_sum(squares: float, deals: int) -> float:
    """The standard error of a sum over deals, from the sum of squared residuals."""
    return float(np.sqrt(max(squares, 0.0) * deals / max(deals - 1, 1))) if squares > _ROUNDING_ERROR else 0.0
