"""Compare variants with a reference: differences with intervals, and a verdict no stronger than the games support."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, log2, sqrt

import polars as pl

from mmsim.analysis import number_format as fmt
from mmsim.analysis import stats
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.seat_tests import any_change_p_value, evenness_change
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import TENSION
from mmsim.core.metrics import Measure, Metric
from mmsim.errors import UsageError, full_name, unknown

ALPHA = 1 - stats.LEVEL
_FORECAST_LEVEL = 0.8  # of the interval of effects for which games are forecast
_FORECAST_POINTS = 33
_MAX_FORECAST_RATIO = 10.0  # a wider range of games says nothing
_DEFAULT_RELEVANT_SHARE = 0.01  # of games, where the standard deviation between games is not known


CANNOT_SAY = "how many would do cannot be said yet"


class Verdict(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"  # for metrics that make a game neither better nor worse
    LOWER = "lower"
    REARRANGED = "uneven in another way"  # of seats: neither more nor less even altogether
    DEPENDS = "depends on who plays"  # higher for some kinds of players, lower for others
    EQUAL = "equal within tolerance"
    UNSURE = "not enough games"


_DIFFERENT = (Verdict.BETTER, Verdict.WORSE, Verdict.HIGHER, Verdict.LOWER, Verdict.REARRANGED)


@dataclass(frozen=True)
class Comparison:
    """A variant against the reference in one metric and group: for one kind of players, or for a panel, whose
    difference is the mean over its members."""

    measure: Measure
    group: str
    reference: str
    variant: str
    before: Estimate  # of the reference
    after: Estimate  # of the variant
    difference: Estimate
    df: float
    p_value: float
    p_equal: float  # TOST: small if the difference is within the tolerance
    variance_saved: float  # share of the variance that pairing removed
    games_per_deal: float
    paired: bool
    p_adjusted: float = 1.0  # Holm correction over all comparisons of the same family
    p_equal_adjusted: float = 1.0
    family: int = 1  # number of comparisons in the family
    primary: bool = True  # False: exploratory, not among the metrics that the experiment is about
    player: str = ""  # the kind of players; empty for a panel
    members: tuple["Comparison", ...] = ()  # panel only: one per kind of players that counts
    others: tuple["Comparison", ...] = ()  # panel only: weak players, and those who ignore what differs
    spread: float = 0.0  # panel only: the standard deviation between its members
    p_any: float | None = None  # win shares only: of "no seat changed", a test over all seats (Wald)
    is_rearranged: bool = False  # imbalance only: uneven in another way, not more or less so

    @property
    def is_different(self) -> bool:
        """True if at least one kind of players shows a significant difference."""
        return self.verdict in (*_DIFFERENT, Verdict.DEPENDS)

    @property
    def verdict(self) -> Verdict:
        if self.members:
            return self._panel_verdict
        if self.p_equal_adjusted < ALPHA:
            return Verdict.EQUAL
        if self.p_adjusted >= ALPHA:
            return Verdict.UNSURE
        is_higher = self.difference.value > 0
        if self.is_rearranged:
            return Verdict.REARRANGED
        if not self.measure.better:
            return Verdict.HIGHER if is_higher else Verdict.LOWER
        return Verdict.BETTER if is_higher == (self.measure.better == "more") else Verdict.WORSE

    @property
    def _panel_verdict(self) -> Verdict:
        verdicts = {member.verdict for member in self.members}
        different = verdicts & {*_DIFFERENT}
        if len(different) > 1:
            return Verdict.DEPENDS
        if different:
            return different.pop()
        return Verdict.EQUAL if verdicts == {Verdict.EQUAL} else Verdict.UNSURE

    def players_with(self, *verdicts: Verdict) -> list[str]:
        return [member.player for member in self.members if member.verdict in verdicts]

    @property
    def holds_for_all(self) -> bool:
        return all(member.verdict is self.verdict for member in self.members)

    @property
    def holds(self) -> str:
        """For which kinds of players the verdict holds, in words; empty without a panel."""
        count, verdict = len(self.members), self.verdict
        if count < 2:
            return f"for {self.members[0].player}" if self.members else ""
        if verdict is Verdict.DEPENDS:
            by_direction = [(direction, self.players_with(direction)) for direction in _DIFFERENT]
            return "; ".join(f"{direction} for {', '.join(players)}" for direction, players in by_direction if players)
        if verdict is Verdict.UNSURE:
            equal = self.players_with(Verdict.EQUAL)
            return f"equal for {len(equal)} of {count} ({', '.join(equal)})" if equal else ""
        if self.holds_for_all:
            return f"holds for all {count} kinds of players"
        players = self.players_with(verdict)
        return f"holds for {len(players)} of {count} ({', '.join(players)})"

    @property
    def identical(self) -> bool:
        """True if no game came out differently."""
        return self.difference.value == 0 and self.difference.se == 0

    @property
    def games_needed(self) -> tuple[float, float] | None:
        """Games per variant at which a difference or equivalence would be shown, as a range over the effects that are
        likely (its 80 % interval); None if that cannot be said yet."""
        if len(self.members) > 1:
            undecided = [member.games_needed for member in self.members if member.verdict is Verdict.UNSURE]
            known = [games for games in undecided if games]
            return max(known) if known and len(known) == len(undecided) else None
        alpha = ALPHA / self.family
        if self.difference.deals < 2:
            return None
        if self.identical:
            games = stats.deals_to_rule_out(_relevant_share(self.measure, self.before), alpha) * self.games_per_deal
            return games, games
        if self.difference.se == 0:
            games = (1 + log2(1 / alpha)) * self.games_per_deal
            return games, games
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

    @property
    def players_clause(self) -> str:
        """Which kinds of players need more games, to be put after a number of games."""
        unsure = self.players_with(Verdict.UNSURE)
        if len(self.members) < 2 or len(unsure) == len(self.members):
            return " of each" if len(self.members) > 1 else ""
        return f" of {' and '.join([', '.join(unsure[:-1]), unsure[-1]] if len(unsure) > 1 else unsure)}"

    @property
    def verdict_text(self) -> str:
        """The verdict, how many games would settle it if it is open, and for which players it holds."""
        notes = ["the same in every game"] if self.identical else []
        if self.verdict is Verdict.UNSURE and self.difference.deals > 1:
            needed = self.games_needed
            notes.append(f"{fmt.games(*needed)} would do{self.players_clause}" if needed else CANNOT_SAY)
        verdict = f"{self.verdict} ({'; '.join(notes)})" if notes else str(self.verdict)
        return f"{verdict}; {self.holds}" if self.holds and len(self.members) > 1 else verdict

    def row(self) -> dict[str, object]:
        needed = self.games_needed if self.verdict is Verdict.UNSURE else None
        return {
            "metric": self.measure.name,
            "group": self.group,
            "unit": self.measure.unit,
            "reference": self.reference,
            "variant": self.variant,
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
            "players": self.player or "panel",
            "primary": self.primary,
            "verdict": str(self.verdict),
            "holds": self.holds,
            "games_needed_low": needed[0] if needed else None,
            "games_needed_high": needed[1] if needed else None,
        }


def _finite(value: float) -> float | None:
    """A number that JSON and tables can hold."""
    return value if isfinite(value) else None


def with_tolerances(all_estimates: Sequence[Estimates], tolerances: Mapping[str, float]) -> list[Estimates]:
    declared = {estimates.name: estimates.measure.tolerance for estimates in all_estimates}
    for name, value in tolerances.items():
        if name not in declared:
            raise unknown("metric", name, declared)
        if not 0 < value < inf:
            raise UsageError(f"the tolerance of {name} must be a number above 0, not {value:g}")
    chosen = {**declared, **tolerances}
    if WIN_SHARE in tolerances and SEAT_IMBALANCE.name in declared and SEAT_IMBALANCE.name not in tolerances:
        chosen[SEAT_IMBALANCE.name] *= tolerances[WIN_SHARE] / declared[WIN_SHARE]  # it follows that of the seats
    return [
        replace(estimates, measure=replace(estimates.measure, tolerance=chosen[estimates.name]))
        for estimates in all_estimates
    ]


def compare(
    all_estimates: Sequence[Estimates], reference: str | None = None, primary: Collection[str] = ()
) -> list[Comparison]:
    """Compare every other variant with the reference, by default the first variant.

    The `primary` metrics are one family of tests; those of win chances, which may be added to a run later, are
    another, and all others a third. Without primary metrics all are one family.
    """
    variants = all_estimates[0].variants if all_estimates else ()
    if len(variants) < 2:
        raise UsageError(f"there is nothing to compare: {variants[0] if variants else 'the run'} is the only variant")
    base = variants.index(full_name("variant", reference, variants)) if reference else 0
    comparisons = [
        replace(comparison, primary=not primary or estimates.name in primary)
        for estimates in all_estimates
        for v in range(len(variants))
        if v != base
        for g in range(len(estimates.groups))
        if estimates.known(base, g) and estimates.known(v, g)
        if (comparison := _compare_panel(estimates, base, v, g)) is not None
    ]
    families: dict[tuple[bool, bool], list[Comparison]] = {}
    for comparison in comparisons:
        families.setdefault(_family(comparison), []).append(comparison)
    corrected = {family: iter(_correct_family(members)) for family, members in families.items()}
    return [next(corrected[_family(comparison)]) for comparison in comparisons]


def _family(comparison: Comparison) -> tuple[bool, bool]:
    """Comparisons with the same key share their error rate."""
    is_tension = isinstance(comparison.measure, Metric) and comparison.measure.table == TENSION
    return comparison.primary, is_tension and not comparison.primary


def _correct_family(family: Sequence[Comparison]) -> list[Comparison]:
    """Holm's correction over the members of all panels, and another one over the panels' means."""
    members = iter(_holm_corrected([member for panel in family for member in panel.members]))
    return _holm_corrected([replace(panel, members=tuple(next(members) for _ in panel.members)) for panel in family])


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
    return (comparison.variant, comparison.player) if comparison.p_any is not None else (number,)


def _compare_panel(estimates: Estimates, base: int, variant: int, group: int) -> Comparison | None:
    """Combine the comparisons of the members of a panel; without members, compare directly.

    None if no kind of players makes use of what differs.
    """
    if not estimates.members:
        return _compare(estimates, base, variant, group)
    by_member = [
        (
            member,
            replace(
                _compare(replace(member_estimates, measure=estimates.measure), base, variant, g), player=member.name
            ),
        )
        for member, member_estimates in estimates.members
        if estimates.groups[group] in member_estimates.groups
        and member_estimates.known(base, g := member_estimates.groups.index(estimates.groups[group]))
        and member_estimates.known(variant, g)
    ]
    usable = [(member, comparison) for member, comparison in by_member if member.is_evidence(base, variant)]
    if not usable:
        return None
    counted = [comparison for member, comparison in usable if member.strong] or [comparison for _, comparison in usable]
    others = tuple(comparison for _, comparison in by_member if comparison not in counted)
    if len(counted) == 1:
        return replace(counted[0], player="", members=(counted[0],), others=others)
    differences = [comparison.difference for comparison in counted]
    pooled = stats.random_effects([known for known in differences if isfinite(known.se)] or differences)
    mean, tolerance = pooled.estimate, estimates.measure.tolerance
    return replace(
        counted[0],
        before=estimates.estimate(base, group),
        after=estimates.estimate(variant, group),
        difference=mean,
        df=pooled.df,
        p_value=difference_p_value(mean, pooled.df),
        p_equal=stats.tost(mean.value, mean.se, pooled.df, tolerance) if mean.se else counted[0].p_equal,
        variance_saved=sum(comparison.variance_saved for comparison in counted) / len(counted),
        player="",
        members=tuple(counted),
        others=others,
        spread=pooled.spread,
        p_any=None,
    )


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


def _compare(estimates: Estimates, base: int, variant: int, group: int) -> Comparison:
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
        before=before,
        after=after,
        difference=change,
        df=df,
        p_value=difference_p_value(change, df),
        p_equal=p_equal if change.deals > 1 else 1.0,
        variance_saved=1 - variance / unpaired if estimates.paired and unpaired > 0 else 0.0,
        games_per_deal=estimates.games_per_deal,
        paired=estimates.paired,
        p_any=any_change_p_value(estimates, base, variant) if is_seat else None,
        is_rearranged=is_rearranged,
    )


def _relevant_share(measure: Measure, before: Estimate) -> float:
    """The share of games that would have to differ to reach the tolerance, if a game that differs does so by one
    standard deviation (for shares: by 1)."""
    sd = 1.0 if measure.unit.startswith("share") else before.se * sqrt(before.deals)
    return min(1.0, measure.tolerance / sd) if sd > 0 else _DEFAULT_RELEVANT_SHARE


def all_games_identical(comparisons: Sequence[Comparison]) -> bool:
    """True if every game of a variant came out as in the reference, as far as games are compared in pairs."""
    paired = [comparison for comparison in comparisons if comparison.paired]
    return bool(paired) and all(comparison.identical for comparison in paired)


def comparison_table(comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """Comparisons as a table; a panel is followed by its members."""
    rows = [row for comparison in comparisons for row in comparison_rows(comparison)]
    return pl.DataFrame(rows, infer_schema_length=None)


def comparison_rows(comparison: Comparison) -> list[dict[str, object]]:
    """A comparison as plain values, followed by its members if there are several kinds of players."""
    members = (*comparison.members, *comparison.others)
    return [comparison.row(), *(member.row() for member in members if len(members) > 1)]
