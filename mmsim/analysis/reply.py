"""Whether a variant does what the question asks for, at every level of play: yes, no, partly, or not known yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.level_verdict import LevelEffect, Verdict


class Reply(StrEnum):
    """What the games of one level, or of all levels together, reply to a question."""

    YES = "yes"
    PARTLY = "at some levels"  # of all levels together only
    OPPOSITE = "no, the opposite"
    NO = "no"
    OTHERWISE = "no, in another way"  # of one level: seats that are uneven in another way
    OPEN = "not known yet"


@dataclass(frozen=True)
class VariantReply:
    """The reply about one variant."""

    variant: str
    levels: dict[str, Reply]  # from weak to strong
    comparisons: tuple[ComparisonOverLevels, ...]  # of the metric in question, one per group

    @property
    def reply(self) -> Reply:
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

    @property
    def fading(self) -> list[str]:
        """Levels with too few games to tell that clearly show less than others do."""
        missing = {level for comparison in self.comparisons for level in comparison.verdict.missing}
        return [level for level in self.levels_with(Reply.OPEN) if level in missing]

    def levels_with(self, *replies: Reply) -> list[str]:
        return [level for level, reply in self.levels.items() if reply in replies]


def reply_about(variant: str, comparisons: Sequence[ComparisonOverLevels], direction: str) -> VariantReply:
    """The reply about a variant from the comparisons of the metric in question; any group of it may show it."""
    replies: dict[str, Reply] = {}
    names = dict.fromkeys(shown.level.name for comparison in comparisons for shown in comparison.levels)
    for name in names:
        effects = [effect for one in comparisons for effect in one.verdict.effects if effect.level == name]
        replies[name] = _at_level([_reply(effect, direction) for effect in effects])
    return VariantReply(variant, replies, tuple(comparisons))


def _reply(effect: LevelEffect, direction: str) -> Reply:
    match effect.verdict:
        case Verdict.UNSURE:
            return Reply.OPEN
        case Verdict.EQUAL:
            return Reply.NO
        case Verdict.REARRANGED:
            return Reply.OTHERWISE if direction else Reply.YES
    return Reply.YES if not direction or (effect.value > 0) == (direction == "higher") else Reply.OPPOSITE


def _at_level(groups: Sequence[Reply]) -> Reply:
    """The reply of one level from those of all groups: the first of these that one of them gives, and no if all do."""
    for reply in (Reply.YES, Reply.OPPOSITE, Reply.OTHERWISE, Reply.OPEN):
        if reply in groups:
            return reply
    return Reply.NO
