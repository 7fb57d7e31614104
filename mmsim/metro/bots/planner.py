"""Plans ahead: what every open line will bring in the end."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit, lowest_bit
from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots.greedy import place_or_draw
from mmsim.metro.bots.thinking.evaluation import best_placement, drawing_value, held_by, weigh_owners, worth
from mmsim.metro.engine.moves import DRAW, EXCHANGE, WAGON, move_code
from mmsim.metro.engine.state import ENTRIES, KINDS, NOBODY, NODES, SHARES, SUPPLY, UNKNOWN
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES

PLANNER = Bot(
    "planner",
    "Expects a final length of every open line, with the chance of the centre, and moves to raise its own and lower "
    "the others'; draws, puts wagons and exchanges shares when that promises more than the tile in hand.",
    "The own tiles, all open lines, the tiles it has not seen, open shares and the likely ranks of the companies.",
    {
        "others": Weight(1.0, 0.0, 10.0, "Weight of the points the others get on average."),
        "sweeps": Weight(6.0, 0.0, 50.0, "How often the expectations are passed on from cell to cell."),
        "start": Weight(3.0, 0.0, 60.0, "Tiles expected of a line before anything is known."),
        "wagon": Weight(1.0, 0.0, 10.0, "Weight of the points expected of a centre wagon."),
        "exchange": Weight(0.5, 0.0, 10.0, "Weight of the points expected of an exchange."),
    },
)
OTHERS, _SWEEPS, _START, WAGONS, EXCHANGES = range(5)
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_MAJORITY = 0.2  # what a tenth of a company already held adds to the value of a share of it


@jit
def expect(v: Any, b: Any, mind: Any, start: Any) -> None:
    """Begin to expect: how the tracks of the unseen tiles run, and the same of every empty cell."""
    mind.open_worth = -1.0
    total = 0.0
    for turn in range(4):
        mind.track[ix(turn)] = 0.0
    for kind in range(KINDS):
        unseen = np.float64(mind.unseen[ix(kind)])
        total += 4.0 * unseen
        for side in range(4):
            mind.track[ix((np.int64(b.out[ix(4 * kind + side)]) - side) & 3)] += unseen
    for turn in range(4):
        mind.track[ix(turn)] /= max(total, 1.0)
    for node in range(NODES):
        mind.tiles[ix(node)] = start if node < ENTRIES else 0.0
        mind.both[ix(node)] = 0.0
        mind.centre[ix(node)] = 1.0 if node >= ENTRIES + STATIONS else 0.0


@jit
def refine(v: Any, b: Any, mind: Any, sweeps: Any) -> None:
    """How a line goes on from every empty cell, if every tile that will be laid there is any of the unseen ones."""
    for _ in range(sweeps):
        cells = b.cells & ~v.placed
        while cells != _ZERO:
            cell = lowest_bit(cells)
            cells &= cells - _ONE
            for side in range(4):
                _expect_at(v, b, mind, cell, side)


@jit
def _expect_at(v: Any, b: Any, mind: Any, cell: Any, side: Any) -> None:
    """One tile more, then along the stretch beyond it, then on from there."""
    tiles, centre, both = 1.0, 0.0, 0.0
    for turn in range(4):
        chance = mind.track[ix(turn)]
        beyond = b.exit[ix(4 * cell + (side + turn & 3))]
        node = v.last[ix(beyond)]
        stretch = np.float64(v.length[ix(beyond)])
        tiles += chance * (stretch + mind.tiles[ix(node)])
        centre += chance * mind.centre[ix(node)]
        both += chance * ((1.0 + stretch) * mind.centre[ix(node)] + mind.both[ix(node)])
    mind.tiles[ix(4 * cell + side)] = tiles
    mind.centre[ix(4 * cell + side)] = centre
    mind.both[ix(4 * cell + side)] = both


@jit
def plan(v: Any, b: Any, r: Any, mind: Any, w: Any, at: Any) -> None:
    """Make up the mind: what every owner's points are worth, and what to expect of every line."""
    weigh_owners(v, r, mind, v.seat, 1.0, w[ix(at + OTHERS)])
    expect(v, b, mind, w[ix(at + _START)])
    refine(v, b, mind, np.int64(w[ix(at + _SWEEPS)]))


