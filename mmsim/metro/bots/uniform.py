"""The bot that every other one has to beat."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import inlined
from mmsim.compiled.streams import draw_below
from mmsim.core.bots import Bot
from mmsim.metro.engine.moves import kth_move

UNIFORM = Bot("uniform", "Any legal move, all equally likely.", "Nothing but how many moves there are.", {})


@inlined
def choose_uniform(v: Any, r: Any, dice: Any, stream: Any) -> np.int64:
    return kth_move(v, r, draw_below(dice, stream, v.choices))
