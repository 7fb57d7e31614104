"""Goals and guards as they are written, and goal files."""

from pathlib import Path
from typing import Any

import pytest

from mmsim.analysis.goals import goal_of, parse_goal, parse_guard, read_goal
from mmsim.errors import UsageError

GAME, PLAYERS = "metromania", 4


def limits(text: str) -> list[tuple[str, str, int, float, bool]]:
    return [
        (one.measure.name, one.group, one.sign, pytest.approx(one.bound), one.relative)
        for one in parse_goal(GAME, text, PLAYERS)
    ]


def test_a_goal_is_a_limit_a_range_or_better_than_the_start() -> None:
    assert limits("seat_imbalance <= 1 pp") == [("seat_imbalance", "", 1, 0.01, False)]
    assert limits("turns 28..34") == [("turns", "", -1, 28.0, False), ("turns", "", 1, 34.0, False)]
    assert limits("last seat >= 23 %") == [("win_share", "4th", -1, 0.23, False)]
    assert limits("win_share 2nd < 26%") == [("win_share", "2nd", 1, 0.26, False)]
    assert limits("margin smaller by 2") == [("margin", "", 1, -2.0, True)]
    assert limits("track_decided later") == [("track_decided", "", -1, -0.01, True)]  # by what matters
    assert limits("decided >= 60 %") == [("decided", "", -1, 0.6, False)]  # of the chances to win


def test_a_guard_limits_the_worse_side_or_both_if_neither_is_worse() -> None:
    def sides(name: str, worse: str | float) -> list[tuple[int, float]]:
        return [(one.sign, one.bound) for one in parse_guard(GAME, name, worse)]

    assert sides("margin", 1.5) == [(1, 1.5)]
    assert sides("track_lead_changes", "0.5") == [(-1, 0.5)]
    assert sides("shared_wins", "1 pp") == [(1, 0.01)]
    assert sides("turns", 2) == [(1, 2.0), (-1, 2.0)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("turnz 1..2", "did you mean 'turns'"),
        ("fith seat >= 3 %", "unknown seat 'fith'; did you mean 'first'"),
        ("seat_imbalance <= 1", "seat_imbalance is a share, so write % or pp after the number"),
        ("turns <= 30 %", "turns is in turns, so no % or pp"),
        ("turns 34..28", "is no range: it goes from 34 to 28"),
        ("seat_imbalance <= 0 pp", "name a limit above 0 pp"),
        ("skill_gradient larger", "skill_gradient is not counted game by game"),
        ("turns", "is not a goal like"),
        ("margin nicer", "is not a goal like"),
    ],
)
def test_anything_else_is_a_sentence_that_says_what_to_write(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_goal(GAME, text, PLAYERS)


def values(**settings: Any) -> dict[str, Any]:
    base = {"name": "x", "base": "print", "goals": "turns 28..34", "knobs": {"dig": "2:4"}}
    return {**base, **settings}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"gaols": []}, "unknown key 'gaols'; did you mean 'goals'"),
        ({"knobs": {"digg": "2:4"}}, "unknown knob 'digg'; did you mean 'dig'"),
        ({"knobs": {"dig": "2:99"}}, "98 values; 64 are the most"),
        ({"knobs": {"hands": ["open", "shut"]}}, "it takes hidden | open"),
        ({"costs": {"hands": 2}}, "unknown knob with a cost 'hands'"),
        ({"costs": {"dig": "much"}}, "costs"),
        ({"guards": {"margin": "a bit"}}, "not an amount by which it may get worse"),
        ({"levels": "expret"}, "did you mean 'expert'"),
        ({"elsewhere": ["boks"]}, "boks"),
        ({"games": 3}, "games = 3 is too small"),
        ({"rulesets": "all"}, 'rulesets = "all" is not a whole number'),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_a_goal_file_with_a_mistake_names_it(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        goal_of(values(**settings))


def test_the_values_of_the_base_are_always_to_choose_from() -> None:
    goal = goal_of(values(knobs={"end_lines": [4, 6], "last_round": ["none", "round"]}))
    grid, book = goal.grid()
    assert [vary.values for vary in grid.varied] == [("4", "5", "6"), ("others", "none", "round")]
    assert book == ("5", "others")


def test_an_error_in_a_file_names_the_file_and_options_replace_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "fair.toml"
    path.write_text('base = "print"\ngoals = "turns 28..34"\nseed = 5\n[knobs]\ndig = "2:4"\n')
    goal = read_goal(path, {"seed": 6})
    assert (goal.name, goal.seed, goal.game) == ("fair", 6, "metromania")
    path.write_text('base = "print"\n')
    with pytest.raises(UsageError, match=r"goal file .*fair\.toml: a design needs 'goals'"):
        read_goal(path, {})