@jit
def best_wagon(v: Any, b: Any, r: Any, mind: Any, weight: Any) -> tuple[np.int64, float]:
    """X16: the centre edge from which most is expected, for the share that gains most by it."""
    best, chosen = -1e9, np.int64(-1)
    for i in range(SHARES):
        if v.wagon_shares >> np.uint64(i) & _ONE == _ZERO:
            continue
        owner = np.int64(v.share[ix(SHARES * v.seat + i)]) if r.companies else v.seat
        edges = v.edges
        while edges != _ZERO:
            edge = lowest_bit(edges)
            edges &= edges - _ONE
            node = b.departure[ix(STATIONS + edge)]
            value = weight * mind.stake[ix(owner)] * mind.tiles[ix(node)]
            if value > best:
                best, chosen = value, move_code(WAGON, i, 0, edge)
    return chosen, best


@jit
def expect_values(v: Any, b: Any, mind: Any) -> None:
    """X15: what the companies will likely have made in the end, and what that would make them worth."""
    for company in range(COMPANIES):
        mind.profit[ix(company)] = np.float64(v.points[ix(company)])
    for line in range(STOPS):
        owner = v.owner[ix(line)]
        if owner != NOBODY and v.arrived >> np.uint64(line) & _ONE == _ZERO:
            first = b.departure[ix(line)]
            mind.profit[ix(owner)] += worth(mind, line, np.int64(v.last[ix(first)]), np.float64(v.length[ix(first)]))
    for company in range(COMPANIES):
        mind.value[ix(company)] = np.float64(COMPANIES)
        for other in range(COMPANIES):
            mind.value[ix(company)] -= np.float64(mind.profit[ix(other)] > mind.profit[ix(company)])


@jit
def _taken(v: Any, mind: Any, company: Any) -> float:
    """X15: what a share of a company would be worth: more of one that is already held may make a majority."""
    return mind.value[ix(company)] + _MAJORITY * held_by(v, v.seat, company)


@jit
def _hidden(v: Any, mind: Any, i: Any) -> float:
    """X15: what the top share of a pile would be worth, if it is not known the average of all that are not."""
    top = np.int64(v.pile[ix(COMPANIES * i)])
    if top != UNKNOWN:
        return _taken(v, mind, top)
    total, unknown = 0.0, 0.0
    for company in range(COMPANIES):
        if v.knows[ix(COMPANIES * i + company)] == 0:
            total += mind.value[ix(company)]
            unknown += 1.0
    return total / unknown


@jit
def best_exchange(v: Any, b: Any, mind: Any, weight: Any) -> tuple[np.int64, float]:
    """X15: the exchange that gains most by the values the companies will likely have."""
    expect_values(v, b, mind)
    best, chosen = -1e9, np.int64(-1)
    shares = v.exchange_shares
    while shares != _ZERO:
        i = lowest_bit(shares)
        shares &= shares - _ONE
        own = mind.value[ix(v.share[ix(SHARES * v.seat + i)])]
        gains = (_taken(v, mind, np.int64(v.open_share[ix(i)])), _hidden(v, mind, i))
        for take in range(2):
            value = weight * (i + 1.0) * (gains[take] - own)
            if value > best:
                best, chosen = value, move_code(EXCHANGE, i, take, 0)
    return chosen, best


@jit
def choose_planner(v: Any, b: Any, r: Any, mind: Any, w: Any, at: Any, dice: Any, stream: Any) -> np.int64:
    """Whatever raises the own expectations most: a tile, a draw, a wagon or an exchange."""
    plan(v, b, r, mind, w, at)
    if v.drawn >= 0 or not (r.companies or r.stations):
        return place_or_draw(v, b, r, mind, dice, stream)
    chosen, best = best_placement(v, b, r, mind, dice, stream)
    if v.next < SUPPLY:
        value = drawing_value(v, b, r, mind)
        if value > best:
            chosen, best = np.int64(DRAW), value
    if r.stations:
        move, value = best_wagon(v, b, r, mind, w[ix(at + WAGONS)])
        if move >= 0 and value > best:
            chosen, best = move, value
    if r.companies:
        move, value = best_exchange(v, b, mind, w[ix(at + EXCHANGES)])
        if move >= 0 and value > best:
            chosen = move
    return chosen if chosen >= 0 else place_or_draw(v, b, r, mind, dice, stream)
