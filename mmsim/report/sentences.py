"""Findings as sentences: what a report answers, and the titles of its charts."""

import re
from collections.abc import Sequence
from itertools import groupby
from string import Formatter

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import ALPHA, Comparison, Verdict, same_games
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE, groups_equal
from mmsim.analysis.stats import Estimate, holm
from mmsim.games import find_statistics
from mmsim.report.report_data import Evidence
from mmsim.report.sentence_templates import capital, clauses, commonest, fill, where

_MOST_LISTED = 4  # variants: more are counted, not listed
_MANY = 4  # other variants, more than which a sentence does not name


def answer(evidence: Evidence) -> list[str]:
    """The answer in three sentences: are seats fair, do variants differ, how do games go."""
    sentences = (fairness(evidence), differences(evidence), course(evidence))
    return [sentence for sentence in sentences if sentence]


def _value(evidence: Evidence, metric: str, group: str = "", variant: int = 0) -> Estimate | None:
    estimates = evidence.estimates.get(metric)
    if (
        estimates is None
        or group not in estimates.groups
        or not estimates.known(variant, estimates.groups.index(group))
    ):
        return None
    return estimates.estimate(variant, estimates.groups.index(group))


def _best_seat(shares: Estimates, variant: int = 0) -> tuple[str, Estimate, int]:
    """The player who wins most, and how many players there are."""
    known = [g for g in range(len(shares.groups)) if shares.known(variant, g)]
    best = max(known, key=lambda g: float(shares.means[variant, g]))
    return shares.groups[best], shares.estimate(variant, best), len(known)


def seats_title(evidence: Evidence) -> str:
    """The finding on seats, short enough for a title."""
    shares = evidence.estimates[SOURCE]
    seat, share, players = _best_seat(shares)
    fair = 100 / players
    if (kinds := len(shares.counted)) > 1:
        text = f"on the mean over {kinds} kinds of players the {seat} player wins {fmt.with_interval(share, 'share')}"
        return capital(f"{where(evidence)}{text} of games; {fair:.3g}\u00a0% would be fair")
    if groups_equal(shares, 0) >= ALPHA:
        return f"{capital(where(evidence) + 'no player wins measurably more than a fair')} {fair:.3g}\u00a0%"
    text = f"the {seat} player wins {fmt.short(share, 'share')} of games; {fair:.3g}\u00a0% would be fair"
    return capital(where(evidence) + text)


def fairness(evidence: Evidence) -> str:
    """Whether seats are fair, for whom, and whether variants differ in that."""
    shares = evidence.estimates.get(SOURCE)
    if shares is None:
        return ""
    start = seats_of_panel(evidence, shares) if len(shares.counted) > 1 else _seats_of_one_kind(evidence, shares)
    compared = [one for one in evidence.comparisons if one.measure.name == SEAT_IMBALANCE.name]
    if not compared:
        return start + "."
    return f"{start}; {_and(_fairness_of_others(evidence, compared))}."


def _seats_of_one_kind(evidence: Evidence, shares: Estimates) -> str:
    seat, share, players = _best_seat(shares)
    p = fmt.p_value(groups_equal(shares, 0))
    found = f"{fmt.with_interval(share, 'share')} of games where {100 / players:.3g}\u00a0% would be fair"
    if groups_equal(shares, 0) < ALPHA:
        uneven = (
            "Players do not win equally often, but their bots differ" if evidence.run.mixed else "Seats are not equal"
        )
        return f"{uneven}: {where(evidence)}the {seat} player wins {found} (p\u00a0{_equals(p)}{_only(evidence)})"
    start = (
        f"No seat is measurably ahead: {where(evidence)}the {seat} player, who wins most, wins {found} "
        f"(p\u00a0{_equals(p)}{_only(evidence)})"
    )
    tests = holm([groups_equal(shares, v) for v in range(len(evidence.names))])
    uneven_with = [name for name, test in zip(evidence.names, tests, strict=True) if test < ALPHA]
    if 0 < len(uneven_with) <= _MANY:
        start += f", but seats are not equal with {_and(uneven_with)}"
    return start


def _only(evidence: Evidence) -> str:
    """Who alone was asked."""
    return f"; only {evidence.players[0]} was asked" if len(evidence.players) == 1 else ""


