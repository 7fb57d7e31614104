"""The titles and texts of the sections and charts of a report: each states a finding."""

from collections.abc import Sequence

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE, equal_groups_p_value, leading_estimates, leading_groups
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import ALPHA, Shape, Top, Verdict
from mmsim.analysis.ratings import ELO
from mmsim.analysis.stats import holm, two_sided_p
from mmsim.report.report_data import ReportData
from mmsim.report.sentences import MAX_NAMED_VARIANTS, join_words, with_reference

_MAX_NAMED = 3  # candidates for a superlative; more are counted, not named


def differences_title(asked: Sequence[ComparisonOverLevels]) -> str:
    """How many of the differences that were asked about are shown, are within tolerance, or need more games."""
    shown = sum(comparison.is_different for comparison in asked)
    same = sum(one.verdict.shape is Shape.SAME and not one.verdict.is_open for one in asked)
    if not shown:
        text = "No difference is shown in what was asked"
        return f"{text}; {_are(same)} within tolerance, of {len(asked)}" if same else f"{text}: not enough games"
    unsure = len(asked) - shown - same
    counts = [f", {_are(same)} within tolerance"] * bool(same)
    counts += [f", {unsure} need{'s' * (unsure == 1)} more games"] * bool(unsure)
    return f"Of {len(asked)} differences asked about, {_are(shown)} shown{''.join(counts)}"


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def settled_text(data: ReportData) -> list[str]:
    """How many of the differences that are shown hold at every level, and whether the strongest levels agree."""
    apart = [comparison for comparison in data.primary if comparison.is_different]
    if len(data.levels) < 2 or not apart:
        return []
    every = sum(comparison.verdict.holds_everywhere for comparison in apart)
    settled = sum(comparison.verdict.top is Top.SETTLED for comparison in apart)

    def count(number: int) -> str:
        return "all" if number == len(apart) else str(number) if number else "none"

    verb = "holds" if every < 2 else "hold"
    agree = "the two strongest levels, bots of different make, agree within tolerance"
    text = f"Of the differences that are shown, {count(every)} {verb} at every level"
    return [f"{text}; for {count(settled)} of them {agree}."]


def players_title(data: ReportData, games: int) -> str:
    levels = [level.name for level, _ in data.by_level(WIN_SHARE)] or [level.level.name for level in data.levels]
    if len(levels) == 1:
        return f"{games:,} games by {levels[0]}"
    return f"{games:,} games at {len(levels)} levels of play, from {levels[0]} to {levels[-1]}"


def score_parts_title(data: ReportData) -> str:
    parts = data.estimates["score_parts"]
    known = [(parts.estimate(0, g), group) for g, group in enumerate(parts.groups) if parts.known(0, g)]
    shown = [f"{fmt.short(part, '', signed=True)} {fmt.title(group)}" for part, group in known if part.value]
    return with_reference(data, f"{parts.measure.unit} come from {', '.join(shown) or 'nothing'}")


def score_spread_title(data: ReportData) -> str:
    """The quartiles of all scores."""
    values, shares = data.scores[0]
    low, middle, high = (
        values[min(int((shares.cumsum() < part).sum()), len(values) - 1)] for part in (0.25, 0.5, 0.75)
    )
    unit = data.estimates["score"].measure.unit
    text = f"half of all seats score {low:.0f} to {high:.0f} {unit}, the middle one {middle:.0f}".replace("-", "−")
    return with_reference(data, text)


def seat_scores_title(data: ReportData) -> str:
    """Which seats score most, if the games show it."""
    scores = data.estimates["seat_score"]
    if equal_groups_p_value(scores, 0) >= ALPHA:
        return with_reference(data, "scores do not measurably depend on the playing order")
    best = leading_groups(scores, 0, ALPHA)
    if len(best) == sum(scores.known(0, g) for g in range(len(scores.groups))):
        return with_reference(data, "scores depend on the playing order")
    unit, names = scores.measure.unit, join_words([scores.groups[g] for g in sorted(best)], " or ")
    values = join_words([fmt.short(scores.estimate(0, g), "") for g in sorted(best)])
    return with_reference(data, f"the {names} player scores most, {values} {unit}")


def seat_tests(data: ReportData) -> str:
    """The test of equal win shares, variant by variant."""
    shares = data.estimates[WIN_SHARE]
    p_values = [f"{name}: p\u00a0{_equals(equal_groups_p_value(shares, v))}" for v, name in enumerate(data.names)]
    text = f"How often would equal seats show win shares as uneven as these{data.level_clause}?"
    return f"{text} {'; '.join(p_values)}."


def imbalance_title(data: ReportData) -> str:
    """How far win shares are from fair, variant by variant."""
    estimates = data.estimates[SEAT_IMBALANCE.name]
    values = [fmt.short(estimates.estimate(v, 0), estimates.measure.unit) for v in range(len(estimates.variants))]
    uneven = sum(
        p < ALPHA for p in holm([equal_groups_p_value(data.estimates[WIN_SHARE], v) for v in range(len(values))])
    )
    if not uneven:
        return "Win shares are not measurably uneven"
    if len(values) == 1:
        return f"Win shares lie {values[0]} from fair"
    if len(values) > MAX_NAMED_VARIANTS:
        return f"Win shares are measurably uneven in {uneven} of {len(values)} variants"
    named = [f"{value} ({name})" for value, name in zip(values, data.names, strict=True)]
    return f"Win shares lie {join_words(named)} from fair"


