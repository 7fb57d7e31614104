"""The view of a bot that does without some elements of the game (restricted play: Jaffe et al., AIIDE 2012)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import jit
from mmsim.compiled.intrinsics import count_bits
from mmsim.metro.bots.kinds import DRAWS, EXCHANGES, WAGONS
from mmsim.metro.engine.moves import tile_left
from mmsim.metro.engine.state import SUPPLY, State

_ZERO = np.uint64(0)


@jit
def restrict(v: State, without: Any) -> None:
    """Remove the moves that a bot does without from its view; one that can place no tile may still draw."""
    if v.drawn >= 0:
        return
    if without & DRAWS and tile_left(v) and v.place_choices > 0:
        v.next = np.int64(SUPPLY)
        v.choices -= 1
    if without & EXCHANGES:
        v.choices -= 2 * count_bits(v.exchange_shares)
        v.exchange_shares = _ZERO
    if without & WAGONS:
        v.choices -= count_bits(v.edges) * count_bits(v.wagon_shares)
        v.wagon_shares = _ZERO