def seats_of_panel(evidence: Evidence, shares: Estimates) -> str:
    """Which seat is ahead in the first variant, and for which kinds of players."""
    kinds, start = shares.counted, capital(where(evidence))
    tests = holm([groups_equal(one, 0) for _, one in kinds])
    by_seat: dict[str, list[str]] = {}
    for (member, one), p in zip(kinds, tests, strict=True):
        if p < ALPHA:
            by_seat.setdefault(_best_seat(one)[0], []).append(member.name)
    uneven = sum(map(len, by_seat.values()))
    if not by_seat:
        return capital(f"{where(evidence)}no seat is measurably ahead for any of {len(kinds)} kinds of players")
    if len(by_seat) > 1:
        who = [f"the {seat} for {_and(members)}" for seat, members in sorted(by_seat.items())]
        rest = f", none measurably for {len(kinds) - uneven} of {len(kinds)}" if uneven < len(kinds) else ""
        return capital(f"{start}which seat wins most depends on who plays: {_and(who)}{rest}")
    ((seat, members),) = by_seat.items()
    share = shares.estimate(0, shares.groups.index(seat))
    holds = f"all {len(kinds)} kinds of players"
    if uneven < len(kinds):
        holds = f"{uneven} of {len(kinds)} kinds of players ({_and(members)})"
    return capital(
        f"{start}the {seat} player wins most for {holds}: {fmt.with_interval(share, 'share')} of games on average "
        f"where {100 / _best_seat(shares)[2]:.3g}\u00a0% would be fair"
    )


def _fairness_of_others(evidence: Evidence, compared: Sequence[Comparison]) -> list[str]:
    def spoken(one: Comparison) -> str:
        if one.same:
            return "exactly as even so far"
        tolerance = f"{100 * one.measure.tolerance:g}\u00a0pp"
        found = {
            Verdict.EQUAL: f"as even within {tolerance}",
            Verdict.BETTER: "more even",
            Verdict.WORSE: "less even",
            Verdict.DEPENDS: "more or less even depending on who plays",
        }.get(one.verdict, f"not told apart from {evidence.names[0]}{_games_missing(one)}")
        return f"{found}{for_whom(one)}"

    clauses = []
    for words_of, group in groupby(sorted(compared, key=spoken), key=spoken):
        of_verdict = list(group)
        names = _and([evidence.name_of(one.variant) for one in of_verdict])
        if len(of_verdict) > _MANY:
            names = f"{len(of_verdict)} other variants"
        clauses.append(f"{names} {'is' if len(of_verdict) == 1 else 'are'} {words_of}")
    return clauses


def _games_missing(one: Comparison) -> str:
    """How many games would do where these do not."""
    needed = fmt.games(one.games_needed)
    return f" by this many games ({needed}{one.of_whom} would do)" if needed else " by this many games"


def for_whom(one: Comparison) -> str:
    """For which kinds of players a verdict holds, where that is not all that need be said."""
    if len(one.members) < 2 or one.verdict in (Verdict.UNSURE, Verdict.DEPENDS):
        return ""
    who = one.who(one.verdict)
    if len(who) == len(one.members):
        return f" for all {len(who)} kinds of players"
    return f" for {len(who)} of {len(one.members)} kinds of players ({_and(who)})"


def _equals(p: str) -> str:
    return (p if p.startswith("<") else f"= {p}").replace(" ", "\u00a0")


def _and(things: Sequence[str]) -> str:
    return " and ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)


def differences(evidence: Evidence) -> str:
    """How much the variants differ in what was asked, or how games end where there is only one variant."""
    if not evidence.comparisons:
        return ends(evidence)
    others = evidence.run.variants[1:]
    if len(others) > _MANY:
        return _of_many(evidence)
    verdicts = [verdict_of(evidence, variant.name) for variant in others]
    return f"Against {evidence.names[0]}, {'; '.join(verdicts)}."


def _of_many(evidence: Evidence) -> str:
    """The largest difference of all, where there are too many variants to tell of each."""
    found = [one for one in evidence.asked if one.apart]
    differing = len({one.variant for one in found})
    start = f"Against {evidence.names[0]}, {differing} of {len(evidence.names) - 1} variants differ measurably"
    if not found:
        return f"{start}."
    largest = _largest(found)
    where = f"{evidence.name_of(largest.variant)} in {fmt.label(largest.measure.name, largest.group)}"
    return f"{start}, most {where} ({difference_text(largest)}{for_whom(largest)})."


def _largest(found: Sequence[Comparison]) -> Comparison:
    return max(found, key=lambda one: abs(one.difference.value) / one.measure.tolerance)


