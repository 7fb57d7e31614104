"""No choice depends on seat numbers: everybody moves some seats on, and all bots choose as before."""

from typing import Any

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metro.bots import BOTS, entry_points
from mmsim.metro.bots.position import Position
from mmsim.metro.engine.state import NOBODY
from mmsim.metro.game import Metro

METRO = Metro()
_PLAYERS = 4
_BY_SEAT = ("held", "hand", "tiles_placed", "draws", "points")  # fields with an equal part for every seat
_HEAD, _STREAM = 4, 36  # words of STREAMS before the streams, and of a stream


def turned(memory: Any, by: int) -> Any:
    """The same position with everybody `by` seats further on."""
    other = entry_points.new_memory()
    other.positions[0] = memory.positions[0]
    other.streams[0] = memory.streams[0]
    s, t = memory.positions[0], other.positions[0]
    for name in _BY_SEAT:
        shares = s[name].copy()
        size = _PLAYERS * (len(shares) // 6)  # room for six seats
        shares[:size] = np.roll(shares[:size].reshape(_PLAYERS, -1), by, axis=0).ravel()
        t[name] = shares
    t.owner = np.where(s.owner == NOBODY, s.owner, (s.owner + by) % _PLAYERS)
    t.seat = (s.seat + by) % _PLAYERS
    bots = slice(_HEAD + _STREAM, _HEAD + _STREAM * (1 + _PLAYERS))
    words = memory.streams[0].words[bots].reshape(_PLAYERS, -1)
    other.streams[0].words[bots] = np.roll(words, by, axis=0).ravel()
    return other


@pytest.mark.parametrize("bot", BOTS)
def test_the_choice_is_the_same_when_everybody_moves_some_seats_on(bot: str) -> None:
    prepared = METRO.prepare(Variant("metro", _PLAYERS, bots=bot, seed=9))
    seen = 0
    for game in range(2):
        position = Position(prepared, game)
        while not position.over:
            if position._s.choices > 1:
                codes = {
                    entry_points.choose(turned(position._memory, by), prepared.setting, 0) for by in range(_PLAYERS)
                }
                assert len(codes) == 1, f"game {game}, turn {position.turn}: {codes}"
                seen += 1
            position.apply(position.bot_move())
    assert seen > 50
