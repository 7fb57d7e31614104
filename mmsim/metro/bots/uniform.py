"""The bot that every other one has to beat."""

from typing import Any

import numpy as np

from mmsim.core.accel import inlined
from mmsim.core.bots import Bot
from mmsim.core.streams import draw_below
from mmsim.metro.moves import kth_move

UNIFORM = Bot("uniform", "Any legal move, all equally likely.", "Nothing but how many moves there are.", {})


@inlined
def choose_uniform(v: Any, r: Any, dice: Any, stream: Any) -> np.int64:
    return kth_move(v, r, draw_below(dice, stream, v.choices))
