"""Replies to a question: yes, no, the opposite, at some levels, or not known yet."""

import pytest

from mmsim.analysis.reply import Reply, reply_about
from tests.analysis.planted import OPEN, SAME, planted

LEVELS = ("casual", "club", "expert", "master")


@pytest.mark.parametrize(
    ("shows", "direction", "reply"),
    [
        ((-0.03, -0.03, -0.03, -0.03), "lower", Reply.YES),
        ((-0.03, -0.03, -0.03, OPEN), "lower", Reply.YES),  # too few games do not contradict
        ((-0.03, -0.03, SAME, SAME), "lower", Reply.PARTLY),
        ((-0.2, -0.2, -0.2, OPEN), "lower", Reply.PARTLY),  # masters clearly show less
        ((0.03, -0.03, -0.03, -0.03), "lower", Reply.PARTLY),
        ((0.03, 0.03, 0.03, 0.03), "lower", Reply.OPPOSITE),
        ((0.03, 0.03, OPEN, OPEN), "lower", Reply.OPPOSITE),
        ((SAME, SAME, SAME, SAME), "lower", Reply.NO),
        ((SAME, 0.03, SAME, SAME), "lower", Reply.NO),
        ((SAME, SAME, SAME, OPEN), "lower", Reply.NO),
        ((SAME, OPEN, OPEN, OPEN), "lower", Reply.OPEN),  # most levels cannot tell
        ((-0.03, OPEN, OPEN, OPEN), "lower", Reply.PARTLY),
        ((OPEN, OPEN, OPEN, OPEN), "lower", Reply.OPEN),
        ((0.03, 0.03, 0.03, 0.03), "higher", Reply.YES),
        ((0.03, -0.03, 0.03, 0.03), "", Reply.YES),  # any difference was asked for
        ((SAME, SAME, SAME, SAME), "", Reply.NO),
    ],
)
def test_a_variant_gets_the_reply_of_its_levels(shows: tuple[float | str, ...], direction: str, reply: Reply) -> None:
    comparison = planted(dict(zip(LEVELS, shows, strict=True)))
    assert reply_about(comparison.variant, [comparison], direction).reply is reply


def test_one_group_that_differs_answers_for_a_metric_with_groups() -> None:
    groups = [planted({"casual": shows}, group=group) for group, shows in (("1st", SAME), ("2nd", 0.03), ("3rd", OPEN))]
    assert reply_about("x", groups, "").reply is Reply.YES
    assert reply_about("x", groups[:1], "").reply is Reply.NO
    assert reply_about("x", groups[::2], "").reply is Reply.OPEN
