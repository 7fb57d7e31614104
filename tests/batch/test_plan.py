"""The schedule: every game once, in parts that do not depend on how many games there are."""

import pytest

from mmsim.batch.plan import RunPlan
from mmsim.errors import UsageError


@pytest.mark.parametrize(("variants", "games", "part_games"), [(1, 10, 3), (3, 100, 7), (2, 12, 6), (2, 1, 100)])
def test_every_game_of_every_variant_is_in_one_part(variants: int, games: int, part_games: int) -> None:
    plan = RunPlan(variants, games, part_games)
    parts = [plan.part(number) for number in range(plan.parts)]
    played = [(part.variant, game) for part in parts for game in range(part.first, part.first + part.count)]
    assert sorted(played) == [(variant, game) for variant in range(variants) for game in range(games)]
    for part in parts:
        assert plan.part_of(part.variant, part.first) == part
        assert plan.part_of(part.variant, part.first + part.count - 1) == part


def test_a_longer_plan_keeps_every_full_part() -> None:
    short, long = RunPlan(3, 1000, 60), RunPlan(3, 5000, 60)
    for number in range(short.parts):
        if short.part(number).count == short.part_games:
            assert short.part(number) == long.part(number)


def test_a_block_is_the_same_games_of_every_variant() -> None:
    parts = RunPlan(3, 1000, 60).block(16)
    assert [part.variant for part in parts] == [0, 1, 2]
    assert {(part.first, part.count) for part in parts} == {(960, 40)}
    assert [part.number for part in parts] == [48, 49, 50]


def test_open_parts_are_those_not_done_within_the_plan() -> None:
    plan, done = RunPlan(2, 100, 25), bytearray(20)
    done[0] = done[5] = 1
    assert [part.number for part in plan.open_parts(done)] == [1, 2, 3, 4, 6, 7]


def test_parts_come_one_at_a_time_and_see_what_was_done_meanwhile() -> None:
    plan, done = RunPlan(1, 100, 25), bytearray(4)
    parts = plan.open_parts(done)
    assert next(parts).number == 0
    done[1] = 1
    assert next(parts).number == 2


def test_a_plan_of_ten_billion_games_costs_nothing() -> None:
    plan = RunPlan(4, 10**10, 6000)
    assert plan.part(plan.parts - 1).first + plan.part(plan.parts - 1).count == 10**10


def test_more_parts_than_a_run_can_have_are_refused() -> None:
    with pytest.raises(UsageError, match="would make 10,000,000,000 parts, and a run has at most 10,000,000; put more"):
        RunPlan(1, 60_000_000_000_000, 6000)


@pytest.mark.parametrize("games", [1, 80, 5999, 6000, 6001, 100_000])
def test_slow_players_have_fewer_games_of_every_block_in_whole_deals(games: int) -> None:
    plan = RunPlan(3, games, 6000, (1, 4, 80), (1, 4, 3))
    for variant, (every, deal) in enumerate(zip(plan.every, plan.games_per_deal, strict=True)):
        parts = [plan.part(number) for number in range(variant, plan.parts, 3)]
        played = [game for part in parts for game in range(part.first, part.first + part.count)]
        assert played == [*range(plan.games_of(variant))]
        assert all(part.count % deal == 0 for part in parts)
        assert abs(len(played) - games / every) <= deal * (1 + plan.blocks)
        assert all(plan.part_of(variant, part.first) == part == plan.part_of(variant, part.last) for part in parts)
    assert plan.all_games == sum(plan.part(number).count for number in range(plan.parts))


def test_a_longer_plan_keeps_the_parts_of_slow_players() -> None:
    short, long = (RunPlan(2, games, 600, (1, 7), (4, 4)) for games in (6000, 60_000))
    assert [short.part(number) for number in range(short.parts)] == [long.part(number) for number in range(short.parts)]
