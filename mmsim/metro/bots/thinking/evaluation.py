"""The value of a position to a player: whose points count, and what lines score or are expected to score."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.metro.bots.thinking.memory import BOTH, CENTRE, EXPECTED, TILES, Thoughts
from mmsim.metro.engine.lines import centre_factor, holds_number, line_points, number_factor
from mmsim.metro.engine.scoring import tenths_held
from mmsim.metro.engine.state import ENTRIES, NOBODY, SHARES, UNKNOWN, Board, Rules, State
from mmsim.metro.rules.board import STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)
RANK = 0.25  # X15: ranks that a company gains per point of profit, roughly


@jit
def weigh_owners(v: State, r: Rules, t: Thoughts, seat: Any, own: Any, others: Any) -> None:
    """Work out what a point of every owner of wagons is worth to a player: own points, minus the rivals' average."""
    for owner in range(r.owners):
        t.stake[ix(owner)] = -others / (r.players - 1)
        if r.companies:
            held = 0.0
            for rival in range(r.players):
                if rival != seat:
                    held += held_tenths(v, rival, owner)
            rivals = held / (r.players - 1)
            t.stake[ix(owner)] = RANK * (own * np.float64(tenths_held(v, seat, owner)) - others * rivals)
    if not r.companies:
        t.stake[ix(seat)] = own


@jit
def held_tenths(v: State, player: Any, company: Any) -> float:
    """The tenths of a company that a player holds, as far as seen; a hidden share may be of any company."""
    held = np.float64(tenths_held(v, player, company))
    for i in range(SHARES):
        if v.share[ix(SHARES * player + i)] == UNKNOWN:
            held += (i + 1.0) / COMPANIES
    return held


@inlined
def expected_points(t: Thoughts, line: Any, node: Any, tiles: Any) -> float:
    """X11, X16: the points of a line that has passed `tiles` on its way to a node: final if the node is a station,
    expected otherwise."""
    if t.open_value >= 0.0 and node < ENTRIES:
        return t.open_value
    more = np.float64(centre_factor(line) - 1)  # extra points per tile if the line ends in the centre
    at = EXPECTED * np.int64(node)
    centre, both = t.expected[ix(at + CENTRE)], t.expected[ix(at + BOTH)]
    return tiles + t.expected[ix(at + TILES)] + more * (tiles * centre) + more * both


@inlined
def open_points(v: State, b: Board, t: Thoughts, line: Any) -> float:
    """The expected points of a line that has not arrived."""
    first = b.departure[ix(line)]
    return expected_points(t, line, np.int64(v.last[ix(first)]), np.float64(v.length[ix(first)]))


@jit
def position_value(v: State, b: Board, r: Rules, t: Thoughts, seat: Any) -> float:
    """The value of a whole position to a player: points, and the expected points of open lines."""
    value = 0.0
    for owner in range(r.owners):
        value += t.stake[ix(owner)] * v.points[ix(owner)]
    for line in range(STOPS):
        owner = v.owner[ix(line)]
        if owner == NOBODY:
            continue
        if v.arrived >> np.uint64(line) & _ONE == _ZERO:
            value += t.stake[ix(owner)] * open_points(v, b, t, line)
        elif r.numbers and holds_number(v, seat, np.int64(v.to[ix(line)])):
            value += np.float64(line_points(v, line) * number_factor(line))
    return value
