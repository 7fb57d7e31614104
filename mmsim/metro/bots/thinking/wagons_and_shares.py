"""The best centre wagon (X16) and the best exchange of shares (X15)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.intrinsics import lowest_bit
from mmsim.metro.bots.thinking.evaluation import expected_points, open_points
from mmsim.metro.bots.thinking.memory import NEVER, Thoughts
from mmsim.metro.engine.moves import EXCHANGE, WAGON, encode_move
from mmsim.metro.engine.scoring import company_value, tenths_held
from mmsim.metro.engine.state import NOBODY, SHARES, UNKNOWN, Board, Rules, State
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_MAJORITY = 0.2  # added to the value of a share for every tenth of its company already held


@jit
def best_wagon(v: State, b: Board, r: Rules, t: Thoughts, weight: Any) -> tuple[np.int64, float]:
    """X16: the centre edge with the highest expectation, for the share that gains most by it."""
    best, chosen = NEVER, np.int64(-1)
    for i in range(SHARES):
        if v.wagon_shares >> np.uint64(i) & _ONE == _ZERO:
            continue
        owner = np.int64(v.share[ix(SHARES * v.seat + i)]) if r.companies else v.seat
        edges = v.edges
        while edges != _ZERO:
            edge = lowest_bit(edges)
            edges &= edges - _ONE
            line = STATIONS + edge
            points = expected_points(t, line, np.int64(b.departure[ix(line)]), np.int64(0))
            value = weight * t.stake[ix(owner)] * points
            if value > best:
                best, chosen = value, encode_move(WAGON, i, 0, edge)
    return chosen, best


@jit
def expect_company_values(v: State, b: Board, t: Thoughts) -> None:
    """X15: the expected final profits of the companies, and the values these would give them."""
    for company in range(COMPANIES):
        t.profit[ix(company)] = np.float64(v.points[ix(company)])
    for line in range(STOPS):
        owner = v.owner[ix(line)]
        if owner != NOBODY and v.arrived >> np.uint64(line) & _ONE == _ZERO:
            t.profit[ix(owner)] += open_points(v, b, t, line)
    for company in range(COMPANIES):
        t.value[ix(company)] = np.float64(company_value(t.profit, company))


@jit
def _share_value(v: State, t: Thoughts, company: Any) -> float:
    """X15: the value of a share of a company; more if the player holds some of it, for the majority."""
    return t.value[ix(company)] + _MAJORITY * np.float64(tenths_held(v, v.seat, company))


@jit
def _pile_value(v: State, t: Thoughts, i: Any) -> float:
    """X15: the value of the top share of a pile; if it is unknown, the average over all unknown ones."""
    top = np.int64(v.pile[ix(COMPANIES * i)])
    if top != UNKNOWN:
        return _share_value(v, t, top)
    total, unknown = 0.0, 0.0
    for company in range(COMPANIES):
        if v.knows[ix(COMPANIES * i + company)] == 0:
            total += t.value[ix(company)]
            unknown += 1.0
    return total / unknown


@jit
def best_exchange(v: State, b: Board, t: Thoughts, weight: Any) -> tuple[np.int64, float]:
    """X15: the exchange that gains most by the expected values of the companies."""
    expect_company_values(v, b, t)
    best, chosen = NEVER, np.int64(-1)
    shares = v.exchange_shares
    while shares != _ZERO:
        i = lowest_bit(shares)
        shares &= shares - _ONE
        given = t.value[ix(v.share[ix(SHARES * v.seat + i)])]
        gains = (_share_value(v, t, np.int64(v.open_share[ix(i)])), _pile_value(v, t, i))
        for take in range(2):
            value = weight * (i + 1.0) * (gains[take] - given)
            if value > best:
                best, chosen = value, encode_move(EXCHANGE, i, take, 0)
    return chosen, best
