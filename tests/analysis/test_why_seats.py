"""Play forced for one seat at a time: which seat carries an effect, and whose own play is worse than a random one."""

from functools import cache

import pytest

from mmsim.analysis.stats import estimate
from mmsim.analysis.why import Agreement, OtherLevel, Why, conclusions, explain
from mmsim.analysis.why_seats import SeatEffect, carrier, seat_sentences
from mmsim.contests.interventions import Change, ChangedGames, play_changes
from mmsim.core.variant import Variant

SEATS = ("1st", "2nd", "3rd", "4th")


def effect(seats: tuple[int, ...], part: float, own: float = 0.0, p: float = 1.0) -> SeatEffect:
    before, after = estimate(0.27, 0.005, 4000), estimate(0.27 + own, 0.005, 4000)
    return SeatEffect("random_starts", seats, before, after, estimate(own, 0.006, 4000), part, p)


def test_the_seat_that_makes_most_of_an_effect_carries_it_if_that_is_half() -> None:
    assert carrier([effect((0,), 0.9), effect((1,), 0.3)]) == effect((0,), 0.9)
    assert carrier([effect((0,), 0.4), effect((1,), 0.3)]) is None
    assert carrier([effect((0,), 0.4), effect((1,), 0.3), effect((0, 1), 0.8)]) == effect((0, 1), 0.8)


def test_a_seat_whose_own_play_is_worse_than_a_forced_one_is_named() -> None:
    effects = [effect((0,), 0.95, own=0.046, p=1e-5), effect((1,), 0.1, own=0.01, p=0.4)]
    carries, own = seat_sentences("every first start is random", effects, True, SEATS)
    assert carries == "The 1st seat alone makes 95% of that effect."
    assert own.startswith(
        "The 1st player's own choice is worse than a forced one (every first start is random): it wins 27"
    )
    assert seat_sentences("x", [effect((0,), 0.95)], False, SEATS) == []


def test_another_level_agrees_disagrees_or_cannot_tell() -> None:
    found = played().effects[0]
    sign = 1 if found.difference.value > 0 else -1
    for value, se, says in (
        (sign * 0.05, 0.01, "agrees"),
        (-sign * 0.05, 0.01, "disagrees"),
        (0.01, 0.02, "is not significant"),
    ):
        agreement = Agreement("master", found.change, 400, estimate(value, se, 400))
        assert f" {says} " in agreement.sentence(found, "share difference")


@cache
def played() -> Why:
    variant = Variant("print", 4, "compact", "greedy", seed=5)

    def play(changes: object, count: int = 240) -> ChangedGames:
        assert isinstance(changes, list)
        assert all(isinstance(change, Change) for change in changes)
        return play_changes("metromania", changes, count, 1, lambda status: None)

    other = OtherLevel("casual", "runner", lambda changes: play(changes, 80))
    return explain("metromania", variant, "win_share", play, ["random_starts", "last_round=none"], other)


def test_play_is_forced_for_every_seat_alone() -> None:
    (seats,) = played().seats.values()
    assert [one.seats for one in seats[:4]] == [(0,), (1,), (2,), (3,)]
    assert seats[0].change == "random_starts@1"
    for one in seats[:4]:
        difference = one.share_after.value - one.share_before.value
        assert one.own_difference.value == pytest.approx(difference)


def test_two_seats_are_forced_only_where_none_alone_makes_half_of_an_effect_that_is_shown() -> None:
    why = played()
    (seats,) = why.seats.values()
    whole = next(found for found in why.effects if found.change == "random_starts")
    alone = carrier(seats[:4]) is not None
    assert len(seats) == (10 if whole.is_significant and not alone else 4)


def test_the_other_level_is_asked_about_what_matters() -> None:
    why = played()
    assert [agreement.change for agreement in why.elsewhere] == [found.change for found in why.significant_effects[:2]]
    assert all(agreement.level == "casual" and agreement.games == 80 for agreement in why.elsewhere)
    assert len(conclusions(why)) >= 2
