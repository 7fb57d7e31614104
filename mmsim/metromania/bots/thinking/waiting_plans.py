"""A plan of one line, and those that are put aside to be gone on with, or kept as the best of their kind."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import inlined, ix
from mmsim.metromania.bots.thinking.memory import DEPTH, PLANS, Thoughts
from mmsim.metromania.engine.state import Rules, State

QUIET, EXPLAINING, EXPLAINING_STEP = range(3)  # amounts: not written down; of a plan; of a tunnel on the way to its end
NEVER = -1e18  # a plan that does not exist
CODE_BITS = 16  # of a move in the moves of a plan
MADE_AT = CODE_BITS * DEPTH  # above them, in a plan that is kept: how many stations it makes


class Plan(NamedTuple):
    """Where a plan of one line stands."""

    number: Any  # the line, 0 or 1
    side: Any  # the one on which it started
    depth: Any  # tunnels planned
    at: Any  # the vertex it has come to
    direction: Any  # in which it came there
    edge: Any  # along which it came there
    station: Any  # whether there is a station
    value: Any  # of its tunnels, without that of the end of the line
    kinds: Any  # lanes that may still be dug in: blank ones only once the turn's markers are laid
    made: Any  # stations it makes
    unserved: Any  # bits of what has no station by then, as in `unserved`
    network: Any  # bits of the lines that the company's are connected with by then
    codes: Any  # its moves, CODE_BITS each, the first lowest
    last: Any  # whether its next tunnel is the last one
    explaining: Any  # QUIET where that is known, else what the bot's thoughts say


@inlined
def code_of(codes: Any, i: Any) -> np.int64:
    """The i-th of the moves of a plan."""
    return codes >> CODE_BITS * i & (1 << CODE_BITS) - 1


@inlined
def put_aside(t: Thoughts, plan: Plan, cell: Any) -> None:
    """Put a plan aside, to be gone on with; the tunnels before its last one are those of all that wait above it."""
    at = t.waiting
    t.waiting += 1
    t.wait_depth[ix(at)] = plan.depth
    t.wait_at[ix(at)] = plan.at
    t.wait_direction[ix(at)] = plan.direction
    t.wait_edge[ix(at)] = plan.edge
    t.wait_station[ix(at)] = plan.station
    t.wait_value[ix(at)] = plan.value
    t.wait_kinds[ix(at)] = plan.kinds
    t.wait_made[ix(at)] = plan.made
    t.wait_unserved[ix(at)] = plan.unserved
    t.wait_network[ix(at)] = plan.network
    t.wait_codes[ix(at)] = plan.codes
    t.wait_cell[ix(at)] = cell


@inlined
def take_up(v: State, r: Rules, t: Thoughts, number: Any, side: Any, explaining: Any) -> Plan:
    """The plan that has waited last."""
    at = t.waiting
    return Plan(
        number,
        side,
        t.wait_depth[ix(at)],
        t.wait_at[ix(at)],
        t.wait_direction[ix(at)],
        t.wait_edge[ix(at)],
        t.wait_station[ix(at)] != 0,
        t.wait_value[ix(at)],
        t.wait_kinds[ix(at)],
        t.wait_made[ix(at)],
        t.wait_unserved[ix(at)],
        t.wait_network[ix(at)],
        t.wait_codes[ix(at)],
        is_last(v, r, t, number, t.wait_depth[ix(at)]),
        explaining,
    )


@inlined
def is_last(v: State, r: Rules, t: Thoughts, number: Any, depth: Any) -> bool:
    """Whether no more than one tunnel may follow on those of a plan."""
    return depth + 1 >= t.planned or v.tunnels[ix(2 * v.seat + number)] + depth + 1 >= r.tunnels_per_line


@inlined
def keep(t: Thoughts, laid: Any, value: Any, plan: Plan) -> None:
    """Note a plan if it is the best so far of its first move, length and use of a marker.

    Without branches, which nobody could predict.
    """
    at = PLANS * t.first + 2 * plan.depth + laid
    best, codes = t.best[ix(at)], t.best_codes[ix(at)]
    changed = (plan.codes | plan.made << MADE_AT) ^ codes
    t.best[ix(at)] = value if value > best else best
    t.best_codes[ix(at)] = codes ^ changed & -np.int64(value > best)
