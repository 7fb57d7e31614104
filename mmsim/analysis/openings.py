"""The opening book of a run: what seats open with, how often, how often they win then, and how varied it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import polars as pl

from mmsim.analysis import stats
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.batch.experiment import OF_MEMBER
from mmsim.core.metrics import OpeningView
from mmsim.errors import UsageError, full_name, unknown
from mmsim.games import find_statistics

_DUST = 1e-9  # squares that are nothing but rounding
NONE = "none"  # what a seat without an opening opens with
_COLUMNS = ("game", "seat", "opening", "win_share")
_WAITING = 8  # sums of some games that are kept before they are added up


@dataclass(frozen=True)
class Opening:
    """One kind of opening of a seat."""

    kind: str
    games: int  # in which the seat opened so
    share: Estimate  # of the games
    wins: Estimate  # the win share in those games


@dataclass(frozen=True)
class SeatBook:
    """The openings of one seat in the games of one variant and kind of players, the most usual first."""

    by: str  # the view that sorts them
    text: str  # what its kinds say
    variant: str  # without the member
    member: str
    seat: int
    games: int
    openings: tuple[Opening, ...]

    @property
    def entropy(self) -> float:
        """How varied the openings are, in bits (Shannon 1948); a bit is as varied as the toss of a coin.

        Few games show too few kinds; what is missing on average is added (Miller 1955, Information Theory in
        Psychology).
        """
        shares = np.array([one.share.value for one in self.openings])
        seen = -float((shares * np.log2(shares)).sum()) if len(shares) > 1 else 0.0
        return seen + (len(shares) - 1) / (2 * self.games * log(2))

    @property
    def wins(self) -> float:
        """The seat's win share over all games."""
        return sum(one.games * one.wins.value for one in self.openings) / self.games

    def find(self, kind: str) -> Opening | None:
        return next((one for one in self.openings if one.kind == kind), None)

    def rows(self) -> list[dict[str, Any]]:
        """One row a kind of opening, for programs."""
        about = {"by": self.by, "variant": self.variant, "member": self.member, "seat": self.seat}
        return [
            {
                **about,
                "opening": one.kind,
                "games": one.games,
                "share": one.share.value,
                "share_low": one.share.low,
                "share_high": one.share.high,
                "wins": one.wins.value,
                "wins_low": one.wins.low,
                "wins_high": one.wins.high,
                "entropy": self.entropy,
            }
            for one in self.openings
        ]


def kinds_by_use(seats: Sequence[SeatBook]) -> list[str]:
    """The kinds of opening of some seats, the most usual over all of them first."""
    used: dict[str, int] = {}
    for book in seats:
        for one in book.openings:
            used[one.kind] = used.get(one.kind, 0) + one.games
    return sorted(used, key=lambda kind: (-used[kind], kind))


def known_views(run: RunTables) -> tuple[OpeningView, ...]:
    """The ways its game sorts openings, if a run's tables have any."""
    seats = run.tables["seats"].collect_schema()
    return find_statistics(run.experiment.game).openings if set(_COLUMNS) <= set(seats) else ()


def views_named(run: RunTables, names: Sequence[str]) -> tuple[OpeningView, ...]:
    """Some of the ways to sort openings, by their names; all if none is named."""
    views = {view.name: view for view in known_views(run)}
    if not views:
        raise UsageError(f"the tables of {run.folder} say nothing of openings")
    for name in names:
        if name not in views:
            raise unknown("way to sort openings", name, views)
    return tuple(views[name] for name in names or views)


