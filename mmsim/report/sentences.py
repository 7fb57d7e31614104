"""Results as sentences: the answer of a report, the titles of its charts, and the templates that a game declares."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from string import Formatter

from mmsim.analysis import number_format as fmt
from mmsim.analysis.board_effects import OnBoards, first_against_last, on_boards, same_on_boards
from mmsim.analysis.compare import CANNOT_SAY, Comparison, ComparisonOverLevels, all_games_identical
from mmsim.analysis.derived_metrics import (
    SEAT_IMBALANCE,
    equal_groups_p_value,
    fair_share_tests,
    leading_group,
    leading_groups,
)
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name
from mmsim.analysis.level_verdict import ALPHA, LevelEffect, LevelVerdict, Shape, Verdict, judge, where_it_holds
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.stats import Estimate, holm
from mmsim.batch.experiment import OF_LEVEL
from mmsim.core.levels import Level
from mmsim.core.metrics import Sentence
from mmsim.games import find_statistics

MAX_NAMED_VARIANTS = 4  # more are counted, not named
_ROUNDING = 1e-12  # relative; a smaller standard error is zero
_STANDINGS = {Verdict.HIGHER: "ahead", Verdict.LOWER: "behind"}
EXPLORATORY = " (exploratory)"  # after a metric that was not asked about before the games were played


def answer(data: ComparedRun) -> list[str]:
    """The answer in a few parts: are seats fair, do variants differ, on which boards, how do games go."""
    seats = " ".join(filter(None, (_fairness(data), *_evenness(data))))
    return list(filter(None, (seats, _differences(data), " ".join(on_every_board(data)), _course(data))))


def comparison_label(comparison: ComparisonOverLevels) -> str:
    return fmt.label(comparison.measure.name, comparison.group) + ("" if comparison.primary else EXPLORATORY)


def capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def join_words(words: Sequence[str], last: str = " and ") -> str:
    return last.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_reference(data: ComparedRun, sentence: str, every_level: bool = False) -> str:
    """A sentence on the reference, which is named if there are other variants, as is the level that is shown."""
    level = "" if every_level else data.level_clause
    where = f"with {data.names[0]}{level}" if len(data.names) > 1 else level.strip()
    return capitalise(f"{where}, {sentence}" if where else sentence)


# --- templates that a game declares ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Field:
    """A metric of the reference, as the braces of a template name it."""

    estimates: Estimates
    group: int = 0

    @property
    def leading(self) -> "_Leading":
        return _Leading(self.estimates)

    @property
    def name(self) -> str:
        return fmt.title(self.estimates.groups[self.group])

    def __getitem__(self, group: str) -> "_Field":
        if group not in self.estimates.groups:
            raise KeyError(group)
        return _Field(self.estimates, self.estimates.groups.index(group))

    def __format__(self, spec: str) -> str:
        if not self.estimates.known(0, self.group):
            raise KeyError(self.name)
        estimate, unit = self.estimates.estimate(0, self.group), self.estimates.measure.unit
        if spec == "interval":
            return fmt.interval(estimate, unit)
        if spec == "full":
            return f"{_value_and_unit(estimate, unit)} ({fmt.interval(estimate, unit)})"
        return fmt.short(estimate, unit)


@dataclass(frozen=True)
class _Leading:
    """The largest group of a metric of the reference by its name and number, or those that may be the largest."""

    estimates: Estimates

    def __format__(self, spec: str) -> str:
        groups = [g for g in leading_groups(self.estimates, 0, ALPHA) if self.estimates.means[0, g] > 0]
        if not groups:
            raise KeyError(self.estimates.name)
        named = [(f"“{fmt.title(self.estimates.groups[g])}”", format(_Field(self.estimates, g), spec)) for g in groups]
        if spec:
            return join_words([f"{name}, {number}" for name, number in named], " or ")
        return join_words([f"{name} ({number})" for name, number in named], " or ")


def _value_and_unit(estimate: Estimate, unit: str, signed: bool = False) -> str:
    value = fmt.value(estimate, unit, signed)
    return value if unit.startswith("share") else f"{value} {unit}"


def _fill_clauses(data: ComparedRun, template: Sentence, only_varying: bool = False) -> list[str]:
    """The clauses of a template for which a run has the numbers."""
    fields = {
        name: _Field(estimates) for name, estimates in data.estimates.items() if not only_varying or varies(estimates)
    }
    clauses = []
    for clause in template:
        with suppress(KeyError):
            clauses.append(clause.format_map(fields))
    return clauses


def fill_template(data: ComparedRun, template: Sentence) -> str:
    """A template filled with the numbers of a run; empty if the run lacks those of the first clause."""
    if not _fill_clauses(data, template[:1]):
        return ""
    return with_reference(data, "".join(_fill_clauses(data, template)))


def course_metrics(game: str) -> set[str]:
    """The metrics in the template on how games go."""
    fields = (field for clause in find_statistics(game).course for _, field, _, _ in Formatter().parse(clause))
    return {re.split(r"\W", field)[0] for field in fields if field}


def varies(estimates: Estimates) -> bool:
    """True unless a metric is the same number in every game of every variant."""
    for group in range(len(estimates.groups)):
        known = list(filter(None, estimates.by_variant(group)))
        if any(mean.se > _ROUNDING * abs(mean.value) or mean.value != known[0].value for mean in known):
            return True
    return False


# --- the answer ------------------------------------------------------------------------------------------------------


def _fair_share(shares: Estimates) -> str:
    players = sum(shares.known(0, g) for g in range(len(shares.groups)))
    return f"{100 / players:.3g}\u00a0% would be fair"


def seats_title(data: ComparedRun) -> str:
    """Which seat wins most at the level that is shown, if one is shown to, for the title of a chart."""
    shares = data.estimates[WIN_SHARE]
    if equal_groups_p_value(shares, 0) >= ALPHA:
        fair = _fair_share(shares).partition(" would")[0]
        return with_reference(data, f"no player wins measurably more than a fair {fair}")
    best = leading_group(shares, 0, ALPHA)
    if best is None:
        return with_reference(data, f"players do not win equally often; {_fair_share(shares)}")
    text = f"the {shares.groups[best]} player wins {fmt.short(shares.estimate(0, best), 'share')} of games"
    return with_reference(data, f"{text}; {_fair_share(shares)}")


def _fairness(data: ComparedRun) -> str:
    """Whether seats are fair with the reference, and at which levels."""
    return f"{seats_over_levels(data)}." if WIN_SHARE in data.estimates else ""


def seats_over_levels(data: ComparedRun) -> str:
    """Which seats are ahead or behind with the reference, and at which levels: what all levels agree on comes first."""
    shares = data.estimates[WIN_SHARE]
    uneven: dict[str, list[tuple[str, str]]] = {}  # where -> players and their wins
    for seat, verdict in sorted(seat_verdicts(data).items(), key=lambda pair: pair[1].shape is not Shape.EVERY):
        if verdict.is_different:
            where = where_it_holds(verdict, _STANDINGS)
            uneven.setdefault(where, []).append((seat, _shares_of(data, seat, verdict)))
    if not uneven:
        nowhere = " at any level" if len(data.levels) > 1 else ""
        return with_reference(data, f"no seat is measurably ahead or behind{nowhere}", every_level=True)
    clauses = []
    for where, seats in uneven.items():
        names, wins = (join_words([seat[part] for seat in seats]) for part in (0, 1))
        verb = "player" if len(seats) == 1 else "players"
        verb += ":" if where.startswith(Shape.REVERSES) else " is" if len(seats) == 1 else " are"
        clauses.append(f"the {names} {verb} {where} ({wins} of wins)")
    mixed = "players do not win equally often, but their bots differ: " if data.run.mixed else ""
    return with_reference(data, f"{mixed}{'; '.join(clauses)}; {_fair_share(shares)}", every_level=True)


def seat_verdicts(data: ComparedRun) -> dict[str, LevelVerdict]:
    """For every seat of the reference, at which levels it wins more or less than a fair share."""
    levels = data.by_level(WIN_SHARE)
    seats = data.estimates[WIN_SHARE].groups
    tests = [test for _, estimates in levels for test in fair_share_tests(estimates, 0)]
    unfair, fair = (holm([getattr(test, p) for test in tests]) for p in ("p_value", "p_equal"))
    effects: dict[str, list[LevelEffect]] = {seat: [] for seat in seats}
    for number, test in enumerate(tests):
        level = levels[number // len(seats)][0]
        verdict = Verdict.EQUAL if fair[number] < ALPHA else Verdict.UNSURE
        if verdict is Verdict.UNSURE and unfair[number] < ALPHA:
            verdict = Verdict.HIGHER if test.difference > 0 else Verdict.LOWER
        effect = LevelEffect(level.name, level.make, test.difference, test.se, verdict)
        effects[seats[number % len(seats)]].append(effect)
    tolerance = data.estimates[WIN_SHARE].measure.tolerance
    return {seat: judge(some, tolerance, ALPHA / len(seats)) for seat, some in effects.items()}


def _shares_of(data: ComparedRun, seat: str, verdict: LevelVerdict) -> str:
    """The win shares of a seat at the levels that show it to be ahead or behind."""
    shown = [effect.level for effect in verdict.effects if effect.is_shown]
    values = sorted(
        round(100 * float(estimates.means[0, estimates.groups.index(seat)]))
        for level, estimates in data.by_level(WIN_SHARE)
        if level.name in shown
    )
    return f"{values[0]}\u00a0%" if values[0] == values[-1] else f"{values[0]} to {values[-1]}\u00a0%"


def _evenness(data: ComparedRun) -> list[str]:
    """Whether seats are more or less even with the other variants: one sentence per verdict."""

    def verdict(comparison: ComparisonOverLevels) -> str:
        if comparison.identical:
            return "exactly as even so far"
        if comparison.verdict.shape is Shape.UNSURE:
            return f"not shown to have more or less even seats ({comparison.games_text or CANNOT_SAY})"
        return comparison.verdict_text

    compared = [comparison for comparison in data.comparisons if comparison.measure.name == SEAT_IMBALANCE.name]
    sentences = []
    for text, group in groupby(sorted(compared, key=verdict), key=verdict):
        variants = [data.name_of(comparison.variant) for comparison in group]
        names = join_words(variants) if len(variants) <= MAX_NAMED_VARIANTS else f"{len(variants)} variants"
        if text.startswith(("exactly", "not shown")):
            clause = f"{names} {'is' if len(variants) == 1 else 'are'}"
        else:
            clause = f"seats with {names}{':' if text.startswith(Shape.REVERSES) else ' are'}"
        sentences.append(f"Against {data.names[0]}, {clause} {text}.")
    return sentences


def _differences(data: ComparedRun) -> str:
    """How far the variants differ in what was asked, or how games end if there is only one variant."""
    if not data.comparisons:
        ends = fill_template(data, find_statistics(data.run.experiment.game).ends)
        return f"{ends}." if ends else ""
    others = data.run.variants[1:]
    if len(others) > MAX_NAMED_VARIANTS:
        return _most_different(data)
    return f"Against {data.names[0]}, {'; '.join(variant_verdict(data, variant.name) for variant in others)}."


def _most_different(data: ComparedRun) -> str:
    """How many variants differ, and one of the large differences."""
    apart = [comparison for comparison in data.primary if comparison.is_different]
    differing = len({comparison.variant for comparison in apart})
    text = f"Against {data.names[0]}, {differing} of {len(data.names) - 1} variants differ measurably"
    return (
        f"{text}, such as {data.name_of(_large(apart).variant)} in {_in_metric(_large(apart))}."
        if apart
        else f"{text}."
    )


def _large(comparisons: Sequence[ComparisonOverLevels]) -> ComparisonOverLevels:
    """A difference that holds at every level if there is one, and is large in tolerances."""

    def size(comparison: ComparisonOverLevels) -> tuple[bool, float]:
        value = abs(comparison.largest.difference.value) / comparison.measure.tolerance
        return comparison.verdict.holds_everywhere, value

    return max(comparisons, key=size)


def variant_verdict(data: ComparedRun, variant: str) -> str:
    """One variant against the reference in everything that was asked."""
    name = data.name_of(variant)
    if all_games_identical(data.comparisons_of(variant)):
        return f"{name} comes out the same in every game"
    compared = [comparison for comparison in data.primary if comparison.variant == variant]
    shapes = [comparison.verdict.shape for comparison in compared]
    apart = [comparison for comparison in compared if comparison.is_different]
    several = len(data.levels) > 1
    every = sum(comparison.verdict.holds_everywhere for comparison in compared)
    same, unsure = shapes.count(Shape.SAME), shapes.count(Shape.UNSURE)
    counts = [
        (every, f"differs in {every} of {len(compared)} metrics{' at every level' * several}"),
        (len(apart) - every, f"differs at some levels in {len(apart) - every} of {len(compared)} metrics"),
        (same, f"is equal within tolerance in {same}"),
        (unsure, f"needs more games in {unsure}"),
    ]
    said = [text for count, text in counts if count]
    text = f"{name} {join_words(said)}" if apart else f"{name} is not shown to differ: it {join_words(said)}"
    return f"{text}; such as {_in_metric(_large(apart))}" if apart else text


def _in_metric(comparison: ComparisonOverLevels) -> str:
    """The metric of a comparison, its difference at the level where that is large, and where it holds."""
    unit, largest = fmt.difference_unit(comparison.measure.unit), comparison.largest
    shown = largest.difference
    text = f"{_value_and_unit(shown, unit, signed=True)}, {fmt.interval(shown, unit, signed=True)}"
    where = f" at {largest.level.name} level; {comparison.verdict_text}" if len(comparison.levels) > 1 else ""
    return f"{fmt.label(comparison.measure.name, comparison.group)} ({text}{where})"


def at_level(comparison: ComparisonOverLevels, level: Level) -> Comparison | None:
    """A comparison at one level; None if it is no evidence there."""
    return next((shown for shown in comparison.levels if shown.level == level), None)


def on_every_board(data: ComparedRun) -> list[str]:
    """On how many boards the first seat is ahead of the last, and other variants more even than the reference."""
    if not data.board_comparisons:
        return []
    ahead = {
        f"{board}{OF_LEVEL}{level.level.name}": first_against_last(shares)
        for board in data.board_comparisons
        for level in data.levels
        if (shares := by_name(level.by_board[board]).get(WIN_SHARE)) is not None
    }
    sentences = []
    if ahead:
        first, last = "the first player is ahead of the last", "the last player is ahead of the first"
        where = board_count(on_boards(ahead), first, last)
        sentences.append(f"{with_reference(data, where, every_level=True)}.")
    for over_levels in data.comparisons:
        comparison = at_level(over_levels, data.shown.level)
        if comparison and comparison.measure.name == SEAT_IMBALANCE.name:
            name = data.name_of(comparison.variant)
            same = same_on_boards(comparison, data.board_comparisons)
            where = board_count(same, f"{name} has less even seats", f"{name} has more even seats")
            sentences.append(f"Against {data.names[0]}{data.level_clause}, {where}.")
    return sentences


def board_count(on: OnBoards, higher: str, lower: str) -> str:
    """On how many boards a difference of shares is shown: what it means to be higher, or lower, comes first."""
    boards = len({board.partition(OF_LEVEL)[0] for board in on.differences})
    cases = len(on.differences)
    if not on.shown:
        return f"on none of {boards} boards is it shown that {higher} or {lower}"
    text = higher if on.differences[on.shown[0]].value > 0 else lower
    smallest, largest = sorted(abs(100 * end) for end in on.range)
    if on.direction and len(on.shown) == cases:
        every = " and at every level" if cases > boards else ""
        return f"{text} on every one of {boards} boards{every}, by {smallest:.1f} to {largest:.1f} points"
    where = f"on {len(on.shown)} of {boards} boards"
    if cases != boards:
        where = f"in {len(on.shown)} of {cases} cases, on {boards} boards at {cases // boards} levels"
    rest = "the others have the same sign" if on.direction else "not all others have the same sign"
    return f"{text} beyond chance {where}; {rest}"


def _course(data: ComparedRun) -> str:
    """How games go; a number that is the same in every game is left out."""
    template = find_statistics(data.run.experiment.game).course
    clauses = _fill_clauses(data, template, only_varying=True)
    return with_reference(data, f"{join_words(clauses)}.") if clauses else ""
