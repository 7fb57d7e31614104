"""Findings as sentences: what a report answers, and the titles of its charts."""

from collections.abc import Sequence
from itertools import groupby

from mmsim.analysis import words
from mmsim.analysis.compare import ALPHA, Comparison, Verdict, same_games
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE, groups_equal
from mmsim.analysis.panel import Panel
from mmsim.analysis.stats import Estimate, holm
from mmsim.report.evidence import Evidence

_MANY = 4  # other variants, more than which a sentence does not name


def answer(evidence: Evidence) -> list[str]:
    """The answer in three sentences: are seats fair, do variants differ, is there drama."""
    told = [fairness(evidence), differences(evidence), drama(evidence)]
    return [sentence for sentence in told if sentence]


def _value(evidence: Evidence, metric: str, group: str = "", variant: int = 0) -> Estimate | None:
    panel = evidence.panels.get(metric)
    if panel is None or group not in panel.groups or not panel.known(variant, panel.groups.index(group)):
        return None
    return panel.estimate(variant, panel.groups.index(group))


def _told(evidence: Evidence, metric: str, group: str = "") -> str:
    """A number of the reference variant with its interval and unit."""
    estimate = _value(evidence, metric, group)
    if estimate is None:
        return ""
    unit = evidence.panels[metric].measure.unit
    sign = "" if unit.startswith("share") else f" {unit}"
    return f"{words.value(estimate, unit)}{sign} ({words.interval(estimate, unit)})"


def _where(evidence: Evidence) -> str:
    """Which variant a sentence speaks of, if there are several."""
    return f"with {evidence.names[0]}, " if len(evidence.names) > 1 else ""


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _best_seat(shares: Panel, variant: int = 0) -> tuple[str, Estimate, int]:
    """The player who wins most, and how many players there are."""
    known = [g for g in range(len(shares.groups)) if shares.known(variant, g)]
    best = max(known, key=lambda g: float(shares.means[variant, g]))
    return shares.groups[best], shares.estimate(variant, best), len(known)


def seats_title(evidence: Evidence) -> str:
    """The finding on seats, short enough for a title."""
    shares = evidence.panels[SOURCE]
    seat, share, players = _best_seat(shares)
    fair = 100 / players
    if groups_equal(shares, 0) >= ALPHA:
        return f"{_capital(_where(evidence) + 'no player wins measurably more than a fair')} {fair:.3g}\u00a0%"
    told = f"the {seat} player wins {words.value(share, 'share')} of games; {fair:.3g}\u00a0% would be fair"
    return _capital(_where(evidence) + told)


def fairness(evidence: Evidence) -> str:
    """Whether seats are fair, and whether variants differ in that."""
    shares = evidence.panels.get(SOURCE)
    if shares is None:
        return ""
    seat, share, players = _best_seat(shares)
    p = words.p_value(groups_equal(shares, 0))
    fair = f"{100 / players:.3g}\u00a0%"
    if groups_equal(shares, 0) < ALPHA:
        uneven = (
            "Players do not win equally often, but their bots differ" if evidence.run.mixed else "Seats are not equal"
        )
        start = (
            f"{uneven}: {_where(evidence)}the {seat} player wins "
            f"{words.with_interval(share, 'share')} of games where {fair} would be fair (p\u00a0{_equals(p)})"
        )
    else:
        start = (
            f"No seat is measurably ahead: {_where(evidence)}the {seat} player, who wins most, wins "
            f"{words.with_interval(share, 'share')} of games where {fair} would be fair (p\u00a0{_equals(p)})"
        )
        tests = holm([groups_equal(shares, v) for v in range(len(evidence.names))])
        uneven_with = [name for name, test in zip(evidence.names, tests, strict=True) if test < ALPHA]
        if 0 < len(uneven_with) <= _MANY:
            start += f", but seats are not equal with {_and(uneven_with)}"
    compared = [one for one in evidence.comparisons if one.measure.name == SEAT_IMBALANCE.name]
    if not compared:
        return start + "."
    return f"{start}; {_and(_fairness_of_others(evidence, compared))}."


