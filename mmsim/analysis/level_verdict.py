"""What differences at several levels of play say together: where a difference holds, and whether it has stopped
changing as play gets stronger.

Levels are never pooled: a mean over players who differ estimates nothing. What one level shows comes in as a verdict,
made from adjusted p-values; this module only compares levels with each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import sqrt

from mmsim.analysis import stats
from mmsim.analysis.stats import two_sided_p
from mmsim.analysis.wording import join_words
from mmsim.core.levels import RETRAINED

ALPHA = 1 - stats.LEVEL
_ALMOST = 0.2  # the p-value of each of the last two steps must be below this for a trend
_PLURALS = {
    "beginner": "beginners",
    "casual": "casual players",
    "club": "club players",
    "expert": "experts",
    "master": "masters",
    "grandmaster": "grandmasters",
}


class Verdict(StrEnum):
    """What the games of one level show."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"  # for metrics that make a game neither better nor worse
    LOWER = "lower"
    REARRANGED = "uneven in another way"  # of seats: neither more nor less even altogether
    EQUAL = "equal within tolerance"
    UNSURE = "not enough games"


class Shape(StrEnum):
    """Where a difference holds."""

    EVERY = "at every level"
    STRONG = "among strong players only"
    WEAK = "among weaker players only"
    REVERSES = "reverses"
    MIXED = "at some levels only"
    SAME = "the same within tolerance at every level"
    UNSURE = "not enough games"


class Top(StrEnum):
    """Whether the two strongest levels agree."""

    SETTLED = "settled"
    DISAGREE = "not settled: the strongest two disagree"
    MOVING = "still moving with strength"
    OPEN = "not settled yet"  # they agree as far as their games tell
    ONE_MAKE = "not settled: the strongest two are bots of one make"
    SINGLE = ""  # there is one level


@dataclass(frozen=True)
class LevelEffect:
    """The difference between two variants at one level of play."""

    level: str
    make: str  # of its bot: heuristic, net, playouts, ...
    value: float
    se: float
    verdict: Verdict

    @property
    def is_shown(self) -> bool:
        return self.verdict not in (Verdict.EQUAL, Verdict.UNSURE)

    def difference_to(self, other: "LevelEffect") -> tuple[float, float]:
        """The step from another level to this one, and its standard error; levels are treated as independent."""
        return self.value - other.value, sqrt(self.se**2 + other.se**2)

    def is_nearer_zero(self, other: "LevelEffect", alpha: float) -> bool:
        """True if this effect is significantly smaller than another, or of the other sign."""
        step, se = self.difference_to(other)
        return step * other.value < 0 and two_sided_p(step, se) < alpha


@dataclass(frozen=True)
class LevelVerdict:
    """Where a difference holds, whether the strongest levels agree, and the trend with strength."""

    effects: tuple[LevelEffect, ...]  # from weak to strong
    shape: Shape
    top: Top
    missing: tuple[str, ...]  # levels where a difference that others show is absent, or clearly smaller
    slope: float  # of the effect, from one level to the next

    @property
    def is_different(self) -> bool:
        """True if at least one level shows a difference."""
        return any(effect.is_shown for effect in self.effects)

    @property
    def is_open(self) -> bool:
        """True if some level needs more games."""
        return any(effect.verdict is Verdict.UNSURE for effect in self.effects)

    @property
    def holds_everywhere(self) -> bool:
        """True if every level shows the same difference."""
        return self.shape is Shape.EVERY and not self.is_open

    def levels_with(self, *verdicts: Verdict) -> list[str]:
        return [effect.level for effect in self.effects if effect.verdict in verdicts]


def judge(effects: Sequence[LevelEffect], tolerance: float, alpha: float = ALPHA) -> LevelVerdict:
    """The verdict over levels, which are listed from weak to strong.

    `alpha` is the error rate of "these levels disagree", smaller if many metrics are judged.
    """
    effects = _without_borderline(effects, tolerance)
    missing = _missing(effects, alpha)
    shape, names = _shape(effects, missing), tuple(effects[place].level for place in missing)
    return LevelVerdict(tuple(effects), shape, _top(effects, tolerance, alpha), names, _trend(effects)[0])


def _without_borderline(effects: Sequence[LevelEffect], tolerance: float) -> list[LevelEffect]:
    """Call an effect unsure if it is shown but within tolerance, and does not differ from a level shown to be equal."""
    equal = [effect for effect in effects if effect.verdict is Verdict.EQUAL]

    def is_borderline(effect: LevelEffect) -> bool:
        same = (two_sided_p(*effect.difference_to(other)) >= ALPHA for other in equal)
        return effect.is_shown and abs(effect.value) <= tolerance and any(same)

    return [replace(effect, verdict=Verdict.UNSURE) if is_borderline(effect) else effect for effect in effects]


