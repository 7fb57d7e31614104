"""What is expected of open lines: how many tiles they may still pass, and whether they end in the centre."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import copy_bytes, inlined, ix, jit, lowest_bit
from mmsim.metro.bots.thinking.memory import EXPECTATIONS, Thoughts
from mmsim.metro.engine.state import ENTRIES, KINDS, NODES, Board, State
from mmsim.metro.rules.board import STATIONS

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def expect(b: Board, t: Thoughts, start: Any) -> None:
    """Begin to expect: how the tracks of the unseen tiles run, and the same of every empty cell."""
    t.open_worth = -1.0
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
        t.tiles[ix(node)] = start if node < ENTRIES else 0.0
        t.both[ix(node)] = 0.0
        t.centre[ix(node)] = 1.0 if node >= ENTRIES + STATIONS else 0.0


@jit
def refine(v: State, b: Board, t: Thoughts, sweeps: Any) -> None:
    """How a line goes on from every empty cell, if every tile that will be laid there is any of the unseen ones."""
    track = (t.track[0], t.track[1], t.track[2], t.track[3])
    empty, winding = b.cells & ~v.placed, _ZERO
    for sweep in range(sweeps):
        cells = empty
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            if sweep == 0 and _look_ahead(v, b, t, cell):
                winding |= _ONE << np.uint64(cell)
            if winding >> np.uint64(cell) & _ONE == _ZERO:
                _expect_in(t, track, cell)
            else:
                for side in range(4):  # what is expected at one side tells on the next
                    _expect_at(t, track, cell, side)


@inlined
def _look_ahead(v: State, b: Board, t: Thoughts, cell: Any) -> bool:
    """Where lines get that leave a cell by each of its sides; returns whether one of them comes back to the cell."""
    winds = False
    for side in range(4):
        beyond = b.exit[ix(4 * cell + side)]
        node = np.int64(v.last[ix(beyond)])
        t.ahead[ix(4 * cell + side)] = node
        t.stretch[ix(4 * cell + side)] = v.length[ix(beyond)]
        winds |= node >> 2 == cell
    return winds


@inlined
def _expect_in(t: Thoughts, track: Any, cell: Any) -> None:
    """From every side of a cell: one tile more, then along the stretch beyond it, then on from there."""
    at = 4 * cell
    tiles0, centre0, both0 = _beyond(t, at)
    tiles1, centre1, both1 = _beyond(t, at + 1)
    tiles2, centre2, both2 = _beyond(t, at + 2)
    tiles3, centre3, both3 = _beyond(t, at + 3)
    t.tiles[ix(at)] = _mean(track, 1.0, tiles0, tiles1, tiles2, tiles3)
    t.tiles[ix(at + 1)] = _mean(track, 1.0, tiles1, tiles2, tiles3, tiles0)
    t.tiles[ix(at + 2)] = _mean(track, 1.0, tiles2, tiles3, tiles0, tiles1)
    t.tiles[ix(at + 3)] = _mean(track, 1.0, tiles3, tiles0, tiles1, tiles2)
    t.centre[ix(at)] = _mean(track, 0.0, centre0, centre1, centre2, centre3)
    t.centre[ix(at + 1)] = _mean(track, 0.0, centre1, centre2, centre3, centre0)
    t.centre[ix(at + 2)] = _mean(track, 0.0, centre2, centre3, centre0, centre1)
    t.centre[ix(at + 3)] = _mean(track, 0.0, centre3, centre0, centre1, centre2)
    t.both[ix(at)] = _mean(track, 0.0, both0, both1, both2, both3)
    t.both[ix(at + 1)] = _mean(track, 0.0, both1, both2, both3, both0)
    t.both[ix(at + 2)] = _mean(track, 0.0, both2, both3, both0, both1)
    t.both[ix(at + 3)] = _mean(track, 0.0, both3, both0, both1, both2)


@inlined
def _expect_at(t: Thoughts, track: Any, cell: Any, side: Any) -> None:
    """The same from one side, with what is expected at the others by now."""
    at = 4 * cell
    tiles0, centre0, both0 = _beyond(t, at + side)
    tiles1, centre1, both1 = _beyond(t, at + (side + 1 & 3))
    tiles2, centre2, both2 = _beyond(t, at + (side + 2 & 3))
    tiles3, centre3, both3 = _beyond(t, at + (side + 3 & 3))
    t.tiles[ix(at + side)] = _mean(track, 1.0, tiles0, tiles1, tiles2, tiles3)
    t.centre[ix(at + side)] = _mean(track, 0.0, centre0, centre1, centre2, centre3)
    t.both[ix(at + side)] = _mean(track, 0.0, both0, both1, both2, both3)


@inlined
def _beyond(t: Thoughts, way: Any) -> tuple[float, float, float]:
    """What a line passes that leaves a cell: tiles, whether it ends in the centre, and both with the cell's tile."""
    node, stretch = t.ahead[ix(way)], t.stretch[ix(way)]
    centre = t.centre[ix(node)]
    return stretch + t.tiles[ix(node)], centre, (1.0 + stretch) * centre + t.both[ix(node)]


@inlined
def _mean(track: Any, first: Any, back: Any, clockwise: Any, across: Any, counter: Any) -> float:
    """Something to begin with, and the mean over the tracks by which a tile may send a line on, by sides clockwise."""
    return first + track[0] * back + track[1] * clockwise + track[2] * across + track[3] * counter


@inlined
def copy_expectations(to: Thoughts, t: Thoughts) -> None:
    """Expect the same of another position."""
    copy_bytes(to, t, np.int64(0), np.int64(EXPECTATIONS))