def verdict_of(evidence: Evidence, variant: str) -> str:
    """One variant against the first one, in all that was asked."""
    name = evidence.name_of(variant)
    compared = [one for one in evidence.against(variant) if one.asked]
    if same_games(evidence.against(variant)):
        return f"{name} comes out the same in every game"
    found = [one for one in compared if one.apart]
    equal = sum(one.verdict is Verdict.EQUAL for one in compared)
    if not found:
        unsure = [one for one in compared if one.verdict is Verdict.UNSURE]
        needed = fmt.games(max((one.games_needed for one in unsure), default=0.0)) if unsure else ""
        missing = f"; {needed} games would tell the others" if needed else ""
        return (
            f"{name} is equal within tolerance in {equal} of {len(compared)} metrics and differs measurably in none"
            f"{missing}"
        )
    everybody = [one for one in found if len(one.who(one.verdict)) == len(one.members)]
    kinds = len(found[0].members)
    shared = f", in {len(everybody) or 'none'} of them for all {kinds} kinds of players" if kinds > 1 else ""
    depends = sum(one.verdict is Verdict.DEPENDS for one in found)
    largest = _largest(everybody or found)
    return (
        f"{name} differs measurably in {len(found)} of {len(compared)} metrics{shared}"
        f"{f', in {depends} one way or the other depending on who plays' if depends else ''}, most in "
        f"{fmt.label(largest.measure.name, largest.group)} ({difference_text(largest)}{for_whom(largest)})"
    )


def difference_text(one: Comparison) -> str:
    """A difference, its interval and its unit."""
    unit = fmt.difference_unit(one.measure.unit)
    sign = "" if unit == "share difference" else f" {unit}"
    shown, who = one.difference, one.who(one.verdict)
    if 0 < len(who) < len(one.members):  # what the mean over all says is not what some of them show
        shown = next(member.difference for member in one.members if member.player == who[0])
    value, interval = (f(shown, unit, True) for f in (fmt.value, fmt.interval))
    return f"{value}{sign}, {interval}"


def told_of_course(game: str) -> set[str]:
    """The metrics that the sentence on how games go needs."""
    fields = (field for clause in find_statistics(game).course for _, field, _, _ in Formatter().parse(clause))
    return {re.split(r"\W", field)[0] for field in fields if field}


def course(evidence: Evidence) -> str:
    """How games go, in the words of their game; a number that is the same in every game says nothing."""
    parts = clauses(evidence, find_statistics(evidence.run.experiment.game).course, only_varying=True)
    return capital(f"{where(evidence)}{_and(parts)}.") if parts else ""


def ends(evidence: Evidence) -> str:
    """Why games end."""
    filled = fill(evidence, find_statistics(evidence.run.experiment.game).ends)
    return f"{filled}." if filled else ""


def parts_title(evidence: Evidence) -> str:
    """Where a seat's points come from."""
    parts = [
        f"{fmt.short(part, '', signed=True)} {fmt.title(group)}"
        for group in evidence.estimates["score_parts"].groups
        if (part := _value(evidence, "score_parts", group)) and part.value
    ]
    return capital(f"{where(evidence)}points come from {', '.join(parts) or 'nothing'}")


def spread_title(evidence: Evidence) -> str:
    """Where the middle half of all scores lies."""
    values, shares = evidence.scores[0]
    low, middle, high = (
        values[min(int((shares.cumsum() < part).sum()), len(values) - 1)] for part in (0.25, 0.5, 0.75)
    )
    text = f"half of all seats score {low:.0f} to {high:.0f} points, the middle one {middle:.0f}".replace("-", "−")
    return capital(where(evidence) + text)


def seat_scores_title(evidence: Evidence) -> str:
    estimates = evidence.estimates["seat_score"]
    if groups_equal(estimates, 0) >= ALPHA:
        return capital(f"{where(evidence)}points do not measurably depend on the playing order")
    most = commonest(estimates)
    score = fmt.short(estimates.estimate(0, most), "")
    return capital(f"{where(evidence)}the {estimates.groups[most]} player scores most, {score} points")


def seat_tests(evidence: Evidence) -> str:
    """The test of equal win shares, variant by variant."""
    shares = evidence.estimates[SOURCE]
    tests = [_equals(fmt.p_value(groups_equal(shares, v))) for v in range(len(evidence.names))]
    by_variant = [f"{name}: p\u00a0{p}" for name, p in zip(evidence.names, tests, strict=True)]
    return f"How often would equal seats show win shares as uneven as these? {'; '.join(by_variant)}."


