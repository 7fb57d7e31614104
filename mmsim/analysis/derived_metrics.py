"""Metrics derived from others: how uneven the seats are, with tests of seats; how often a stronger bot wins; how much
the layout matters.

All layouts that are rotations of one city count as one layout.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.estimates import SEPARATOR, WIN_SHARE, Estimates, TableMetrics
from mmsim.analysis.ratings import Ratings, rate
from mmsim.analysis.stats import Array, Estimate
from mmsim.analysis.tables import RunningSums, RunTables
from mmsim.core.metrics import Measure, Metric, MetricGrouping, OfRows, Value
from mmsim.core.variant import VariantDescription
from mmsim.errors import MmsimError
from mmsim.games import find_statistics

SEAT_IMBALANCE = Measure(  # its tolerance follows from that of the win shares, see `imbalance_tolerance`
    "seat_imbalance",
    "How far do players' win shares lie from a fair share, by playing order (root mean square)?",
    "share distance",
    0.01,
    better="less",
)
SKILL_GRADIENT = Measure(
    "skill_gradient",
    "How often does the strongest bot finish ahead of the weakest (50 %: all luck; 100 %: all skill)?",
    "share",
    0.02,
    better="more",
)
LAYOUT_SHARE = Measure(
    "layout_share",
    "How much of the variance between games lies between layouts (and deals, where games share both)?",
    "share",
    0.02,
)
LAYOUT_SPREAD = Measure(
    "layout_spread",
    "How far do a player's chances to win differ from layout to layout (standard deviation of win shares)?",
    "share distance",
    0.01,
)
_MIN_REPEATS = 500  # games on a layout played before; fewer say too little about the variance within layouts
_MAX_SPREAD = 0.5  # standard deviation of numbers between 0 and 1
_ROUNDING = 1e-12  # relative; a smaller variance is zero
_SOFTENING = 0.1  # how much of its own sampling variance shortens a learnt direction
_MAX_CREDIT = 0.25  # share of the variance by which the estimated noise of the directions may reduce it
_TURNED = -0.5  # a pattern of which more than half reappears with the other sign is reversed, not evened out
MIN_DEALS = 50  # fewer say nothing about a pattern, nor about the width of an interval
_SQUARED = " squared"  # after the name of a column


# --- seats -------------------------------------------------------------------------------------------------------


def imbalance_tolerance(win_share_tolerance: float, players: int) -> float:
    """The imbalance of a game in which one player's win share is off by its tolerance and all others are alike."""
    return float(win_share_tolerance / np.sqrt(max(players - 1, 1)))


def equal_groups_p_value(estimates: Estimates, variant: int) -> float:
    """p-value of "all groups have the same mean" (Wald): for win shares, "every player wins equally often"."""
    known = np.isfinite(estimates.means[variant])
    means, cov = estimates.means[variant, known], estimates.covariance(variant, variant, known)
    centre = np.eye(len(means)) - 1 / len(means)
    deals = float(estimates.deals[variant, known].min(initial=np.inf))
    return stats.wald_test(centre @ means, centre @ cov @ centre, deals)


def leading_groups(estimates: Estimates, variant: int, alpha: float) -> list[int]:
    """The groups that may have the largest mean: the one that has it in these games, first, and all that are not shown
    to be behind it (Holm over the pairs; multiple comparisons with the best, Hsu 1996)."""
    known = [g for g in range(len(estimates.groups)) if estimates.known(variant, g)]
    best, *others = sorted(known, key=lambda g: -float(estimates.means[variant, g]))
    cov, p_values = estimates.cov[variant, :, variant, :], []
    for other in others:
        variance = float(cov[best, best] + cov[other, other] - 2 * cov[best, other])
        gap = float(estimates.means[variant, best] - estimates.means[variant, other])
        deals = max(float(estimates.deals[variant, other]), 2.0)
        is_constant = variance <= _ROUNDING * float(cov[best, best] + cov[other, other])
        p_values.append(
            _constant_gap_p(gap, deals) if is_constant else stats.two_sided_p(gap, np.sqrt(variance), deals - 1)
        )
    return [best, *(other for other, p in zip(others, stats.holm(p_values), strict=True) if p >= alpha)]


