"""Expectations of open lines (tiles still to pass, ending in the centre), and the value of a position by them."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import copy_bytes, lowest_bit, unlikely
from mmsim.compiled.vectors import add_lanes, add_weighted_lanes
from mmsim.metro.bots.thinking.memory import BOTH, CENTRE, EXPECTATIONS, EXPECTED, TILES, Thoughts
from mmsim.metro.engine.lines import centre_factor, holds_number, line_points, number_factor
from mmsim.metro.engine.scoring import tenths_held
from mmsim.metro.engine.state import ENTRIES, KINDS, NOBODY, NODES, SHARES, UNKNOWN, Board, Rules, State
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)
RANK = 0.25  # X15: ranks that a company gains per point of profit, roughly


@jit
def expect(b: Board, t: Thoughts, start: Any) -> None:
    """Start from the same expectation for every empty cell, and count how the tracks of the unseen tiles run."""
    t.open_value = -1.0
    total = 0.0
    for turn in range(4):
        t.track[ix(turn)] = 0.0
    for kind in range(KINDS):
        unseen = np.float64(t.unseen[ix(kind)])
        total += 4.0 * unseen
        for side in range(4):
            t.track[ix((np.int64(b.out[ix(4 * kind + side)]) - side) & 3)] += unseen
    for turn in range(4):
        t.track[ix(turn)] /= max(total, 1.0)
    for node in range(NODES):
        at = EXPECTED * node
        t.expected[ix(at + TILES)] = start if node < ENTRIES else 0.0
        t.expected[ix(at + CENTRE)] = 1.0 if node >= ENTRIES + STATIONS else 0.0
        t.expected[ix(at + BOTH)] = 0.0
        t.expected[ix(at + 3)] = 0.0


@jit
def refine(v: State, b: Board, t: Thoughts, sweeps: Any) -> None:
    """Update the expectations of all empty cells, each as if any unseen tile may be laid there."""
    track = (t.track[0], t.track[1], t.track[2], t.track[3])
    empty, winding = b.cells & ~v.placed, _ZERO
    cells = empty
    while cells != _ZERO:
        cell = lowest_bit(cells)
        cells &= cells - _ONE
        if unlikely(_look_ahead(v, b, t, track, cell, sweeps)):
            winding |= _ONE << np.uint64(cell)
    for _ in range(1, sweeps):
        cells = empty
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            if unlikely(winding >> np.uint64(cell) & _ONE != _ZERO):
                _wind(t, track, cell)
            else:
                at = 4 * cell
                _expect_in(t, track, cell, _on(t, at), _on(t, at + 1), _on(t, at + 2), _on(t, at + 3))


@inlined
def _look_ahead(v: State, b: Board, t: Thoughts, track: Any, cell: Any, sweeps: Any) -> bool:
    """Note for later sweeps where a line leaving the cell by each side gets to, and do the first sweep.

    Returns whether a line comes back to the cell.
    """
    at = 4 * cell
    node0, stretch0 = _way(v, b, at)
    node1, stretch1 = _way(v, b, at + 1)
    node2, stretch2 = _way(v, b, at + 2)
    node3, stretch3 = _way(v, b, at + 3)
    winds = (node0 >> 2 == cell) | (node1 >> 2 == cell) | (node2 >> 2 == cell) | (node3 >> 2 == cell)
    if sweeps > 1 or winds:
        t.ahead[ix(at)], t.ahead[ix(at + 1)], t.ahead[ix(at + 2)], t.ahead[ix(at + 3)] = node0, node1, node2, node3
        t.stretch[ix(at)] = stretch0
        t.stretch[ix(at + 1)] = stretch1
        t.stretch[ix(at + 2)] = stretch2
        t.stretch[ix(at + 3)] = stretch3
    if sweeps > 0:
        if unlikely(winds):
            _wind(t, track, cell)
        else:
            ways = _beyond(t, node0, stretch0), _beyond(t, node1, stretch1)
            _expect_in(t, track, cell, *ways, _beyond(t, node2, stretch2), _beyond(t, node3, stretch3))
    return winds


@inlined
def _way(v: State, b: Board, way: Any) -> tuple[np.int64, float]:
    """The node that a line reaches when it leaves a cell by a side, and the tiles it passes."""
    beyond = b.exit[ix(way)]
    return np.int64(v.stretch_end[ix(beyond)]), np.float64(v.length[ix(beyond)])


@inlined
def _on(t: Thoughts, way: Any) -> Any:
    return _beyond(t, np.int64(t.ahead[ix(way)]), t.stretch[ix(way)])


@inlined
def _expect_in(t: Thoughts, track: Any, cell: Any, ahead0: Any, ahead1: Any, ahead2: Any, ahead3: Any) -> None:
    """Update all sides of a cell: one more tile, the stretch beyond it, and what is expected from there."""
    at = 4 * cell
    _note(t, at, track, ahead0, ahead1, ahead2, ahead3)
    _note(t, at + 1, track, ahead1, ahead2, ahead3, ahead0)
    _note(t, at + 2, track, ahead2, ahead3, ahead0, ahead1)
    _note(t, at + 3, track, ahead3, ahead0, ahead1, ahead2)


@jit
def _wind(t: Thoughts, track: Any, cell: Any) -> None:
    """Like `_expect_in`, for cells to which a line comes back: the expectation at one side changes that at the next."""
    at = 4 * cell
    for side in range(4):
        back, clockwise = _on(t, at + side), _on(t, at + (side + 1 & 3))
        across, counter = _on(t, at + (side + 2 & 3)), _on(t, at + (side + 3 & 3))
        _note(t, at + side, track, back, clockwise, across, counter)


@inlined
def _beyond(t: Thoughts, node: Any, stretch: Any) -> Any:
    """What to expect of a line that leaves a cell: tiles, ending in the centre, and both with the cell's tile."""
    at = EXPECTED * node
    expected = (t.expected[ix(at)], t.expected[ix(at + 1)], t.expected[ix(at + 2)], t.expected[ix(at + 3)])
    return add_lanes((stretch, 0.0, (1.0 + stretch) * t.expected[ix(at + CENTRE)], 0.0), expected)


