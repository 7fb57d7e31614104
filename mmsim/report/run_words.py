"""The words of one run: what its variants, levels, seats and differences are called in sentences."""

from collections.abc import Sequence

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import Shape, Verdict, players_of
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.wording import edition_title, wording
from mmsim.core.metrics import ORDINALS, Wording
from mmsim.report.sentences import join_words

MAX_NAMED = 4  # variants; more are counted, not named
MAX_CHANGES = 3  # of one variant, named in a sentence
SEAT_METRICS = (WIN_SHARE, SEAT_IMBALANCE.name)
_YES_OR_NO = ("Is", "Are", "Do", "Does", "Has", "Have", "Can", "Will", "Would")
_PLAYERS = " players"


class RunWords:
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
        return self.titles[[description.name for description in self.run.variants].index(variant)]

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