def _constant_gap_p(gap: float, deals: float) -> float:
    """The p-value of a difference that is the same in every deal."""
    return stats.sign_test_p(deals) if gap > 0 else 1.0


def leading_group(estimates: Estimates, variant: int, alpha: float) -> int | None:
    """The group with the largest mean, if it is shown to be ahead of every other one."""
    best, *rivals = leading_groups(estimates, variant, alpha)
    return best if not rivals and np.isfinite(estimates.means[variant]).sum() > 1 else None


def leading_estimates(estimates: Sequence[Estimate], alpha: float) -> list[int]:
    """Like `leading_groups`, for numbers whose covariances are not known: the sum of their standard errors is an upper
    bound for that of a difference."""
    best, *others = sorted(range(len(estimates)), key=lambda i: -estimates[i].value)
    p_values = []
    for other in others:
        gap, se = estimates[best].value - estimates[other].value, estimates[best].se + estimates[other].se
        deals = max(min(estimates[best].deals, estimates[other].deals), 2)
        p_values.append(stats.two_sided_p(gap, se, deals - 1) if se > 0 else _constant_gap_p(gap, deals))
    return [best, *(other for other, p in zip(others, stats.holm(p_values), strict=True) if p >= alpha)]


@dataclass(frozen=True)
class FairShareTest:
    """How far a seat is from a fair share, and the p-values of "not at all" and "by at least the tolerance"."""

    difference: float
    se: float
    p_value: float
    p_equal: float


def fair_share_tests(shares: Estimates, variant: int) -> list[FairShareTest]:
    """One test per seat; a seat that the variant does not have never differs from a fair share."""
    fair, tolerance = 1 / max(int(np.isfinite(shares.means[variant]).sum()), 1), shares.measure.tolerance
    tests = []
    for seat in shares.by_group(variant):
        difference, se, df = (seat.value - fair, seat.se, seat.df) if seat else (0.0, np.inf, 1)
        if not 0 < se < np.inf:
            tests.append(FairShareTest(difference, float(np.inf), 1.0, 1.0))
            continue
        p_equal = stats.tost(difference, se, df, tolerance)
        tests.append(FairShareTest(difference, se, stats.two_sided_p(difference, se, df), p_equal))
    return tests


def imbalance_squares(shares: Estimates) -> tuple[Array, Array]:
    """The mean squared distance of win shares from a fair share for every variant, and its covariance.

    Sampling error makes squares positive, so the variances of the shares are subtracted; the covariance is that of a
    quadratic form of normal variables (Searle 1971, Linear Models, 2.5).
    """
    count = len(shares.variants)
    players = np.isfinite(shares.means).sum(axis=1)
    distances = np.nan_to_num(shares.means - 1 / players[:, None])
    squares, cov = np.zeros(count), np.zeros((count, count))
    for v in range(count):
        squares[v] = (distances[v] @ distances[v] - np.trace(np.nan_to_num(shares.cov[v, :, v, :]))) / players[v]
        for w in range(count):
            shared = np.nan_to_num(shares.cov[v, :, w, :])
            form = 4 * distances[v] @ shared @ distances[w] + 2 * (shared * shared).sum()
            cov[v, w] = form / (players[v] * players[w])
    return squares, cov


def seat_imbalance(shares: Estimates) -> Estimates:
    """Root mean squared distance of win shares from a fair share; its covariance by the delta method."""
    count, players = len(shares.variants), np.isfinite(shares.means).sum(axis=1)
    squares, cov = imbalance_squares(shares)
    se = np.sqrt(np.diag(cov))
    z = stats.z_quantile((1 + stats.LEVEL) / 2)
    roots, lows, highs = (np.sqrt(np.maximum(squares + sign * z * se, 0)) for sign in (0, -1, 1))
    slope = 2 * np.maximum(roots, np.sqrt(se) / 2)  # near a perfectly even game the root has no slope
    slope[slope == 0] = 1.0
    return Estimates(
        replace(SEAT_IMBALANCE, tolerance=imbalance_tolerance(shares.measure.tolerance, int(players.max()))),
        shares.variants,
        ("",),
        roots[:, None],
        shares.games.max(axis=1, keepdims=True),
        shares.deals.max(axis=1, keepdims=True),
        (cov / np.outer(slope, slope))[:, None, :, None],
        shares.paired,
        shares.games_per_deal,
        {(v, 0): (float(lows[v]), float(highs[v])) for v in range(count)},
        shares=shares,
    )


