"""The fast core's end of a game: points for shares and station numbers, and who wins (X12, X15, X18)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.metro.engine.lines import holds_number, line_points, number_factor
from mmsim.metro.engine.state import NOBODY, SHARES, Rules, State
from mmsim.metro.rules.board import STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def score_game(s: State, r: Rules) -> None:
    """Score a game that is over."""
    for seat in range(r.players):
        s.number_points[ix(seat)] = s.share_points[ix(seat)] = s.bonus_points[ix(seat)] = 0
    if r.companies:
        _score_shares(s, r)
    if r.numbers:
        _score_numbers(s, r)
    best = np.int64(-1)
    s.winners = _ZERO
    for seat in range(r.players):
        lines = np.int64(0) if r.companies else s.points[ix(seat)]
        score = lines + s.number_points[ix(seat)] + s.share_points[ix(seat)] + s.bonus_points[ix(seat)]
        s.scores[ix(seat)] = score
        if score > best:
            best = score
            s.winners = _ZERO
        if score == best:  # X12: ties share
            s.winners |= _ONE << np.uint64(seat)


@jit
def tenths_held(s: State, seat: Any, company: Any) -> np.int64:
    """How many tenths of a company a player holds."""
    held = np.int64(0)
    for i in range(SHARES):
        if s.share[ix(SHARES * seat + i)] == company:
            held += i + 1
    return held


@inlined
def company_value(profits: Any, company: Any) -> np.int64:
    """X15: 8 for the most profit down to 1; equal profits have the same value and the next ranks are skipped."""
    value = np.int64(COMPANIES)
    for rival in range(COMPANIES):
        value -= np.int64(profits[ix(rival)] > profits[ix(company)])
    return value


@jit
def _score_shares(s: State, r: Rules) -> None:
    """X15: a share scores its tenths times its company's value; whoever holds most of a company
    also gets a tenth of its profit."""
    for company in range(COMPANIES):
        value = company_value(s.points, company)
        s.value[ix(company)] = value
        most = np.int64(1)
        for seat in range(r.players):
            held = tenths_held(s, seat, company)
            s.share_points[ix(seat)] += held * value
            most = max(most, held)
        for seat in range(r.players):
            if tenths_held(s, seat, company) == most:
                s.bonus_points[ix(seat)] += s.points[ix(company)] // 10


@jit
def _score_numbers(s: State, r: Rules) -> None:
    """X18: a line that ended in a station gives its points to the holder of the number; a line from the centre
    counts double."""
    for line in range(STOPS):
        if s.owner[ix(line)] == NOBODY:
            continue
        for seat in range(r.players):
            if holds_number(s, seat, np.int64(s.end_stop[ix(line)])):
                s.number_points[ix(seat)] += line_points(s, line) * number_factor(line)
