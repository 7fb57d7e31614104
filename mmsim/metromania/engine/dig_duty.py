"""The strict duty to dig (T3, `dig_duty=most`): a turn must dig as many tunnels as it can."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import count_bits, scratch_like
from mmsim.metromania.engine.ending import stops_turn
from mmsim.metromania.engine.moves import find_tunnels, kth_choice, list_starts, tunnels_per_turn
from mmsim.metromania.engine.placing import put_down
from mmsim.metromania.engine.state import STOP, Board, Rules, State, copy_position

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def keep_dutiful_choices(s: State, b: Board, r: Rules) -> None:
    """T3, `dig_duty=most`: keep the next tunnels after which the turn can reach the most tunnels."""
    if s.dug + 1 == tunnels_per_turn(s, r):
        return
    if s.start_choices > 0:
        list_starts(s, b)
    kept = scratch_like(s)  # `ways` and `starts` are the best so far, `dug` the tunnels they reach
    k = np.int64(0)
    for at in range(4):
        rest = s.ways[ix(at)]
        while rest != _ZERO:
            if _reaches_most(s, b, r, kept, k):
                kept.ways[ix(at)] |= rest & (~rest + _ONE)
            rest &= rest - _ONE
            k += 1
    for side in range(6):
        rest = s.starts[ix(side)] if s.start_choices > 0 else _ZERO
        while rest != _ZERO:
            if _reaches_most(s, b, r, kept, k):
                kept.starts[ix(side)] |= rest & (~rest + _ONE)
            rest &= rest - _ONE
            k += 1
    s.start_choices = 0
    s.choices -= k
    for at in range(4):
        s.ways[ix(at)] = kept.ways[ix(at)]
        s.choices += count_bits(s.ways[ix(at)])
    for side in range(6):
        s.starts[ix(side)] = kept.starts[ix(side)]
        s.start_choices += count_bits(s.starts[ix(side)])
    s.choices += s.start_choices


@jit
def _reaches_most(s: State, b: Board, r: Rules, kept: State, k: Any) -> bool:
    """T3: whether the turn can reach as many tunnels after the k-th choice as after the best so far."""
    kind, number, where, extra = kth_choice(s, b, k)
    tunnels = tunnels_in_reach(s, b, r, kind, number, where, extra)
    if tunnels > kept.dug:  # the choices kept so far reach fewer
        kept.dug = tunnels
        for at in range(4):
            kept.ways[ix(at)] = _ZERO
        for side in range(6):
            kept.starts[ix(side)] = _ZERO
    return tunnels == kept.dug


@jit
def tunnels_in_reach(s: State, b: Board, r: Rules, kind: Any, number: Any, where: Any, extra: Any) -> np.int64:
    """T3: the most tunnels the turn can reach after a move; a turn stopped by a trigger has done its duty."""
    after = scratch_like(s)
    copy_position(after, s, b)
    bonus_due = put_down(after, b, r, kind, number, where, extra)
    limit = np.int64(tunnels_per_turn(s, r))
    if after.dug == limit or (r.trigger_turn == STOP and stops_turn(after, b, r)):
        return limit
    if not bonus_due:
        find_tunnels(after, b, r)
    most = np.int64(after.dug)
    for k in range(after.choices):
        next_kind, next_number, next_where, next_extra = kth_choice(after, b, np.int64(k))
        most = max(most, tunnels_in_reach(after, b, r, next_kind, next_number, next_where, next_extra))
        if most == limit:
            break
    return most