# --- seats of two variants -------------------------------------------------------------------------------------------
#
# The imbalance is a poor test statistic: near an even game it has no slope, and it takes no notice of the pattern in
# which seats are uneven. Two sharper tests replace it: Wald's over all seats, and a contrast along the pattern of the
# more uneven variant.


def any_change_p_value(shares: Estimates, base: int, variant: int) -> float:
    """p-value of "no seat wins more or less often than in the base" (Wald 1943; with few deals Hotelling 1931)."""
    known = _shared_seats(shares, base, variant)
    deals = float(min(shares.deals[v, known].min(initial=np.inf) for v in (base, variant)))
    change = shares.means[variant, known] - shares.means[base, known]
    return stats.wald_test(change, _change_cov(shares, base, variant, known), deals) if deals > 1 else 1.0


def _shared_seats(shares: Estimates, base: int, variant: int) -> NDArray[np.bool_]:
    """The seats that both variants have."""
    return np.array(np.isfinite(shares.means[[base, variant]]).all(axis=0))


def _change_cov(shares: Estimates, base: int, variant: int, known: NDArray[np.bool_]) -> Array:
    """The covariance of the changes of all seats' win shares from the base to a variant."""
    separate = shares.covariance(base, base, known) + shares.covariance(variant, variant, known)
    if not shares.paired:
        return separate
    shared = shares.covariance(base, variant, known)
    return separate - shared - shared.T


@dataclass(frozen=True)
class _HalfOfDeals:
    """The changes of the seats in one half of the deals, and the direction learnt from it."""

    change: Array
    change_cov: Array
    deviation: Array  # of the more uneven variant from fair shares
    deviation_cov: Array
    mixed_cov: Array  # of deviation and change
    other: Array  # the deviation of the other variant

    @classmethod
    def of(cls, half: Estimates, base: int, variant: int, known: NDArray[np.bool_]) -> "_HalfOfDeals":
        deviations = [half.means[v, known] - 1 / known.sum() for v in (base, variant)]
        covs = [half.covariance(v, v, known) for v in (base, variant)]
        shared = half.covariance(base, variant, known) if half.paired else np.zeros_like(covs[0])
        squares = [float(d @ d - np.trace(cov)) for d, cov in zip(deviations, covs, strict=True)]
        is_variant = squares[1] > squares[0]
        return cls(
            deviations[1] - deviations[0],
            _change_cov(half, base, variant, known),
            deviations[is_variant],
            covs[is_variant],
            covs[1] - shared.T if is_variant else shared - covs[0],
            deviations[not is_variant],
        )

    @property
    def length(self) -> float:
        return float(np.sqrt(self.deviation @ self.deviation + _SOFTENING * np.trace(self.deviation_cov)))

    @property
    def direction(self) -> Array:
        return self.deviation / self.length

    @property
    def slope(self) -> Array:
        """The derivative of the direction with respect to the deviation."""
        return (np.eye(len(self.deviation)) - np.outer(self.direction, self.direction)) / self.length


