"""Decisions of games that are played for them, to train a net."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.metro.bots import border
from mmsim.metro.bots.expert import EXPERT
from mmsim.metro.bots.prepared import Prepared
from mmsim.metro.bots.thinking.lessons import LESSON

_EVERY = 2  # one decision in so many is collected
_MOST_ROWS = 1 << 11  # of a game


def collect_lessons(prepared: Prepared, first_game: int, count: int, learner: str) -> NDArray[Any]:
    """Decisions of the bots called `learner`; as many moves of each as expert compares."""
    memory, room = border.new_memory(), np.zeros(_MOST_ROWS, LESSON).view(np.recarray)
    most = int(EXPERT.settings["candidates"])
    found = [np.zeros(0, LESSON)]
    for game in range(first_game, first_game + count):
        learners = sum(1 << seat for seat, bot in enumerate(prepared.seated(game)) if bot.spec == learner)
        lesson = border.Lesson(prepared.seed, game, prepared.rotate, learners, _EVERY, most)
        rows = border.collect_lessons(memory, prepared.setting, room, *lesson)
        found.append(np.array(room[:rows]))
    return np.concatenate(found)