def _trend(effects: Sequence[LevelEffect]) -> tuple[float, float]:
    """The slope of a line through the effects, weighted by their precision, and its p-value."""
    known = [(place, effect) for place, effect in enumerate(effects) if 0 < effect.se < float("inf")]
    if len(known) < 2:
        return 0.0, 1.0
    weights = [1 / effect.se**2 for _, effect in known]
    middle = sum(w * place for w, (place, _) in zip(weights, known, strict=True)) / sum(weights)
    spread = sum(w * (place - middle) ** 2 for w, (place, _) in zip(weights, known, strict=True))
    slope = sum(w * (place - middle) * effect.value for w, (place, effect) in zip(weights, known, strict=True)) / spread
    return slope, two_sided_p(slope, sqrt(1 / spread))


def _missing(effects: Sequence[LevelEffect], alpha: float) -> list[int]:
    """The levels where a difference that others show is absent, or clearly smaller than there."""
    shown = [effect for effect in effects if effect.is_shown]
    others = [place for place, effect in enumerate(effects) if not effect.is_shown and shown]
    alpha /= max(1, len(others) * len(shown))
    return [
        place
        for place in others
        if effects[place].verdict is Verdict.EQUAL or any(effects[place].is_nearer_zero(one, alpha) for one in shown)
    ]


def _shape(effects: Sequence[LevelEffect], missing: Sequence[int]) -> Shape:
    verdicts = [effect.verdict for effect in effects]
    shown = [place for place, effect in enumerate(effects) if effect.is_shown]
    if not shown:
        return Shape.SAME if Verdict.EQUAL in verdicts else Shape.UNSURE
    directions = {verdicts[place] for place in shown}
    if len(directions) > 1:
        changes = sum(verdicts[a] is not verdicts[b] for a, b in pairwise(shown))
        is_turn = changes == 1 and Verdict.REARRANGED not in directions
        return Shape.REVERSES if is_turn else Shape.MIXED
    if not missing:
        return Shape.EVERY
    strongest = len(effects) - 1
    if strongest in missing and min(missing) > max(shown):
        return Shape.WEAK
    return Shape.STRONG if strongest in shown and max(missing) < min(shown) else Shape.MIXED


def _top(effects: Sequence[LevelEffect], tolerance: float, alpha: float) -> Top:
    if len(effects) < 2:
        return Top.SINGLE
    below, strongest = effects[-2:]
    if below.make == strongest.make:
        return Top.ONE_MAKE
    step, se = strongest.difference_to(below)
    if below.verdict is strongest.verdict is Verdict.EQUAL or stats.tost(step, se, float("inf"), tolerance) < ALPHA:
        return Top.SETTLED
    if len(effects) > 2 and _trend(effects[-3:])[1] < alpha:
        before, before_se = below.difference_to(effects[-3])
        steps = ((step, se), (before, before_se))
        if step * before > 0 and all(two_sided_p(*one) < _ALMOST for one in steps):
            return Top.MOVING
    return Top.DISAGREE if two_sided_p(step, se) < alpha else Top.OPEN


# --- replies to a question -------------------------------------------------------------------------------------------


class Reply(StrEnum):
    """What the games of one level, or of all levels together, reply to a question."""

    YES = "yes"
    PARTLY = "at some levels"  # of all levels together only
    OPPOSITE = "no, the opposite"
    NO = "no"
    OTHERWISE = "no, in another way"  # of one level: seats that are uneven in another way
    OPEN = "not known yet"


@dataclass(frozen=True)
class LevelReplies:
    """Whether a variant does what a question asks for, at every level of play."""

    levels: dict[str, Reply]  # from weak to strong
    fading: tuple[str, ...]  # levels with too few games to tell that clearly show less than others do

    @property
    def overall(self) -> Reply:
        """The reply of all levels together.

        Levels with too few games do not contradict the others, if at least half of all levels can tell.
        """
        told = [reply for reply in self.levels.values() if reply is not Reply.OPEN]
        most_tell = len(told) * 2 >= len(self.levels)
        if Reply.YES in told:
            return Reply.YES if {*told} == {Reply.YES} and most_tell and not self.fading else Reply.PARTLY
        if not told or not most_tell:
            return Reply.OPEN
        return Reply.OPPOSITE if {*told} == {Reply.OPPOSITE} else Reply.NO

    def levels_with(self, *replies: Reply) -> list[str]:
        return [level for level, reply in self.levels.items() if reply in replies]