def evenness_change(shares: Estimates, base: int, variant: int) -> tuple[Estimate, bool] | None:
    """How much less even a variant is than the base, along the pattern of the more uneven of the two, and whether the
    pattern is turned round in the other one; None if there are too few deals, or not the same seats.

    The pattern, its deviation from fair shares, is learnt on one half of the deals and tested on the other, both ways
    (cross-fitting: Cox 1975, Biometrika 62; Chernozhukov et al. 2018, Econom. J. 21), so that noise is not taken for a
    pattern. The scale is that of the imbalance: a variant that takes away all of an imbalance of 3 points changes by
    -3 points.

    Its variance is that of the changes along given directions; to first order that of the directions; and the
    covariance of the two results, because direction and change of one half share noise (Stein 1981, Ann. Statist. 9).
    """
    known = _shared_seats(shares, base, variant)
    if len(shares.halves) < 2 or (np.isfinite(shares.means[[base, variant]]) != known).any():
        return None
    deals = int(shares.deals[[base, variant]][:, known].min())
    if deals < MIN_DEALS:
        return None
    first, second = halves = [_HalfOfDeals.of(half, base, variant, known) for half in shares.halves]
    if not all(np.isfinite(half.change).all() and half.length > 0 for half in halves):
        return None
    scale = sum(float(np.linalg.norm(half.direction)) for half in halves) * float(np.sqrt(known.sum()))
    if not scale:
        return None  # the seats have won equally often
    value = float(first.direction @ second.change + second.direction @ first.change)
    variance = float(
        first.direction @ second.change_cov @ first.direction + second.direction @ first.change_cov @ second.direction
    )
    direction_cov = sum(half.slope @ half.deviation_cov @ half.slope for half in halves)
    noise = first.change @ direction_cov @ second.change
    noise += 2 * np.trace(first.slope @ first.mixed_cov @ second.slope @ second.mixed_cov)
    with_noise = variance + max(float(noise), -_MAX_CREDIT * variance)
    se = np.sqrt(max(with_noise, 0.0))  # rounding may leave less than nothing
    pattern, left = (
        float(first.direction @ getattr(second, what) + second.direction @ getattr(first, what))
        for what in ("deviation", "other")
    )
    return stats.estimate(value / scale, float(se / scale), deals), left < _TURNED * pattern


# --- skill -------------------------------------------------------------------------------------------------------