def _fairness_of_others(evidence: Evidence, compared: Sequence[Comparison]) -> list[str]:
    def spoken(one: Comparison) -> str:
        if one.same:
            return "exactly as even so far"
        tolerance = f"{100 * one.measure.tolerance:g}\u00a0pp"
        return {
            Verdict.EQUAL: f"as even within {tolerance}",
            Verdict.BETTER: "more even",
            Verdict.WORSE: "less even",
        }.get(one.verdict, f"not told apart from {evidence.names[0]} by this many games")

    told = []
    for words_of, group in groupby(sorted(compared, key=spoken), key=spoken):
        of_verdict = list(group)
        names = _and([evidence.name_of(one.variant) for one in of_verdict])
        if len(of_verdict) > _MANY:
            names = f"{len(of_verdict)} other variants"
        told.append(f"{names} {'is' if len(of_verdict) == 1 else 'are'} {words_of}")
    return told


def _equals(p: str) -> str:
    return (p if p.startswith("<") else f"= {p}").replace(" ", "\u00a0")


def _and(things: Sequence[str]) -> str:
    return " and ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)


def differences(evidence: Evidence) -> str:
    """How much the variants differ in all that is measured, or how games end where there is only one variant."""
    if not evidence.comparisons:
        return ends(evidence)
    others = evidence.run.variants[1:]
    if len(others) > _MANY:
        return _of_many(evidence)
    told = [verdict_of(evidence, variant.name) for variant in others]
    return f"Against {evidence.names[0]}, {'; '.join(told)}."


def _of_many(evidence: Evidence) -> str:
    """The largest difference of all, where there are too many variants to tell of each."""
    found = [one for one in evidence.comparisons if one.verdict not in (Verdict.EQUAL, Verdict.UNSURE)]
    differing = len({one.variant for one in found})
    start = f"Against {evidence.names[0]}, {differing} of {len(evidence.names) - 1} variants differ measurably"
    if not found:
        return f"{start}."
    largest = _largest(found)
    where = f"{evidence.name_of(largest.variant)} in {words.label(largest.measure.name, largest.group)}"
    return f"{start}, most {where} ({difference_told(largest)})."


def _largest(found: Sequence[Comparison]) -> Comparison:
    return max(found, key=lambda one: abs(one.difference.value) / one.measure.tolerance)


def verdict_of(evidence: Evidence, variant: str) -> str:
    """One variant against the reference, in all metrics."""
    compared, name = evidence.against(variant), evidence.name_of(variant)
    if same_games(compared):
        return f"{name} comes out the same in every game"
    found = [one for one in compared if one.verdict not in (Verdict.EQUAL, Verdict.UNSURE)]
    equal = sum(one.verdict is Verdict.EQUAL for one in compared)
    if not found:
        return f"{name} is equal within tolerance in {equal} of {len(compared)} metrics and differs measurably in none"
    largest = _largest(found)
    return (
        f"{name} differs measurably in {len(found)} of {len(compared)} metrics, most in "
        f"{words.label(largest.measure.name, largest.group)} ({difference_told(largest)})"
    )


def difference_told(one: Comparison) -> str:
    """A difference, its interval and its unit."""
    unit = words.difference_unit(one.measure.unit)
    sign = "" if unit == "share difference" else f" {unit}"
    value, interval = (f(one.difference, unit, True) for f in (words.value, words.interval))
    return f"{value}{sign}, {interval}"


def drama(evidence: Evidence) -> str:
    """Whether games are close and open to the end."""
    parts = []
    if changes := _told(evidence, "lead_changes"):
        parts.append(f"the lead changes hands {changes.replace(' changes', ' times')}")
    if late := _told(evidence, "decided_at_scoring"):
        parts.append(f"only the final scoring decides {late} of games")
    if margin := _told(evidence, "margin"):
        parts.append(f"the winner is ahead by {margin}")
    return _capital(f"{_where(evidence)}{_and(parts)}.") if parts else ""


def decided_title(evidence: Evidence) -> str:
    decided = _value(evidence, "decided")
    told = words.value(decided, "share") if decided else "most"
    return _capital(f"{_where(evidence)}the winner leads for good after {told} of a game")


def late_title(evidence: Evidence) -> str:
    late = _value(evidence, "decided_at_scoring")
    told = f"only the final scoring decides {words.value(late, 'share')} of games" if late else "How games develop"
    return _capital(_where(evidence) + told)


