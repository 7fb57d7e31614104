"""Verdicts over levels: known answers on planted effects, and their words."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from mmsim.analysis import stats
from mmsim.analysis.level_verdict import (
    LevelEffect,
    LevelVerdict,
    Reply,
    Shape,
    Top,
    Verdict,
    judge,
    reply_to,
    where_it_holds,
)
from tests.analysis import planted as comparisons
from tests.analysis.planted import OPEN, SAME

LEVELS = ("beginner", "casual", "club", "expert", "master", "grandmaster")
MAKES = ("heuristic", "heuristic", "heuristic", "net", "playouts", "value net")
TOLERANCE = 1.0  # points
FAMILY = 12  # metrics and groups that share the error rate, at six levels each


def verdicts(values: Sequence[float], ses: Sequence[float]) -> list[Verdict]:
    """What every level shows by itself, with Holm's correction over all levels and metrics."""
    others = [0.5] * (len(values) * (FAMILY - 1))  # the other metrics of the family show nothing
    pairs = list(zip(values, ses, strict=True))
    different = stats.holm([*(stats.two_sided_p(value, se, 1e6) for value, se in pairs), *others])
    equal = stats.holm([*(stats.tost(value, se, 1e6, TOLERANCE) for value, se in pairs), *others])
    return [
        Verdict.EQUAL if q < 0.05 else Verdict.UNSURE if p >= 0.05 else Verdict.HIGHER if value > 0 else Verdict.LOWER
        for value, p, q in zip(values, different[: len(values)], equal[: len(values)], strict=True)
    ]


def judged(values: Sequence[float], ses: Sequence[float], makes: Sequence[str] = MAKES) -> LevelVerdict:
    own = verdicts(values, ses)
    levels = zip(LEVELS, makes, values, ses, own, strict=False)
    return judge([LevelEffect(*level) for level in levels], TOLERANCE)


def planted(effects: Sequence[float], ses: Sequence[float], runs: int = 400) -> list[LevelVerdict]:
    """The verdicts of simulated runs with these effects."""
    rng = np.random.default_rng(11)
    return [judged(rng.normal(effects, ses).tolist(), ses) for _ in range(runs)]


QUICK_TO_SLOW = (0.18, 0.18, 0.18, 0.18, 0.2, 0.2)  # standard errors in points: slow levels play fewer games
FEW_AT_THE_TOP = (0.18, 0.18, 0.18, 0.3, 0.9, 1.2)


@pytest.mark.parametrize(
    ("effects", "ses", "shape", "words"),
    [
        ((-5.0,) * 6, FEW_AT_THE_TOP, Shape.EVERY, "lower "),
        ((-5.0, -4.0, -6.0, -5.0, -5.0, -5.0), QUICK_TO_SLOW, Shape.EVERY, "lower at every level"),
        ((4.0, 3.0, 0.0, -2.0, -4.0, -4.0), QUICK_TO_SLOW, Shape.REVERSES, "reverses: higher among beginners, lower"),
        ((8.0, 6.0, 3.0, 0.0, 0.0, 0.0), QUICK_TO_SLOW, Shape.WEAK, "higher among weaker players only (up to club)"),
        ((8.0, 6.0, 4.0, 2.0, 0.0, 0.0), FEW_AT_THE_TOP, Shape.WEAK, "higher among weaker players only (up to "),
        ((0.0, 0.0, 0.0, 3.0, 5.0, 5.0), QUICK_TO_SLOW, Shape.STRONG, "higher among strong players only (expert"),
        ((0.0,) * 6, QUICK_TO_SLOW, Shape.SAME, "equal within tolerance "),
        ((0.0,) * 6, (5.0,) * 6, Shape.UNSURE, "not enough games"),
    ],
    ids=["holds", "holds unevenly", "reverses", "fades", "fades slowly", "strong only", "none", "too few games"],
)  # fmt: skip
def test_planted_effects_get_the_right_words(
    effects: Sequence[float], ses: Sequence[float], shape: Shape, words: str
) -> None:
    found = planted(effects, ses)
    right = [verdict for verdict in found if verdict.shape is shape and where_it_holds(verdict).startswith(words)]
    assert len(right) >= 0.95 * len(found), Counter(where_it_holds(verdict) for verdict in found).most_common(3)


