"""Sentences that sections share: the templates that a game declares, and what holds on which boards."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import Formatter

from mmsim.analysis import number_format as fmt
from mmsim.analysis.board_effects import OnBoards, first_against_last, on_boards, same_on_boards
from mmsim.analysis.compare import ComparisonOverLevels, all_games_identical
from mmsim.analysis.derived_metrics import (
    SEAT_IMBALANCE,
    equal_groups_p_value,
    leading_group,
    leading_groups,
)
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name
from mmsim.analysis.level_verdict import ALPHA, Shape, Verdict
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.stats import Estimate
from mmsim.batch.experiment import OF_LEVEL
from mmsim.core.metrics import Sentence
from mmsim.games import find_statistics

MAX_NAMED_VARIANTS = 4  # more are counted, not named
_ROUNDING = 1e-12  # relative; a smaller standard error is zero
_STANDINGS = {Verdict.HIGHER: "ahead", Verdict.LOWER: "behind"}
EXPLORATORY = " (exploratory)"  # after a metric that was not asked about before the games were played


def comparison_label(comparison: ComparisonOverLevels) -> str:
    return fmt.label(comparison.measure.name, comparison.group) + ("" if comparison.primary else EXPLORATORY)


def capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def join_words(words: Sequence[str], last: str = " and ") -> str:
    return last.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_reference(data: ComparedRun, sentence: str) -> str:
    """A sentence on the reference, which is named if there are other variants, as is the level that is shown."""
    level = data.level_clause
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


def how_games_go(data: ComparedRun) -> str:
    """How games go at the level that is shown; numbers that are the same in every game are left out."""
    clauses = _fill_clauses(data, find_statistics(data.run.experiment.game).course, only_varying=True)
    return f"{capitalise(join_words(clauses))}{data.level_clause}." if clauses else ""


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


# --- seats, variants and boards --------------------------------------------------------------------------------------


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


def on_every_board(data: ComparedRun, titles: Sequence[str]) -> list[str]:
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
        where = board_count(
            on_boards(ahead), first, last, "is the first player shown to be ahead of the last or behind it"
        )
        sentences.append(f"With {titles[0]}, {where}.")
    for over_levels in data.comparisons:
        comparison = over_levels.at(data.shown.level.name)
        if comparison and comparison.measure.name == SEAT_IMBALANCE.name:
            name = titles[[variant.name for variant in data.run.variants].index(comparison.variant)]
            same = same_on_boards(comparison, data.board_comparisons)
            where = board_count(
                same,
                "the seats are less even",
                "the seats are more even",
                "are the seats shown to be more or less even",
            )
            sentences.append(f"With {name}{data.level_clause}, {where}.")
    return sentences


def board_count(on: OnBoards, higher: str, lower: str, either: str) -> str:
    """On how many boards a difference of shares is shown: what it means to be higher, lower, or one of them."""
    boards = len({board.partition(OF_LEVEL)[0] for board in on.differences})
    cases = len(on.differences)
    if not on.shown:
        return f"on none of {boards} boards {either}"
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
