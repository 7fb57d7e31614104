"""Decisions of games that are played for them, to train a net."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.core import lessons
from mmsim.metromania.bots import border
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.prepared import Prepared
from mmsim.metromania.bots.thinking.lessons import LESSON

_EVERY = 3  # one decision in so many is collected
_MOST_ROWS = 1 << 12  # of a game


def collect_lessons(prepared: Prepared, first_game: int, count: int, learner: str) -> NDArray[Any]:
    """Decisions of the bots called `learner`; as many turns of each as expert compares."""
    memory, room = border.new_memory(), np.zeros(_MOST_ROWS, LESSON).view(np.recarray)
    most = int(EXPERT.settings["candidates"])

    def play(game: int, learners: int) -> int:
        asked = lessons.Lesson(prepared.seed, game, prepared.seating.games_a_deal, learners, _EVERY, most)
        return int(border.collect_lessons(memory, prepared.setting, room, *asked))

    return lessons.collect_lessons(prepared, range(first_game, first_game + count), learner, room, play)