def lead_title(evidence: Evidence) -> str:
    changes, margin = _value(evidence, "lead_changes"), _value(evidence, "margin")
    told = f"the lead changes {words.value(changes, '')} times" if changes else "how often the lead changes"
    if margin:
        told += f", and the winner is {words.value(margin, '')} points ahead"
    return _capital(_where(evidence) + told)


def _commonest(panel: Panel) -> int:
    """The group with the largest mean in the reference variant."""
    known = [g for g in range(len(panel.groups)) if panel.known(0, g)]
    return max(known, key=lambda g: float(panel.means[0, g]))


def ends(evidence: Evidence) -> str:
    """Why games end."""
    panel = evidence.panels.get("end_reason")
    if panel is None:
        return ""
    reason = panel.groups[_commonest(panel)]
    told = f"{_where(evidence)}{_told(evidence, 'end_reason', reason)} of games end by “{words.title(reason)}”"
    if turns := _told(evidence, "turns"):
        told += f", after {turns}"
    return _capital(told) + "."


def ends_title(evidence: Evidence) -> str:
    panel = evidence.panels["end_reason"]
    most = _commonest(panel)
    share = words.value(panel.estimate(0, most), "share")
    return _capital(f"{_where(evidence)}{share} of games end by “{words.title(panel.groups[most])}”")


def length_title(evidence: Evidence) -> str:
    turns = _value(evidence, "turns")
    return _capital(f"{_where(evidence)}a game takes {words.value(turns, '') if turns else '?'} turns")


def score_title(evidence: Evidence) -> str:
    """What a seat scores."""
    score, margin = _value(evidence, "score"), _value(evidence, "spread")
    told = f"a seat scores {words.value(score, '')} points" if score else "scores"
    if margin:
        told += f"; best and worst lie {words.value(margin, '')} apart"
    return _capital(_where(evidence) + told)


def parts_title(evidence: Evidence) -> str:
    """Where a seat's points come from."""
    parts = [
        f"{words.value(part, '', signed=True)} {words.title(group)}"
        for group in evidence.panels["score_parts"].groups
        if (part := _value(evidence, "score_parts", group)) and part.value
    ]
    return _capital(f"{_where(evidence)}points come from {', '.join(parts) or 'nothing'}")


def spread_title(evidence: Evidence) -> str:
    """Where the middle half of all scores lies."""
    values, shares = evidence.scores[0]
    low, middle, high = (
        values[min(int((shares.cumsum() < part).sum()), len(values) - 1)] for part in (0.25, 0.5, 0.75)
    )
    told = f"half of all seats score {low:.0f} to {high:.0f} points, the middle one {middle:.0f}".replace("-", "−")
    return _capital(_where(evidence) + told)


def seat_scores_title(evidence: Evidence) -> str:
    panel = evidence.panels["seat_score"]
    if groups_equal(panel, 0) >= ALPHA:
        return _capital(f"{_where(evidence)}points do not measurably depend on the playing order")
    most = _commonest(panel)
    score = words.value(panel.estimate(0, most), "")
    return _capital(f"{_where(evidence)}the {panel.groups[most]} player scores most, {score} points")


def seat_tests(evidence: Evidence) -> str:
    """The test of equal win shares, variant by variant."""
    shares = evidence.panels[SOURCE]
    tests = [_equals(words.p_value(groups_equal(shares, v))) for v in range(len(evidence.names))]
    told = [f"{name}: p\u00a0{p}" for name, p in zip(evidence.names, tests, strict=True)]
    return f"How often would equal seats show win shares as uneven as these? {'; '.join(told)}."


def imbalance_title(evidence: Evidence) -> str:
    """How far win shares lie from fair, variant by variant."""
    panel = evidence.panels[SEAT_IMBALANCE.name]
    told = [words.value(panel.estimate(v, 0), panel.measure.unit) for v in range(len(panel.variants))]
    tests = holm([groups_equal(evidence.panels[SOURCE], v) for v in range(len(told))])
    uneven = sum(p < ALPHA for p in tests)
    if not uneven:
        return "Win shares are not measurably uneven"
    if len(told) == 1:
        return f"Win shares lie {told[0]} from fair"
    if len(told) > 4:
        return f"Win shares are measurably uneven in {uneven} of {len(told)} variants"
    return (
        f"Win shares lie {_and([f'{one} ({name})' for one, name in zip(told, evidence.names, strict=True)])} from fair"
    )


