"""Decisions of games that are played for them, to train a net."""

from functools import partial
from typing import Any

from numpy.typing import NDArray

from mmsim.core import lessons
from mmsim.metro.bots import border
from mmsim.metro.bots.expert import EXPERT
from mmsim.metro.bots.prepared import Prepared
from mmsim.metro.bots.thinking.lessons import LESSON

_LESSONS = lessons.Lessons(every=2, most=int(EXPERT.settings["candidates"]), kind=LESSON, rows=1 << 11)


def collect_lessons(prepared: Prepared, first_game: int, count: int, learner: str) -> NDArray[Any]:
    """Decisions of the bots called `learner`; as many moves of each as expert compares."""
    games = range(first_game, first_game + count)
    play = partial(border.collect_lessons, border.new_memory(), prepared.setting)
    return lessons.collect_lessons(prepared, games, learner, _LESSONS, play)
