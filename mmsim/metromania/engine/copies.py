"""Copies of a position that leave out what its board does not have."""

import numpy as np

from mmsim.compiled.decorators import jit
from mmsim.compiled.intrinsics import copy_bytes
from mmsim.metromania.engine.state import CITY, Board, State

_PLACE, _LANES, _END_FREE, _LINES_AT, _TERMINUS_AT, _LINES_ALONG, _STATION, _KIND = CITY.values()


@jit
def copy_position(to: State, s: State, b: Board) -> None:
    """Make `to` the same position as `s`, on the same board."""
    copy_bytes(to, s, np.int64(0), np.int64(_PLACE))
    copy_bytes(to, s, np.int64(_PLACE), 8 * b.vertices)
    copy_bytes(to, s, np.int64(_LANES), 8 * b.vertices)
    copy_bytes(to, s, np.int64(_END_FREE), 2 * b.vertices)
    copy_bytes(to, s, np.int64(_LINES_AT), b.vertices)
    copy_bytes(to, s, np.int64(_TERMINUS_AT), b.vertices)
    copy_bytes(to, s, np.int64(_LINES_ALONG), b.edges)
    copy_bytes(to, s, np.int64(_STATION), b.vertices)
    copy_bytes(to, s, np.int64(_KIND), b.city_cells)
