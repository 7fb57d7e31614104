"""Variants against a reference: differences, intervals, and a verdict that claims no more than the games bear."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, log2, sqrt

import polars as pl

from mmsim.analysis import number_format as fmt
from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import TENSION
from mmsim.core.metrics import Measure, Metric
from mmsim.errors import UsageError, full_name, unknown

ALPHA = 1 - stats.LEVEL
_RARE = 0.01  # the share of games that matters where nothing tells how far games differ from one another


class Verdict(StrEnum):
    """What may be said of a difference."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"  # of metrics that make a game neither better nor worse
    LOWER = "lower"
    DEPENDS = "depends on who plays"  # some kinds of players show more, others less
    EQUAL = "equal within tolerance"
    UNSURE = "not enough games"


_APART = (Verdict.BETTER, Verdict.WORSE, Verdict.HIGHER, Verdict.LOWER)


@dataclass(frozen=True)
class Comparison:
    """A variant against the reference in one metric and group: of one kind of players, or of a panel, whose difference
    is the mean over its members."""

    measure: Measure
    group: str
    reference: str
    variant: str
    before: Estimate  # of the reference
    after: Estimate  # of the variant
    difference: Estimate
    df: float
    p_value: float
    p_equal: float  # against a difference as large as the tolerance
    saved: float  # part of the variance that pairing took away
    games_a_deal: float
    paired: bool
    p_adjusted: float = 1.0  # Holm, over all comparisons of the same family
    p_equal_adjusted: float = 1.0
    family: int = 1
    asked: bool = True  # whether it is of the family the experiment asks about, or one of all others
    player: str = ""  # the kind of players it is of; none: a panel
    members: tuple["Comparison", ...] = ()  # of a panel: of every kind of players that counts
    others: tuple["Comparison", ...] = ()  # of a panel: of weak players, and those who cannot use the difference
    spread: float = 0.0  # of a panel: the standard deviation between its members

    @property
    def apart(self) -> bool:
        """Whether there is a difference that no chance makes, for one kind of players at least."""
        return self.verdict in (*_APART, Verdict.DEPENDS)

    @property
    def verdict(self) -> Verdict:
        if self.members:
            return self._of_panel
        if self.p_equal_adjusted < ALPHA:
            return Verdict.EQUAL
        if self.p_adjusted >= ALPHA:
            return Verdict.UNSURE
        more = self.difference.value > 0
        if not self.measure.better:
            return Verdict.HIGHER if more else Verdict.LOWER
        return Verdict.BETTER if more == (self.measure.better == "more") else Verdict.WORSE

    @property
    def _of_panel(self) -> Verdict:
        found = {one.verdict for one in self.members}
        apart = found & {*_APART}
        if len(apart) > 1:
            return Verdict.DEPENDS
        if apart:
            return apart.pop()
        return Verdict.EQUAL if found == {Verdict.EQUAL} else Verdict.UNSURE

    def who(self, *verdicts: Verdict) -> list[str]:
        """The kinds of players for which one of these is shown."""
        return [one.player for one in self.members if one.verdict in verdicts]

    @property
    def holds(self) -> str:
        """For whom the verdict holds, in words; empty for one kind of players alone."""
        everybody, verdict = len(self.members), self.verdict
        if everybody < 2:
            return f"for {self.members[0].player}" if self.members else ""
        if verdict is Verdict.DEPENDS:
            ways = [(one, self.who(one)) for one in _APART]
            return "; ".join(f"{way} for {', '.join(who)}" for way, who in ways if who)
        if verdict is Verdict.UNSURE:
            equal = self.who(Verdict.EQUAL)
            return f"equal for {len(equal)} of {everybody} ({', '.join(equal)})" if equal else ""
        who = self.who(verdict)
        if len(who) == everybody:
            return f"holds for all {everybody} kinds of players"
        return f"holds for {len(who)} of {everybody} ({', '.join(who)})"

    @property
    def same(self) -> bool:
        """Whether every game came out the same."""
        return self.difference.value == 0 and self.difference.se == 0

    @property
    def share_that_matters(self) -> float:
        """The share of games that would have to differ for the tolerance to be reached, if a game that differs does so
        by as much as games differ from one another (a share: by all; where no game differed: a hundredth)."""
        return _share_that_matters(self.measure, self.before)

    @property
    def games_needed(self) -> float:
        """Games of each variant at which either a difference or equality would be shown, if all is as it seems."""
        alpha, tolerance = ALPHA / self.family, self.measure.tolerance
        if len(self.members) > 1:
            return max((one.games_needed for one in self.members if one.verdict is Verdict.UNSURE), default=0.0)
        if self.difference.deals < 2:
            return inf
        if self.same:
            return stats.deals_to_be_sure(self.share_that_matters, alpha) * self.games_a_deal
        if self.difference.se == 0:
            return (1 + log2(1 / alpha)) * self.games_a_deal
        sd = self.difference.se * sqrt(self.difference.deals)
        find = stats.deals_to_find(self.difference.value, sd, alpha)
        equate = stats.deals_to_equate(self.difference.value, tolerance, sd, alpha)
        return min(find, equate) * self.games_a_deal

    @property
    def of_whom(self) -> str:
        """Whose games are too few, where there are several kinds of players."""
        unsure = self.who(Verdict.UNSURE)
        if len(self.members) < 2 or len(unsure) == len(self.members):
            return " of each" if len(self.members) > 1 else ""
        return f" of {_last(unsure)}"

    @property
    def in_words(self) -> str:
        more = ["the same in every game"] if self.same else []
        if self.verdict is Verdict.UNSURE and (needed := fmt.games(self.games_needed)):
            more.append(f"{needed} would do{self.of_whom}")
        verdict = f"{self.verdict} ({'; '.join(more)})" if more else str(self.verdict)
        return f"{verdict}; {self.holds}" if self.holds and len(self.members) > 1 else verdict

    def row(self) -> dict[str, object]:
        """The comparison as plain values."""
        needed = self.games_needed
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
            "tolerance": self.measure.tolerance,
            "p_equal_adjusted": self.p_equal_adjusted,
            "variance_saved": self.saved,
            "players": self.player or "panel",
            "asked": self.asked,
            "verdict": str(self.verdict),
            "holds": self.holds,
            "games_needed": _finite(needed) if self.verdict is Verdict.UNSURE else None,
        }


