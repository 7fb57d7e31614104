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
    for _ in range(sweeps):
        cells = b.cells & ~v.placed
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            _expect_in(v, b, t, track, cell)


@inlined
def _expect_in(v: State, b: Board, t: Thoughts, track: Any, cell: Any) -> None:
    """From every side of a cell: one tile more, then along the stretch beyond it, then on from there."""
    at = 4 * cell
    beyond0, beyond1, beyond2, beyond3 = b.exit[ix(at)], b.exit[ix(at + 1)], b.exit[ix(at + 2)], b.exit[ix(at + 3)]
    node0, node1, node2, node3 = v.last[ix(beyond0)], v.last[ix(beyond1)], v.last[ix(beyond2)], v.last[ix(beyond3)]
    if node0 >> 2 == cell or node1 >> 2 == cell or node2 >> 2 == cell or node3 >> 2 == cell:
        for side in range(4):  # a stretch comes back to the cell: what is expected at one side tells on the next
            _expect_at(v, b, t, track, cell, side)
        return
    tiles0, centre0, both0 = _beyond(v, t, beyond0, node0)
    tiles1, centre1, both1 = _beyond(v, t, beyond1, node1)
    tiles2, centre2, both2 = _beyond(v, t, beyond2, node2)
    tiles3, centre3, both3 = _beyond(v, t, beyond3, node3)
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


@jit
def _expect_at(v: State, b: Board, t: Thoughts, track: Any, cell: Any, side: Any) -> None:
    """The same from one side, with what is expected at the others by now."""
    beyond = b.exit[ix(4 * cell + side)]
    tiles0, centre0, both0 = _beyond(v, t, beyond, v.last[ix(beyond)])
    beyond = b.exit[ix(4 * cell + (side + 1 & 3))]
    tiles1, centre1, both1 = _beyond(v, t, beyond, v.last[ix(beyond)])
    beyond = b.exit[ix(4 * cell + (side + 2 & 3))]
    tiles2, centre2, both2 = _beyond(v, t, beyond, v.last[ix(beyond)])
    beyond = b.exit[ix(4 * cell + (side + 3 & 3))]
    tiles3, centre3, both3 = _beyond(v, t, beyond, v.last[ix(beyond)])
    t.tiles[ix(4 * cell + side)] = _mean(track, 1.0, tiles0, tiles1, tiles2, tiles3)
    t.centre[ix(4 * cell + side)] = _mean(track, 0.0, centre0, centre1, centre2, centre3)
    t.both[ix(4 * cell + side)] = _mean(track, 0.0, both0, both1, both2, both3)


@inlined
def _beyond(v: State, t: Thoughts, beyond: Any, node: Any) -> tuple[float, float, float]:
    """What a line passes that leaves a cell into a stretch which ends at a node: tiles, whether it ends in the centre,
    and both with the tile of the cell."""
    stretch = np.float64(v.length[ix(beyond)])
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