def imbalance_title(evidence: Evidence) -> str:
    """How far win shares lie from fair, variant by variant."""
    estimates = evidence.estimates[SEAT_IMBALANCE.name]
    values = [fmt.short(estimates.estimate(v, 0), estimates.measure.unit) for v in range(len(estimates.variants))]
    tests = holm([groups_equal(evidence.estimates[SOURCE], v) for v in range(len(values))])
    uneven = sum(p < ALPHA for p in tests)
    if not uneven:
        return "Win shares are not measurably uneven"
    if len(values) == 1:
        return f"Win shares lie {values[0]} from fair"
    if len(values) > _MOST_LISTED:
        return f"Win shares are measurably uneven in {uneven} of {len(values)} variants"
    named = [f"{value} ({name})" for value, name in zip(values, evidence.names, strict=True)]
    return f"Win shares lie {_and(named)} from fair"


def variant_title(evidence: Evidence, variant: str) -> str:
    """One variant's verdicts, counted."""
    compared = evidence.against(variant)
    equal, unsure = (sum(one.verdict is verdict for one in compared) for verdict in (Verdict.EQUAL, Verdict.UNSURE))
    counts = [f"{len(compared) - equal - unsure} of {len(compared)} differ", f"{equal} are equal within tolerance"]
    if unsure:
        counts.append(f"{unsure} need more games")
    return f"{evidence.name_of(variant)}: {', '.join(counts)}"


def variants_title(evidence: Evidence) -> str:
    found = [one for one in evidence.comparisons if one.apart]
    unsure = sum(one.verdict is Verdict.UNSURE for one in evidence.comparisons)
    if found:
        return f"{len(found)} of {len(evidence.comparisons)} differences are larger than chance"
    if unsure:
        return f"No difference stands out, but {unsure} of {len(evidence.comparisons)} need more games to be sure"
    return "No difference matters: all are within tolerance"


def gaps_title(evidence: Evidence) -> str:
    """The situation that came up most often in the reference variant."""
    often, estimates = max(evidence.gaps, key=lambda one: float(one[1].means[0, 0]))
    if not estimates.means[0, 0]:
        return capital(f"{where(evidence)}no open question came up")
    share = fmt.short(estimates.estimate(0, 0), "share")
    return capital(
        f"{where(evidence)}the most frequent open question, “{fmt.title(often.name)}”, came up in {share} of games"
    )


def bots_title(evidence: Evidence) -> str:
    ratings = next(iter(evidence.ratings.values()))
    best, worst = ratings.bots[0], ratings.bots[-1]
    if ratings.gaps and any(gap.apart for gap in ratings.gaps if {gap.stronger, gap.weaker} == {best.bot, worst.bot}):
        apart = f"{best.bot} is the strongest, {best.elo - worst.elo:.0f} Elo above {worst.bot}"
        return capital(where(evidence) + apart) if where(evidence) else apart
    return "The games do not tell the bots apart"


def boards_title(evidence: Evidence) -> str:
    estimates, what = evidence.estimates["layout_share"], of_layouts(evidence)
    found = [(estimates.estimate(0, g), fmt.title(group)) for g, group in enumerate(estimates.groups)]
    sure = [(one, outcome) for one, outcome in found if one.low > 0]
    if not sure:
        return capital(f"{where(evidence)}these games do not tell what {what} matter for")
    one, outcome = max(sure, key=lambda pair: pair[0].value)
    share = fmt.short(one, "share")
    return capital(f"{where(evidence)}{what} matter most for {outcome}: {share} of the variance lies between them")


def of_layouts(evidence: Evidence) -> str:
    """What games on one layout have in common; with rotated seats that is the deal too."""
    shared = any(variant.games_a_deal > 1 for variant in evidence.run.variants)
    return "layouts with their deals" if shared else "layouts"


def layout_spread(evidence: Evidence) -> str:
    """How far players' chances go with the layout, variant by variant."""
    estimates = evidence.estimates["layout_spread"]
    known = [(v, name) for v, name in enumerate(evidence.names) if estimates.known(v, 0)]
    found = _and(
        [
            f"{fmt.with_interval(estimates.estimate(v, 0), estimates.measure.unit)}"
            + (f" under {name}" if len(evidence.names) > 1 else "")
            for v, name in known
        ]
    )
    what = of_layouts(evidence)
    spread = f"a player's chance to win varies between {what} with a standard deviation of {found}"
    if all(estimates.estimate(v, 0).low > 0 for v, _ in known):
        return f"Who wins goes with the city too: {spread}."
    return f"How far who wins goes with the city these games do not tell for sure: {spread}."