def reply_to(direction: str, verdicts: Sequence[LevelVerdict]) -> LevelReplies:
    """The replies to whether a metric differs in a direction (if empty: in any), from the verdicts of its groups; any
    of them may show it."""
    by_level: dict[str, list[Reply]] = {}
    for effect in (effect for verdict in verdicts for effect in verdict.effects):
        by_level.setdefault(effect.level, []).append(_reply_of(effect, direction))
    levels = {level: _reply_of_groups(replies) for level, replies in by_level.items()}
    missing = {level for verdict in verdicts for level in verdict.missing}
    fading = tuple(level for level, reply in levels.items() if reply is Reply.OPEN and level in missing)
    return LevelReplies(levels, fading)


def _reply_of(effect: LevelEffect, direction: str) -> Reply:
    match effect.verdict:
        case Verdict.UNSURE:
            return Reply.OPEN
        case Verdict.EQUAL:
            return Reply.NO
        case Verdict.REARRANGED:
            return Reply.OTHERWISE if direction else Reply.YES
    return Reply.YES if not direction or (effect.value > 0) == (direction == "higher") else Reply.OPPOSITE


def _reply_of_groups(groups: Sequence[Reply]) -> Reply:
    """The reply of one level: the first in this order that any of its groups gives, and no if there is none."""
    for reply in (Reply.YES, Reply.OPPOSITE, Reply.OTHERWISE, Reply.OPEN):
        if reply in groups:
            return reply
    return Reply.NO


# --- in words --------------------------------------------------------------------------------------------------------


def players_of(level: str) -> str:
    """The players of a level, in the plural."""
    name, retrained, _ = level.partition(RETRAINED)
    return _PLURALS.get(name, name) + retrained


def level_range(levels: Sequence[str], every: Sequence[str]) -> str:
    """Levels in words: at every level, from club to master, at club and master."""
    if list(levels) == list(every) and len(levels) > 1:
        return "at every level"
    places = [every.index(level) for level in levels]
    if len(levels) > 2 and places == list(range(places[0], places[0] + len(places))):
        return f"from {levels[0]} to {levels[-1]}"
    return f"at {join_words(levels)}"


def where_it_holds(verdict: LevelVerdict, words: dict[Verdict, str] | None = None) -> str:
    """Where a difference holds, in words, such as "lower among strong players only (expert and up)"."""
    every = [effect.level for effect in verdict.effects]
    shown = [effect for effect in verdict.effects if effect.is_shown]
    levels = [effect.level for effect in shown]
    unsure, equal = verdict.levels_with(Verdict.UNSURE), verdict.levels_with(Verdict.EQUAL)

    def word(kind: Verdict) -> str:
        return (words or {}).get(kind, str(kind))

    if len(every) == 1:
        return word(verdict.effects[0].verdict)
    open_levels = [level for level in unsure if level not in verdict.missing]
    more = f"; not enough games {level_range(open_levels, every)}" if open_levels else ""
    match verdict.shape:
        case Shape.UNSURE:
            return word(Verdict.UNSURE)
        case Shape.SAME:
            return f"{word(Verdict.EQUAL)} {level_range(equal, every)}{more}"
        case Shape.EVERY:
            up = shown[0].value > 0
            alike = [effect.level for effect in verdict.effects if effect.level in unsure and (effect.value > 0) == up]
            its, agrees = ("its", "agrees") if len(alike) == 1 else ("their", "agree")
            agree = f"; as far as {its} games tell, {join_words(alike)} {agrees}" if alike else ""
            others = [level for level in unsure if level not in alike]
            more = f"; not enough games {level_range(others, every)}" if others else ""
            return f"{word(shown[0].verdict)} {level_range(levels, every)}{agree}{more}"
        case Shape.STRONG:
            return f"{word(shown[0].verdict)} {Shape.STRONG} ({_and_up(levels, every)}){more}"
        case Shape.WEAK:
            return f"{word(shown[0].verdict)} {Shape.WEAK} ({_up_to(levels, every)}); it fades with strength{more}"
        case Shape.REVERSES:
            weak, strong = shown[0], shown[-1]
            return (
                f"reverses: {word(weak.verdict)} among {players_of(weak.level)}, "
                f"{word(strong.verdict)} among {players_of(strong.level)}"
            )
    by_word: dict[str, list[str]] = {}
    for effect in shown:
        by_word.setdefault(word(effect.verdict), []).append(effect.level)
    without = f", not {level_range(verdict.missing, every)}" if verdict.missing else ""
    return f"{'; '.join(f'{kind} {level_range(some, every)}' for kind, some in by_word.items())}{without}{more}"


def _and_up(levels: Sequence[str], every: Sequence[str]) -> str:
    is_rest = list(levels) == list(every[every.index(levels[0]) :])
    return f"{levels[0]} and up" if is_rest and len(levels) > 1 else join_words(levels)


def _up_to(levels: Sequence[str], every: Sequence[str]) -> str:
    is_rest = list(levels) == list(every[: every.index(levels[-1]) + 1])
    return f"up to {levels[-1]}" if is_rest and len(levels) > 1 else join_words(levels)
