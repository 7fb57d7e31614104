"""Sentences that the answer and the sections share: what the variants, levels and differences of a run are called, the
templates that a game declares, which seats are ahead, and what holds on which boards."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import Formatter

from mmsim.analysis import wording as fmt
from mmsim.analysis.across_boards import BoardDifferences, comparison_by_board, differences_by_board, first_against_last
from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE, leading_groups
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name
from mmsim.analysis.level_verdict import ALPHA, LevelVerdict, Shape, Verdict, players_of
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.stats import Estimate
from mmsim.analysis.wording import edition_title, join_words, seat_title, wording
from mmsim.batch.experiment import OF_LEVEL
from mmsim.core.metrics import ORDINALS, Sentence, Wording
from mmsim.games import find_statistics

MAX_NAMED = 4  # variants; more are counted, not named
MAX_CHANGES = 3  # of one variant, named in a sentence
SEAT_METRICS = (WIN_SHARE, SEAT_IMBALANCE.name)
_YES_OR_NO = ("Is", "Are", "Do", "Does", "Has", "Have", "Can", "Will", "Would")
_PLAYERS = " players"
_STANDINGS = {Verdict.HIGHER: "more than a fair share", Verdict.LOWER: "less than a fair share"}
_ROUNDING = 1e-12  # relative; a smaller standard error is zero


def capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def with_reference(data: ComparedRun, sentence: str) -> str:
    """A sentence on the reference, which is named if there are other variants, as is the level that is shown."""
    level = data.level_clause
    where = f"with {data.names[0]}{level}" if len(data.names) > 1 else level.strip()
    return capitalise(f"{where}, {sentence}" if where else sentence)


# --- the words of a run ----------------------------------------------------------------------------------------------


class RunWords:
    """What the variants, levels, seats and differences of one run are called in sentences."""

    def __init__(self, data: ComparedRun) -> None:
        self.data = data
        self.run = data.run
        self.game = data.run.experiment.game
        self.players = data.run.variants[0].players
        self.levels = [level.level.name for level in data.levels]
        self.fair_share = f"{100 / self.players:.3g}\u00a0%"

    # --- variants -------------------------------------------------------------------------------------------------

    @property
    def titles(self) -> list[str]:
        return self.data.names

    def title(self, variant: str) -> str:
        return self.data.name_of(variant)

    def either(self, variants: Sequence[str]) -> str:
        if len(variants) > MAX_NAMED:
            return f"{len(variants)} of {len(self.titles) - 1} variants"
        return join_words([self.title(variant) for variant in variants], " or ")

    @property
    def question(self) -> str:
        experiment = self.run.experiment
        if experiment.question:
            return experiment.question
        if experiment.wanted.about == "seats":
            return f"Does a seat have an advantage with {self.titles[0]}?"
        titles = self.titles if len(self.titles) <= MAX_NAMED else [self.titles[0], f"{len(self.titles) - 1} others"]
        return f"What is different between {join_words(titles)}?"

    @property
    def is_yes_or_no(self) -> bool:
        return self.question.split(" ")[0] in _YES_OR_NO

    @property
    def setting(self) -> str:
        """The rules that all variants share, the number of players, the boards."""
        players = join_words([str(number) for number in sorted({variant.players for variant in self.run.variants})])
        rules = self.titles[0] if len(self.titles) == 1 else edition_title(self.game, self.run.experiment.variants)
        boards = self.run.experiment.boards
        where = f"on {len(boards)} boards" if len(boards) > 1 else f"on {boards[0]}" if boards else ""
        return ", ".join(filter(None, (rules, f"{players} players", where)))

    # --- levels ---------------------------------------------------------------------------------------------------

    @property
    def several(self) -> bool:
        return len(self.levels) > 1

    def people(self, levels: Sequence[str]) -> str:
        """Levels as the people who play them: casual and club players; from club players to masters."""
        places = [self.levels.index(level) for level in levels]
        names = [players_of(level) for level in levels]
        if len(levels) > 2 and places == [*range(places[0], places[0] + len(places))]:
            return f"from {names[0]} to {names[-1]}"
        if all(name.endswith(_PLAYERS) for name in names):
            return f"among {join_words([name.removesuffix(_PLAYERS) for name in names])}{_PLAYERS}"
        return f"among {join_words(names)}"

    def among(self, levels: Sequence[str]) -> str:
        """Where something holds, to be put behind a clause; empty if there is one level."""
        if not self.several or not levels:
            return ""
        return " at every level of play" if list(levels) == self.levels else f" {self.people(levels)}"

    # --- metrics and differences --------------------------------------------------------------------------------------

    def wording(self, comparison: ComparisonOverLevels) -> Wording:
        return wording(self.game, comparison.measure.name, comparison.group, self.players)

    def label(self, metric: str) -> str:
        """A metric in a sentence, without its groups."""
        label = wording(self.game, metric).label
        return "wins of a seat" if metric == WIN_SHARE else label.replace("{group} ", "")

    def clause(self, comparison: ComparisonOverLevels, is_higher: bool) -> str:
        words = self.wording(comparison)
        return words.higher if is_higher else words.lower

    def size(self, value: float, unit: str, decimals: int | None = None) -> str:
        """A size without its sign: 0.3 points, 1 turn."""
        shown = abs(value) * fmt.scale_of(unit)
        text = f"{shown:.2g}" if decimals is None else f"{max(shown, 10.0**-decimals):.{decimals}f}"
        noun = "points" if unit.startswith("share") else unit
        return f"{text}\u00a0{noun.removesuffix('s') if text == '1' else noun}"

    def amount(self, comparison: Comparison) -> str:
        """How large a difference is at one level, with the digits that its interval supports."""
        unit = fmt.difference_unit(comparison.measure.unit)
        value, is_share = comparison.difference.value, unit.startswith("share")
        most = 1 if abs(value) * fmt.scale_of(unit) >= 1 else 2
        size = self.size(value, unit, min(fmt.decimals_of(comparison.difference, unit), most))
        percentage = is_share and comparison.measure.name not in SEAT_METRICS
        return f"by {size.replace('point', 'percentage point') if percentage else size}"

    def amount_at(self, comparison: ComparisonOverLevels, levels: Sequence[str]) -> str:
        """How large a difference is at the level that is shown, or at the strongest of some levels."""
        level = self.data.shown.level.name if self.data.shown.level.name in levels else levels[-1]
        shown = comparison.at(level)
        who = f" among {players_of(level)}" if len(levels) > 1 else ""
        return f"{self.amount(shown)}{who}" if shown else ""

    def change(self, comparison: ComparisonOverLevels) -> str:
        """One difference as a clause, with where it holds and how large it is."""
        shown = comparison.shown
        levels = [one.level.name for one in shown]
        if comparison.verdict.shape is Shape.REVERSES:
            clauses = [
                f"{self.clause(comparison, one.difference.value > 0)} among {players_of(one.level.name)} "
                f"({self.amount(one)})"
                for one in (shown[0], shown[-1])
            ]
            return " but ".join(clauses)
        if comparison.largest.verdict is Verdict.REARRANGED:
            return f"the seats are uneven in another way{self.among(levels)}"
        clause = self.clause(comparison, comparison.largest.difference.value > 0)
        return f"{clause}{self.among(levels)} ({self.amount_at(comparison, levels)})"

    def changes(self, comparisons: Sequence[ComparisonOverLevels]) -> str:
        """What differs: what holds at every level first, then what is larger in tolerances; the rest is counted."""
        mirrored = ORDINALS[1] if self.players == 2 else ""  # the second of two seats wins what the first loses
        apart = [one for one in comparisons if one.is_different and one.group != (mirrored or None)]
        if any(one.measure.name == SEAT_IMBALANCE.name for one in apart):
            apart = [one for one in apart if one.measure.name != WIN_SHARE]
        apart.sort(
            key=lambda one: (
                one.measure.name not in SEAT_METRICS,
                one.verdict.shape is not Shape.EVERY,
                -in_tolerances(one),
            )
        )
        most = min(MAX_CHANGES, max(1, 2 * MAX_CHANGES // max(1, len(self.titles) - 1)))
        rest = len(apart) - most
        more = f"; and {rest} more difference{'s' * (rest > 1)}" if rest > 0 else ""
        return "; ".join(self.change(one) for one in apart[:most]) + more

    def tolerance(self, metric: str) -> str:
        measure = self.data.estimates[metric].measure
        return self.size(measure.tolerance, measure.unit)


def in_tolerances(comparison: ComparisonOverLevels) -> float:
    """How much a difference matters: in tolerances, at the level where it is largest."""
    return abs(comparison.largest.difference.value) / comparison.measure.tolerance


# --- templates that a game declares ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Field:
    """A metric of the reference, as the braces of a template name it."""

    estimates: Estimates
    group: int = 0

    @property
    def leading(self) -> "_Leading":
        return _Leading(self.estimates)

    def __getitem__(self, group: str) -> "_Field":
        if group not in self.estimates.groups:
            raise KeyError(group)
        return _Field(self.estimates, self.estimates.groups.index(group))

    def __format__(self, spec: str) -> str:
        if not self.estimates.known(0, self.group):
            raise KeyError(self.estimates.name)
        estimate, unit = self.estimates.estimate(0, self.group), self.estimates.measure.unit
        if spec == "interval":
            return fmt.interval(estimate, unit)
        if spec == "full":
            return f"{value_and_unit(estimate, unit)} ({fmt.interval(estimate, unit)})"
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


def value_and_unit(estimate: Estimate, unit: str, signed: bool = False) -> str:
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


# --- seats -----------------------------------------------------------------------------------------------------------


def seats_verdict(words: RunWords) -> str:
    """Which seats of the first variant win more or less than their share: what holds at every level comes first."""
    if WIN_SHARE not in words.data.estimates:
        return "Not known: these games have no winners to count."
    verdicts, fair = words.data.seat_verdicts[0], words.fair_share
    clauses, most_levels = _standings(words, verdicts)
    if not clauses:
        if not any(one.is_open for one in verdicts.values()):
            within = f"within {words.tolerance(WIN_SHARE)}{words.among(words.levels)}"
            return f"{'No. ' if words.is_yes_or_no else ''}Every seat wins its fair share of {fair}, {within}."
        where = " at any level of play" if words.several else ""
        return f"Not shown. No seat is shown to win more or less than a fair {fair}{where}."
    head = ("Yes. " if 2 * most_levels >= len(words.levels) else "Partly. ") if words.is_yes_or_no else ""
    mixed = " But the bots at the table differ." if words.run.mixed else ""
    return f"{head}{capitalise('; '.join(clauses))}. {fair} would be fair.{mixed}"


def _standings(words: RunWords, verdicts: dict[str, LevelVerdict]) -> tuple[list[str], int]:
    """Clauses on the seats that win more or less than their share, one for all that do at the same levels; and the
    number of levels in the first of them."""
    alike: dict[tuple[str, ...], list[tuple[str, str]]] = {}  # standing and levels -> seats and wins
    for seat, verdict in verdicts.items():
        for kind, standing in _STANDINGS.items():
            if levels := verdict.levels_with(kind):
                named = seat_title(seat, words.players), _wins(words, seat, levels, [0])
                alike.setdefault((standing, *levels), []).append(named)
    ordered = sorted(alike.items(), key=lambda pair: -len(pair[0]))
    clauses = [_seats_clause(some, f"{standing}{words.among(levels)}") for (standing, *levels), some in ordered]
    return clauses, len(ordered[0][0]) - 1 if ordered else 0


def _seats_clause(seats: Sequence[tuple[str, str]], standing: str) -> str:
    """What seats win, from their names and win shares."""
    names, wins = (join_words(parts) for parts in zip(*seats, strict=True))
    return f"the {names} {'seats win' if len(seats) > 1 else 'seat wins'} {standing} ({wins})"


def _wins(words: RunWords, seat: str, levels: Sequence[str], variants: Iterable[int]) -> str:
    """The range of the win shares of a seat at some levels."""
    values = [
        round(100 * float(shares.means[variant, shares.groups.index(seat)]))
        for level, shares in words.data.by_level(WIN_SHARE)
        if level.name in levels
        for variant in variants
    ]
    low, high = min(values), max(values)
    return f"{low}\u00a0%" if low == high else f"{low} to {high}\u00a0%"


def seats_of_all(words: RunWords) -> str:
    """The seats that are ahead, or behind, with every variant at every level."""
    if WIN_SHARE not in words.data.estimates or words.run.mixed:
        return ""
    by_variant = words.data.seat_verdicts
    standing: dict[str, list[tuple[str, str]]] = {}
    for seat in by_variant[0]:
        kinds = {effect.verdict for verdicts in by_variant for effect in verdicts[seat].effects}
        kind = kinds.pop()
        if not kinds and kind in _STANDINGS:
            wins = _wins(words, seat, words.levels, range(len(by_variant)))
            standing.setdefault(_STANDINGS[kind], []).append((seat_title(seat, words.players), wins))
    clauses = [_seats_clause(some, where) for where, some in standing.items()]
    return f"{capitalise(join_words(clauses))}; {words.fair_share} would be fair." if clauses else ""


def seats_title(words: RunWords) -> str:
    """What holds for the seats of all variants at all levels, or else of the first variant, as the title of a chart."""
    if shared := seats_of_all(words):
        return shared.partition(";")[0]
    own = seats_verdict(words)
    for head in ("Yes. ", "No. ", "Partly. ", "Not shown. "):
        own = own.removeprefix(head)
    own = own.partition(";")[0].removesuffix(".")
    return f"With {words.titles[0]}, {own[:1].lower()}{own[1:]}" if len(words.titles) > 1 else own


# --- boards ----------------------------------------------------------------------------------------------------------


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
        where = board_count(
            differences_by_board(ahead), first, last, "is the first player shown to be ahead of the last or behind it"
        )
        sentences.append(f"With {data.names[0]}, {where}.")
    for over_levels in data.comparisons:
        comparison = over_levels.at(data.shown.level.name)
        if comparison and comparison.measure.name == SEAT_IMBALANCE.name:
            name = data.name_of(comparison.variant)
            same = comparison_by_board(comparison, data.board_comparisons)
            where = board_count(
                same,
                "the seats are less even",
                "the seats are more even",
                "are the seats shown to be more or less even",
            )
            sentences.append(f"With {name}{data.level_clause}, {where}.")
    return sentences


def board_count(on: BoardDifferences, higher: str, lower: str, either: str) -> str:
    """On how many boards a difference of shares is shown; clauses say what is higher, lower, or either of them."""
    boards = len({board.partition(OF_LEVEL)[0] for board in on.differences})
    cases = len(on.differences)
    if not on.significant:
        return f"on none of {boards} boards {either}"
    text = higher if on.differences[on.significant[0]].value > 0 else lower
    smallest, largest = sorted(abs(100 * end) for end in on.range)
    if on.direction and len(on.significant) == cases:
        every = " and at every level" if cases > boards else ""
        return f"{text} on every one of {boards} boards{every}, by {smallest:.1f} to {largest:.1f} points"
    where = f"on {len(on.significant)} of {boards} boards"
    if cases != boards:
        where = f"in {len(on.significant)} of {cases} cases, on {boards} boards at {cases // boards} levels"
    rest = "the others have the same sign" if on.direction else "not all others have the same sign"
    return f"{text} beyond chance {where}; {rest}"
