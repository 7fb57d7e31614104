"""What a design found, in words."""

import pytest

from mmsim.analysis.goals import goal_of
from mmsim.report.design_memo import goal_in_words


@pytest.mark.parametrize(
    ("goals", "says"),
    [
        (["seat_imbalance <= 1 pp"], "unevenness of the seats: at most 1 point"),
        (["turns 28..34"], "length: 28 to 34 turns"),
        (["last seat >= 23 %"], "wins of the last seat: at least 23 %"),
        (["margin smaller by 2"], "winning margin: lower by at least 2 points"),
        (
            ["win_share 1st smaller by 2 pp", "seat_imbalance <= 1.5 pp"],
            "wins of the first seat: lower by at least 2 points and unevenness of the seats: at most 1.5 points",
        ),
    ],
)
def test_goals_are_said_as_players_say_them(goals: list[str], says: str) -> None:
    goal = goal_of({"name": "x", "base": "print", "goals": goals, "knobs": {"dig": [2, 3]}, "guards": {"turns": 1}})
    assert goal_in_words(goal, goal.constraints()) == says