@inlined
def _note(t: Thoughts, node: Any, track: Any, back: Any, clockwise: Any, across: Any, counter: Any) -> None:
    """Write the expectation of a node: one tile, and the mean over the tracks along which a line may go on."""
    at = EXPECTED * node
    mean = add_weighted_lanes((1.0, 0.0, 0.0, 0.0), track, back, clockwise, across, counter)
    t.expected[ix(at)] = mean[0]
    t.expected[ix(at + 1)] = mean[1]
    t.expected[ix(at + 2)] = mean[2]
    t.expected[ix(at + 3)] = mean[3]


@inlined
def copy_expectations(to: Thoughts, t: Thoughts) -> None:
    """Start an imagined position with the same expectations."""
    copy_bytes(to, t, np.int64(0), np.int64(EXPECTATIONS))


@jit
def weigh_owners(v: State, r: Rules, t: Thoughts, seat: Any, own: Any, others: Any) -> None:
    """Work out what a point of every owner of wagons is worth to a player: own points, minus the rivals' average."""
    for owner in range(r.owners):
        t.stake[ix(owner)] = -others / (r.players - 1)
        if r.companies:
            held = 0.0
            for rival in range(r.players):
                if rival != seat:
                    held += expected_tenths(v, rival, owner)
            rivals = held / (r.players - 1)
            t.stake[ix(owner)] = RANK * (own * np.float64(tenths_held(v, seat, owner)) - others * rivals)
    if not r.companies:
        t.stake[ix(seat)] = own


@jit
def expected_tenths(v: State, player: Any, company: Any) -> float:
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
    return expected_points(t, line, np.int64(v.stretch_end[ix(first)]), np.float64(v.length[ix(first)]))


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
        elif r.numbers and holds_number(v, seat, np.int64(v.end_stop[ix(line)])):
            value += np.float64(line_points(v, line) * number_factor(line))
    return value
