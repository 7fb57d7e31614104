"""Compare variants with a reference: differences with intervals at every level of play, and a verdict no stronger than
the games support."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, log2, sqrt

import polars as pl

from mmsim.analysis import stats
from mmsim.analysis import wording as fmt
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE, any_change_p_value, evenness_change
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.level_verdict import (
    ALPHA,
    LevelEffect,
    LevelVerdict,
    Shape,
    Top,
    Verdict,
    judge,
    where_it_holds,
)
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import TENSION, RunTables
from mmsim.core.levels import Level
from mmsim.core.metrics import Measure, Metric
from mmsim.errors import UsageError, full_name

CANNOT_SAY = "how many would do cannot be said yet"
_FORECAST_LEVEL = 0.8  # of the interval of effects for which games are forecast
_FORECAST_POINTS = 33
_MAX_FORECAST_RATIO = 10.0  # a wider range of games says nothing
_DEFAULT_RELEVANT_SHARE = 0.01  # of games, where the standard deviation between games is not known
_EVENNESS = {Verdict.BETTER: "more even", Verdict.WORSE: "less even", Verdict.EQUAL: "as even within tolerance"}


@dataclass(frozen=True)
class LevelEstimates:
    """The estimates of all metrics at one level of play."""

    level: Level
    metrics: Sequence[Estimates]
    blind: frozenset[tuple[int, int]] = frozenset()  # pairs of variants whose difference its bots ignore
    game_seconds: float = 0.0  # of one core, by the declared cost of its bots
    by_board: Mapping[str, Sequence[Estimates]] = field(default_factory=dict)  # if they are averaged over boards

    @classmethod
    def of(
        cls, run: RunTables, metrics: Sequence[Estimates], by_board: Mapping[str, Sequence[Estimates]]
    ) -> "LevelEstimates":
        """Those of a run of one level, with the names of variants that all levels share."""
        names = tuple(variant.name for variant in run.shared_variants)

        def shared(some: Sequence[Estimates]) -> list[Estimates]:
            return [replace(estimates, variants=names) for estimates in some]

        boards = {board: shared(some) for board, some in by_board.items()}
        return cls(run.level, shared(metrics), run.blind, run.game_seconds, boards)

    def is_evidence(self, first: int, second: int) -> bool:
        """True if its games are evidence about the difference between two variants."""
        return (first, second) not in self.blind and (second, first) not in self.blind


@dataclass(frozen=True)
class Comparison:
    """A variant against the reference in one metric and group, at one level of play."""

    measure: Measure
    group: str
    reference: str
    variant: str
    level: Level
    before: Estimate  # of the reference
    after: Estimate  # of the variant
    difference: Estimate
    df: float
    p_value: float
    p_equal: float  # TOST: small if the difference is within the tolerance
    variance_saved: float  # share of the variance that pairing removed
    games_per_deal: float
    paired: bool
    game_seconds: float = 0.0  # of one core
    p_adjusted: float = 1.0  # Holm correction over all comparisons of the same family
    p_equal_adjusted: float = 1.0
    family: int = 1  # number of comparisons in the family
    p_any: float | None = None  # win shares only: of "no seat changed", a test over all seats (Wald)
    is_rearranged: bool = False  # imbalance only: uneven in another way, not more or less so

    @property
    def verdict(self) -> Verdict:
        if self.p_equal_adjusted < ALPHA:
            return Verdict.EQUAL
        if self.p_adjusted >= ALPHA:
            return Verdict.UNSURE
        if self.is_rearranged:
            return Verdict.REARRANGED
        is_higher = self.difference.value > 0
        if not self.measure.better:
            return Verdict.HIGHER if is_higher else Verdict.LOWER
        return Verdict.BETTER if is_higher == (self.measure.better == "more") else Verdict.WORSE

    @property
    def effect(self) -> LevelEffect:
        difference = self.difference
        return LevelEffect(self.level.name, self.level.make, difference.value, difference.se, self.verdict)

    @property
    def identical(self) -> bool:
        """True if no game came out differently."""
        return self.difference.value == 0 and self.difference.se == 0

    @property
    def games_needed(self) -> tuple[float, float] | None:
        """Games per variant at which a difference or equivalence would be shown, as a range over the effects that are
        likely (its 80 % interval); None if that cannot be said yet."""
        alpha = ALPHA / self.family
        if self.difference.deals < 2:
            return None
        if self.difference.se == 0:
            share = _relevant_share(self.measure, self.before)
            deals = stats.deals_to_rule_out(share, alpha) if self.identical else 1 + log2(1 / alpha)
            return deals * self.games_per_deal, deals * self.games_per_deal
        if not isfinite(self.difference.se):
            return None
        half = stats.t_quantile((1 + _FORECAST_LEVEL) / 2, max(self.df, 1.0)) * self.difference.se
        sd, step = self.difference.se * sqrt(self.difference.deals), 2 * half / (_FORECAST_POINTS - 1)
        effects = [self.difference.value - half + step * point for point in range(_FORECAST_POINTS)]
        needed = [
            min(
                stats.deals_for_power(effect, sd, alpha),
                stats.deals_for_equivalence(effect, self.measure.tolerance, sd, alpha),
            )
            for effect in effects
        ]
        low, high = (deals * self.games_per_deal for deals in (min(needed), max(needed)))
        return (low, high) if high <= low * _MAX_FORECAST_RATIO else None

    def row(self) -> dict[str, object]:
        needed = self.games_needed if self.verdict is Verdict.UNSURE else None
        return {
            "metric": self.measure.name,
            "group": self.group,
            "unit": self.measure.unit,
            "reference": self.reference,
            "variant": self.variant,
            "level": self.level.name,
            "bots": self.level.bots,
            "before": self.before.value,
            "after": self.after.value,
            "difference": self.difference.value,
            "low": _finite(self.difference.low),
            "high": _finite(self.difference.high),
            "se": _finite(self.difference.se),
            "deals": self.difference.deals,
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
            "p_any_seat": self.p_any,
            "tolerance": self.measure.tolerance,
            "p_equal_adjusted": self.p_equal_adjusted,
            "variance_saved": self.variance_saved,
            "verdict": str(self.verdict),
            "games_needed_low": needed[0] if needed else None,
            "games_needed_high": needed[1] if needed else None,
        }


@dataclass(frozen=True)
class ComparisonOverLevels:
    """A variant against the reference in one metric and group, at every level whose bots can use what differs."""

    levels: tuple[Comparison, ...]  # from weak to strong
    primary: bool = True  # False: exploratory, not among the metrics that the experiment is about
    family: int = 1  # number of such comparisons that share an error rate

    @property
    def measure(self) -> Measure:
        return self.levels[0].measure

    @property
    def group(self) -> str:
        return self.levels[0].group

    @property
    def reference(self) -> str:
        return self.levels[0].reference

    @property
    def variant(self) -> str:
        return self.levels[0].variant

    @cached_property
    def verdict(self) -> LevelVerdict:
        effects = [comparison.effect for comparison in self.levels]
        return judge(effects, self.measure.tolerance, ALPHA / self.family)

    @property
    def is_different(self) -> bool:
        """True if at least one level shows a significant difference."""
        return self.verdict.is_different

    @property
    def identical(self) -> bool:
        """True if no game came out differently at any level."""
        return all(comparison.identical for comparison in self.levels)

    @property
    def paired(self) -> bool:
        return self.levels[0].paired

    def at(self, level: str) -> Comparison | None:
        """The comparison at one level; None if it is no evidence there."""
        return next((comparison for comparison in self.levels if comparison.level.name == level), None)

    @property
    def shown(self) -> list[Comparison]:
        """The levels that show a difference."""
        names = [effect.level for effect in self.verdict.effects if effect.is_shown]
        return [comparison for comparison in self.levels if comparison.level.name in names]

    @property
    def largest(self) -> Comparison:
        """The level with the largest difference that is shown, or with the largest at all."""
        return max(self.shown or self.levels, key=lambda comparison: abs(comparison.difference.value))

    @property
    def holds(self) -> str:
        """At which levels the verdict holds, in words."""
        return where_it_holds(self.verdict, _EVENNESS if self.measure.name == SEAT_IMBALANCE.name else None)

    @property
    def settled(self) -> str:
        """Whether the two strongest levels agree, in words; empty if there is one level, or nothing to agree on."""
        top, shape = self.verdict.top, self.verdict.shape
        if top is Top.SINGLE or shape is Shape.UNSURE:
            return ""
        names = " and ".join(comparison.level.name for comparison in self.levels[-2:])
        if top is Top.MOVING:
            unit = fmt.difference_unit(self.measure.unit)
            slope = Estimate(self.verdict.slope, self.verdict.slope, self.verdict.slope, 0.0, 0)
            return f"{top} ({fmt.value(slope, unit, signed=True)} per level)"
        return {
            Top.SETTLED: f"settled: {names} agree",
            Top.DISAGREE: f"not settled: {names} disagree",
            Top.ONE_MAKE: f"not settled: {names} are bots of one make",
            Top.OPEN: f"not settled yet: {names} need more games",
        }[top]

    @property
    def games_text(self) -> str:
        """How many games would settle what is open at all levels, and how long they take; empty if nothing is open."""
        unsure = [one for one in self.levels if one.verdict is Verdict.UNSURE and one.difference.deals > 1]
        if not unsure:
            return ""
        known = [(games, one.game_seconds) for one in unsure if (games := one.games_needed)]
        if len(known) < len(unsure):
            return CANNOT_SAY
        low, high = (max(games[end] for games, _ in known) for end in (0, 1))
        each = " each" if len(known) > 1 else ""
        seconds = [sum(2 * games[end] * cost for games, cost in known) for end in (0, 1)]  # of both variants
        time = f", {fmt.duration_range(*seconds)} of one core" if seconds[1] else ""
        return f"{fmt.games(low, high)}{each} would do{time}"

    @property
    def verdict_text(self) -> str:
        """The verdict over levels, whether it is settled, and how many games would settle what is open."""
        if self.identical:
            return f"{self.holds} (the same in every game)"
        return "; ".join(filter(None, (self.holds, self.settled)))

    def rows(self) -> list[dict[str, object]]:
        """One row per level, as plain values."""
        over_levels = {
            "primary": self.primary,
            "over_levels": self.holds,
            "shape": self.verdict.shape.name.lower(),
            "top": self.verdict.top.name.lower(),
        }
        return [{**comparison.row(), **over_levels} for comparison in self.levels]


def _finite(value: float) -> float | None:
    """A number that JSON and tables can hold."""
    return value if isfinite(value) else None


def compare(
    levels: Sequence[LevelEstimates], reference: str | None = None, primary: Collection[str] = ()
) -> list[ComparisonOverLevels]:
    """Compare every other variant with the reference, by default the first variant, at every level.

    The `primary` metrics are one family of tests; those of win chances, which may be added to a run later, are
    another, and all others a third. Without primary metrics all are one family.
    """
    every = [estimates for level in levels for estimates in level.metrics]
    variants = every[0].variants if every else ()
    if len(variants) < 2:
        raise UsageError(f"there is nothing to compare: {variants[0] if variants else 'the run'} is the only variant")
    base = variants.index(full_name("variant", reference, variants)) if reference else 0
    order = {name: place for place, name in enumerate(dict.fromkeys(estimates.name for estimates in every))}
    cells: dict[tuple[int, int, str], list[Comparison]] = {}
    for level in levels:
        for estimates in level.metrics:
            for v in range(len(variants)):
                for g, group in enumerate(estimates.groups):
                    known = v != base and estimates.known(base, g) and estimates.known(v, g)
                    if known and level.is_evidence(base, v):
                        key = (order[estimates.name], v, group)
                        cells.setdefault(key, []).append(_compare(level, estimates, base, v, g))
    families: dict[tuple[bool, bool], list[tuple[int, int, str]]] = {}
    keys_in_order = sorted(cells, key=lambda key: key[:2])
    for key in keys_in_order:
        families.setdefault(_family(cells[key][0].measure, primary), []).append(key)
    compared = {}
    for (is_primary, _), keys in families.items():
        corrected = iter(_holm_corrected([comparison for key in keys for comparison in cells[key]]))
        for key in keys:
            compared[key] = ComparisonOverLevels(tuple(next(corrected) for _ in cells[key]), is_primary, len(keys))
    return [compared[key] for key in keys_in_order]


def _family(measure: Measure, primary: Collection[str]) -> tuple[bool, bool]:
    """Comparisons with the same key share their error rate."""
    is_primary = not primary or measure.name in primary
    is_tension = isinstance(measure, Metric) and measure.table == TENSION
    return is_primary, is_tension and not is_primary


def _holm_corrected(family: Sequence[Comparison]) -> list[Comparison]:
    """Comparisons with adjusted p-values.

    All seats of a variant count as one test, that of any change, in the family; a seat has changed if that test and
    its own, adjusted for all seats of the family, both show it.
    """
    units = {_test_of(number, comparison): comparison for number, comparison in enumerate(family)}
    tests = [unit.p_value if unit.p_any is None else unit.p_any for unit in units.values()]
    adjusted = dict(zip(units, stats.holm(tests), strict=True))
    seats = [comparison for comparison in family if comparison.p_any is not None]
    of_seats = iter(stats.holm([comparison.p_value for comparison in seats]))
    equal = stats.holm([comparison.p_equal for comparison in family])
    corrected = []
    for number, (comparison, q) in enumerate(zip(family, equal, strict=True)):
        p = adjusted[_test_of(number, comparison)]
        p_any = p if comparison.p_any is not None else None
        p = max(p, next(of_seats)) if comparison.p_any is not None else p
        corrected.append(replace(comparison, p_adjusted=p, p_equal_adjusted=q, family=len(family), p_any=p_any))
    return corrected


def _test_of(number: int, comparison: Comparison) -> tuple[object, ...]:
    return (comparison.variant, comparison.level.name) if comparison.p_any is not None else (number,)


def difference(estimates: Estimates, base: int, variant: int, group: int) -> tuple[Estimate, float]:
    """The difference of a variant from another, and its degrees of freedom."""
    before, after = estimates.estimate(base, group), estimates.estimate(variant, group)
    se = sqrt(estimates.variance_of_difference(base, variant, group, estimates.paired))
    deals = min(before.deals, after.deals)
    is_one_sample = estimates.paired or not isfinite(se)
    df = deals - 1.0 if is_one_sample else stats.welch_df(before.se, before.deals, after.se, after.deals)
    value = after.value - before.value
    if abs(value) < 1e-12 * max(abs(before.value), abs(after.value)):
        value = 0.0  # rounding, not a difference
    half = stats.t_quantile((1 + stats.LEVEL) / 2, max(df, 1.0)) * se if deals > 1 else inf
    return Estimate(value, value - half, value + half, se, deals), df


def difference_p_value(difference: Estimate, df: float) -> float:
    """The p-value of a difference; one that never varies is tested by its sign alone."""
    if difference.deals < 2:
        return 1.0
    if difference.se == 0 and difference.value != 0:
        return stats.sign_test_p(difference.deals)
    return stats.two_sided_p(difference.value, difference.se, df)


def _compare(level: LevelEstimates, estimates: Estimates, base: int, variant: int, group: int) -> Comparison:
    change, df = difference(estimates, base, variant, group)
    before, after = estimates.estimate(base, group), estimates.estimate(variant, group)
    variance, unpaired = change.se**2, estimates.variance_of_difference(base, variant, group, paired=False)
    p_equal = stats.tost(change.value, change.se, df, estimates.measure.tolerance)
    if p_equal == 0 and change.se == 0:  # no variation so far does not rule out a rare difference
        p_equal = stats.rule_of_three_p(_relevant_share(estimates.measure, before), change.deals)
    is_rearranged = False
    if estimates.shares and change.se > 0 and (evenness := evenness_change(estimates.shares, base, variant)):
        change, is_turned = evenness
        is_rearranged = is_turned or p_equal < ALPHA or (after.value > before.value) != (change.value > 0)
        p_equal = max(p_equal, stats.tost(change.value, change.se, df, estimates.measure.tolerance))
    is_seat = estimates.measure.name == WIN_SHARE and len(estimates.groups) > 1
    return Comparison(
        measure=estimates.measure,
        group=estimates.groups[group],
        reference=estimates.variants[base],
        variant=estimates.variants[variant],
        level=level.level,
        before=before,
        after=after,
        difference=change,
        df=df,
        p_value=difference_p_value(change, df),
        p_equal=p_equal if change.deals > 1 else 1.0,
        variance_saved=1 - variance / unpaired if estimates.paired and unpaired > 0 else 0.0,
        games_per_deal=estimates.games_per_deal,
        paired=estimates.paired,
        game_seconds=level.game_seconds,
        p_any=any_change_p_value(estimates, base, variant) if is_seat else None,
        is_rearranged=is_rearranged,
    )


def _relevant_share(measure: Measure, before: Estimate) -> float:
    """The share of games that would have to differ to reach the tolerance, if a game that differs does so by one
    standard deviation (for shares: by 1)."""
    sd = 1.0 if measure.unit.startswith("share") else before.se * sqrt(before.deals)
    return min(1.0, measure.tolerance / sd) if sd > 0 else _DEFAULT_RELEVANT_SHARE


def all_games_identical(comparisons: Sequence[ComparisonOverLevels]) -> bool:
    """True if every game of a variant came out as in the reference, as far as games are compared in pairs."""
    paired = [comparison for comparison in comparisons if comparison.paired]
    return bool(paired) and all(comparison.identical for comparison in paired)


def comparison_table(comparisons: Sequence[ComparisonOverLevels]) -> pl.DataFrame:
    """Comparisons as a table with one row per level."""
    return pl.DataFrame([row for comparison in comparisons for row in comparison.rows()], infer_schema_length=None)