def test_nothing_is_called_different_more_than_once_in_twenty_runs() -> None:
    for ses in (QUICK_TO_SLOW, FEW_AT_THE_TOP, (5.0,) * 6):
        assert sum(verdict.is_different for verdict in planted((0.0,) * 6, ses)) <= 0.05 * 400


@pytest.mark.parametrize(
    ("effects", "ses", "top"),
    [
        ((0.0, 1.0, 3.0, 4.0, 5.0, 5.0), QUICK_TO_SLOW, Top.SETTLED),
        ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), QUICK_TO_SLOW, Top.SETTLED),
        ((5.0, 5.0, 5.0, 5.0, 1.0, 6.0), QUICK_TO_SLOW, Top.DISAGREE),
        ((0.0, 1.0, 2.0, 4.0, 6.0, 8.0), QUICK_TO_SLOW, Top.MOVING),
        ((5.0, 5.0, 5.0, 5.0, 5.0, 5.0), FEW_AT_THE_TOP, Top.OPEN),
    ],
)
def test_whether_the_strongest_two_agree(effects: Sequence[float], ses: Sequence[float], top: Top) -> None:
    found = Counter(verdict.top for verdict in planted(effects, ses))
    assert found[top] >= 0.92 * 400, found  # two levels that agree seem to disagree once in twenty times


def test_two_bots_of_one_make_settle_nothing() -> None:
    assert judged((5.0, 5.0), (0.1, 0.1), ("net", "net")).top is Top.ONE_MAKE
    assert judged((5.0, 5.0), (0.1, 0.1), ("net", "playouts")).top is Top.SETTLED
    assert judged((5.0,), (0.1,)).top is Top.SINGLE


def test_the_trend_is_the_slope_from_level_to_level() -> None:
    verdict = judged((1.0, 2.0, 3.0, 4.0), (0.1,) * 4)
    assert verdict.slope == pytest.approx(1.0)


def test_a_level_within_tolerance_is_not_called_the_only_one_that_differs() -> None:
    """The same small effect everywhere: three levels show that it is within tolerance, the one with few games that it
    is not zero."""
    verdicts = [Verdict.EQUAL, Verdict.EQUAL, Verdict.EQUAL, Verdict.LOWER]
    effects = [
        LevelEffect(level, level, -0.7, se, verdict)
        for level, se, verdict in zip(LEVELS, (0.05, 0.05, 0.05, 0.15), verdicts, strict=False)
    ]
    assert judge(effects, TOLERANCE).shape is Shape.SAME
    larger = [*effects[:3], LevelEffect("expert", "expert", -2.0, 0.15, Verdict.LOWER)]
    assert judge(larger, TOLERANCE).shape is Shape.STRONG


def test_levels_that_need_more_games_are_not_counted_against_a_difference() -> None:
    verdict = judged((5.0, 5.0, 5.0, 5.0, 4.0), (0.2, 0.2, 0.2, 0.2, 2.5))
    assert where_it_holds(verdict) == "higher from beginner to expert; as far as its games tell, master agrees"
    verdict = judged((0.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.1, 2.5))
    assert where_it_holds(verdict) == "equal within tolerance from beginner to club; not enough games at expert"


def test_nothing_is_said_of_strong_players_that_the_strongest_do_not_show() -> None:
    verdict = judged((0.0, 5.0, 4.0), (0.2, 0.3, 3.0))
    assert verdict.shape is Shape.MIXED
    assert where_it_holds(verdict) == "higher at casual, not at beginner; not enough games at club"


def test_what_holds_here_and_there_is_listed() -> None:
    assert (
        where_it_holds(judged((5.0, 0.0, 5.0, 0.0), (0.1,) * 4))
        == "higher at beginner and club, not at casual and expert"
    )
    words = {Verdict.HIGHER: "less even", Verdict.LOWER: "more even"}
    verdict = judged((5.0, -5.0, 5.0), (0.1,) * 3)
    assert where_it_holds(verdict, words) == "less even at beginner and club; more even at casual"


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
    comparison = comparisons.planted(dict(zip(LEVELS[1:5], shows, strict=True)))
    assert reply_to(direction, [comparison.verdict]).overall is reply


def test_one_group_that_differs_answers_for_a_metric_with_groups() -> None:
    groups = [comparisons.planted({"casual": shows}).verdict for shows in (SAME, 0.03, OPEN)]
    assert reply_to("", groups).overall is Reply.YES
    assert reply_to("", groups[:1]).overall is Reply.NO
    assert reply_to("", groups[::2]).overall is Reply.OPEN