def opening_books(
    run: RunTables,
    views: Sequence[OpeningView],
    variant: str | None = None,
    member: str | None = None,
) -> list[SeatBook]:
    """Every seat's openings, sorted in every way: variant after variant, member after member."""
    names = [one.name for one in run.variants]
    kinds = [one.member.name for one in run.by_member]
    wanted = [full_name("variant", variant, names)] if variant else names
    asked = [full_name("member", member, kinds)] if member else kinds
    if not views:
        return []
    found = [
        book
        for one in run.by_member
        if one.member.name in asked
        for book in _books(one.counted, [own for own in one.variants if _shared_name(own) in wanted], views)
    ]
    view_names = [view.name for view in views]
    return sorted(found, key=lambda book: (names.index(book.variant), view_names.index(book.by)))


def _shared_name(variant: VariantInfo) -> str:
    return variant.name.partition(OF_MEMBER)[0]


def _books(run: RunTables, variants: Sequence[VariantInfo], views: Sequence[OpeningView]) -> list[SeatBook]:
    """The books of some variants of one member, some games in memory at a time."""
    sums: dict[tuple[str, str], list[pl.DataFrame]] = {(own.name, view.name): [] for own in variants for view in views}
    deals = dict.fromkeys((own.name for own in variants), 0)
    for block in run.blocks():
        rows = block["seats"].select("variant", *_COLUMNS).collect(engine="streaming")
        for own in variants:
            seats = rows.filter(pl.col("variant") == own.name).sort("game", "seat")
            seats = seats.with_columns(pl.col("win_share").cast(pl.Float64), deal=pl.col("game") // own.games_a_deal)
            deals[own.name] += seats["deal"].n_unique()
            for view in views:
                kinds = view.kinds(own.about, seats).alias("kind")
                waiting = sums[own.name, view.name]
                waiting.append(_sums(seats.with_columns(kinds), own.games_a_deal))
                if len(waiting) > _WAITING:
                    waiting[:] = [_added(waiting)]
    return [
        book
        for own in variants
        for view in views
        for book in _by_seat(sums[own.name, view.name], view, own, run.member.name, deals[own.name])
    ]


def _by_seat(
    sums: Sequence[pl.DataFrame], view: OpeningView, variant: VariantInfo, member: str, deals: int
) -> Iterator[SeatBook]:
    """The books of every seat, from the sums of some games at a time."""
    for (seat,), own in sorted(_added(sums).partition_by("seat", as_dict=True).items()):
        own = own.sort("games", "kind", descending=[True, False])
        games = float(own["games"].sum())
        openings = tuple(_opening(row, games, deals) for row in own.iter_rows(named=True))
        yield SeatBook(view.name, view.text, _shared_name(variant), member, int(seat), int(games), openings)


def _added(sums: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(sums).group_by("seat", "kind").agg(pl.all().sum())


def _sums(seats: pl.DataFrame, games_a_deal: int) -> pl.DataFrame:
    """For every seat and kind the sums that shares and win shares are estimated from."""
    games, wins = pl.col("games"), pl.col("wins")
    if games_a_deal == 1:
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
    return summed.with_columns(pl.col("kind").cast(pl.String).fill_null(NONE)).collect()


def _opening(sums: Mapping[str, Any], games: float, deals: int) -> Opening:
    """A kind of opening, from its sums; deals vary independently, and the win share is a ratio of two sums over them
    (Cochran 1977, Sampling Techniques, 2.11 and 9.2)."""
    own, wins = sums["games"], sums["wins"] / sums["games"]
    spread = sums["games_games"] - own**2 / deals
    of_wins = sums["wins_wins"] - 2 * wins * sums["games_wins"] + wins**2 * sums["games_games"]
    return Opening(
        str(sums["kind"]),
        int(own),
        stats.share_estimate(own / games, _error(spread, deals) / games, games, deals),
        stats.share_estimate(wins, _error(of_wins, sums["deals"]) / own, own, sums["deals"]),
    )


def _error(squares: float, deals: int) -> float:
    """The standard error of a sum over deals, from the sum of its squared distances; rounding leaves dust."""
    return float(np.sqrt(max(squares, 0.0) * deals / max(deals - 1, 1))) if squares > _DUST else 0.0