def _last(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _finite(value: float) -> float | None:
    """A number that JSON and tables can hold."""
    return value if isfinite(value) else None


def with_tolerances(all_estimates: Sequence[Estimates], tolerances: Mapping[str, float]) -> list[Estimates]:
    """Estimates with some tolerances stated anew."""
    known = [estimates.measure.name for estimates in all_estimates]
    own = {name: estimates.measure.tolerance for name, estimates in zip(known, all_estimates, strict=True)}
    for name, value in tolerances.items():
        if name not in known:
            raise unknown("metric", name, known)
        if not 0 < value < inf:
            raise UsageError(f"the tolerance of {name} must be a number above 0, not {value:g}")
    stated = {**own, **tolerances}
    if SOURCE in tolerances and SEAT_IMBALANCE.name in own and SEAT_IMBALANCE.name not in tolerances:
        stated[SEAT_IMBALANCE.name] *= tolerances[SOURCE] / own[SOURCE]  # it fits that of its seats
    return [
        replace(estimates, measure=replace(estimates.measure, tolerance=stated[name]))
        for name, estimates in zip(known, all_estimates, strict=True)
    ]


def compare(
    all_estimates: Sequence[Estimates], reference: str | None = None, asked: Collection[str] = ()
) -> list[Comparison]:
    """Every other variant against the reference, the first one if none is named.

    The metrics `asked` about are one family of tests; those of the chances to win, which may be added to a run later,
    are another, and so are all others. Without any that is asked about, all are one.
    """
    variants = all_estimates[0].variants if all_estimates else ()
    if len(variants) < 2:
        raise UsageError(f"there is nothing to compare: {variants[0] if variants else 'the run'} is the only variant")
    base = variants.index(full_name("variant", reference, variants)) if reference else 0
    found = [
        replace(one, asked=not asked or estimates.measure.name in asked)
        for estimates in all_estimates
        for v in range(len(variants))
        if v != base
        for g in range(len(estimates.groups))
        if estimates.known(base, g) and estimates.known(v, g)
        if (one := _of_all(estimates, base, v, g)) is not None
    ]
    families: dict[tuple[bool, bool], list[Comparison]] = {}
    for one in found:
        families.setdefault(_family(one), []).append(one)
    adjusted = {family: iter(_adjusted(own)) for family, own in families.items()}
    return [next(adjusted[_family(one)]) for one in found]


def _family(one: Comparison) -> tuple[bool, bool]:
    """Which comparisons it shares its error with."""
    return one.asked, not one.asked and isinstance(one.measure, Metric) and one.measure.table == TENSION


def _adjusted(found: Sequence[Comparison]) -> list[Comparison]:
    """A family of tests with Holm's p-values: what every member shows is one family, the means of panels another."""
    members = iter(_holm([member for one in found for member in one.members]))
    with_members = [replace(one, members=tuple(next(members) for _ in one.members)) for one in found]
    return _holm(with_members)


def _holm(found: Sequence[Comparison]) -> list[Comparison]:
    adjusted, equal = (stats.holm([getattr(one, p) for one in found]) for p in ("p_value", "p_equal"))
    return [
        replace(one, p_adjusted=p, p_equal_adjusted=q, family=len(found))
        for one, p, q in zip(found, adjusted, equal, strict=True)
    ]


def _of_all(estimates: Estimates, base: int, variant: int, group: int) -> Comparison | None:
    """The comparison of a panel from those of its members; without any it stands for itself.

    None where no kind of players can make use of what is different.
    """
    if not estimates.members:
        return _compare(estimates, base, variant, group)
    made = [
        (member, replace(_compare(replace(one, measure=estimates.measure), base, variant, own), player=member.name))
        for member, one in estimates.members
        if estimates.groups[group] in one.groups
        and one.known(base, own := one.groups.index(estimates.groups[group]))
        and one.known(variant, own)
    ]
    usable = [(member, one) for member, one in made if member.is_evidence(base, variant)]
    if not usable:
        return None
    strong = [one for member, one in usable if member.strong] or [one for _, one in usable]
    rest = tuple(one for _, one in made if not any(one is other for other in strong))
    if len(strong) == 1:
        return replace(strong[0], player="", members=(strong[0],), others=rest)
    known = [one for one in strong if isfinite(one.difference.se)] or strong
    combined = stats.random_effects(
        [one.difference.value for one in known],
        [one.difference.se for one in known],
        [one.difference.deals for one in known],
    )
    apart, tolerance = combined.estimate, estimates.measure.tolerance
    return replace(
        strong[0],
        before=estimates.estimate(base, group),
        after=estimates.estimate(variant, group),
        difference=apart,
        df=combined.df,
        p_value=by_chance(apart, combined.df),
        p_equal=stats.tost(apart.value, apart.se, combined.df, tolerance) if apart.se else strong[0].p_equal,
        saved=sum(one.saved for one in strong) / len(strong),
        player="",
        members=tuple(strong),
        others=rest,
        spread=combined.spread,
    )


def difference(estimates: Estimates, base: int, variant: int, group: int) -> tuple[Estimate, float]:
    """What a variant has more than another, and the degrees of freedom that rests on."""
    before, after = estimates.estimate(base, group), estimates.estimate(variant, group)
    se = sqrt(estimates.variance_of_difference(base, variant, group, estimates.paired))
    deals = min(before.deals, after.deals)
    alone = estimates.paired or not isfinite(se)
    df = deals - 1.0 if alone else stats.welch_df(before.se, before.deals, after.se, after.deals)
    value = after.value - before.value
    if abs(value) < 1e-12 * max(abs(before.value), abs(after.value)):
        value = 0.0  # rounding, not a difference
    half = stats.t_quantile((1 + stats.LEVEL) / 2, max(df, 1.0)) * se if deals > 1 else inf
    return Estimate(value, value - half, value + half, se, deals), df


def by_chance(apart: Estimate, df: float) -> float:
    """How often chance alone would make such a difference; the same one every time is judged by its sign alone."""
    if apart.deals < 2:
        return 1.0
    if apart.se == 0 and apart.value != 0:
        return stats.always(apart.deals)
    return stats.two_sided_p(apart.value, apart.se, df)


def _compare(estimates: Estimates, base: int, variant: int, group: int) -> Comparison:
    apart, df = difference(estimates, base, variant, group)
    variance, unpaired = apart.se**2, estimates.variance_of_difference(base, variant, group, paired=False)
    varies = apart.deals > 1
    p_equal = stats.tost(apart.value, apart.se, df, estimates.measure.tolerance)
    if p_equal == 0 and apart.se == 0:  # nothing varied yet, which does not mean that it never will
        p_equal = stats.never(_share_that_matters(estimates.measure, estimates.estimate(base, group)), apart.deals)
    return Comparison(
        measure=estimates.measure,
        group=estimates.groups[group],
        reference=estimates.variants[base],
        variant=estimates.variants[variant],
        before=estimates.estimate(base, group),
        after=estimates.estimate(variant, group),
        difference=apart,
        df=df,
        p_value=by_chance(apart, df),
        p_equal=p_equal if varies else 1.0,
        saved=1 - variance / unpaired if estimates.paired and unpaired > 0 else 0.0,
        games_a_deal=estimates.games_a_deal,
        paired=estimates.paired,
    )


def _share_that_matters(measure: Measure, before: Estimate) -> float:
    spread = 1.0 if measure.unit.startswith("share") else before.se * sqrt(before.deals)
    return min(1.0, measure.tolerance / spread) if spread > 0 else _RARE


def same_games(comparisons: Sequence[Comparison]) -> bool:
    """Whether a variant's games all came out as the reference's did, as far as games are compared one by one."""
    one_by_one = [one for one in comparisons if one.paired]
    return bool(one_by_one) and all(one.same for one in one_by_one)


def frame(comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """Comparisons as a table; below that of a panel those of its members."""
    rows = [row for one in comparisons for row in rows_of(one)]
    return pl.DataFrame(rows, infer_schema_length=None)


def rows_of(one: Comparison) -> list[dict[str, object]]:
    """A comparison as plain values, and where there are several kinds of players each of them."""
    several = len(one.members) + len(one.others) > 1
    return [one.row(), *(other.row() for other in (*one.members, *one.others) if several)]