def rate_variants(run: RunTables) -> dict[str, Ratings]:
    """The ratings of the bots in every variant; empty where all seats have the same bot."""
    if not all(len(set(variant.bot_specs)) > 1 for variant in run.variants):
        return {}
    seats = run.counted.tables["seats"]
    return {
        variant.name: rate(
            seats.filter((pl.col("variant") == variant.name) & pl.col("seat").is_in(_first_seats(variant)))
            .select("game", "bot", "rank", deal=pl.col("game") // variant.games_per_deal)
            .collect()
        )
        for variant in run.variants
    }


def _first_seats(variant: VariantDescription) -> list[int]:
    """The first seat of every player: a player with several seats competes once."""
    players = variant.seat_player
    return [players.index(player) for player in sorted({*players})]


def skill_gradient(ratings: Mapping[str, Ratings]) -> Estimates | None:
    """How often the strongest bot by the ratings finished ahead of the weakest: counted, so no model needs to fit."""
    if not ratings:
        return None
    shares = []
    for rated in ratings.values():
        best, worst = rated.bots[0].bot, rated.bots[-1].bot
        ahead = next((gap.ahead for gap in rated.gaps if (gap.stronger, gap.weaker) == (best, worst)), None)
        if ahead is None:  # all bots of a variant meet in every game
            raise MmsimError(f"the tables are of games by {best} alone, but the manifest names other bots")
        shares.append([replace(ahead, deals=rated.deals)])
    games = [float(rated.games) for rated in ratings.values()]
    games_per_deal = next(rated.games / rated.deals for rated in ratings.values())
    return Estimates.independent(SKILL_GRADIENT, tuple(ratings), ("",), shares, games, games_per_deal)


# --- layouts -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _LayoutSums:
    """The games of one variant, layout by layout: their number, and the sums and squares of an outcome."""

    games: Array
    sums: Array  # one row, or one per player
    squares: Array

    @classmethod
    def of(cls, rows: pl.DataFrame, sums: Sequence[str], squares: str) -> "_LayoutSums":
        """From a table with one row per layout."""
        return cls(rows["games"].cast(pl.Float64).to_numpy(), rows.select(sums).to_numpy().T, rows[squares].to_numpy())

    @property
    def share(self) -> Estimate:
        return stats.intraclass_correlation(self.games, self.sums, self.squares)

    @property
    def spread(self) -> Estimate:
        """The standard deviation between layouts that follows from the share; the variance within is known better."""
        share = self.share
        if not np.isfinite(share.value):
            return share
        within = stats.within_group_variance(self.games, self.sums, self.squares) / len(self.sums)
        value, low, high = (
            min(_MAX_SPREAD, float(np.sqrt(max(end, 0.0) * within / max(1 - end, 1e-9))))
            for end in (share.value, share.low, share.high)
        )
        z = stats.z_quantile((1 + stats.LEVEL) / 2)
        return Estimate(value, low, high, (high - low) / (2 * z), share.deals)


def layout_effects(run: RunTables) -> list[Estimates]:
    """The layout share of every outcome of a game, who wins first, and the spread of win shares over layouts; empty
    where too few layouts were played twice."""
    run = run.counted
    schema = run.tables["games"].collect_schema()
    declared = find_statistics(run.experiment.game).layout_outcomes
    outcomes = {name: column for name, column in declared.items() if column in schema}
    repeats = [games - layouts for layouts, games in run.layouts.values()] if declared else []
    if not repeats or min(repeats) < _MIN_REPEATS:
        return []
    by_variant = _layout_sums(run, [*outcomes.values()])
    variants = [variant.name for variant in run.variants]
    games = [float(run.games_of(name)) for name in variants]
    games_per_layout = max(games / layouts for layouts, games in run.layouts.values())
    shares = [[outcome.share for outcome in outcome_sums] for outcome_sums in by_variant]
    spreads = [[outcome_sums[0].spread] for outcome_sums in by_variant]
    return [
        Estimates.independent(LAYOUT_SHARE, variants, (WIN_SHARE, *outcomes), shares, games, games_per_layout),
        Estimates.independent(LAYOUT_SPREAD, variants, ("",), spreads, games, games_per_layout),
    ]


def _layout_sums(run: RunTables, outcomes: Sequence[str]) -> list[list[_LayoutSums]]:
    """For every variant who wins and then the outcomes; memory grows with layouts, not with games."""
    players = range(max(variant.players for variant in run.variants))
    win_metric = TableMetrics([_win_sums(players)], MetricGrouping(run.tables))
    *wins, win_squares = (f"{WIN_SHARE}{SEPARATOR}{group}" for group in (*players, "squares"))
    squares = [pl.col(outcome).pow(2).sum().alias(f"{outcome}{_SQUARED}") for outcome in outcomes]
    key, sums = ["variant", "game"], RunningSums("variant", "city")
    for tables in run.blocks():
        games = tables["games"].drop_nulls("layout").with_columns(run.city)
        known = games.select(*key, "city", pl.col(outcomes).cast(pl.Float64).fill_null(0.0)).collect()
        won = win_metric.by_game(tables)
        if not won.select(key).equals(known.select(key)):  # games without a layout
            won = known.select(key).join(won, on=key, maintain_order="left")
        rows = known.hstack(won.drop(key))
        sums.add(rows.drop("game").group_by("variant", "city").agg(pl.len().alias("games"), *squares, pl.all().sum()))
    layouts = sums.total.sort("city")
    return [
        [
            _LayoutSums.of(variant_layouts, wins, win_squares),
            *(_LayoutSums.of(variant_layouts, [outcome], f"{outcome}{_SQUARED}") for outcome in outcomes),
        ]
        for variant in run.variants
        for variant_layouts in [layouts.filter(pl.col("variant") == variant.name)]
    ]


def _win_sums(players: Iterable[int]) -> Metric:
    """The win share of every player, and the sum of all squares."""
    won = pl.col("win_share").cast(pl.Float64)
    values: dict[str, Value] = {
        str(player): OfRows((("sum", pl.when(pl.col("player") == player).then(won).otherwise(0.0)),))
        for player in players
    }
    values["squares"] = OfRows((("sum", won**2),))
    return Metric(WIN_SHARE, "", "share", 0.0, "seats", (), lambda grouping: values)