def variant_title(data: ReportData, variant: str) -> str:
    """One variant's verdicts at the level that is shown, counted."""
    verdicts = [shown.verdict for one in data.comparisons_of(variant) if (shown := one.at(data.shown.level.name))]
    equal, unsure = verdicts.count(Verdict.EQUAL), verdicts.count(Verdict.UNSURE)
    counts = [f"{len(verdicts) - equal - unsure} of {len(verdicts)} differ", f"{equal} are equal within tolerance"]
    counts += [f"{unsure} need more games"] if unsure else []
    return f"{data.name_of(variant)}{data.level_clause}: {', '.join(counts)}"


def variants_title(data: ReportData) -> str:
    apart = sum(comparison.is_different for comparison in data.comparisons)
    unsure = sum(comparison.verdict.is_open for comparison in data.comparisons)
    every = sum(comparison.verdict.holds_everywhere for comparison in data.comparisons)
    if apart:
        where = f"; {every} hold at every level" if len(data.levels) > 1 else ""
        return f"{apart} of {len(data.comparisons)} differences are larger than chance{where}"
    if unsure:
        return f"No difference stands out, but {unsure} of {len(data.comparisons)} need more games to be sure"
    return "No difference matters: all are within tolerance"


def gaps_title(data: ReportData) -> str:
    """Which open questions came up most often with the reference, if the games show it."""
    shares = [estimates.estimate(0, 0) for _, estimates in data.gaps]
    came_up = sum(share.value > 0 for share in shares)
    if not came_up:
        return with_reference(data, "no open question came up")
    first = leading_estimates(shares, ALPHA)
    if len(first) > _MAX_NAMED:
        return with_reference(data, f"{came_up} of {len(shares)} open questions came up")
    named = [f"“{fmt.title(data.gaps[g][0].name)}” ({fmt.short(shares[g], 'share')} of games)" for g in first]
    return with_reference(data, f"the open question that came up most often is {join_words(named, ' or ')}")


def bots_title(data: ReportData) -> str:
    """Which bot is the strongest, if the games show it."""
    ratings = next(iter(data.ratings.values()))
    top, *others = ratings.bots
    told_apart = {gap.weaker: gap for gap in ratings.gaps if gap.stronger == top.bot and gap.is_significant}
    rivals = [rating.bot for rating in others if rating.bot not in told_apart]
    if not told_apart:
        return "The games do not tell the bots apart"
    if rivals:
        names = join_words([top.bot, *rivals], " or ")
        text = f"the strongest bot is {names}; {len(told_apart)} of {len(ratings.bots)} are shown to be weaker"
    else:
        weakest = told_apart[others[-1].bot]
        elo = fmt.with_half_width(weakest.difference.scaled(ELO), "").removeprefix("+")
        text = f"{top.bot} is {elo} Elo above {weakest.weaker}"
        text += " and ahead of every other bot" if len(others) > 1 else ""
    return with_reference(data, text) if len(data.names) > 1 else text  # names of bots keep their case


def boards_title(data: ReportData) -> str:
    """What layouts are shown to matter for, and for what most, if the games show that."""
    estimates, layouts = data.estimates["layout_share"], _layouts(data)
    shares = [(estimates.estimate(0, g), fmt.title(group)) for g, group in enumerate(estimates.groups)]
    adjusted = holm([two_sided_p(share.value, share.se, max(share.deals - 1, 1)) for share, _ in shares])
    certain = [pair for pair, p in zip(shares, adjusted, strict=True) if pair[0].low > 0 and p < ALPHA]
    if not certain:
        return with_reference(data, f"these games do not tell what {layouts} matter for")
    first = leading_estimates([share for share, _ in certain], ALPHA)
    if len(first) > _MAX_NAMED:
        return with_reference(data, f"{layouts} matter for {len(certain)} of {len(shares)} outcomes")
    named = [f"{certain[i][1]} ({fmt.short(certain[i][0], 'share')} of the variance)" for i in first]
    most = " most" if len(certain) > 1 else ""
    return with_reference(data, f"{layouts} matter{most} for {join_words(named, ' or ')}")


def _layouts(data: ReportData) -> str:
    """What games on one layout have in common; with rotated seats that is the deal too."""
    shared = any(variant.games_per_deal > 1 for variant in data.run.variants)
    return "layouts with their deals" if shared else "layouts"


def layout_spread(data: ReportData) -> str:
    """How far players' chances depend on the layout, variant by variant."""
    estimates = data.estimates["layout_spread"]
    known = [(estimates.estimate(v, 0), name) for v, name in enumerate(data.names) if estimates.known(v, 0)]
    values = [
        fmt.with_interval(spread, estimates.measure.unit) + (f" under {name}" if len(data.names) > 1 else "")
        for spread, name in known
    ]
    text = f"a player's chance to win varies between {_layouts(data)} with a standard deviation of {join_words(values)}"
    if all(spread.low > 0 for spread, _ in known):
        return f"Who wins depends on the layout too: {text}."
    return f"These games do not show for sure how far who wins depends on the layout: {text}."


def _equals(p: float) -> str:
    text = fmt.p_value(p)
    return (text if text.startswith("<") else f"= {text}").replace(" ", "\u00a0")
