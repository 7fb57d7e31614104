"""The fast core's end of a game: what shares and station numbers are worth, and who wins (X12, X15, X18)."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.metro.engine.state import NOBODY, SHARES
from mmsim.metro.engine.turns import line_points
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.rulesets import COMPANIES

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@jit
def score_game(s: Any, r: Any) -> None:
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
def percent_held(s: Any, seat: Any, company: Any) -> np.int64:
    """How many tenths of a company a player holds."""
    held = np.int64(0)
    for i in range(SHARES):
        if s.share[ix(SHARES * seat + i)] == company:
            held += i + 1
    return held


@jit
def _score_shares(s: Any, r: Any) -> None:
    """X15: companies are worth 8 down to 1 by profit; most of a company gives a tenth of its profit on top."""
    for company in range(COMPANIES):
        profit = s.points[ix(company)]
        value = np.int64(COMPANIES)
        for other in range(COMPANIES):
            value -= np.int64(s.points[ix(other)] > profit)
        s.value[ix(company)] = value
        most = np.int64(1)
        for seat in range(r.players):
            held = percent_held(s, seat, company)
            s.share_points[ix(seat)] += held * value
            most = max(most, held)
        for seat in range(r.players):
            if percent_held(s, seat, company) == most:
                s.bonus_points[ix(seat)] += profit // 10


@jit
def _score_numbers(s: Any, r: Any) -> None:
    """X18: a line that ended in a station gives its points to the holder of the number; from the centre, double."""
    for line in range(STOPS):
        to = np.int64(s.to[ix(line)])
        if to == 0 or to > STATIONS or s.owner[ix(line)] == NOBODY:
            continue
        for seat in range(r.players):
            if s.numbers[ix(seat)] >> np.uint64(to - 1) & _ONE != _ZERO:
                s.number_points[ix(seat)] += line_points(s, line) * (2 if line >= STATIONS else 1)