def trips_title(evidence: Evidence) -> str:
    possible, minutes = _value(evidence, "trips_possible"), _value(evidence, "trip_minutes")
    told = f"{words.value(possible, 'share')} of test trips are possible" if possible else "Test trips"
    if minutes:
        told += f" and take {words.value(minutes, '')} minutes"
    return _capital(_where(evidence) + told)


def reason_title(evidence: Evidence, metric: str, told: str) -> str:
    """The commonest reason, and for how many it was the one."""
    panel = evidence.panels[metric]
    most = _commonest(panel)
    share = words.value(panel.estimate(0, most), "share")
    return _capital(f"{_where(evidence)}{share} {told} “{words.title(panel.groups[most])}”")


def lines_title(evidence: Evidence) -> str:
    ended, blocked = (_value(evidence, "line_fates", group) for group in ("ended", "blocked"))
    if ended is None or blocked is None:
        return "What becomes of lines"
    told = f"{words.value(ended, 'share')} of lines reach an end, {words.value(blocked, 'share')} are blocked"
    return _capital(_where(evidence) + told)


def lines_ended_title(evidence: Evidence) -> str:
    ended = _value(evidence, "lines_ended")
    return _capital(f"{_where(evidence)}{words.value(ended, '') if ended else '?'} lines of a game reach an end")


def line_length_title(evidence: Evidence) -> str:
    tunnels, stations = _value(evidence, "line_tunnels"), _value(evidence, "line_stations")
    told = f"a line that ends has {words.value(tunnels, '') if tunnels else '?'} tunnels"
    if stations:
        told += f" and {words.value(stations, '')} stations"
    return _capital(_where(evidence) + told)


def variant_title(evidence: Evidence, variant: str) -> str:
    """One variant's verdicts, counted."""
    compared = evidence.against(variant)
    equal, unsure = (sum(one.verdict is verdict for one in compared) for verdict in (Verdict.EQUAL, Verdict.UNSURE))
    told = [f"{len(compared) - equal - unsure} of {len(compared)} differ", f"{equal} are equal within tolerance"]
    if unsure:
        told.append(f"{unsure} need more games")
    return f"{evidence.name_of(variant)}: {', '.join(told)}"


def variants_title(evidence: Evidence) -> str:
    found = [one for one in evidence.comparisons if one.verdict not in (Verdict.EQUAL, Verdict.UNSURE)]
    unsure = sum(one.verdict is Verdict.UNSURE for one in evidence.comparisons)
    if found:
        return f"{len(found)} of {len(evidence.comparisons)} differences are larger than chance"
    if unsure:
        return f"No difference stands out, but {unsure} of {len(evidence.comparisons)} need more games to be sure"
    return "No difference matters: all are within tolerance"


def gaps_title(evidence: Evidence) -> str:
    """The situation that came up most often in the reference variant."""
    often, panel = max(evidence.gaps, key=lambda one: float(one[1].means[0, 0]))
    if not panel.means[0, 0]:
        return _capital(f"{_where(evidence)}no open question came up")
    share = words.value(panel.estimate(0, 0), "share")
    return _capital(
        f"{_where(evidence)}the most frequent open question, “{words.title(often.name)}”, came up in {share} of games"
    )


def bots_title(evidence: Evidence) -> str:
    told = next(iter(evidence.ratings.values()))
    best, worst = told.bots[0], told.bots[-1]
    if told.gaps and any(gap.apart for gap in told.gaps if {gap.stronger, gap.weaker} == {best.bot, worst.bot}):
        apart = f"{best.bot} is the strongest, {best.elo - worst.elo:.0f} Elo above {worst.bot}"
        return _capital(_where(evidence) + apart) if _where(evidence) else apart
    return "The games do not tell the bots apart"


def boards_title(evidence: Evidence) -> str:
    panel = evidence.panels["layout_share"]
    known = [(float(panel.means[0, g]), g) for g in range(len(panel.groups)) if panel.known(0, g)]
    if not known:
        return "How much the layout matters"
    _, most = max(known)
    share, outcome = words.value(panel.estimate(0, most), "share"), words.title(panel.groups[most])
    return _capital(f"{_where(evidence)}layouts matter most for {outcome}: {share} of the variance lies between them")
