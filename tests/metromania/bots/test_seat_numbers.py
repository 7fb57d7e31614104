"""No choice depends on seat numbers: everybody moves some seats on, and all bots choose as before.

Only the playing order distinguishes companies.
"""

from typing import Any

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metromania.bots import BOTS, entry_points
from mmsim.metromania.bots.position import Position
from mmsim.metromania.game import Metromania

METROMANIA = Metromania()
SEARCH = "search:playouts=4,turns=4"
JUDGING = "search:playouts=4,turns=4,rounds=1"  # plays one round and has its value net judge
_SEATS = 4
_BY_SEAT = (  # fields of a position with an equal part for every seat, one after another
    *("turns_taken", "points", "stations_made", "hand_marker", "hand_kind", "held", "partner_placed"),
    *("tunnels", "terminus", "direction", "last_edge", "start_side", "end_side", "open", "stops", "exits"),
    *("touching", "path", "player_points"),
)
_BITS_OF_LINES = ("started", "ended", "lines_at", "terminus_at", "lines_along")
_HEAD, _STREAM = 4, 36  # words of STREAMS before the streams, and of a stream


def turned(memory: Any, by: int) -> Any:
    """The same position with everybody `by` seats further on."""
    other = entry_points.new_memory()
    other.positions[0] = memory.positions[0]
    other.streams[0] = memory.streams[0]
    s, t = memory.positions[0], other.positions[0]
    for name in _BY_SEAT:
        t[name] = np.roll(s[name].reshape(_SEATS, -1), by, axis=0).ravel()
    for name in _BITS_OF_LINES:
        bits = s[name] << (2 * by) | s[name] >> (8 - 2 * by)
        t[name] = bits & 255
    shift = np.uint64(16 * by)  # one byte per line
    t.place = s.place if by == 0 else s.place << shift | s.place >> (np.uint64(64) - shift)
    t.marker_holder = np.where(s.marker_holder < 0, s.marker_holder, (s.marker_holder + by) % _SEATS)
    t.seat = (s.seat + by) % _SEATS
    words = memory.streams[0].words[_HEAD + _STREAM :].reshape(_SEATS, -1)
    other.streams[0].words[_HEAD + _STREAM :] = np.roll(words, by, axis=0).ravel()
    return other


@pytest.mark.parametrize("spec", [*(name for name in BOTS if "search" not in name), "planner:noise=1", SEARCH, JUDGING])
def test_the_choice_is_the_same_when_everybody_moves_some_seats_on(spec: str) -> None:
    """Hands lie open where playouts draw hidden ones: a list of deals is a list by seats."""
    rules = "print,hands=open" if spec in (SEARCH, JUDGING) else "print"
    prepared = METROMANIA.prepare(Variant(rules, 4, bots=spec, seed=9))
    seen = 0
    for game in range(1 if spec in (SEARCH, JUDGING) else 2):
        position = Position(prepared, game)
        while not position.over:
            if position._s.choices > 1 and position._s.plan_turn != position.turn:
                codes = {entry_points.choose(turned(position._memory, by), prepared.setting, 0) for by in range(_SEATS)}
                assert len(codes) == 1, f"game {game}, turn {position.turn}: {codes}"
                seen += 1
            position.apply(position.bot_move())
    assert seen > 20
